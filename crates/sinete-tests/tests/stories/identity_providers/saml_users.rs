//! Accounts and SAML: linked identities, required single sign-on, and provisioned memberships.

use super::identities::own;
use super::oidc_sign_in::oneself;
use super::required_single_sign_on::{application, settles};
use super::saml::{fetched, signs_in};
use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::TestUser;
use crate::harness::saml_provider::{TestSamlProvider, saml_user};
use crate::harness::scim_client::USERS;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_store::oauth::clients::ClientOrigin;

const WAITS: &str = "http://127.0.0.1:49152/back";

both_engines!(
    saml_identity_is_linked_used_to_sign_in_and_unlinked,
    saml_single_sign_on_can_be_required,
    saml_sign_in_of_a_provisioned_user_ends_with_its_provisioning
);

async fn saml_identity_is_linked_used_to_sign_in_and_unlinked(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    let created = provider.create_connection(&owner, "acme.example").await;
    let ana = world.sign_up_user("ana@home.example").await;
    world.add_member(&acme, ana.account).await;
    assert_eq!(
        own(world, &ana.session, Method::GET, "/account/providers").await.assert_status(200).body["items"][0]
            ["connection"],
        created["id"]
    );
    let start = json!({"kind": "link_identity", "connection": created["id"], "return_to": WAITS});
    // An identity that is linked to another account stays there.
    signs_in(world, &provider, saml_user("bia-1", "bia@acme.example")).await.1.assert_status(200);
    let mut walk = world.start_flow_in_session(start.clone(), Some(&ana.session)).await;
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(409);
    // Linking needs no verified address.
    provider.set_user(("ana-7".to_owned(), vec![("mail", "ana@unproven.example".to_owned())]));
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body.clone()).await.assert_status(200);
    assert_eq!(walk.stage(), "identity_linked");
    walk.try_submit("provider_answer", body).await.assert_status(409);
    assert!(
        world.newest_email_text("ana@home.example").await.contains("login.acme.example"),
        "the user is notified"
    );
    let session = signs_in(world, &provider, saml_user("ana-7", "whoever@acme.example"))
        .await
        .1
        .assert_status(200)
        .text_member("session_token");
    let account = oneself(world, &session).await;
    assert_eq!(
        (&account["id"], &account["session"]["amr"]),
        (&oneself(world, &ana.session).await["id"], &json!(["fed"])),
        "{account}"
    );
    assert_eq!(world.count_events("account.created").await, 2, "one account of each user");
    let identities =
        own(world, &ana.session, Method::GET, "/account/identities").await.assert_status(200).body;
    assert_eq!(
        (&identities["items"][0]["subject"], &identities["items"][0]["works"]),
        (&json!("ana-7"), &json!(true))
    );
    // A provider does not decide about an account that has a password.
    let path = format!("/account/identities/{}", identities["items"][0]["id"].as_str().unwrap());
    own(world, &session, Method::DELETE, &path).await.assert_status(401);
    own(world, &ana.session, Method::DELETE, &path).await.assert_status(204);
    assert_eq!(world.count_events("identity.unlinked").await, 1);
    // She is still a member, so the provider does not create a second membership.
    signs_in(world, &provider, saml_user("ana-7", "ana@acme.example")).await.1.assert_status(422);
    assert_eq!(world.count_events("account.created").await, 2);
    only_a_member_links_and_only_in_their_own_flow(world, &provider, start, &ana).await;
    assert_eq!(world.count_events("identity.linked").await, 2, "one identity of each user");
}

async fn only_a_member_links_and_only_in_their_own_flow(
    world: &World,
    provider: &TestSamlProvider,
    start: Value,
    ana: &TestUser<'_>,
) {
    let connection = start["connection"].clone();
    let eva = world.sign_up_user("eva@home.example").await;
    let mut body = start.clone();
    body["session"] = json!("token");
    let headers = vec![("authorization", format!("Session {}", eva.session))];
    world
        .send_request(
            Method::POST,
            "/flows",
            ApiRequest { body: Some(body), headers, ..ApiRequest::default() },
        )
        .await
        .assert_status(409);
    let (hers, mut theirs) = (
        world.start_flow_in_session(start, Some(&ana.session)).await,
        world.start_flow(json!({"kind": "sign_in"})).await,
    );
    let body = fetched(world, provider, &hers).await;
    theirs
        .submit("single_sign_on", json!({"connection": connection, "return_to": WAITS}))
        .await
        .assert_status(200);
    theirs.submit("provider_answer", body).await.assert_status(422);
}

