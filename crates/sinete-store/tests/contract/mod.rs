//! What the store promises, shown on both engines.
//!
//! These are unit tests of the crate, because statements and steps are made nowhere else: a test that could
//! run SQL of its own through the public interface would mean that anybody could.

mod acts;
mod database;
mod disk;
mod faults_postgres;
mod faults_sqlite;
mod groups;
mod log;
mod migrations;
mod origins;
mod outcomes_postgres;
mod plans;
mod probe;
mod proxy;
mod questions;
mod schema;
mod settings;
mod tls;
mod values;
mod verbs;

/// Makes a test on SQLite and one on PostgreSQL of each contract named.
macro_rules! both_engines {
    ($($contract:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $contract() {
                    super::$contract(super::Database::sqlite()).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $contract() {
                    super::$contract(super::Database::postgres().await).await;
                }
            )*
        }
    };
}
pub(crate) use both_engines;
