//! Magic links. Opening a link shows its purpose and does not use it; following it proves access to the
//! mailbox.

use super::account_creation::invalid_link;
use super::challenge_messages::link_purpose;
use super::context::{FlowContext, load_flow_context};
use super::failed_attempts::FlowTarget;
use super::verify::email_challenge;
use super::verify::email_challenge::MailReader;
use super::verify::one_time_code::record_failed_proof;
use super::{FlowActor, FlowSnapshot, LoadedFlow, apply, parse_flow};
use crate::sign_in::lockout;
use crate::sign_in::lockout::factor;
use crate::{ATTEMPTS_MAX, Engine, Error};
use sinete_core::id::FlowId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::{Digest, FlowToken, MagicLink, Secret};
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::{EmailChallenge, FlowStage};
use sinete_core::sign_in::flows::verified_input::{MagicLinkOpener, VerifiedFlowInput};
use sinete_core::time::Timestamp;
use sinete_store::sign_in::credentials::magic_links;
use sinete_store::sign_in::flows;
use sinete_store::{WriteBatch, accounts};

/// The path of links, below the issuer.
pub const LINK_PATH: &str = "/link";

/// The purpose of a link, as shown when it is opened.
#[derive(Debug)]
pub struct MagicLinkView {
    /// The flow.
    pub flow: FlowId,
    /// The kind of flow.
    pub kind: FlowKind,
    /// The recipient.
    pub address: String,
    /// When it expires.
    pub expires_at: Timestamp,
    /// Whether following it creates an account.
    pub creates_account: bool,
    /// Whether it works without the flow token.
    pub is_unbound: bool,
    /// The context of the flow, in the account's language because its reader owns the address.
    pub context: FlowContext,
}

/// The party that follows a link.
#[derive(Clone, Copy, Debug)]
pub struct LinkFollower<'a> {
    /// The flow token, if present.
    pub flow_token: Option<&'a str>,
    /// How the flow token is sent.
    pub token_transport: FlowTokenTransport,
}

/// Shows the purpose of a link, if it is valid.
pub async fn show_magic_link(engine: &Engine, token: &str) -> Result<MagicLinkView, Error> {
    let link = find_magic_link(engine, token).await?;
    let mut around = load_flow_context(engine, &link.flow.flow).await?;
    if let Some(account) = link.challenge.account {
        around.language =
            accounts::find_account(engine.store(), account).await?.and_then(|account| account.language);
    }
    Ok(MagicLinkView {
        flow: link.flow.flow.id(),
        kind: link.flow.flow.kind(),
        address: link.challenge.address.as_str().to_owned(),
        expires_at: link.expires_at,
        creates_account: link.challenge.creates_account(),
        is_unbound: link.flow.flow.can_continue_on_other_device(),
        context: around,
    })
}

/// Uses the link and continues its flow: for the holder of the flow token, or else for the follower, who
/// becomes its holder.
pub async fn follow_magic_link(
    engine: &Engine,
    token: &str,
    follower: &LinkFollower<'_>,
    actor: &FlowActor,
) -> Result<FlowSnapshot, Error> {
    for _ in 0..ATTEMPTS_MAX {
        let link = find_magic_link(engine, token).await?;
        let opener = follower.opener(&link.flow);
        if opener != MagicLinkOpener::FlowHolder && !link.flow.flow.can_continue_on_other_device() {
            return Err(wrong_browser().into());
        }
        let account =
            match email_challenge::find_mail_reader(engine, &link.flow.flow, &link.challenge).await? {
                MailReader::Account(account) => Some(account),
                MailReader::NewAccount => None,
                MailReader::OtherAccount => return Err(email_challenge::address_taken().into()),
                MailReader::NoAccount => {
                    let flow_target = FlowTarget::from_flow(&link.flow.flow);
                    let actor = FlowActor { flow_target, ..actor.clone() };
                    record_failed_proof(engine, link.challenge.account, "magic_link", &actor).await?;
                    return Err(invalid_link().into());
                }
            };
        // A user who reads the mailbox is not delayed by the failed attempts of others.
        let forgiven = account
            .as_ref()
            .map(|account| lockout::reset_unknown_devices(account.account, factor::EMAIL_CODE));
        let Ok(moved) = link
            .flow
            .flow
            .clone()
            .apply_input(VerifiedFlowInput::MagicLinkVerified { person: account, opener })
        else {
            return Err(invalid_link().into());
        };
        let spent = WriteBatch::new().with_statement(magic_links::consume_magic_link(
            &link.digest,
            &link.purpose,
            engine.now(),
        ));
        let spent = spent.with_statements(forgiven.into_iter().flatten());
        let (batch, snapshot) = apply::apply_transition(engine, &link.flow, moved, spent, actor).await?;
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(super::notify_ended_sessions(engine, snapshot, actor).await?);
        }
    }
    // Concurrent requests were faster at every attempt.
    Err(invalid_link().into())
}

impl LinkFollower<'_> {
    fn opener(&self, loaded_flow: &LoadedFlow) -> MagicLinkOpener {
        let secret = self.flow_token.and_then(|token| Secret::<FlowToken>::parse(token).ok());
        let is_held = secret.is_some_and(|token| token.digest() == loaded_flow.digest);
        if is_held && loaded_flow.flow.flow_token_transport() == self.token_transport {
            MagicLinkOpener::FlowHolder
        } else {
            MagicLinkOpener::LinkHolder(self.token_transport)
        }
    }
}

/// A valid link with its flow.
struct ValidMagicLink {
    digest: Digest<MagicLink>,
    purpose: String,
    expires_at: Timestamp,
    flow: LoadedFlow,
    challenge: EmailChallenge,
}

/// Finds a link, if it is unused and not expired, and its flow still waits for it.
async fn find_magic_link(engine: &Engine, token: &str) -> Result<ValidMagicLink, Error> {
    let Ok(token) = Secret::<MagicLink>::parse(token) else { return Err(invalid_link().into()) };
    let (digest, now) = (token.digest(), engine.now());
    let magic_link = magic_links::find_magic_link(engine.store(), &digest).await?;
    let Some(link) = magic_link.filter(|link| link.spent_at.is_none() && link.expires_at > now) else {
        return Err(invalid_link().into());
    };
    let stored = flows::find_flow(engine.store(), link.flow).await?;
    let Some(stored) = stored.filter(|flow| flow.finished_at.is_none() && flow.expires_at > now) else {
        return Err(invalid_link().into());
    };
    let loaded_flow = parse_flow(link.flow, stored)?;
    let FlowStage::MailedProof(challenge) = loaded_flow.flow.stage().clone() else {
        return Err(invalid_link().into());
    };
    if link_purpose(&loaded_flow.flow, &challenge) != link.purpose {
        return Err(invalid_link().into());
    }
    Ok(ValidMagicLink {
        digest,
        purpose: link.purpose,
        expires_at: link.expires_at,
        flow: loaded_flow,
        challenge,
    })
}

/// The refusal for a link that must be opened in the browser that requested it.
fn wrong_browser() -> Refusal {
    Refusal::because(SignInRefusal::LinkInAnotherBrowser, "the link was opened without the flow token")
}
