//! The context shown with a flow: the requesting application, the organization and the user. It has no effect
//! on decisions and reveals nothing beyond what was proven.

use super::advance;
use crate::oauth::authorize::ActiveClient;
use crate::organizations::branding;
use crate::organizations::branding::OrganizationBranding;
use crate::{Engine, Failure};
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::oauth::authorize::pending_authorization::{InteractionAnswers, PendingAuthorization};
use sinete_core::oauth::client_metadata::localized::select_localized_text;
use sinete_core::secret::{Digest, InvitationToken};
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::{invitations, memberships, roles};
use sinete_store::{accounts, organizations};
use std::collections::BTreeMap;

/// The context of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowContext {
    /// The application's name.
    pub application: Option<String>,
    /// The application's privacy policy URL.
    pub privacy_policy: Option<String>,
    /// The application's terms of service URL.
    pub terms_of_service: Option<String>,
    /// The same in other languages, by metadata name, as in `client_name#pt-BR`.
    pub localized: BTreeMap<String, String>,
    /// The requested languages, in order of preference (`ui_locales`).
    pub languages: Option<String>,
    /// The organization of the invitation.
    pub organization: Option<String>,
    /// The offered roles by name.
    pub roles: Vec<String>,
    /// The branding of the organization.
    pub branding: Option<OrganizationBranding>,
    /// The user's address, after authentication.
    pub account_email: Option<String>,
    /// The user's language, after authentication.
    pub language: Option<String>,
}

impl FlowContext {
    /// The application's name in a language.
    pub fn application_name(&self, language: &str) -> Option<&str> {
        self.localized_metadata("client_name", language).or(self.application.as_deref())
    }

    /// The privacy policy URL in a language.
    pub fn privacy_policy_uri(&self, language: &str) -> Option<&str> {
        self.localized_metadata("policy_uri", language).or(self.privacy_policy.as_deref())
    }

    /// The terms of service URL in a language.
    pub fn terms_of_service_uri(&self, language: &str) -> Option<&str> {
        self.localized_metadata("tos_uri", language).or(self.terms_of_service.as_deref())
    }

    fn localized_metadata(&self, member: &str, language: &str) -> Option<&str> {
        let texts = self.localized.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        select_localized_text(texts, member, language)
    }
}

/// Loads the context of a flow.
pub async fn load_flow_context(engine: &Engine, flow: &AuthenticationFlow) -> Result<FlowContext, Failure> {
    let mut around = FlowContext::default();
    match flow.purpose() {
        FlowPurpose::Authorize { pending_authorization: pending, answers, .. }
        | FlowPurpose::ApproveRequest { pending_authorization: pending, answers }
        | FlowPurpose::ConfirmDevice { pending_authorization: Some(pending), answers, .. } => {
            let client = ActiveClient::find(engine, &pending.client).await?;
            let owner = client.as_ref().and_then(|client| match client.client.client.origin {
                ClientOrigin::Organization(organization) => Some(organization),
                ClientOrigin::Operator | ClientOrigin::DynamicRegistration => None,
            });
            around.branding = find_branding(engine, flow, pending, answers, owner).await?;
            if let Some(client) = client {
                around.application = Some(client.client.client.name.clone());
                around.privacy_policy = client.client.metadata.policy_uri.clone();
                around.terms_of_service = client.client.metadata.tos_uri.clone();
                around.localized = client.client.metadata.localized.clone();
            }
            around.languages = pending.find_parameter("ui_locales").map(str::to_owned);
        }
        FlowPurpose::AcceptInvitation { invitation, .. } => {
            if let Some((organization, roles)) = find_invitation(engine, *invitation).await? {
                around.roles = roles;
                around.branding = branding::find_branding(engine, organization.id).await?;
                around.organization = Some(organization.name);
            }
        }
        _ => {}
    }
    let Some(account) = find_authenticated_account(engine, flow).await? else { return Ok(around) };
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let mails = contacts.iter().filter(|contact| contact.kind == ContactKind::Email);
    let main = mails.max_by_key(|contact| (contact.is_primary, contact.verified_at.is_some()));
    around.account_email = main.map(|contact| contact.address.clone());
    around.language =
        accounts::find_account(engine.store(), account).await?.and_then(|account| account.language);
    Ok(around)
}

/// The authenticated account: in this flow, or of the session it began in.
async fn find_authenticated_account(
    engine: &Engine,
    flow: &AuthenticationFlow,
) -> Result<Option<AccountId>, Failure> {
    if !is_authenticated_stage(flow.stage()) {
        return Ok(None);
    }
    match flow.account() {
        Some(account) => Ok(Some(account)),
        None => {
            Ok(advance::find_active_session(engine, flow).await?.map(|signed_in| signed_in.session.account))
        }
    }
}

/// Whether the user of this stage has authenticated.
const fn is_authenticated_stage(stage: &FlowStage) -> bool {
    !matches!(
        stage,
        FlowStage::SignIn
            | FlowStage::Details
            | FlowStage::Address
            | FlowStage::MailedProof(_)
            | FlowStage::TextedProof(_)
            | FlowStage::AtProvider(_)
    )
}

/// Finds the branding for a request: of the chosen organization, or else the one it names, or else the
/// client's.
async fn find_branding(
    engine: &Engine,
    flow: &AuthenticationFlow,
    pending: &PendingAuthorization,
    answers: &InteractionAnswers,
    owner: Option<OrganizationId>,
) -> Result<Option<OrganizationBranding>, Failure> {
    let settled_organization = match flow.stage() {
        FlowStage::Consent { agreement, .. } => Some(agreement.organization),
        _ => answers.organization,
    };
    if let Some(organization) = settled_organization {
        return branding::find_branding(engine, organization).await;
    }
    match (pending.find_parameter("organization"), owner) {
        (Some(name), _) => branding::find_branding_by_name(engine, name).await,
        (None, Some(owner)) => branding::find_branding(engine, owner).await,
        (None, None) => Ok(None),
    }
}

/// The organization and role names of the invitation.
async fn find_invitation(
    engine: &Engine,
    digest: [u8; 32],
) -> Result<Option<(OrganizationRow, Vec<String>)>, Failure> {
    let digest = Digest::<InvitationToken>::from_bytes(digest);
    let store = engine.store();
    let Some(invitation) = invitations::find_invitation_by_token(store, &digest).await? else {
        return Ok(None);
    };
    let Some(organization) =
        organizations::find_organization(store, invitation.organization, engine.now()).await?
    else {
        return Ok(None);
    };
    let role_ids = memberships::list_membership_roles(store, invitation.membership).await?;
    let all = roles::list_roles(store, organization.id).await?;
    let names = all.iter().filter(|role| role_ids.contains(&role.id)).map(|role| role.role.name().to_owned());
    Ok(Some((organization, names.collect())))
}
