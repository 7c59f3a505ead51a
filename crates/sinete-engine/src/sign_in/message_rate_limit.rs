//! Messages are counted before they leave, where every node sees it: to one address or number, and about one account. Whoever
//! asks is counted first: the owner on a device or in a session of theirs, so that no stranger keeps them from their mail, and a
//! stranger by network. What strangers ask for together is bounded as well, and so is what the owner asks for on all devices and
//! in all sessions together: somebody who signs in again and again gets no further budget by it.

use super::flows::FlowActor;
use crate::{Engine, Failure};
use sinete_core::id::AccountId;
use sinete_core::platform::rate_limit::client_network;
use sinete_core::sign_in::message_rate_limit::{MessageRateWindow, SentMessageCounter};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::GuardedStatement;
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use sinete_store::sign_in::known_devices;

/// How a message leaves.
#[derive(Clone, Copy)]
pub(crate) enum MessageChannel {
    /// By mail.
    Mail,
    /// To a telephone.
    Text,
    /// By mail, because an operator asks somebody to do something. It is counted apart, so that whoever is asked can have
    /// the codes sent that they need for it.
    Request,
}

/// Whether it is asked for the first time at this stage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendAttempt {
    /// It is.
    First,
    /// Something was sent before, or would have been.
    Repeat,
}

/// Who asks for a message.
#[derive(Clone, Debug)]
pub(crate) enum MessageRequester {
    /// Somebody in a flow.
    InFlow {
        /// Who that is to the address or number it goes to.
        to_target: RequestingParty,
        /// Who that is to the account it is about.
        to_account: RequestingParty,
    },
    /// An operator.
    Operator,
}

/// Who somebody is to an address, a number or an account.
#[derive(Clone, Debug)]
pub(crate) enum RequestingParty {
    /// Its owner, by the device or session they are known by.
    Owner(String),
    /// Somebody who has proven nothing about it, by network.
    Stranger(String),
}

/// Whose messages to an address or a number are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageSubject {
    /// The account they are about.
    pub(crate) account: Option<AccountId>,
    /// Whether that account proved that the address or number is its own.
    pub(crate) is_proven: bool,
}

impl MessageRequester {
    /// Whoever walks through a flow and has something sent. An address or number that its account has not proven is nobody's:
    /// whoever is signed in there is a stranger to whoever reads it. As much is asked about nobody's account.
    pub(crate) async fn from_actor(
        engine: &Engine,
        subject: MessageSubject,
        walker: &FlowActor,
    ) -> Result<Self, Failure> {
        let MessageSubject { account, is_proven } = subject;
        let network = walker.origin.address.map(client_network);
        let stranger = network.map_or_else(|| "nowhere".to_owned(), |network| format!("network {network}"));
        let stranger = RequestingParty::Stranger(stranger);
        let to_account = match known_by(engine, account, walker).await? {
            Some(known) => RequestingParty::Owner(known),
            None => stranger.clone(),
        };
        let to_target = if is_proven { to_account.clone() } else { stranger };
        Ok(Self::InFlow { to_target, to_account })
    }

    /// Under which names and within which windows a message to this target is counted.
    fn target_counters(&self, target: &str) -> Vec<MessageCounter> {
        match self {
            Self::InFlow { to_target, .. } => to_target.counters(target),
            Self::Operator => vec![(target.to_owned(), MessageRateWindow::ALL, MessagePause::Kept)],
        }
    }

    /// The same for a message about this account.
    fn account_counters(&self, account: &str) -> Vec<MessageCounter> {
        match self {
            Self::InFlow { to_account, .. } => to_account.counters(account),
            Self::Operator => vec![(account.to_owned(), MessageRateWindow::ALL, MessagePause::Kept)],
        }
    }
}

/// The name and the windows of a counter, and whether there is a pause after each message.
type MessageCounter = (String, [MessageRateWindow; 2], MessagePause);

impl RequestingParty {
    /// A party is counted by itself, and together with all others of its kind. Strangers never count where owners do.
    fn counters(&self, subject: &str) -> Vec<MessageCounter> {
        match self {
            Self::Owner(owner) => vec![
                (format!("{owner} for {subject}"), MessageRateWindow::ALL, MessagePause::Kept),
                (format!("owner for {subject}"), MessageRateWindow::OF_OWNERS, MessagePause::None),
            ],
            Self::Stranger(stranger) => vec![
                (format!("{stranger} for {subject}"), MessageRateWindow::ALL, MessagePause::Kept),
                (subject.to_owned(), MessageRateWindow::OF_STRANGERS, MessagePause::None),
            ],
        }
    }
}

