//! The database: one SQL text, two engines, and verbs that either happen whole or not at all.
//!
//! Reading and deciding come first; then one [`Act`], a list of guarded statements, is committed. No code of
//! ours runs inside a transaction, so nothing slow can hold one open. A guard that does not match is a
//! [`Conflict`]: the facts have changed and nothing happened.

mod act;
mod address;
pub mod backup;
mod counts;
mod driver;
mod facts;
mod failed;
pub mod instance;
pub mod log_chain;
pub mod migrate;
mod options;
mod row;
pub mod sealed;
pub mod security_log;
pub mod signing_keys;
mod statement;
mod store;
mod value;

pub use act::{Act, Committed, Conflict, Step};
pub use address::{Address, Encryption, NotAnAddress, PostgresAddress};
pub use counts::Counts;
pub use facts::{ClockOffset, Durability, Engine, Facts};
pub use failed::Failed;
pub use options::{Access, Options};
pub use row::Row;
pub use statement::Statement;
pub use store::Store;
pub use value::Value;

/// Every statement there is, so that a test can prepare each of them on both engines and race those that
/// spend something. A module adds its own list here.
pub fn statements() -> impl Iterator<Item = &'static Statement> {
    STATEMENTS.iter().flat_map(|module| module.iter().copied())
}

static STATEMENTS: &[&[&Statement]] = &[
    instance::STATEMENTS,
    log_chain::STATEMENTS,
    sealed::STATEMENTS,
    security_log::STATEMENTS,
    signing_keys::STATEMENTS,
];

#[cfg(test)]
#[path = "../tests/contract/mod.rs"]
mod contract;
