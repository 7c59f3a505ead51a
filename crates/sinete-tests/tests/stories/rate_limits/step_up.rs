//! What strangers guess does not keep somebody who is signed in from proving more.

use super::clean_up;
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::limits::SESSION_AGE_MAX;
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.com";

both_engines!(
    strangers_guesses_do_not_block_the_step_up_of_a_program_that_is_signed_in,
    guesses_in_a_session_are_counted_there,
    guesses_are_counted_over_all_sessions_of_an_account_together,
    cleanup_deletes_what_was_counted_in_a_session_after_its_lifetime
);

async fn strangers_guesses_do_not_block_the_step_up_of_a_program_that_is_signed_in(world: &World) {
    let ana = world.somebody(ANA).await;
    let guess = async || world.sign_in(ANA, "a wrong password indeed").await.status;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(guess().await);
    }
    assert_eq!(statuses[..5], [422; 5]);
    assert_eq!(statuses[7], 429, "strangers wait");
    assert_eq!(world.sign_in(ANA, PASSWORD).await.status, 429, "whoever is not signed in waits with them");
    let mut step_up = world.flow_as(json!({"kind": "step_up"}), Some(&ana.session)).await;
    let done = step_up.says("password", json!({"password": PASSWORD})).await.is(200);
    assert_eq!(done.body["stage"], "signed_in");
}

async fn guesses_in_a_session_are_counted_there(world: &World) {
    let ana = world.somebody(ANA).await;
    let step_up = world.flow_as(json!({"kind": "step_up"}), Some(&ana.session)).await;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(step_up.tries("password", json!({"password": "a wrong password indeed"})).await.status);
    }
    assert_eq!(statuses[..5], [422; 5]);
    assert_eq!(statuses[7], 429, "whoever holds a session guesses no more often than anybody");
    // The owner elsewhere is not held up by that, nor is anybody else's session.
    assert_eq!(world.sign_in(ANA, PASSWORD).await.status, 200);
    let bea = world.somebody("bea@example.com").await;
    let mut other = world.flow_as(json!({"kind": "step_up"}), Some(&bea.session)).await;
    other.says("password", json!({"password": PASSWORD})).await.is(200);
}

async fn guesses_are_counted_over_all_sessions_of_an_account_together(world: &World) {
    let ana = world.somebody(ANA).await;
    let begins = async || {
        let session = world
            .begin_session(ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password))
            .await;
        world.flow_as(json!({"kind": "step_up"}), Some(&session)).await
    };
    let mut heard = 0;
    for _ in 0..5 {
        let step_up = begins().await;
        for _ in 0..5 {
            let tried = step_up.tries("password", json!({"password": "a wrong password indeed"})).await;
            heard += usize::from(tried.status == 422);
        }
    }
    assert_eq!(heard, 6, "five are free, and the next makes every session wait");
    // Strangers have their own guesses, and theirs are not counted here.
    for _ in 0..5 {
        world.sign_in(ANA, "a wrong password indeed").await.refused(422, "unprocessable");
    }
    world.clock.pass(Lifetime::from_seconds(2));
    begins().await.says("password", json!({"password": PASSWORD})).await.is(200);
    // What was right is forgotten, as on one device.
    let step_up = begins().await;
    for _ in 0..5 {
        step_up
            .tries("password", json!({"password": "a wrong password indeed"}))
            .await
            .refused(422, "unprocessable");
    }
}

async fn cleanup_deletes_what_was_counted_in_a_session_after_its_lifetime(world: &World) {
    let ana = world.somebody(ANA).await;
    let step_up = world.flow_as(json!({"kind": "step_up"}), Some(&ana.session)).await;
    step_up
        .tries("password", json!({"password": "a wrong password indeed"}))
        .await
        .refused(422, "unprocessable");
    let counted = async || {
        clean_up(world).await;
        world.dump().await["attempt_counters"].iter().filter(|row| row.contains(" session ")).count()
    };
    assert_eq!(counted().await, 1);
    world.clock.pass(SESSION_AGE_MAX);
    assert_eq!(counted().await, 1, "a session may live that long");
    world.clock.pass(Lifetime::from_seconds(1));
    assert_eq!(counted().await, 0);
}
