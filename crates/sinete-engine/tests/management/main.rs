//! What organizations and operators manage, on both engines: who may and who may not, what is recorded, and
//! who wins when two want the same.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

#[expect(dead_code, reason = "shared with the tests of the security log, which use more of it")]
#[path = "../security_log/database.rs"]
mod database;
mod published_pages;
mod world;

mod apis;
mod assignments;
mod audit;
mod clients;
mod declared;
mod finding;
mod given;
mod hot_paths;
mod invitations;
mod offers;
mod oracle;
mod published_keys;
mod recording;
mod renewable;
mod repeated;
mod secrets;
mod shown_once;
mod supposed;
mod token_oracle;

/// Makes two tests of each story, one on either engine.
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
