//! The contract of the store, on both engines.
//!
//! These are unit tests of the crate, because only the crate can create statements: if a test could run its
//! own SQL through the public interface, other code could too.

mod append_only;
mod batch_plans;
mod batched_reads;
mod database;
mod database_info;
mod disk;
mod event_origins;
mod faults_postgres;
mod faults_sqlite;
mod group_commit;
mod group_commit_postgres;
mod list_order_plans;
mod log_filter_plans;
mod lost_commits_postgres;
mod migrated_database;
mod migrations;
mod pgbouncer;
mod pooling_postgres;
mod probe;
mod proxy;
mod query_plans;
mod schema;
mod security_events;
mod several_servers_postgres;
mod statements;
mod tls;
mod values;
mod write_batches;
mod write_checks;

/// Makes a test on SQLite and one on PostgreSQL of each contract.
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
