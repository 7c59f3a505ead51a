//! `prompt=none`.

use super::{create_fixture, create_trusted_application};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

const SILENTLY: (&str, Option<&str>) = ("prompt", Some("none"));

both_engines!(
    prompt_none_without_a_session_is_login_required,
    prompt_none_returns_the_error_of_each_required_interaction,
    default_max_age_of_the_client_is_enforced,
    session_is_active_for_a_week_unused_and_a_month_in_total
);

async fn prompt_none_without_a_session_is_login_required(world: &World) {
    let app = create_trusted_application(world, json!({})).await;
    app.authorize(None, &[SILENTLY]).await.assert_error_redirect("login_required");
    app.authorize(None, &[SILENTLY, ("code_challenge", None), ("code_challenge_method", None)])
        .await
        .assert_error_redirect("login_required");
    for prompt in ["none login", "none create", "register"] {
        app.authorize(None, &[("prompt", Some(prompt))]).await.assert_error_redirect("invalid_request");
    }
}

async fn prompt_none_returns_the_error_of_each_required_interaction(world: &World) {
    let scene = create_fixture(world).await;
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    world.clock.advance(Lifetime::from_seconds(61));
    scene
        .app
        .authorize(Some(&scene.browser), &[SILENTLY, ("max_age", Some("60"))])
        .await
        .assert_error_redirect("login_required");
    scene.app.authorize(Some(&scene.browser), &[SILENTLY, ("max_age", Some("3600"))]).await.code();
    let auth_application = world.create_application(ClientOrigin::Operator, json!({})).await;
    auth_application
        .authorize(Some(&scene.browser), &[SILENTLY])
        .await
        .assert_error_redirect("consent_required");
    let essential = r#"{"id_token":{"acr":{"essential":true,"value":"urn:sinete:aal:2"}}}"#;
    scene
        .app
        .authorize(Some(&scene.browser), &[SILENTLY, ("claims", Some(essential))])
        .await
        .assert_error_redirect("interaction_required");
    let sure = world
        .create_browser(
            scene.browser.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    scene.app.authorize(Some(&sure), &[SILENTLY, ("claims", Some(essential))]).await.code();
    let unknown = r#"{"id_token":{"acr":{"essential":true,"value":"urn:other"}}}"#;
    scene
        .app
        .authorize(Some(&sure), &[SILENTLY, ("claims", Some(unknown))])
        .await
        .assert_error_redirect("access_denied");
}

async fn default_max_age_of_the_client_is_enforced(world: &World) {
    let scene = create_fixture(world).await;
    let strict = create_trusted_application(world, json!({"default_max_age": 60})).await;
    strict.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    world.clock.advance(Lifetime::from_seconds(61));
    strict.authorize(Some(&scene.browser), &[SILENTLY]).await.assert_error_redirect("login_required");
    strict.authorize(Some(&scene.browser), &[SILENTLY, ("max_age", Some("600"))]).await.code();
}

async fn session_is_active_for_a_week_unused_and_a_month_in_total(world: &World) {
    let scene = create_fixture(world).await;
    let idle = world
        .create_browser(
            scene.browser.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
        )
        .await;
    for days in [6, 6, 6, 6, 5] {
        world.clock.advance(Lifetime::from_days(days));
        scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    }
    scene.app.authorize(Some(&idle), &[SILENTLY]).await.assert_error_redirect("login_required");
    world.clock.advance(Lifetime::from_hours(23));
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    world.clock.advance(Lifetime::from_hours(2));
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.assert_error_redirect("login_required");
    let week = world
        .create_browser(
            scene.browser.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
        )
        .await;
    world.clock.advance(Lifetime::from_days(7).plus(Lifetime::from_seconds(1)));
    scene.app.authorize(Some(&week), &[SILENTLY]).await.assert_error_redirect("login_required");
}
