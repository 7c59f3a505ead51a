//! Rate limits of messages, counted before they are sent and shared by all nodes: per address or number, and
//! per account. The requester is counted first: the owner per known device or session, so that others cannot
//! block their messages, and unknown parties per network. All unknown parties together are limited too, and
//! so is the owner on all devices and in all sessions together, so that signing in again gives no new budget.

use super::flows::{FlowActor, MessageRateLimitPolicy};
use crate::{Engine, Failure};
use sinete_core::id::AccountId;
use sinete_core::platform::rate_limit::client_network;
use sinete_core::sign_in::message_rate_limit::{MessageRateWindow, SentMessageCounter};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::GuardedStatement;
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use sinete_store::sign_in::known_devices;

/// How a message is sent.
#[derive(Clone, Copy)]
pub(crate) enum MessageChannel {
    /// By e-mail.
    Email,
    /// By SMS.
    Sms,
    /// By e-mail at the request of an operator. It is counted separately, so that the user can still request
    /// the codes they need.
    OperatorRequest,
}

/// Whether it is the first message of this stage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageResendStatus {
    /// The first.
    First,
    /// A repetition.
    Repeat,
}

/// The requester of a message.
#[derive(Clone, Debug)]
pub(crate) enum MessageRequester {
    /// A party in a flow.
    InFlow {
        /// Its relation to the address or number.
        to_target: RequesterRelation,
        /// Its relation to the account.
        to_account: RequesterRelation,
    },
    /// An operator.
    Operator,
    /// A developer on the machine of a development instance: nothing is counted.
    Developer,
}

/// The relation of a requester to an address, a number or an account.
#[derive(Clone, Debug)]
pub(crate) enum RequesterRelation {
    /// Its owner, identified by a known device or session.
    Owner(String),
    /// An unknown party, identified by network.
    Unknown(String),
}

/// Whose messages are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageRecipientAccount {
    /// The account they are about.
    pub(crate) account: Option<AccountId>,
    /// Whether the account has verified the address or number.
    pub(crate) is_proven: bool,
}

impl MessageRequester {
    /// The requester of a message in a flow. For an unverified address or number, even the signed-in user is
    /// an unknown party. The same queries are made if there is no account.
    pub(crate) async fn from_actor(
        engine: &Engine,
        subject: MessageRecipientAccount,
        actor: &FlowActor,
    ) -> Result<Self, Failure> {
        let is_exempt = engine.settings().flows.message_budget == MessageRateLimitPolicy::ExceptLoopback;
        if is_exempt && actor.origin.address.is_some_and(|address| address.is_loopback()) {
            return Ok(Self::Developer);
        }
        let MessageRecipientAccount { account, is_proven } = subject;
        let network = actor.origin.address.map(client_network);
        let requester_network =
            network.map_or_else(|| "nowhere".to_owned(), |network| format!("network {network}"));
        let requester_relation = RequesterRelation::Unknown(requester_network);
        let to_account = match find_known_requester(engine, account, actor).await? {
            Some(known_requester) => RequesterRelation::Owner(known_requester),
            None => requester_relation.clone(),
        };
        let to_target = if is_proven { to_account.clone() } else { requester_relation };
        Ok(Self::InFlow { to_target, to_account })
    }

    /// The counters of a message to this target.
    fn target_counters(&self, target: &str) -> Vec<MessageCounter> {
        match self {
            Self::InFlow { to_target, .. } => to_target.counters(target),
            Self::Operator => vec![(target.to_owned(), MessageRateWindow::ALL, MessagePause::Enforced)],
            Self::Developer => Vec::new(),
        }
    }

    /// The counters of a message about this account.
    fn account_counters(&self, account: &str) -> Vec<MessageCounter> {
        match self {
            Self::InFlow { to_account, .. } => to_account.counters(account),
            Self::Operator => vec![(account.to_owned(), MessageRateWindow::ALL, MessagePause::Enforced)],
            Self::Developer => Vec::new(),
        }
    }
}

/// The name and windows of a counter, and whether there is a pause after each message.
type MessageCounter = (String, [MessageRateWindow; 2], MessagePause);

impl RequesterRelation {
    /// A party is counted by itself, and together with all others of its kind. Unknown parties never count
    /// against owners.
    fn counters(&self, subject: &str) -> Vec<MessageCounter> {
        match self {
            Self::Owner(owner) => vec![
                (format!("{owner} for {subject}"), MessageRateWindow::ALL, MessagePause::Enforced),
                (format!("owner for {subject}"), MessageRateWindow::OWNER, MessagePause::None),
            ],
            Self::Unknown(requester_network) => vec![
                (
                    format!("{requester_network} for {subject}"),
                    MessageRateWindow::ALL,
                    MessagePause::Enforced,
                ),
                (subject.to_owned(), MessageRateWindow::UNKNOWN_DEVICES, MessagePause::None),
            ],
        }
    }
}

