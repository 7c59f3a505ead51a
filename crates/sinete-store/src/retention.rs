//! How long the rows of every table are kept. A table that is not listed here fails a test, so that nothing which has a
//! lifetime is ever forgotten by cleanup.

/// How long the rows of a table are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// They expire, and are deleted some time after that (see [`crate::sweep::EXPIRING`]).
    Expires,
    /// They expire unless they are used, and are deleted with their end ([`crate::registrations::forget_ended`]).
    ExpiresUnused,
    /// They are changed or removed together with what this other table holds.
    With(&'static str),
    /// They describe something that people made, and stay until people remove it, or for as long as it must be known that
    /// they did.
    Managed,
    /// As many as there are kinds of them, however long the instance runs.
    Bounded,
    /// Append-only, and never deleted.
    Log,
}

/// Every table, in the order of their names.
pub static TABLES: &[(&str, Retention)] = &[
    ("account_links", Retention::Expires),
    ("accounts", Retention::Managed),
    ("address_changes", Retention::Expires),
    ("api_catalogue", Retention::Bounded),
    ("api_keys", Retention::Expires),
    ("api_offers", Retention::With("apis")),
    ("api_permissions", Retention::With("apis")),
    ("apis", Retention::Managed),
    ("approval_requests", Retention::Expires),
    ("assertion_replays", Retention::Expires),
    ("assignments", Retention::Expires),
    ("attempt_counters", Retention::Expires),
    ("audit", Retention::Log),
    ("bootstrap_links", Retention::Expires),
    ("client_secrets", Retention::Expires),
    ("clients", Retention::ExpiresUnused),
    ("connections", Retention::Managed),
    ("consents", Retention::With("memberships")),
    ("contacts", Retention::With("accounts")),
    ("credentials", Retention::With("accounts")),
    ("delegations", Retention::Expires),
    ("development_keys", Retention::Bounded),
    ("device_requests", Retention::Expires),
    ("devices", Retention::Expires),
    ("domains", Retention::Managed),
    ("flows", Retention::Expires),
    ("former_members", Retention::With("memberships")),
    ("grants", Retention::Expires),
    ("idempotency_keys", Retention::Expires),
    ("identities", Retention::With("accounts")),
    ("instance", Retention::Bounded),
    ("invitations", Retention::Expires),
    ("log_chain", Retention::Log),
    ("log_head", Retention::Bounded),
    ("logout_deliveries", Retention::Expires),
    ("magic_links", Retention::Expires),
    ("member_words", Retention::With("memberships")),
    ("member_words_due", Retention::With("memberships")),
    ("membership_roles", Retention::With("memberships")),
    ("memberships", Retention::Managed),
    ("one_time_codes", Retention::Expires),
    ("organization_logos", Retention::With("organizations")),
    ("organizations", Retention::Managed),
    ("outbox", Retention::Expires),
    ("provisioned_groups", Retention::With("roles")),
    ("provisioned_users", Retention::With("memberships")),
    ("pushed_requests", Retention::Expires),
    ("recovery_codes", Retention::With("credentials")),
    ("relation_models", Retention::With("apis")),
    ("relation_rules", Retention::With("apis")),
    ("relationship_books", Retention::With("apis")),
    ("relationships", Retention::Managed),
    ("revoked_jtis", Retention::Expires),
    ("roles", Retention::Managed),
    ("saml_answers", Retention::Expires),
    ("schema_migrations", Retention::Bounded),
    ("security_log", Retention::Log),
    ("service_facts", Retention::Bounded),
    ("sessions", Retention::Expires),
    ("signing_keys", Retention::Managed),
    ("webhook_attempts", Retention::Expires),
    ("webhook_walk", Retention::Bounded),
    ("webhooks", Retention::Managed),
    ("write_check", Retention::Bounded),
];
