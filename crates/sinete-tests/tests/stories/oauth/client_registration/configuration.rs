//! The client configuration endpoint (RFC 7592).

use super::{TestRegistration, minimal_metadata_with, register_client, send_request};
use crate::both_engines;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

both_engines!(
    client_configuration_is_read_without_its_secrets,
    registration_access_token_manages_its_own_client_only,
    registration_access_token_is_rotated_on_change_and_the_old_one_ends_on_use,
    client_configuration_change_is_validated_and_replaces_omitted_members,
    client_configuration_change_of_authentication_method_returns_a_secret,
    client_configuration_deletion_removes_client_and_token,
    client_configuration_of_a_disabled_client_is_refused_until_enabled,
    client_configuration_change_ends_the_verification,
    client_configuration_of_an_organizations_client_cannot_widen_its_scope,
    client_registration_secrets_are_not_stored_in_plain_text
);

async fn client_configuration_is_read_without_its_secrets(world: &World) {
    let document = minimal_metadata_with(json!({"token_endpoint_auth_method": "client_secret_basic"}));
    let reply = register_client(world, &document).await.assert_status(201);
    let client = TestRegistration::from_response(&reply);
    for _ in 0..2 {
        let read = client.read(world, &client.token).await.assert_status(200);
        assert_eq!(read.text_member("client_id"), client.id);
        assert_eq!(read.text_member("client_name"), "Notes");
        for secret in ["client_secret", "registration_access_token", "client_secret_expires_at"] {
            assert!(read.body.get(secret).is_none(), "{}", read.text);
        }
    }
}

