//! Reasons to refuse a change to a connection with an identity provider.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a change to a connection with an identity provider is refused.
    IdentityProviderRefusal {
        ConnectionLimit = Conflict, "connection_limit",
            "An organization can have at most 10 identity providers. Remove one first.";
        ConnectionNeedsOwner = InsufficientScope, "connection_needs_owner",
            "Only an owner can connect an identity provider or change what it is trusted for; an API \
             key or token needs the scope organization:delete for it. With sso:manage you can change \
             its name and secret, remove domains and disable it.";
    }
}
