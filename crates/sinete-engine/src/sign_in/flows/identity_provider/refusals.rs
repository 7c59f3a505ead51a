//! Refusals of sign-ins at identity providers.

use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;

/// The same refusal for every error of a provider.
pub(super) fn provider_not_trusted(reason: impl Into<String>) -> Refusal {
    Refusal::because(SignInRefusal::ProviderResponseRejected, reason)
}

pub(super) fn no_provider() -> Refusal {
    Refusal::because(SignInRefusal::ProviderNotUsable, "no connection that users can sign in through")
}

pub(super) fn provider_unreachable() -> Refusal {
    Refusal::because(SignInRefusal::ProviderUnreachable, "the provider cannot be used")
}
