//! What leaves: answers, refusals in the shape their route speaks, and bare words about failures.

pub(crate) mod authorization;
pub(crate) mod content;
pub mod document;
pub mod json;
pub mod oauth_error;
pub mod page;
pub mod problem;
pub mod scim_error;
pub mod stream;

use crate::pages;
use crate::route::{Caller, RefusalShape, Route};
use crate::state::State;
use crate::visit::Visit;
use axum::http::header::{HeaderValue, RETRY_AFTER};
use axum::response::Response;
use sinete_core::limits;
use sinete_core::refusal::{Refusal, RefusalCode};

/// What a handler comes to.
pub type Answer = Result<Response, Declined>;

/// Why a handler has no answer of its own. Both kinds convert with `?`, so a handler reads
/// `engine.redeem(..).await??`.
#[derive(Debug)]
pub enum Declined {
    /// The request was understood and turned down; what follows from that is already committed.
    Refused(Refusal),
    /// Something of ours is broken or away.
    Failed(Failure),
}

/// Something of ours is broken or away. What exactly is for the log; the outside learns whether to wait.
#[derive(Debug)]
pub struct Failure {
    /// Whether asking again may help.
    pub outlook: Outlook,
    /// Why, for the log.
    pub reason: String,
}

/// Whether asking again may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// It is away, locked, full or overloaded: 503 and when to come back.
    Temporary,
    /// It is broken: 500.
    Permanent,
    /// Nobody can say whether it happened: 504, and nothing that invites to ask again.
    Unknown,
    /// Others keep changing what the request stands on. Who can read that again is told to, with 409; who cannot,
    /// because the protocol knows no such answer, comes back later: 503.
    Contended,
}

impl From<Refusal> for Declined {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Failure> for Declined {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<sinete_engine::Failed> for Declined {
    fn from(failed: sinete_engine::Failed) -> Self {
        // Only what somebody sent has such texts in it. Where no rule of the use case refused them, the store did.
        if failed.is_unstorable() {
            let public = "the request has a NUL character in it";
            return Self::Refused(Refusal::new(RefusalCode::InvalidRequest, public, failed.to_string()));
        }
        let outlook = match failed {
            sinete_engine::Failed::Contended => Outlook::Contended,
            _ if failed.is_outcome_unknown() => Outlook::Unknown,
            _ if failed.is_temporary() => Outlook::Temporary,
            _ => Outlook::Permanent,
        };
        Self::Failed(Failure { outlook, reason: failed.to_string() })
    }
}

impl From<crate::extract::pairs::BadPairs> for Declined {
    fn from(bad: crate::extract::pairs::BadPairs) -> Self {
        Self::Refused(bad.into())
    }
}

impl From<crate::extract::json::BadJson> for Declined {
    fn from(bad: crate::extract::json::BadJson) -> Self {
        Self::Refused(bad.into())
    }
}

impl Declined {
    /// As a refusal of this route: a failure becomes one that says nothing about its cause.
    pub fn into_refusal(self, route: &Route) -> Refusal {
        let is_protocol = route.refuses == RefusalShape::OAuth || route.caller == Caller::Browser;
        match self {
            Self::Refused(refusal) => refusal,
            Self::Failed(Failure { outlook: Outlook::Contended, reason }) if !is_protocol => {
                let public = "what this stands on keeps changing: read it again and decide anew";
                Refusal::new(RefusalCode::Conflict, public, reason)
            }
            Self::Failed(Failure { outlook: Outlook::Temporary | Outlook::Contended, reason }) => {
                unavailable(reason)
            }
            Self::Failed(Failure { outlook: Outlook::Unknown, reason }) => outcome_unknown(reason),
            Self::Failed(Failure { outlook: Outlook::Permanent, reason }) => {
                Refusal::new(RefusalCode::ServerError, "something went wrong on our side", reason)
            }
        }
    }
}

/// It may have happened or not. Whoever asks again as if it had not may do it twice, or show what is used up: there is no
/// time to come back at (docs/decisions/0238-commit-unknown-outcomes.md).
pub fn outcome_unknown(reason: impl Into<String>) -> Refusal {
    let public = "it is not known whether the request took effect: check before you send it again";
    Refusal::new(RefusalCode::OutcomeUnknown, public, reason)
}

/// We cannot do it right now and nothing was changed or used up; asking again soon may help.
pub fn unavailable(reason: impl Into<String>) -> Refusal {
    let code = RefusalCode::TemporarilyUnavailable;
    Refusal::new(code, "the service cannot answer right now", reason).retry_after(limits::RETRY_AFTER)
}

/// The answer to a request that was turned down. The reason goes to the request's log line only.
pub fn refuse(refusal: &Refusal, shape: RefusalShape, visit: &Visit, state: &State) -> Response {
    visit.note(refusal);
    let mut response = match shape {
        RefusalShape::OAuth => oauth_error::answer(refusal),
        RefusalShape::Scim => scim_error::answer(refusal),
        RefusalShape::Problem => match pages::refusal(refusal.code(), visit, state) {
            Some(page) => page,
            None => problem::answer(refusal, visit.id()),
        },
    };
    if let Some(wait) = refusal.wait() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait.seconds_to_wait().max(1)));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_engine::Failed;

    #[test]
    fn a_failure_that_passes_asks_to_come_back_and_one_that_stays_does_not() {
        let route = &crate::router::ROUTES[0];
        let away = Declined::from(Failed::Store(sinete_store::Failed::Unreachable)).into_refusal(route);
        assert_eq!((away.code().status(), away.wait()), (503, Some(limits::RETRY_AFTER)));
        let unknown = Declined::from(Failed::Store(sinete_store::Failed::OutcomeUnknown)).into_refusal(route);
        assert_eq!((unknown.code(), unknown.wait()), (RefusalCode::OutcomeUnknown, None));
        let damaged = Failed::Store(sinete_store::Failed::Damaged("row 7 of accounts".to_owned()));
        let damaged = Declined::from(damaged).into_refusal(route);
        assert_eq!((damaged.code().status(), damaged.wait()), (500, None));
        assert!(damaged.reason().contains("row 7") && !damaged.public().contains("row 7"));
    }

    #[test]
    fn facts_that_keep_changing_are_told_to_whoever_can_read_them_again_and_others_come_back() {
        for route in crate::router::ROUTES {
            let refusal = Declined::from(Failed::Contended).into_refusal(route);
            let expected = match (route.refuses, route.path) {
                (RefusalShape::OAuth, _) | (_, "/connect/authorize" | "/sign-in/provider/{connection}") => {
                    (RefusalCode::TemporarilyUnavailable, Some(limits::RETRY_AFTER))
                }
                (RefusalShape::Problem | RefusalShape::Scim, _) => (RefusalCode::Conflict, None),
            };
            assert_eq!((refusal.code(), refusal.wait()), expected, "{}", route.path);
        }
    }
}
