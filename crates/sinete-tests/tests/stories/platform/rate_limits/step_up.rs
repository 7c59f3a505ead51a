//! Failed attempts of unauthenticated callers do not prevent a signed-in user's step-up.

use super::clean_up;
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::limits::SESSION_AGE_MAX;
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.com";

both_engines!(
    step_up_in_a_session_is_not_blocked_by_others_failed_attempts,
    step_up_failures_are_counted_per_session,
    step_up_failures_are_counted_over_all_sessions_of_an_account,
    cleanup_deletes_session_attempt_counters_after_the_session_lifetime
);

async fn step_up_in_a_session_is_not_blocked_by_others_failed_attempts(world: &World) {
    let ana = world.create_user(ANA).await;
    let guess = async || world.sign_in_with_password(ANA, "a wrong password indeed").await.status;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(guess().await);
    }
    assert_eq!(statuses[..5], [422; 5]);
    assert_eq!(statuses[7], 429, "attempts without a session are delayed");
    assert_eq!(
        world.sign_in_with_password(ANA, PASSWORD).await.status,
        429,
        "the right password without a session is delayed too"
    );
    let mut step_up = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&ana.session)).await;
    let response = step_up.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    assert_eq!(response.body["stage"], "signed_in");
}

async fn step_up_failures_are_counted_per_session(world: &World) {
    let ana = world.create_user(ANA).await;
    let step_up = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&ana.session)).await;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(
            step_up.try_submit("password", json!({"password": "a wrong password indeed"})).await.status,
        );
    }
    assert_eq!(statuses[..5], [422; 5]);
    assert_eq!(statuses[7], 429, "a session allows no more guesses than a sign-in");
    // Neither the account holder's other sign-ins nor another account's sessions are affected.
    assert_eq!(world.sign_in_with_password(ANA, PASSWORD).await.status, 200);
    let bea = world.create_user("bea@example.com").await;
    let mut other = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&bea.session)).await;
    other.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
}

async fn step_up_failures_are_counted_over_all_sessions_of_an_account(world: &World) {
    let ana = world.create_user(ANA).await;
    let begins = async || {
        let session = world
            .create_session_token(
                ana.account,
                &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            )
            .await;
        world.start_flow_in_session(json!({"kind": "step_up"}), Some(&session)).await
    };
    let mut checked_count = 0;
    for _ in 0..5 {
        let step_up = begins().await;
        for _ in 0..5 {
            let tried = step_up.try_submit("password", json!({"password": "a wrong password indeed"})).await;
            checked_count += usize::from(tried.status == 422);
        }
    }
    assert_eq!(checked_count, 6, "after the sixth failure every session is delayed");
    // Attempts of unknown devices are counted separately.
    for _ in 0..5 {
        world
            .sign_in_with_password(ANA, "a wrong password indeed")
            .await
            .assert_problem(422, "unprocessable");
    }
    world.clock.advance(Lifetime::from_seconds(2));
    begins().await.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    // A success resets the counter, as on a known device.
    let step_up = begins().await;
    for _ in 0..5 {
        step_up
            .try_submit("password", json!({"password": "a wrong password indeed"}))
            .await
            .assert_problem(422, "unprocessable");
    }
}

async fn cleanup_deletes_session_attempt_counters_after_the_session_lifetime(world: &World) {
    let ana = world.create_user(ANA).await;
    let step_up = world.start_flow_in_session(json!({"kind": "step_up"}), Some(&ana.session)).await;
    step_up
        .try_submit("password", json!({"password": "a wrong password indeed"}))
        .await
        .assert_problem(422, "unprocessable");
    let count_sessions = async || {
        clean_up(world).await;
        world.dump_database().await["attempt_counters"].iter().filter(|row| row.contains(" session ")).count()
    };
    assert_eq!(count_sessions().await, 1);
    world.clock.advance(SESSION_AGE_MAX);
    assert_eq!(count_sessions().await, 1, "a session may live that long");
    world.clock.advance(Lifetime::from_seconds(1));
    assert_eq!(count_sessions().await, 0);
}