async fn registration_access_token_manages_its_own_client_only(world: &World) {
    let (one, other) = (TestRegistration::new(world).await, TestRegistration::new(world).await);
    for token in [other.token.as_str(), "sn_ra_x", "", &one.token[..one.token.len() - 1], &one.id] {
        one.read(world, token).await.assert_oauth_error(401, "invalid_token");
        one.replace(world, token, &one.document(json!({}))).await.assert_oauth_error(401, "invalid_token");
        one.remove(world, token).await.assert_oauth_error(401, "invalid_token");
    }
    let test_registration =
        TestRegistration { id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071".to_owned(), token: one.token.clone() };
    test_registration.read(world, &one.token).await.assert_oauth_error(401, "invalid_token");
    let path = format!("/connect/register/{}", one.id);
    send_request(world, Method::GET, &path, None, None).await.assert_status(401);
    one.read(world, &one.token).await.assert_status(200);
}

async fn registration_access_token_is_rotated_on_change_and_the_old_one_ends_on_use(world: &World) {
    let client = TestRegistration::new(world).await;
    let changed = client.document(json!({"client_name": "Notes 2"}));
    let answer = client.replace(world, &client.token, &changed).await.assert_status(200);
    assert_eq!(answer.text_member("client_name"), "Notes 2");
    let next = answer.text_member("registration_access_token");
    assert_ne!(next, client.token);
    // The response may be lost: the old token stays valid until the new one is used.
    client.read(world, &client.token).await.assert_status(200);
    let second_response = client.replace(world, &client.token, &changed).await.assert_status(200);
    client.read(world, &next).await.assert_oauth_error(401, "invalid_token");
    let last = second_response.text_member("registration_access_token");
    client.read(world, &last).await.assert_status(200);
    client.read(world, &client.token).await.assert_oauth_error(401, "invalid_token");
    client.replace(world, &last, &changed).await.assert_status(200);
}

async fn client_configuration_change_is_validated_and_replaces_omitted_members(world: &World) {
    let full = minimal_metadata_with(json!({"logo_uri": "https://notes.example/logo.png"}));
    let client = TestRegistration::from_response(&register_client(world, &full).await.assert_status(201));
    for (extra_metadata, error) in [
        (json!({"redirect_uris": ["javascript:x"]}), "invalid_redirect_uri"),
        (json!({"grant_types": ["password"]}), "invalid_client_metadata"),
        (json!({"grant_types": ["client_credentials"]}), "invalid_client_metadata"),
        (json!({"scope": "instance:operate"}), "invalid_client_metadata"),
        (json!({"client_id": "somebody-else"}), "invalid_client_metadata"),
        (json!({"registration_access_token": "x"}), "invalid_client_metadata"),
        (json!({"client_secret": "x"}), "invalid_client_metadata"),
        (json!({"client_id_issued_at": 7}), "invalid_client_metadata"),
    ] {
        let mut document = client.document(json!({}));
        document.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
        client.replace(world, &client.token, &document).await.assert_oauth_error(400, error);
    }
    let mut nameless = client.document(json!({}));
    nameless.as_object_mut().unwrap().remove("client_id");
    client.replace(world, &client.token, &nameless).await.assert_oauth_error(400, "invalid_client_metadata");
    let read = client.read(world, &client.token).await.assert_status(200);
    assert_eq!(read.text_member("logo_uri"), "https://notes.example/logo.png");
    client
        .replace(world, &client.token, &client.document(json!({"logo_uri": null})))
        .await
        .assert_status(200);
    assert!(client.read(world, &client.token).await.assert_status(200).body.get("logo_uri").is_none());
}

async fn client_configuration_change_of_authentication_method_returns_a_secret(world: &World) {
    let client = TestRegistration::new(world).await;
    let confidential = client.document(json!({"token_endpoint_auth_method": "client_secret_post"}));
    let answer = client.replace(world, &client.token, &confidential).await.assert_status(200);
    let secret = answer.text_member("client_secret");
    assert_eq!(answer.body["client_secret_expires_at"], 0);
    let token = answer.text_member("registration_access_token");
    let mut repeated = confidential.clone();
    repeated["client_secret"] = secret.into();
    let answer = client.replace(world, &token, &repeated).await.assert_status(200);
    assert!(answer.body.get("client_secret").is_none());
}

async fn client_configuration_deletion_removes_client_and_token(world: &World) {
    let client = TestRegistration::new(world).await;
    let answer = client.remove(world, &client.token).await.assert_status(204);
    assert!(answer.text.is_empty());
    client.read(world, &client.token).await.assert_oauth_error(401, "invalid_token");
    client.remove(world, &client.token).await.assert_oauth_error(401, "invalid_token");
    let operator = world.create_operator().await;
    operator.get(&format!("/manage/clients/{}", client.id)).await.assert_status(404);
}

async fn client_configuration_of_a_disabled_client_is_refused_until_enabled(world: &World) {
    let client = TestRegistration::new(world).await;
    let engine = world.server.engine();
    let id = client.id.parse().unwrap();
    let stop = |version, condition| {
        sinete_store::oauth::clients::change_client_condition(&id, version, condition, engine.now())
    };
    world
        .apply_statements([stop(1, sinete_core::access_control::subject::LifecycleCondition::Suspended)])
        .await;
    client.read(world, &client.token).await.assert_oauth_error(401, "invalid_token");
    world
        .apply_statements([stop(2, sinete_core::access_control::subject::LifecycleCondition::Enabled)])
        .await;
    client.read(world, &client.token).await.assert_status(200);
}

async fn client_configuration_change_ends_the_verification(world: &World) {
    let client = TestRegistration::new(world).await;
    let operator = world.create_operator().await;
    let path = format!("/manage/clients/{}", client.id);
    operator.post(&format!("{path}/verification"), Value::Null).await.assert_status(200);
    let same = client.document(json!({"scope": "openid"}));
    let answer = client.replace(world, &client.token, &same).await.assert_status(200);
    assert!(operator.get(&path).await.body["verified_at"].is_string());
    let mut token = answer.text_member("registration_access_token");
    for another in [
        json!({"redirect_uris": ["https://elsewhere.example/cb"]}),
        json!({"scope": "openid invoices:read invoices:send"}),
        json!({"policy_uri": "https://elsewhere.example/privacy"}),
        json!({"tos_uri": "https://elsewhere.example/terms"}),
        json!({"logo_uri": "https://elsewhere.example/logo.png"}),
        json!({"client_uri": "https://elsewhere.example"}),
        json!({"client_name": "Elsewhere"}),
    ] {
        let answer =
            client.replace(world, &token, &client.document(another.clone())).await.assert_status(200);
        assert!(operator.get(&path).await.body["verified_at"].is_null(), "{another}");
        operator.post(&format!("{path}/verification"), Value::Null).await.assert_status(200);
        let answer = client
            .replace(world, &answer.text_member("registration_access_token"), &same)
            .await
            .assert_status(200);
        operator.post(&format!("{path}/verification"), Value::Null).await.assert_status(200);
        token = answer.text_member("registration_access_token");
    }
}

async fn client_configuration_of_an_organizations_client_cannot_widen_its_scope(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let owner = world.create_api_key_caller(&acme, owner.membership, OWNER_SCOPE).await;
    let reply = send_request(
        world,
        Method::POST,
        "/connect/register",
        Some(&owner.secret),
        Some(&minimal_metadata_with(json!({}))),
    )
    .await
    .assert_status(201);
    let client = TestRegistration::from_response(&reply);
    for wider in ["openid invoices:read invoices:send", "openid invoices:*", "openid email invoices:read"] {
        let wider_document = client.document(json!({"scope": wider}));
        let refused = client
            .replace(world, &client.token, &wider_document)
            .await
            .assert_oauth_error(400, "invalid_client_metadata");
        assert!(refused.text_member("error_description").starts_with("scope: "), "{}", refused.text);
    }
    let read = client.read(world, &client.token).await.assert_status(200);
    assert_eq!(read.text_member("scope"), "openid invoices:read");
    client
        .replace(world, &client.token, &client.document(json!({"scope": "openid"})))
        .await
        .assert_status(200);
}

async fn client_registration_secrets_are_not_stored_in_plain_text(world: &World) {
    let document = minimal_metadata_with(json!({"token_endpoint_auth_method": "client_secret_basic"}));
    let reply = register_client(world, &document).await.assert_status(201);
    let everything = format!("{:?}", world.dump_database().await);
    assert!(everything.contains(&reply.text_member("client_id")));
    for member in ["registration_access_token", "client_secret"] {
        let secret = reply.text_member(member);
        assert!(!everything.contains(&secret) && !everything.contains(&secret[6..40]), "{member}");
    }
}
