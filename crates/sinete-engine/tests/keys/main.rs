//! Keys of an instance, on both engines: rotation, races, and protection by the instance key.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot continue has failed"
)]

#[expect(dead_code, reason = "shared with the tests of the security log, which use more of it")]
#[path = "../security_log/database.rs"]
mod database;
mod fixture;

mod configured_keys;
mod development_keys;
mod reencryption;
mod revocation;
mod rotation;

/// Makes two tests of each story, one per engine.
macro_rules! both_engines {
    ($($story:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story(crate::database::Database::sqlite()).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story(crate::database::Database::postgres().await).await;
            })*
        }
    };
}
use both_engines;
