//! The database layer: one SQL text for two engines, and operations that happen entirely or not at all.
//!
//! Callers read and decide first; then they commit one [`WriteBatch`], a list of guarded statements. No Rust
//! code runs inside a transaction, so nothing slow can hold one open. A guard that does not match is a
//! [`GuardConflict`]: the data changed since it was read and nothing happened.

pub mod accounts;
mod active_conditions;
pub mod administration;
pub mod authzen;
mod cache_list;
mod database_info;
mod dependency_snapshot;
mod driver;
pub mod events;
mod failure;
mod full_disk;
mod id_batch;
pub mod identity_providers;
mod json_document;
mod lifecycle_condition;
pub mod migrate;
pub mod oauth;
mod options;
pub mod organizations;
pub mod platform;
mod row;
pub mod scim;
pub mod sign_in;
pub mod single_use;
mod statement;
mod statistics;
mod store;
mod value;
mod write_batch;
pub mod write_check;

pub use database_info::{ClockOffset, CommitDurability, DatabaseEngine, DatabaseInfo};
pub use dependency_snapshot::DependencySnapshot;
pub use driver::address::{ConnectionEncryption, DatabaseAddress, InvalidDatabaseAddress, PostgresAddress};
pub use failure::StoreFailure;
pub use json_document::JsonDocument;
pub use options::{ConnectionPooling, PreparedStatements, StoreAccess, StoreOptions};
pub use row::SqlRow;
pub use statement::SqlStatement;
pub use statistics::StoreStatistics;
pub use store::Store;
pub use value::SqlValue;
pub use write_batch::{BatchOutcome, CommitReceipt, GuardConflict, GuardedStatement, WriteBatch};

/// The version of a new row.
pub const FIRST_VERSION: i64 = 1;

/// Every statement, so that a test can prepare each on both engines and race the single-use ones. Each module
/// adds its own list here.
pub fn all_statements() -> impl Iterator<Item = &'static SqlStatement> {
    STATEMENTS.iter().flat_map(|module| module.iter().copied())
}

static STATEMENTS: &[&[&SqlStatement]] = &[
    accounts::STATEMENTS,
    organizations::api_keys::STATEMENTS,
    organizations::api_catalog::STATEMENTS,
    organizations::api_catalog::resource_names::STATEMENTS,
    oauth::authorized_applications::STATEMENTS,
    oauth::ciba_requests::STATEMENTS,
    oauth::ciba_requests::notifications::STATEMENTS,
    oauth::ciba_requests::of_organization::STATEMENTS,
    oauth::assertion_replays::STATEMENTS,
    organizations::assignments::STATEMENTS,
    organizations::setup_links::STATEMENTS,
    sign_in::attempt_counters::STATEMENTS,
    events::audit_log::STATEMENTS,
    events::audit_log_address::STATEMENTS,
    events::audit_log_names::STATEMENTS,
    events::audit_retention::STATEMENTS,
    accounts::action_links::STATEMENTS,
    accounts::email_changes::STATEMENTS,
    accounts::pictures::STATEMENTS,
    administration::bootstrap::STATEMENTS,
    oauth::client_authentication::STATEMENTS,
    oauth::client_secrets::STATEMENTS,
    oauth::clients::STATEMENTS,
    oauth::authorization_codes::STATEMENTS,
    identity_providers::connections::STATEMENTS,
    identity_providers::connections::DOMAIN_STATEMENTS,
    oauth::consents::STATEMENTS,
    accounts::contacts::STATEMENTS,
    sign_in::credentials::STATEMENTS,
    oauth::delegations::STATEMENTS,
    oauth::deferred_grants::STATEMENTS,
    oauth::device_authorizations::STATEMENTS,
    sign_in::known_devices::STATEMENTS,
    organizations::domains::STATEMENTS,
    oauth::refresh_tokens::STATEMENTS,
    sign_in::flows::STATEMENTS,
    organizations::former_members::STATEMENTS,
    oauth::grants::STATEMENTS,
    platform::idempotency::STATEMENTS,
    identity_providers::identities::STATEMENTS,
    platform::instance::STATEMENTS,
    platform::nodes::STATEMENTS,
    organizations::invitations::STATEMENTS,
    organizations::newest_first::STATEMENTS,
    sign_in::long_lived_access::STATEMENTS,
    events::log_archive::STATEMENTS,
    events::log_chain::STATEMENTS,
    events::log_verification::STATEMENTS,
    sign_in::logout_deliveries::STATEMENTS,
    sign_in::credentials::magic_links::STATEMENTS,
    organizations::member_search_index::STATEMENTS,
    organizations::memberships::STATEMENTS,
    organizations::memberships::CLAIM_STATEMENTS,
    oauth::cache::api_catalog::STATEMENTS,
    sign_in::credentials::one_time_codes::STATEMENTS,
    organizations::branding::STATEMENTS,
    organizations::STATEMENTS,
    platform::outbox::STATEMENTS,
    scim::groups::STATEMENTS,
    scim::requests::STATEMENTS,
    scim::users::STATEMENTS,
    oauth::par::STATEMENTS,
    sign_in::credentials::recovery_codes::STATEMENTS,
    oauth::dcr::STATEMENTS,
    authzen::model::STATEMENTS,
    authzen::relationships::STATEMENTS,
    authzen::orphaned_relationships::STATEMENTS,
    authzen::evaluation::STATEMENTS,
    authzen::search::STATEMENTS,
    administration::restore::STATEMENTS,
    oauth::revocation::STATEMENTS,
    organizations::roles::STATEMENTS,
    identity_providers::saml_responses::STATEMENTS,
    platform::encrypted_columns::STATEMENTS,
    events::security_log::STATEMENTS,
    events::sign_in_entries::STATEMENTS,
    events::usage::STATEMENTS,
    sign_in::sessions::STATEMENTS,
    sign_in::sessions::session_end::STATEMENTS,
    organizations::member_batch::STATEMENTS,
    platform::signing_keys::STATEMENTS,
    oauth::subject_state::STATEMENTS,
    oauth::subject_state::consent::STATEMENTS,
    oauth::subject_state::token_lookup::STATEMENTS,
    oauth::subject_state::access_token::STATEMENTS,
    administration::cleanup::STATEMENTS,
    oauth::authorize_context::STATEMENTS,
    events::webhooks::STATEMENTS,
    events::webhooks::attempts::STATEMENTS,
    events::webhooks::delivery::STATEMENTS,
    driver::outcome_statements::STATEMENTS,
    write_check::STATEMENTS,
];

#[cfg(test)]
#[path = "../tests/contract/mod.rs"]
mod contract;