/// The known device or session by which the requester owns this account.
async fn find_known_requester(
    engine: &Engine,
    account: Option<AccountId>,
    actor: &FlowActor,
) -> Result<Option<String>, Failure> {
    let owner = account.unwrap_or(super::flows::verify::NO_ACCOUNT);
    if let Some(device) = &actor.device
        && known_devices::is_authenticated_device(engine.store(), owner, device, engine.now()).await?
    {
        let device: String = device.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        return Ok(Some(format!("device {device}")));
    }
    let session = actor.session.as_ref().filter(|signed_in| Some(signed_in.session.account) == account);
    Ok(session.map(|signed_in| format!("session {}", signed_in.session.id)))
}

/// Whether there is a pause after each message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MessagePause {
    Enforced,
    None,
}

/// The outcome for a message, and when the next one may be sent, as far as it is shown.
#[derive(Debug)]
pub(crate) struct MessageRateDecision {
    /// The statements that count it; `None` if the limit is reached and it is not sent.
    pub(crate) count_statements: Option<Vec<GuardedStatement>>,
    /// The time until the next message may be sent.
    pub(crate) retry_after: Lifetime,
    /// The time that is shown. It depends only on the address or number and the requester, not on the owner.
    pub(crate) next_at: Timestamp,
}

/// Counts a message, unless the limit is reached. The same queries are made for unknown addresses.
pub(crate) async fn count_message(
    engine: &Engine,
    channel: MessageChannel,
    to: &str,
    account: Option<AccountId>,
    requester: &MessageRequester,
) -> Result<MessageRateDecision, Failure> {
    let (kind, action) = match channel {
        MessageChannel::Email => ("email", "mailed"),
        MessageChannel::Sms => ("phone", "texted"),
        MessageChannel::OperatorRequest => ("email", "asked by mail"),
    };
    let now = engine.now();
    let target = format!("{kind} {to}");
    let account_subject =
        account.map_or_else(|| format!("nobody at {target}"), |account| format!("account {account}"));
    let mut counting = BudgetCounter { statements: Vec::new(), blocked_until: now, next_at: now };
    for (subject, windows, pause) in requester.target_counters(&target) {
        counting.count_in_windows(engine, &subject, action, windows, pause, WithheldNotice::Yes).await?;
    }
    for (subject, windows, _) in requester.account_counters(&account_subject) {
        // Counters per account are not shown, because they would reveal which addresses belong together.
        counting
            .count_in_windows(engine, &subject, action, windows, MessagePause::None, WithheldNotice::No)
            .await?;
    }
    let BudgetCounter { statements: steps, blocked_until, next_at } = counting;
    let wait = blocked_until.since(now);
    Ok(MessageRateDecision {
        count_statements: (wait == Lifetime::ZERO).then_some(steps),
        retry_after: wait,
        next_at,
    })
}

/// Whether the end of a limit is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithheldNotice {
    Yes,
    No,
}

struct BudgetCounter {
    statements: Vec<GuardedStatement>,
    blocked_until: Timestamp,
    next_at: Timestamp,
}

impl BudgetCounter {
    async fn count_in_windows(
        &mut self,
        engine: &Engine,
        subject: &str,
        action: &str,
        windows: [MessageRateWindow; 2],
        pause: MessagePause,
        notice: WithheldNotice,
    ) -> Result<(), Failure> {
        let now = engine.now();
        for window in windows {
            let factor = format!("{action} in a {}", window.name);
            let key = AttemptCounterKey { subject, factor: &factor };
            let before = attempt_counters::find_attempt_counter(engine.store(), key).await?;
            let message_counter = before.map(|it| SentMessageCounter {
                count: it.count,
                since: it.since,
                blocked_until: it.blocked_until,
            });
            let after = match pause {
                MessagePause::Enforced => window.count_message_to_address(message_counter, now),
                MessagePause::None => window.count_message_about_account(message_counter, now),
            };
            let next_at = match (after, message_counter) {
                (Some(SentMessageCounter { count, since, blocked_until }), _) => {
                    let after = AttemptCounterRow { count, since, blocked_until };
                    self.statements.push(attempt_counters::advance_attempt_counter(
                        key,
                        before.as_ref(),
                        &after,
                    ));
                    blocked_until
                }
                (None, message_counter) => {
                    let blocked_until =
                        message_counter.map_or(now, |message_counter| message_counter.blocked_until);
                    self.blocked_until = self.blocked_until.max(blocked_until);
                    blocked_until
                }
            };
            if notice == WithheldNotice::Yes {
                self.next_at = self.next_at.max(next_at);
            }
        }
        Ok(())
    }
}
