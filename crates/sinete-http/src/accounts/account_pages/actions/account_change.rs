//! The change that a form of the account page asks for.

use super::account_data;
use crate::sign_in::report_sign_in::handlers;
use crate::state::HttpState;
use sinete_core::accounts::language::Language;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_engine::Error;
use sinete_engine::accounts::{contacts, linked_identities};
use sinete_engine::oauth::authorized_applications;
use sinete_engine::oauth::ciba::pending_approvals;
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_engine::sign_in::credentials;
use sinete_engine::sign_in::flows::FlowRequest;
use sinete_engine::sign_in::sessions;
use sinete_server::extract::params::FormParams;

/// The action of a form.
pub(super) enum AccountChange<'a> {
    SignOut,
    SetPassword,
    ChoosePassword,
    Export,
    Delete,
    AddPhone(&'a str),
    /// Starts a flow.
    StartFlow(FlowRequest),
    /// Performed at once.
    Immediate(ImmediateChange<'a>),
}

/// An action that is performed at once.
pub(super) enum ImmediateChange<'a> {
    Profile {
        name: &'a str,
        locale: Option<Language>,
    },
    SetPicture(&'a str),
    RemovePicture,
    EndSession(&'a str),
    EndOtherSessions(Vec<String>),
    RemoveCredential(&'a str),
    RenameCredential {
        id: &'a str,
        name: &'a str,
    },
    RemoveApplication(&'a str),
    MakePrimary(&'a str),
    RemoveContact(&'a str),
    Unlink(&'a str),
    /// Denying requires no recent authentication.
    DenyRequest(&'a str),
}

impl<'a> AccountChange<'a> {
    pub(super) fn from_form(form: &'a FormParams) -> Option<Self> {
        let one_of = |name: &str| form.get(name);
        let enrol = |factor| Some(Self::StartFlow(FlowRequest::Enroll { factor }));
        match one_of("action") {
            Some("sign_out") => return Some(Self::SignOut),
            Some("set_password") => return Some(Self::SetPassword),
            Some("choose_password") => return Some(Self::ChoosePassword),
            Some("export") => return Some(Self::Export),
            Some("delete_account") => return Some(Self::Delete),
            Some("add_passkey") => return enrol(EnrollableFactor::Passkey),
            Some("add_totp") => return enrol(EnrollableFactor::Totp),
            Some("new_recovery_codes") => return enrol(EnrollableFactor::RecoveryCodes),
            Some("change_email") => {
                let email = one_of("email").unwrap_or_default().to_owned();
                return Some(Self::StartFlow(FlowRequest::ChangeEmail { email }));
            }
            Some("add_phone") => return Some(Self::AddPhone(one_of("phone").unwrap_or_default())),
            Some("end_other_sessions") => {
                return Some(Self::Immediate(ImmediateChange::EndOtherSessions(
                    handlers::retained_access_ids(form),
                )));
            }
            Some("save_profile") => {
                let locale = one_of("locale").and_then(Language::from_locale_list);
                let name = one_of("name").unwrap_or_default();
                return Some(Self::Immediate(ImmediateChange::Profile { name, locale }));
            }
            Some("set_picture") => {
                let data = one_of("picture").unwrap_or_default();
                return Some(Self::Immediate(ImmediateChange::SetPicture(data)));
            }
            Some("remove_picture") => return Some(Self::Immediate(ImmediateChange::RemovePicture)),
            Some(_) | None => {}
        }
        let verify_email = |email: &str| FlowRequest::VerifyEmail { email: Some(email.to_owned()) };
        let verify_phone = |phone: &str| FlowRequest::VerifyPhone { phone: Some(phone.to_owned()) };
        let flow = one_of("verify_email").map(verify_email);
        let flow = flow.or_else(|| one_of("verify_phone").map(verify_phone));
        let link = |connection: &str| FlowRequest::LinkIdentity {
            connection: connection.to_owned(),
            return_to: None,
        };
        let flow = flow.or_else(|| one_of("link_identity").map(link));
        flow.map(Self::StartFlow).or_else(|| ImmediateChange::from_form(form).map(Self::Immediate))
    }
}

impl<'a> ImmediateChange<'a> {
    fn from_form(form: &'a FormParams) -> Option<Self> {
        let end = form.get("end_session").map(Self::EndSession);
        let name = form.get("credential_name").unwrap_or_default();
        end.or_else(|| form.get("remove_credential").map(Self::RemoveCredential))
            .or_else(|| form.get("rename_credential").map(|id| Self::RenameCredential { id, name }))
            .or_else(|| form.get("remove_application").map(Self::RemoveApplication))
            .or_else(|| form.get("make_primary").map(Self::MakePrimary))
            .or_else(|| form.get("remove_contact").map(Self::RemoveContact))
            .or_else(|| form.get("unlink_identity").map(Self::Unlink))
            .or_else(|| form.get("deny_request").map(Self::DenyRequest))
    }

    pub(super) async fn apply(self, state: &HttpState, account_holder: &AccountHolder) -> Result<(), Error> {
        let engine = state.engine();
        match self {
            Self::Profile { name, locale } => {
                account_data::change_profile(state, account_holder, name, locale).await
            }
            Self::SetPicture(data) => account_data::set_picture(state, account_holder, data).await,
            Self::RemovePicture => account_data::remove_picture(state, account_holder).await,
            Self::EndSession(id) => match id.parse() {
                Ok(id) => sessions::end(engine, account_holder.account(), id, &account_holder.cause).await,
                Err(_) => Err(not_found().into()),
            },
            Self::EndOtherSessions(keep) => {
                let current_session = account_holder.signed_in.session.id;
                sessions::sign_out_elsewhere(
                    engine,
                    account_holder.account(),
                    current_session,
                    &keep,
                    &account_holder.cause,
                )
                .await?;
                Ok(())
            }
            Self::RemoveCredential(id) => match id.parse() {
                Ok(id) => credentials::remove(engine, account_holder, id).await,
                Err(_) => Err(not_found().into()),
            },
            Self::RenameCredential { id, name } => match id.parse() {
                Ok(id) => credentials::rename(engine, account_holder, id, name).await.map(drop),
                Err(_) => Err(not_found().into()),
            },
            Self::MakePrimary(id) => match id.parse() {
                Ok(id) => contacts::make_primary(engine, account_holder, id).await.map(drop),
                Err(_) => Err(not_found().into()),
            },
            Self::RemoveContact(id) => match id.parse() {
                Ok(id) => contacts::remove(engine, account_holder, id).await,
                Err(_) => Err(not_found().into()),
            },
            Self::Unlink(id) => linked_identities::unlink(engine, account_holder, id).await,
            Self::DenyRequest(id) => match id.parse() {
                Ok(id) => pending_approvals::deny(engine, account_holder, id).await,
                Err(_) => Err(not_found().into()),
            },
            Self::RemoveApplication(membership_and_client) => {
                let ids = membership_and_client
                    .split_once(':')
                    .and_then(|(membership, client)| Some((membership.parse().ok()?, client.parse().ok()?)));
                match ids {
                    Some((membership, client)) => {
                        authorized_applications::revoke_application(
                            engine,
                            account_holder,
                            membership,
                            &client,
                        )
                        .await
                    }
                    None => Err(not_found().into()),
                }
            }
        }
    }
}

fn not_found() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "the id is not valid")
}
