//! Management by organizations and operators, on both engines: permissions, recorded events, and races.

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
mod published_pages;

mod api_offers;
mod apis;
mod assignments;
mod audit_log;
mod authority_oracle;
mod authorization_code_cache;
mod change_recording;
mod client_auth_cache;
mod client_credentials_cache;
mod client_jwks;
mod client_secrets;
mod clients;
mod declarative;
mod hot_paths;
mod invitations;
mod member_search;
mod refresh_token_cache;
mod secrets_shown_once;
mod token_oracle;

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
