//! Converts forms to flow inputs, and refusals to notices.

use crate::screens::flash::FlowNotice;
use crate::sign_in::report_sign_in::handlers;
use serde_json::{Map, Value};
use sinete_core::limits::PASSWORD_CHARACTERS_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::sign_in::credentials::password::PasswordRejection;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::action::{CredentialAccountSource, FlowAction};
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_server::extract::json;
use sinete_server::extract::params::FormParams;

/// The action of a form with its fields.
pub(super) fn parse_form_action(flow: &AuthenticationFlow, form: &FormParams) -> (String, Value) {
    let name = form.get("action").unwrap_or_default();
    let action = match name {
        // Two buttons for one action.
        "allow" | "deny" => FlowAction::Consent.name(),
        other => other,
    };
    let mut fields = Map::new();
    let mut take = |field: &str, from: &str| {
        if let Some(text) = form.get(from) {
            fields.insert(field.to_owned(), Value::from(text));
        }
    };
    match FlowAction::from_name(action) {
        Some(FlowAction::Password) => {
            if flow.password_owner() == CredentialAccountSource::SubmittedContact {
                take("email", "identifier");
            }
            take("password", "password");
        }
        Some(FlowAction::Email) if !flow.has_email_address() => take("email", "identifier"),
        Some(FlowAction::SmsCode) if flow.password_owner() == CredentialAccountSource::SubmittedContact => {
            take("phone", "identifier");
        }
        Some(FlowAction::Details) => {
            if !flow.has_email_address() {
                take("email", "identifier");
            }
            take("password", "password");
            take("name", "name");
            fields.extend(parse_passkey_response(form).map(|credential| ("passkey".to_owned(), credential)));
        }
        Some(FlowAction::NewPassword) => {
            take("password", "password");
            let keep = handlers::retained_access_ids(form);
            if !keep.is_empty() {
                fields.insert("keep".to_owned(), Value::from(keep));
            }
        }
        Some(FlowAction::UserCode) => take("user_code", "user_code"),
        Some(FlowAction::ChooseOrganization) => take("organization", "organization"),
        Some(FlowAction::ChooseFactor) => take("credential", "credential"),
        Some(FlowAction::Consent) => {
            fields.insert("allow".to_owned(), Value::from(name == "allow"));
        }
        Some(FlowAction::Code | FlowAction::Totp | FlowAction::TotpConfirmation) => {
            // Spaces and hyphens in a code are ignored.
            let digits = form.get("code").map(|code| code.split([' ', '-']).collect::<String>());
            fields.extend(digits.map(|digits| ("code".to_owned(), Value::from(digits))));
        }
        Some(FlowAction::RecoveryCode) => take("code", "code"),
        Some(FlowAction::Passkey | FlowAction::PasskeyRegistration) => {
            take("name", "name");
            fields
                .extend(parse_passkey_response(form).map(|credential| ("credential".to_owned(), credential)));
        }
        Some(FlowAction::SingleSignOn) => match form.get("connection") {
            Some(_) => take("connection", "connection"),
            None if matches!(flow.stage(), FlowStage::SignIn) => take("email", "identifier"),
            None => {}
        },
        Some(
            FlowAction::Email
            | FlowAction::SmsCode
            | FlowAction::Resend
            | FlowAction::Restart
            | FlowAction::SignUp
            | FlowAction::RecoveryCodes
            | FlowAction::ProviderAnswer,
        )
        | None => {}
    }
    (action.to_owned(), Value::Object(fields))
}

/// The passkey response, as written by the script.
fn parse_passkey_response(form: &FormParams) -> Option<Value> {
    json::parse_json_value(form.get("credential")?.as_bytes()).ok().filter(Value::is_object)
}

/// The notice for a refusal that leaves the flow unchanged; `None` if there is no page to show it on.
pub(crate) fn flow_error_notice(
    refusal: &Refusal,
    action: &str,
    form: &FormParams,
    characters_min: usize,
) -> Option<FlowNotice> {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    match refusal.code() {
        RefusalCode::Unprocessable => {
            let fault =
                |pointer: &str| refusal.validation_errors().iter().find(|fault| fault.pointer == pointer);
            let is_empty = |field: &str| form.get(field).is_none();
            if (fault("/email").is_some() && is_empty("identifier"))
                || (fault("/password").is_some() && is_empty("password"))
                || (fault("/current_password").is_some() && is_empty("current_password"))
                || (fault("/phone").is_some() && is_empty("identifier"))
                || (fault("/code").is_some() && is_empty("code"))
                || (fault("/user_code").is_some() && is_empty("user_code"))
                || (!refusal.validation_errors().is_empty()
                    && refusal.validation_errors().iter().all(|it| it.pointer.is_empty()))
            {
                return Some(FlowNotice::Missing);
            }
            if FlowAction::from_name(action) == Some(FlowAction::SingleSignOn) {
                return Some(FlowNotice::NoProvider);
            }
            if fault("/email").is_some() {
                return Some(FlowNotice::BadEmail);
            }
            if fault("/phone").is_some() {
                return Some(FlowNotice::BadPhone);
            }
            if let Some(fault) = fault("/password") {
                let is = |unfit: PasswordRejection| fault.text == unfit.to_string();
                return Some(match () {
                    () if is(PasswordRejection::Short) => FlowNotice::PasswordShort(number(characters_min)),
                    () if is(PasswordRejection::Long) => {
                        FlowNotice::PasswordLong(number(PASSWORD_CHARACTERS_MAX))
                    }
                    () => FlowNotice::PasswordRefused,
                });
            }
            Some(match FlowAction::from_name(action) {
                Some(
                    FlowAction::Code
                    | FlowAction::Totp
                    | FlowAction::RecoveryCode
                    | FlowAction::TotpConfirmation,
                ) => FlowNotice::WrongCode,
                Some(FlowAction::UserCode) => FlowNotice::WrongUserCode,
                Some(FlowAction::Passkey | FlowAction::PasskeyRegistration) => FlowNotice::Passkey,
                _ if form.get("credential").is_some() => FlowNotice::Passkey,
                _ => FlowNotice::WrongProof,
            })
        }
        RefusalCode::Conflict => Some(FlowNotice::OutOfTurn),
        RefusalCode::TooManyRequests => {
            let wait = refusal.retry_after().map_or(60, |wait| wait.seconds_to_wait());
            Some(FlowNotice::TooMany(u64::try_from(wait).unwrap_or(60)))
        }
        RefusalCode::TemporarilyUnavailable => Some(FlowNotice::Busy),
        // An unknown action comes from a page of another version.
        RefusalCode::NotFound if FlowAction::from_name(action).is_none() => Some(FlowNotice::NotPossible),
        _ => None,
    }
}