/// By what somebody is known to own this account: a device on which they proved something before, or a session of theirs.
async fn known_by(
    engine: &Engine,
    account: Option<AccountId>,
    walker: &FlowActor,
) -> Result<Option<String>, Failure> {
    let owner = account.unwrap_or(super::flows::verify::NO_ACCOUNT);
    if let Some(device) = &walker.device
        && known_devices::is_proven_device(engine.store(), owner, device, engine.now()).await?
    {
        let device: String = device.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        return Ok(Some(format!("device {device}")));
    }
    let own = walker.session.as_ref().filter(|signed_in| Some(signed_in.session.account) == account);
    Ok(own.map(|signed_in| format!("session {}", signed_in.session.id)))
}

/// Whether there is a pause after each message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MessagePause {
    Kept,
    None,
}

/// What becomes of a message, and when the next one may leave, as far as whoever asks is told.
#[derive(Debug)]
pub(crate) struct MessageBudget {
    /// The steps that count it; nothing, where it is one too many and does not leave.
    pub(crate) count_steps: Option<Vec<GuardedStatement>>,
    /// How long it takes until one leaves again.
    pub(crate) retry_after: Lifetime,
    /// What is told. It depends on the address or number alone and on who asks, and not on whose it is.
    pub(crate) next_at: Timestamp,
}

/// Counts one message more, if it is not one too many. As much is asked about an address that is nobody's.
pub(crate) async fn count_message(
    engine: &Engine,
    channel: MessageChannel,
    to: &str,
    account: Option<AccountId>,
    requester: &MessageRequester,
) -> Result<MessageBudget, Failure> {
    let (kind, verb) = match channel {
        MessageChannel::Mail => ("email", "mailed"),
        MessageChannel::Text => ("phone", "texted"),
        MessageChannel::Request => ("email", "asked by mail"),
    };
    let now = engine.now();
    let target = format!("{kind} {to}");
    let whose = account.map_or_else(|| format!("nobody at {target}"), |account| format!("account {account}"));
    let mut counting = BudgetCounter { steps: Vec::new(), blocked_until: now, next_at: now };
    for (subject, windows, pause) in requester.target_counters(&target) {
        counting.count_in_windows(engine, (&subject, verb), windows, (pause, WithheldNotice::Yes)).await?;
    }
    for (subject, windows, _) in requester.account_counters(&whose) {
        // Whose addresses belong together is nobody's business: what is counted about them is not told.
        counting
            .count_in_windows(engine, (&subject, verb), windows, (MessagePause::None, WithheldNotice::No))
            .await?;
    }
    let BudgetCounter { steps, blocked_until, next_at } = counting;
    let wait = blocked_until.since(now);
    Ok(MessageBudget { count_steps: (wait == Lifetime::ZERO).then_some(steps), retry_after: wait, next_at })
}

/// Whether it is told until when nothing leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithheldNotice {
    Yes,
    No,
}

struct BudgetCounter {
    steps: Vec<GuardedStatement>,
    blocked_until: Timestamp,
    next_at: Timestamp,
}

impl BudgetCounter {
    async fn count_in_windows(
        &mut self,
        engine: &Engine,
        (subject, verb): (&str, &str),
        windows: [MessageRateWindow; 2],
        (pause, told): (MessagePause, WithheldNotice),
    ) -> Result<(), Failure> {
        let now = engine.now();
        for window in windows {
            let factor = format!("{verb} in a {}", window.name);
            let key = AttemptCounterKey { subject, factor: &factor };
            let before = attempt_counters::find_attempt_counter(engine.store(), key).await?;
            let sent = before.map(|it| SentMessageCounter {
                count: it.count,
                since: it.since,
                blocked_until: it.blocked_until,
            });
            let after = match pause {
                MessagePause::Kept => window.count_message_to_address(sent, now),
                MessagePause::None => window.count_message_about_account(sent, now),
            };
            let next_at = match (after, sent) {
                (Some(SentMessageCounter { count, since, blocked_until }), _) => {
                    let after = AttemptCounterRow { count, since, blocked_until };
                    self.steps.push(attempt_counters::advance_attempt_counter(key, before.as_ref(), &after));
                    blocked_until
                }
                (None, sent) => {
                    let blocked_until = sent.map_or(now, |sent| sent.blocked_until);
                    self.blocked_until = self.blocked_until.max(blocked_until);
                    blocked_until
                }
            };
            if told == WithheldNotice::Yes {
                self.next_at = self.next_at.max(next_at);
            }
        }
        Ok(())
    }
}
