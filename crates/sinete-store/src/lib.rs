//! The database: one SQL text, two engines, and verbs that either happen whole or not at all.
//!
//! Reading and deciding come first; then one [`WriteBatch`], a list of guarded statements, is committed. No code of
//! ours runs inside a transaction, so nothing slow can hold one open. A guard that does not match is a
//! [`GuardConflict`]: the facts have changed and nothing happened.

pub mod account_links;
pub mod accounts;
mod act;
pub mod address_changes;
mod alive;
pub mod api_keys;
pub mod apis;
pub mod applications;
pub mod approval_requests;
pub mod assertion_replays;
pub mod assignments;
pub mod attempt_counters;
pub mod audit;
pub mod backup;
pub mod bootstrap_links;
pub mod client_proofs;
pub mod client_secrets;
pub mod clients;
pub mod codes;
mod condition;
pub mod connections;
pub mod consents;
mod consequences;
pub mod contacts;
mod counts;
pub mod credentials;
pub mod delegations;
pub mod device_requests;
pub mod devices;
mod document;
pub mod domains;
mod driver;
mod facts;
mod failed;
pub mod families;
pub mod flows;
pub mod former_members;
pub mod grants;
pub mod idempotency_keys;
pub mod identities;
pub mod instance;
pub mod invitations;
pub mod lasting_access;
pub mod log_chain;
pub mod logout_deliveries;
pub mod magic_links;
pub mod member_words;
pub mod memberships;
pub mod migrate;
pub mod offered;
pub mod one_time_codes;
mod options;
pub mod organization_logos;
pub mod organizations;
pub mod outbox;
pub mod pending;
pub mod provisioned_groups;
pub mod provisioned_users;
pub mod pushed_requests;
pub mod recovery_codes;
pub mod registrations;
pub mod relation_models;
pub mod relationships;
pub mod restored;
pub mod retention;
pub mod revoked_jtis;
pub mod roles;
mod row;
pub mod saml_answers;
pub mod sealed;
pub mod security_log;
pub mod sessions;
pub mod several_members;
pub mod signing_keys;
pub mod single_use;
pub mod standing;
mod statement;
mod store;
pub mod sweep;
mod value;
pub mod visitors;
pub mod webhooks;
pub mod write_check;

pub use act::{CommitReceipt, GuardConflict, GuardedStatement, WriteBatch};
pub use counts::StoreStatistics;
pub use document::JsonDocument;
pub use driver::address::{ConnectionEncryption, DatabaseAddress, InvalidDatabaseAddress, PostgresAddress};
pub use facts::{ClockOffset, CommitDurability, DatabaseEngine, DatabaseInfo};
pub use failed::StoreFailure;
pub use options::{StoreAccess, StoreOptions};
pub use row::SqlRow;
pub use statement::SqlStatement;
pub use store::Store;
pub use value::SqlValue;

/// The version every row begins with.
pub const FIRST_VERSION: i64 = 1;

/// Every statement there is, so that a test can prepare each of them on both engines and race those that
/// spend something. A module adds its own list here.
pub fn all_statements() -> impl Iterator<Item = &'static SqlStatement> {
    STATEMENTS.iter().flat_map(|module| module.iter().copied())
}

static STATEMENTS: &[&[&SqlStatement]] = &[
    accounts::STATEMENTS,
    api_keys::STATEMENTS,
    apis::STATEMENTS,
    apis::resource_names::STATEMENTS,
    applications::STATEMENTS,
    approval_requests::STATEMENTS,
    approval_requests::notices::STATEMENTS,
    assertion_replays::STATEMENTS,
    assignments::STATEMENTS,
    attempt_counters::STATEMENTS,
    audit::STATEMENTS,
    account_links::STATEMENTS,
    address_changes::STATEMENTS,
    bootstrap_links::STATEMENTS,
    client_proofs::STATEMENTS,
    client_secrets::STATEMENTS,
    clients::STATEMENTS,
    codes::STATEMENTS,
    connections::STATEMENTS,
    connections::DOMAIN_STATEMENTS,
    consents::STATEMENTS,
    contacts::STATEMENTS,
    credentials::STATEMENTS,
    delegations::STATEMENTS,
    device_requests::STATEMENTS,
    devices::STATEMENTS,
    domains::STATEMENTS,
    families::STATEMENTS,
    flows::STATEMENTS,
    former_members::STATEMENTS,
    grants::STATEMENTS,
    idempotency_keys::STATEMENTS,
    identities::STATEMENTS,
    instance::STATEMENTS,
    invitations::STATEMENTS,
    lasting_access::STATEMENTS,
    log_chain::STATEMENTS,
    logout_deliveries::STATEMENTS,
    magic_links::STATEMENTS,
    member_words::STATEMENTS,
    memberships::STATEMENTS,
    memberships::CLAIM_STATEMENTS,
    offered::STATEMENTS,
    one_time_codes::STATEMENTS,
    organization_logos::STATEMENTS,
    organizations::STATEMENTS,
    outbox::STATEMENTS,
    provisioned_groups::STATEMENTS,
    provisioned_users::STATEMENTS,
    pushed_requests::STATEMENTS,
    recovery_codes::STATEMENTS,
    registrations::STATEMENTS,
    relation_models::STATEMENTS,
    relationships::STATEMENTS,
    relationships::leftover::STATEMENTS,
    relationships::question::STATEMENTS,
    relationships::search::STATEMENTS,
    restored::STATEMENTS,
    revoked_jtis::STATEMENTS,
    roles::STATEMENTS,
    saml_answers::STATEMENTS,
    sealed::STATEMENTS,
    security_log::STATEMENTS,
    sessions::STATEMENTS,
    several_members::STATEMENTS,
    signing_keys::STATEMENTS,
    standing::STATEMENTS,
    standing::agreed::STATEMENTS,
    standing::shown::STATEMENTS,
    standing::token::STATEMENTS,
    sweep::STATEMENTS,
    visitors::STATEMENTS,
    webhooks::STATEMENTS,
    webhooks::attempts::STATEMENTS,
    webhooks::telling::STATEMENTS,
    write_check::STATEMENTS,
];

#[cfg(test)]
#[path = "../tests/contract/mod.rs"]
mod contract;