async fn saml_single_sign_on_can_be_required(world: &World) {
    let (acme, rival) = (world.create_organization("acme").await, world.create_organization("rival").await);
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&rival).await);
    let provider = world.create_saml_provider();
    let created = provider.create_connection(&owner, "acme.example").await;
    let session = signs_in(world, &provider, saml_user("ana-7", "ana@acme.example"))
        .await
        .1
        .assert_status(200)
        .text_member("session_token");
    let account = world.user_with_session(&session).await.account;
    world.add_member(&rival, account).await;
    let application = world.create_application(ClientOrigin::Operator, application()).await;
    let asks = async |session: &str, organization: &str| {
        let changes =
            [("scope", Some("openid")), ("organization", Some(organization)), ("prompt", Some("none"))];
        application.authorize(Some(&world.browser_with_session(session).await), &changes).await
    };
    let with_password = world
        .create_session_token(account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    asks(&with_password, "acme").await.code();
    settles(&owner, json!({"single_sign_on": "required"})).await;
    asks(&session, "acme").await.code();
    asks(&with_password, "acme").await.assert_error_redirect("login_required");
    // Single sign-on counts in its own organization only, required or not.
    asks(&session, "rival").await.assert_error_redirect("login_required");
    asks(&with_password, "rival").await.code();
    settles(&other, json!({"single_sign_on": "required"})).await;
    asks(&session, "rival").await.assert_error_redirect("login_required");
    asks(&with_password, "rival").await.assert_error_redirect("login_required");
    // A new sign-in through the provider is accepted, and none while the connection is disabled.
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    let second_session = signs_in(world, &provider, saml_user("ana-7", "ana@acme.example"))
        .await
        .1
        .assert_status(200)
        .text_member("session_token");
    asks(&second_session, "acme").await.code();
    owner.patch(&path, 1, json!({"enabled": false})).await.assert_status(200);
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    assert_ne!(
        walk.submit("single_sign_on", json!({"connection": created["id"], "return_to": WAITS})).await.status,
        200
    );
    asks(&with_password, "acme").await.assert_error_redirect("login_required");
}

async fn saml_sign_in_of_a_provisioned_user_ends_with_its_provisioning(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let provider = world.create_saml_provider();
    let created = provider.create_connection(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    let user = |name: &str, active: bool| {
        json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": name, "active": active,
            "externalId": format!("e-{name}"), "emails": [{"value": format!("{name}@acme.example"), "primary": true}],
        })
    };
    let comes = async |name: &str, employee: &str, email: &str| {
        let values = vec![("employee", employee.to_owned()), ("mail", email.to_owned())];
        signs_in(world, &provider, (name.to_owned(), values)).await.1
    };
    let ana = directory.post(USERS, user("ana", true)).await.assert_status(201).text_member("id");
    directory.post(USERS, user("eva", false)).await.assert_status(201);
    // No membership is claimed before the external id attribute is set, nor with another value of it.
    comes("ana-7", "e-ana", "ana@elsewhere.example").await.assert_status(422);
    owner.patch(&path, 1, json!({"external_id_claim": "employee"})).await.assert_status(200);
    comes("ana-8", "e-other", "ana@elsewhere.example").await.assert_status(422);
    let session = comes("ana-7", "e-ana", "ana@elsewhere.example")
        .await
        .assert_status(200)
        .text_member("session_token");
    let member = owner.get(&acme.path(&format!("/members/{ana}"))).await.assert_status(200).body;
    assert_eq!((&member["kind"], &member["external_id"]), (&json!("person"), &json!("e-ana")), "{member}");
    assert_eq!(
        (world.count_events("membership.claimed").await, world.count_events("account.created").await),
        (1, 1)
    );
    // Once it is claimed, another subject finds no pending membership.
    comes("mallory", "e-ana", "mallory@elsewhere.example").await.assert_status(422);
    comes("eva-1", "e-eva", "eva@acme.example").await.assert_status(422);
    // Deactivated by the directory, she is out at once, and in again when it activates her.
    let user_path = format!("{USERS}/{ana}");
    let switch = async |on: bool| {
        directory
            .scim_patch(&user_path, json!([{"op": "replace", "path": "active", "value": on}]))
            .await
            .assert_status(200)
    };
    switch(false).await;
    comes("ana-7", "e-ana", "ana@acme.example").await.assert_status(422);
    comes("ana-9", "e-ana", "ana@acme.example").await.assert_status(422);
    switch(true).await;
    let second_session =
        comes("ana-7", "e-ana", "ana@acme.example").await.assert_status(200).text_member("session_token");
    let id = |account: Value| account["id"].clone();
    assert_eq!(id(oneself(world, &second_session).await), id(oneself(world, &session).await));
    // Deleted by the directory, she stays out.
    directory.delete(&user_path, None).await.assert_status(204);
    for name in ["ana-7", "ana-9"] {
        comes(name, "e-ana", "ana@acme.example").await.assert_status(422);
    }
    // A user whom the directory never had joins through the domain.
    comes("ida-1", "e-ida", "ida@acme.example").await.assert_status(200);
    assert_eq!(world.count_events("account.created").await, 2);
}
