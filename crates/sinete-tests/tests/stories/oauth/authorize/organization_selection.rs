//! The organization of an authorization request.

use super::{add_member, create_fixture, create_trusted_application};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_store::oauth::clients::ClientOrigin;

const SILENTLY: (&str, Option<&str>) = ("prompt", Some("none"));

both_engines!(
    organization_parameter_selects_one_of_several_memberships,
    organization_parameter_for_non_member_unknown_and_suspended_is_refused_uniformly,
    client_of_an_organization_serves_that_organization_only,
    organization_policy_sets_assurance_and_allowed_clients
);

async fn organization_parameter_selects_one_of_several_memberships(world: &World) {
    let scene = create_fixture(world).await;
    let globex = world.create_organization("globex").await;
    add_member(world, scene.browser.account, &globex, "member").await;
    scene
        .app
        .authorize(Some(&scene.browser), &[SILENTLY])
        .await
        .assert_error_redirect("account_selection_required");
    let id = globex.id.to_string();
    for name in ["globex", "acme", &id] {
        scene.app.authorize(Some(&scene.browser), &[SILENTLY, ("organization", Some(name))]).await.code();
    }
    // From then on, the newest grant of the session to this client decides the organization, and for no other client.
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    create_trusted_application(world, json!({}))
        .await
        .authorize(Some(&scene.browser), &[SILENTLY])
        .await
        .assert_error_redirect("account_selection_required");
    let other = world
        .create_browser(
            scene.browser.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
        )
        .await;
    scene.app.authorize(Some(&other), &[SILENTLY]).await.assert_error_redirect("account_selection_required");
}

async fn organization_parameter_for_non_member_unknown_and_suspended_is_refused_uniformly(world: &World) {
    let scene = create_fixture(world).await;
    let globex = world.create_organization("globex").await;
    let answer = async |name: &str| {
        scene
            .app
            .authorize(Some(&scene.browser), &[("organization", Some(name))])
            .await
            .assert_error_redirect("access_denied")
            .redirect_params()
    };
    let (foreign_answer, unknown) = (answer("globex").await, answer("nowhere").await);
    add_member(world, scene.browser.account, &globex, "member").await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &globex, "they did not pay").await;
    operator.post(&globex.path("/suspend"), json!({"reason": "they did not pay"})).await.assert_status(200);
    assert_eq!((&answer("globex").await, &foreign_answer), (&unknown, &unknown));
    // Only one organization is left, so it is selected.
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
}

async fn client_of_an_organization_serves_that_organization_only(world: &World) {
    let scene = create_fixture(world).await;
    let globex = world.create_organization("globex").await;
    add_member(world, scene.browser.account, &globex, "member").await;
    let auth_application =
        world.create_application(ClientOrigin::Organization(globex.id), json!({"consent": "implied"})).await;
    auth_application.authorize(Some(&scene.browser), &[SILENTLY]).await.code();
    auth_application
        .authorize(Some(&scene.browser), &[SILENTLY, ("organization", Some("acme"))])
        .await
        .assert_error_redirect("access_denied");
    let elsewhere = world
        .create_application(
            ClientOrigin::Organization(world.create_organization("initech").await.id),
            json!({"consent": "implied"}),
        )
        .await;
    elsewhere.authorize(Some(&scene.browser), &[SILENTLY]).await.assert_error_redirect("access_denied");
}

async fn organization_policy_sets_assurance_and_allowed_clients(world: &World) {
    let scene = create_fixture(world).await;
    let owner = world.create_owner(&scene.acme).await;
    let settings = async |settings: serde_json::Value| {
        let version = owner.get(&scene.acme.path("")).await.assert_status(200).version();
        owner.patch(&scene.acme.path(""), version, json!({"settings": settings})).await.assert_status(200);
    };
    let sure = world
        .create_browser(
            scene.browser.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Passkey {
                user_verified: true,
                device_bound: false,
            }),
        )
        .await;
    settings(json!({"least_assurance": "aal2"})).await;
    scene
        .app
        .authorize(Some(&scene.browser), &[SILENTLY])
        .await
        .assert_error_redirect("interaction_required");
    scene.app.authorize(Some(&sure), &[SILENTLY]).await.code();
    settings(json!({"least_assurance": "aal1", "allowed_credentials": ["passkey"]})).await;
    scene.app.authorize(Some(&scene.browser), &[SILENTLY]).await.assert_error_redirect("login_required");
    scene.app.authorize(Some(&sure), &[SILENTLY]).await.code();
    settings(json!({"allowed_credentials": null, "unverified_clients": "refuse"})).await;
    let auth_application = world.create_application(ClientOrigin::DynamicRegistration, json!({})).await;
    auth_application.authorize(Some(&sure), &[]).await.assert_error_redirect("access_denied");
    scene.app.authorize(Some(&sure), &[]).await.code();
}
