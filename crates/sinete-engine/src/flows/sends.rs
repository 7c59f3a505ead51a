//! Messages are counted before they leave, where every node sees it: to one address or number, and about one account.
//! Whoever asks for too many is answered as ever, and nothing leaves.

use crate::{Engine, Failed};
use sinete_core::flow::sends::{Sent, Window};
use sinete_core::id::AccountId;
use sinete_core::time::Lifetime;
use sinete_store::Step;
use sinete_store::attempt_counters::{self, Counter, Key};

/// How a message leaves.
#[derive(Clone, Copy)]
pub(crate) enum Channel {
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
pub(super) enum Round {
    /// It is.
    First,
    /// Something was sent before, or would have been.
    Again,
}

/// The steps that count one message more, or how long to wait if it is too many. As much is asked about an address that
/// is nobody's.
pub(crate) async fn one_more(
    engine: &Engine,
    channel: Channel,
    to: &str,
    account: Option<AccountId>,
) -> Result<Result<Vec<Step>, Lifetime>, Failed> {
    let (kind, verb) = match channel {
        Channel::Mail => ("email", "mailed"),
        Channel::Text => ("phone", "texted"),
        Channel::Request => ("email", "asked by mail"),
    };
    let target = format!("{kind} {to}");
    let whose = account.map_or_else(|| format!("nobody at {target}"), |account| format!("account {account}"));
    let (mut steps, mut wait, now) = (Vec::new(), None, engine.now());
    for window in Window::ALL {
        let factor = format!("{verb} in a {}", window.name);
        for subject in [&target, &whose] {
            let key = Key { subject, factor: &factor };
            let before = attempt_counters::find(engine.store(), key).await?;
            let sent =
                before.map(|it| Sent { count: it.count, since: it.since, blocked_until: it.blocked_until });
            let after = if *subject == target {
                window.one_more_to(sent, now)
            } else {
                window.one_more_about(sent, now)
            };
            match after {
                Some(Sent { count, since, blocked_until }) => {
                    let after = Counter { count, since, blocked_until };
                    steps.push(attempt_counters::count(key, before.as_ref(), &after));
                }
                None => wait = wait.max(sent.map(|sent| sent.blocked_until.since(now))),
            }
        }
    }
    Ok(wait.map_or(Ok(steps), Err))
}
