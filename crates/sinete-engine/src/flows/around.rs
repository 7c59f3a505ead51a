//! What people are shown around a stage of a flow: who sent them here, where it leads, and who they are. It decides
//! nothing, and tells nobody more than they have proven already.

use super::direct;
use crate::authorize::Applicant;
use crate::looks::{self, Look};
use crate::{Engine, Failed};
use sinete_core::authorize::asked::{Answers, Asked};
use sinete_core::client::metadata::localized::in_language;
use sinete_core::flow::Flow;
use sinete_core::flow::purpose::Purpose;
use sinete_core::flow::stage::Stage;
use sinete_core::id::{AccountId, OrganizationId};
use sinete_core::secret::{Digest, InvitationToken};
use sinete_store::clients::Origin;
use sinete_store::contacts::{self, Kind};
use sinete_store::organizations::Organization;
use sinete_store::{accounts, invitations, memberships, organizations, roles};
use std::collections::BTreeMap;

/// What stands around a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
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
    pub look: Option<Look>,
    /// The address they know themselves by, once they have proven who they are.
    pub person: Option<String>,
    /// The language they chose, once they have proven who they are.
    pub language: Option<String>,
}

impl Around {
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
pub async fn around(engine: &Engine, flow: &Flow) -> Result<Around, Failed> {
    let mut around = Around::default();
    match flow.purpose() {
        Purpose::Authorize { asked, answers, .. }
        | Purpose::ApproveRequest { asked, answers }
        | Purpose::ConfirmDevice { asked: Some(asked), answers, .. } => {
            let applicant = Applicant::find(engine, &asked.client).await?;
            let owner = applicant.as_ref().and_then(|applicant| match applicant.known.client.origin {
                Origin::Organization(organization) => Some(organization),
                Origin::Operator | Origin::Itself => None,
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
        Purpose::AcceptInvitation { invitation, .. } => {
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
    let mails = known.iter().filter(|contact| contact.kind == Kind::Email);
    let main = mails.max_by_key(|contact| (contact.is_primary, contact.verified_at.is_some()));
    around.person = main.map(|contact| contact.address.clone());
    around.language = accounts::find(engine.store(), account).await?.and_then(|account| account.language);
    Ok(around)
}

/// Whoever has proven who they are: in this flow, or in the session it began in.
async fn proven(engine: &Engine, flow: &Flow) -> Result<Option<AccountId>, Failed> {
    if !has_proven(flow.stage()) {
        return Ok(None);
    }
    match flow.account() {
        Some(account) => Ok(Some(account)),
        None => Ok(direct::signed_in(engine, flow).await?.map(|signed_in| signed_in.session.account)),
    }
}

/// Whether nobody stands there who has not proven to be whom the flow is about.
const fn has_proven(stage: &Stage) -> bool {
    !matches!(
        stage,
        Stage::SignIn
            | Stage::Details
            | Stage::Address
            | Stage::MailedProof(_)
            | Stage::TextedProof(_)
            | Stage::AtProvider(_)
    )
}

/// The look of the organization that a request is about: the one that is settled, or else the one that it names, or
/// else the one whose application it is.
async fn sought(
    engine: &Engine,
    flow: &Flow,
    asked: &Asked,
    answers: &Answers,
    owner: Option<OrganizationId>,
) -> Result<Option<Look>, Failed> {
    let settled = match flow.stage() {
        Stage::Consent { agreement, .. } => Some(agreement.organization),
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
) -> Result<Option<(Organization, Vec<String>)>, Failed> {
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
