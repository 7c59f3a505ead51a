//! How long the rows of every table are kept. A table that is missing here fails a test, so that cleanup
//! covers everything that expires.

/// How long the rows of a table are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableRetention {
    /// They expire and are deleted some time later (see [`crate::administration::cleanup::EXPIRING`]).
    Expires,
    /// They expire unless they are used, and are deleted once ended
    /// ([`crate::oauth::dcr::delete_ended_clients`]).
    ExpiresUnused,
    /// They are changed or removed together with the rows of this other table.
    WithParent(&'static str),
    /// Users or operators created them; they stay until they are removed, or for as long as the removal must
    /// be known.
    Managed,
    /// Their number is limited, however long the instance runs.
    Bounded,
    /// Append-only. The security log is deleted only up to its checkpoint, after it was archived
    /// ([`crate::events::log_archive::cut_events`]), and an audit log up to the horizon of its organization
    /// ([`crate::events::audit_retention::remove_entries_before`]).
    Log,
}

/// Every table, by name.
pub static TABLES: &[(&str, TableRetention)] = &[
    ("account_links", TableRetention::Expires),
    ("account_pictures", TableRetention::WithParent("accounts")),
    ("accounts", TableRetention::Managed),
    ("active_users", TableRetention::Expires),
    ("address_changes", TableRetention::Expires),
    ("api_catalogue", TableRetention::Bounded),
    ("api_keys", TableRetention::Expires),
    ("api_offers", TableRetention::WithParent("apis")),
    ("api_permissions", TableRetention::WithParent("apis")),
    ("apis", TableRetention::Managed),
    ("approval_requests", TableRetention::Expires),
    ("assertion_replays", TableRetention::Expires),
    ("assignments", TableRetention::Expires),
    ("attempt_counters", TableRetention::Expires),
    ("audit", TableRetention::Log),
    ("audit_horizons", TableRetention::WithParent("organizations")),
    ("bootstrap_links", TableRetention::Expires),
    ("client_secrets", TableRetention::Expires),
    ("clients", TableRetention::ExpiresUnused),
    ("connections", TableRetention::Managed),
    ("consents", TableRetention::WithParent("memberships")),
    ("contacts", TableRetention::WithParent("accounts")),
    ("credentials", TableRetention::WithParent("accounts")),
    ("delegations", TableRetention::Expires),
    ("development_keys", TableRetention::Bounded),
    ("device_requests", TableRetention::Expires),
    ("devices", TableRetention::Expires),
    ("domains", TableRetention::Managed),
    ("flows", TableRetention::Expires),
    ("former_members", TableRetention::WithParent("memberships")),
    ("grants", TableRetention::Expires),
    ("idempotency_keys", TableRetention::Expires),
    ("identities", TableRetention::WithParent("accounts")),
    ("instance", TableRetention::Bounded),
    ("invitations", TableRetention::Expires),
    ("limit_counts", TableRetention::Bounded),
    ("log_archiver", TableRetention::Bounded),
    ("log_chain", TableRetention::Log),
    ("log_checkpoint", TableRetention::Bounded),
    ("log_erasures", TableRetention::WithParent("log_segments")),
    ("log_head", TableRetention::Bounded),
    ("log_segments", TableRetention::Log),
    ("log_verification", TableRetention::Bounded),
    ("logout_deliveries", TableRetention::Expires),
    ("magic_links", TableRetention::Expires),
    ("member_words", TableRetention::WithParent("memberships")),
    ("member_words_due", TableRetention::WithParent("memberships")),
    ("membership_roles", TableRetention::WithParent("memberships")),
    ("memberships", TableRetention::Managed),
    ("nodes", TableRetention::Bounded),
    ("one_time_codes", TableRetention::Expires),
    ("organization_logos", TableRetention::WithParent("organizations")),
    ("organizations", TableRetention::Managed),
    ("outbox", TableRetention::Expires),
    ("provisioned_groups", TableRetention::WithParent("roles")),
    ("provisioned_users", TableRetention::WithParent("memberships")),
    ("pushed_requests", TableRetention::Expires),
    ("recovery_codes", TableRetention::WithParent("credentials")),
    ("relation_models", TableRetention::WithParent("apis")),
    ("relation_rules", TableRetention::WithParent("apis")),
    ("relationship_books", TableRetention::WithParent("apis")),
    ("relationships", TableRetention::Managed),
    ("revoked_jtis", TableRetention::Expires),
    ("roles", TableRetention::Managed),
    ("saml_answers", TableRetention::Expires),
    ("schema_migrations", TableRetention::Bounded),
    ("scim_requests", TableRetention::Expires),
    ("security_log", TableRetention::Log),
    ("service_facts", TableRetention::Bounded),
    ("sessions", TableRetention::Expires),
    ("setup_links", TableRetention::Expires),
    ("signing_keys", TableRetention::Managed),
    ("usage_counts", TableRetention::Expires),
    ("webhook_attempts", TableRetention::Expires),
    ("webhook_walk", TableRetention::Bounded),
    ("webhooks", TableRetention::Managed),
    ("write_check", TableRetention::Bounded),
];
