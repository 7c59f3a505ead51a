//! What strangers guess does not keep somebody who is signed in from proving more.

use crate::harness::person::PASSWORD;
use crate::stories;
use serde_json::json;

const ANA: &str = "ana@example.com";

stories! {
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
}
