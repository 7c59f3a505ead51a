//! Refusals of sign-ins at identity providers.

use sinete_core::refusal::{Refusal, RefusalCode};

/// The same refusal for every error of a provider.
pub(super) fn provider_not_trusted(why: impl Into<String>) -> Refusal {
    let public =
        "the provider did not confirm who you are: try again, or ask whoever looks after your organization";
    Refusal::new(RefusalCode::Unprocessable, public, why)
}

pub(super) fn no_provider() -> Refusal {
    let public = "nobody signs in there: ask whoever looks after your organization";
    Refusal::new(RefusalCode::Unprocessable, public, "no connection that people are sent to")
}

pub(super) fn provider_unreachable() -> Refusal {
    let public = "the provider of your organization cannot be reached: try again in a while";
    Refusal::new(RefusalCode::Unprocessable, public, "a provider that cannot be used")
}
