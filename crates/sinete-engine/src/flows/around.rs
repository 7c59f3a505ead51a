//! What people are shown around a stage of a flow: who sent them here, where it leads, and who they are. It decides
//! nothing, and tells nobody more than they have proven already.

use super::direct;
use crate::authorize::RequestingClient;
use crate::looks::{self, OrganizationBranding};
use crate::{Engine, Failure};
use sinete_core::authorize::asked::{InteractionAnswers, PendingAuthorization};
use sinete_core::client::metadata::localized::in_language;
use sinete_core::flow::AuthenticationFlow;
use sinete_core::flow::purpose::FlowPurpose;
use sinete_core::flow::stage::FlowStage;
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::secret::{Digest, InvitationToken};
use sinete_store::clients::ClientOrigin;
use sinete_store::contacts::{self, ContactKind};
use sinete_store::organizations::OrganizationRow;
use sinete_store::{accounts, invitations, memberships, organizations, roles};
use std::collections::BTreeMap;

/// What stands around a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowContext {
    /// What the application calls itself that sent them here.
    pub application: Option<String>,
    /// Where its makers say what they do with what they learn.
    pub privacy_policy: Option<String>,
    /// Where they say on what terms it is used.
    pub terms: Option<String>,
    /// The same in other languages, under the names they were registered by, as in `client_name#pt-BR`.
    pub localized: BTreeMap<String, String>,
    /// The languages it asks for, most wanted first.
    pub languages: Option<String>,
    /// The organization they are invited to.
    pub organization: Option<String>,
    /// What they will be there, by the names of the roles.
    pub roles: Vec<String>,
    /// How the organization looks that this is about.
    pub look: Option<OrganizationBranding>,
    /// The address they know themselves by, once they have proven who they are.
    pub person: Option<String>,
    /// The language they chose, once they have proven who they are.
    pub language: Option<String>,
}

impl FlowContext {
    /// What the application calls itself in a language.
    pub fn application_in(&self, language: &str) -> Option<&str> {
        self.said("client_name", language).or(self.application.as_deref())
    }

    /// Where its makers say in a language what they do with what they learn.
    pub fn privacy_policy_in(&self, language: &str) -> Option<&str> {
        self.said("policy_uri", language).or(self.privacy_policy.as_deref())
    }

    /// Where they say in a language on what terms it is used.
    pub fn terms_in(&self, language: &str) -> Option<&str> {
        self.said("tos_uri", language).or(self.terms.as_deref())
    }

    fn said(&self, member: &str, language: &str) -> Option<&str> {
        let texts = self.localized.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        in_language(texts, member, language)
    }
}

/// What stands around this flow.
pub async fn around(engine: &Engine, flow: &AuthenticationFlow) -> Result<FlowContext, Failure> {
    let mut around = FlowContext::default();
    match flow.purpose() {
        FlowPurpose::Authorize { asked, answers, .. }
        | FlowPurpose::ApproveRequest { asked, answers }
        | FlowPurpose::ConfirmDevice { asked: Some(asked), answers, .. } => {
            let applicant = RequestingClient::find(engine, &asked.client).await?;
            let owner = applicant.as_ref().and_then(|applicant| match applicant.known.client.origin {
                ClientOrigin::Organization(organization) => Some(organization),
                ClientOrigin::Operator | ClientOrigin::Itself => None,
            });
            around.look = sought(engine, flow, asked, answers, owner).await?;
            if let Some(applicant) = applicant {
                around.application = Some(applicant.known.client.name.clone());
                around.privacy_policy = applicant.known.metadata.policy_uri.clone();
                around.terms = applicant.known.metadata.tos_uri.clone();
                around.localized = applicant.known.metadata.localized.clone();
            }
            around.languages = asked.parameter("ui_locales").map(str::to_owned);
        }
        FlowPurpose::AcceptInvitation { invitation, .. } => {
            if let Some((organization, roles)) = invited_to(engine, *invitation).await? {
                around.roles = roles;
                around.look = looks::of(engine, organization.id).await?;
                around.organization = Some(organization.name);
            }
        }
        _ => {}
    }
    let Some(account) = proven(engine, flow).await? else { return Ok(around) };
    let known = contacts::of_account(engine.store(), account).await?;
    let mails = known.iter().filter(|contact| contact.kind == ContactKind::Email);
    let main = mails.max_by_key(|contact| (contact.is_primary, contact.verified_at.is_some()));
    around.person = main.map(|contact| contact.address.clone());
    around.language = accounts::find(engine.store(), account).await?.and_then(|account| account.language);
    Ok(around)
}

/// Whoever has proven who they are: in this flow, or in the session it began in.
async fn proven(engine: &Engine, flow: &AuthenticationFlow) -> Result<Option<AccountId>, Failure> {
    if !has_proven(flow.stage()) {
        return Ok(None);
    }
    match flow.account() {
        Some(account) => Ok(Some(account)),
        None => Ok(direct::signed_in(engine, flow).await?.map(|signed_in| signed_in.session.account)),
    }
}

/// Whether nobody stands there who has not proven to be whom the flow is about.
const fn has_proven(stage: &FlowStage) -> bool {
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

/// The look of the organization that a request is about: the one that is settled, or else the one that it names, or
/// else the one whose application it is.
async fn sought(
    engine: &Engine,
    flow: &AuthenticationFlow,
    asked: &PendingAuthorization,
    answers: &InteractionAnswers,
    owner: Option<OrganizationId>,
) -> Result<Option<OrganizationBranding>, Failure> {
    let settled = match flow.stage() {
        FlowStage::Consent { agreement, .. } => Some(agreement.organization),
        _ => answers.organization,
    };
    if let Some(organization) = settled {
        return looks::of(engine, organization).await;
    }
    match (asked.parameter("organization"), owner) {
        (Some(named), _) => looks::named(engine, named).await,
        (None, Some(owner)) => looks::of(engine, owner).await,
        (None, None) => Ok(None),
    }
}

/// The organization, and the names of the roles that wait there.
async fn invited_to(
    engine: &Engine,
    digest: [u8; 32],
) -> Result<Option<(OrganizationRow, Vec<String>)>, Failure> {
    let digest = Digest::<InvitationToken>::from_bytes(digest);
    let store = engine.store();
    let Some(invitation) = invitations::find(store, &digest).await? else { return Ok(None) };
    let Some(organization) = organizations::find(store, invitation.organization, engine.now()).await? else {
        return Ok(None);
    };
    let carried = memberships::roles_of(store, invitation.membership).await?;
    let all = roles::of_organization(store, organization.id).await?;
    let names = all.iter().filter(|role| carried.contains(&role.id)).map(|role| role.role.name().to_owned());
    Ok(Some((organization, names.collect())))
}
