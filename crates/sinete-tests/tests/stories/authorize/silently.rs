//! Requests during which nobody may be asked anything.

use super::{scene, trusted};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_store::clients::ClientOrigin;

const SILENTLY: (&str, Option<&str>) = ("prompt", Some("none"));

both_engines!(
    nobody_signed_in_is_told_before_anything_else,
    each_thing_that_would_have_to_be_asked_has_its_own_answer,
    a_client_that_registered_how_old_a_sign_in_may_be_is_taken_at_its_word,
    a_session_counts_for_a_week_unused_and_for_a_month_in_all
);

async fn nobody_signed_in_is_told_before_anything_else(world: &World) {
    let app = trusted(world, json!({})).await;
    app.authorize(None, &[SILENTLY]).await.refused("login_required");
    app.authorize(None, &[SILENTLY, ("code_challenge", None), ("code_challenge_method", None)])
        .await
        .refused("login_required");
    app.authorize(None, &[("prompt", Some("none login"))]).await.refused("invalid_request");
    app.authorize(None, &[("prompt", Some("create"))]).await.refused("invalid_request");
}

async fn each_thing_that_would_have_to_be_asked_has_its_own_answer(world: &World) {
    let scene = scene(world).await;
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    world.clock.pass(Lifetime::from_seconds(61));
    scene
        .app
        .authorize(Some(&scene.browser), &[SILENTLY, ("max_age", Some("60"))])
        .await
        .refused("login_required");
    scene.app.authorize(Some(&scene.browser), &[SILENTLY, ("max_age", Some("3600"))]).await.code();
    let asking = world.application(ClientOrigin::Operator, json!({})).await;
    asking.authorize(Some(&scene.browser), &[SILENTLY]).await.refused("consent_required");
    let essential = r#"{"id_token":{"acr":{"essential":true,"value":"urn:sinete:aal:2"}}}"#;
    scene
        .app
        .authorize(Some(&scene.browser), &[SILENTLY, ("claims", Some(essential))])
        .await
        .refused("interaction_required");
    let sure = world
        .browser(
            scene.browser.account,
            &AuthenticationEvidence::of(AuthenticationProof::Password).and(AuthenticationProof::Totp),
        )
        .await;
    scene.app.authorize(Some(&sure), &[SILENTLY, ("claims", Some(essential))]).await.code();
    let unknown = r#"{"id_token":{"acr":{"essential":true,"value":"urn:other"}}}"#;
    scene.app.authorize(Some(&sure), &[SILENTLY, ("claims", Some(unknown))]).await.refused("access_denied");
}

async fn a_client_that_registered_how_old_a_sign_in_may_be_is_taken_at_its_word(world: &World) {
    let scene = scene(world).await;
    let strict = trusted(world, json!({"default_max_age": 60})).await;
    strict.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    world.clock.pass(Lifetime::from_seconds(61));
    strict.authorize(Some(&scene.browser), &[SILENTLY]).await.refused("login_required");
    strict.authorize(Some(&scene.browser), &[SILENTLY, ("max_age", Some("600"))]).await.code();
}

async fn a_session_counts_for_a_week_unused_and_for_a_month_in_all(world: &World) {
    let scene = scene(world).await;
    let idle = world
        .browser(scene.browser.account, &AuthenticationEvidence::of(AuthenticationProof::Password))
        .await;
    for days in [6, 6, 6, 6, 5] {
        world.clock.pass(Lifetime::from_days(days));
        scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    }
    scene.app.authorize(Some(&idle), &[SILENTLY]).await.refused("login_required");
    world.clock.pass(Lifetime::from_hours(23));
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    world.clock.pass(Lifetime::from_hours(2));
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.refused("login_required");
    let week = world
        .browser(scene.browser.account, &AuthenticationEvidence::of(AuthenticationProof::Password))
        .await;
    world.clock.pass(Lifetime::from_days(7).plus(Lifetime::from_seconds(1)));
    scene.app.authorize(Some(&week), &[SILENTLY]).await.refused("login_required");
}
