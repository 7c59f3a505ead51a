//! Reasons to refuse a change to a connection with an identity provider.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a change to a connection with an identity provider is refused.
    IdentityProviderRefusal {
        ConnectionLimit = Conflict, "connection_limit",
            "An organization can have at most 10 identity providers. Remove one first.";
        ConnectionDomainInUse = Conflict, "connection_domain_in_use",
            "A domain belongs to another connection of the organization, and a disabled connection takes none \
             from it. Remove the domain there first, or enable this connection without it and add it then.";
        ProviderNotDiscovered = Unprocessable, "provider_not_discovered",
            "The discovery document of this issuer could not be read or used. Enter the issuer exactly as the \
             document names it, and check that this service can reach it.";
        ConnectionNeedsOwner = InsufficientScope, "connection_needs_owner",
            "Only an owner can connect an identity provider or change what it is trusted for; an API \
             key or token needs the scope organization:delete for it. With sso:manage you can change \
             its name and secret, remove domains and disable it.";
        SetupLinkNeedsOwner = InsufficientScope, "setup_link_needs_owner",
            "Only an owner of the organization can issue, revoke and confirm set-up links. An API key or \
             token needs the scope organization:delete for it.";
        SetupLinkLimit = Conflict, "setup_link_limit",
            "An organization can have at most 10 open set-up links. Revoke one first.";
        SetupLinkEnded = Conflict, "setup_link_ended",
            "The set-up link has expired, was revoked or was confirmed. Issue a new one.";
        SetupLinkEmpty = Conflict, "setup_link_empty",
            "Nothing was prepared with this set-up link yet. Wait until its holder has prepared something.";
        SetupLinkUnusable = NotFound, "setup_link_unusable",
            "This set-up link cannot be used: it was opened before, has expired or was revoked. Ask the \
             organization for a new one.";
    }
}
