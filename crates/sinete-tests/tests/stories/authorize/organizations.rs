//! In which organization a request counts.

use super::{joins, scene, trusted};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_store::clients::ClientOrigin;

const SILENTLY: (&str, Option<&str>) = ("prompt", Some("none"));

both_engines!(
    whoever_belongs_to_several_organizations_says_which_one,
    not_a_member_unknown_and_suspended_are_refused_alike,
    an_organizations_own_application_serves_it_alone,
    an_organization_decides_how_sure_it_is_and_whom_it_lets_ask
);

async fn whoever_belongs_to_several_organizations_says_which_one(world: &World) {
    let scene = scene(world).await;
    let globex = world.tenant("globex").await;
    joins(world, scene.browser.account, &globex, "member").await;
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.refused("account_selection_required");
    let id = globex.id.to_string();
    for named in ["globex", "acme", &id] {
        scene.app.authorize(Some(&scene.browser), &[SILENTLY, ("organization", Some(named))]).await.code();
    }
    // From then on the session's newest grant to this application speaks for it, and for no other.
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    trusted(world, json!({}))
        .await
        .authorize(Some(&scene.browser), &[SILENTLY])
        .await
        .refused("account_selection_required");
    let other = world
        .browser(scene.browser.account, &AuthenticationEvidence::of(AuthenticationProof::Password))
        .await;
    scene.app.authorize(Some(&other), &[SILENTLY]).await.refused("account_selection_required");
}

async fn not_a_member_unknown_and_suspended_are_refused_alike(world: &World) {
    let scene = scene(world).await;
    let globex = world.tenant("globex").await;
    let answer = async |named: &str| {
        scene
            .app
            .authorize(Some(&scene.browser), &[("organization", Some(named))])
            .await
            .refused("access_denied")
            .told()
    };
    let (stranger, unknown) = (answer("globex").await, answer("nowhere").await);
    joins(world, scene.browser.account, &globex, "member").await;
    let operator = world.operator().await;
    world.assign(&operator, &globex, "they did not pay").await;
    operator.post(&globex.path("/suspend"), json!({"reason": "they did not pay"})).await.is(200);
    assert_eq!((&answer("globex").await, &stranger), (&unknown, &unknown));
    // The organization that is left is the only one that can be meant.
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
}

async fn an_organizations_own_application_serves_it_alone(world: &World) {
    let scene = scene(world).await;
    let globex = world.tenant("globex").await;
    joins(world, scene.browser.account, &globex, "member").await;
    let own = world.application(ClientOrigin::Organization(globex.id), json!({"consent": "implied"})).await;
    own.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    own.authorize(Some(&scene.browser), &[SILENTLY, ("organization", Some("acme"))])
        .await
        .refused("access_denied");
    let elsewhere = world
        .application(
            ClientOrigin::Organization(world.tenant("initech").await.id),
            json!({"consent": "implied"}),
        )
        .await;
    elsewhere.authorize(Some(&scene.browser), &[SILENTLY]).await.refused("access_denied");
}

async fn an_organization_decides_how_sure_it_is_and_whom_it_lets_ask(world: &World) {
    let scene = scene(world).await;
    let owner = world.owner(&scene.acme).await;
    let settings = async |settings: serde_json::Value| {
        let seen = owner.get(&scene.acme.path("")).await.is(200).version();
        owner.patch(&scene.acme.path(""), seen, json!({"settings": settings})).await.is(200);
    };
    let sure = world
        .browser(
            scene.browser.account,
            &AuthenticationEvidence::of(AuthenticationProof::Passkey {
                user_verified: true,
                device_bound: false,
            }),
        )
        .await;
    settings(json!({"least_assurance": "aal2"})).await;
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.refused("interaction_required");
    scene.app.authorize(Some(&sure), &[SILENTLY]).await.code();
    settings(json!({"least_assurance": "aal1", "allowed_credentials": ["passkey"]})).await;
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.refused("login_required");
    scene.app.authorize(Some(&sure), &[SILENTLY]).await.code();
    settings(json!({"allowed_credentials": null, "unverified_clients": "refuse"})).await;
    let stranger = world.application(ClientOrigin::Itself, json!({})).await;
    stranger.authorize(Some(&sure), &[]).await.refused("access_denied");
    scene.app.authorize(Some(&sure), &[]).await.code();
}
