//! The security log on both engines: sealing, tampering, and exports.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot continue has failed"
)]

mod archive;
mod archive_cut;
mod archive_load;
mod database;
mod export;
mod fixture;
mod forgery;
mod memory_archive;
mod sealing;
mod tampering;

/// Makes a test on SQLite and one on PostgreSQL of each story.
macro_rules! both_engines {
    ($($story:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    super::$story(crate::database::Database::sqlite()).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    super::$story(crate::database::Database::postgres().await).await;
                }
            )*
        }
    };
}
pub(crate) use both_engines;
