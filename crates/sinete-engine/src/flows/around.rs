//! What people are shown around a stage of a flow: who sent them here, where it leads, and who they are. It decides
//! nothing, and tells nobody more than they have proven already.

use crate::authorize::Applicant;
use crate::{Engine, Failed};
use sinete_core::flow::Flow;
use sinete_core::flow::purpose::Purpose;
use sinete_core::flow::stage::Stage;
use sinete_core::secret::{Digest, InvitationToken};
use sinete_store::contacts::{self, Kind};
use sinete_store::{accounts, invitations, organizations};

/// What stands around a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// What the application calls itself that sent them here.
    pub application: Option<String>,
    /// The languages it asks for, most wanted first.
    pub languages: Option<String>,
    /// The organization they are invited to.
    pub organization: Option<String>,
    /// The address they know themselves by, once they have proven who they are.
    pub person: Option<String>,
    /// The language they chose, once they have proven who they are.
    pub language: Option<String>,
}

/// What stands around this flow.
pub async fn around(engine: &Engine, flow: &Flow) -> Result<Around, Failed> {
    let mut around = Around::default();
    match flow.purpose() {
        Purpose::Authorize { asked, .. } => {
            let applicant = Applicant::find(engine, &asked.client).await?;
            around.application = applicant.map(|applicant| applicant.known.client.name.clone());
            around.languages = asked.parameter("ui_locales").map(str::to_owned);
        }
        Purpose::AcceptInvitation { invitation, .. } => {
            around.organization = invited_to(engine, *invitation).await?;
        }
        _ => {}
    }
    let Some(account) = flow.account().filter(|_| has_proven(flow.stage())) else { return Ok(around) };
    let known = contacts::of_account(engine.store(), account).await?;
    let mails = known.iter().filter(|contact| contact.kind == Kind::Email);
    let main = mails.max_by_key(|contact| (contact.is_primary, contact.verified_at.is_some()));
    around.person = main.map(|contact| contact.address.clone());
    around.language = accounts::find(engine.store(), account).await?.and_then(|account| account.language);
    Ok(around)
}

/// Whether nobody stands there who has not proven to be whom the flow is about.
const fn has_proven(stage: &Stage) -> bool {
    !matches!(stage, Stage::SignIn | Stage::Details | Stage::Address | Stage::MailedProof(_))
}

async fn invited_to(engine: &Engine, digest: [u8; 32]) -> Result<Option<String>, Failed> {
    let digest = Digest::<InvitationToken>::from_bytes(digest);
    let Some(invitation) = invitations::find(engine.store(), &digest).await? else { return Ok(None) };
    let organization = organizations::find(engine.store(), invitation.organization, engine.now()).await?;
    Ok(organization.map(|organization| organization.name))
}
