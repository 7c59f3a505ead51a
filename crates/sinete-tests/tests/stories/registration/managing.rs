//! A client and its own registration, once it has one.

use super::{TestRegistration, asked, four_fields_and, register};
use crate::both_engines;
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

both_engines!(
    it_reads_everything_but_what_was_shown_once,
    a_token_manages_one_registration_and_no_other,
    a_new_token_is_given_with_each_change_and_the_old_one_ends_when_it_is_used,
    a_change_is_judged_like_a_registration_and_leaves_out_what_it_does_not_name,
    another_way_of_proving_itself_brings_a_secret_and_its_own_secret_may_be_repeated,
    removing_it_ends_it_and_its_token,
    one_that_an_operator_stopped_manages_nothing_until_it_goes_on,
    a_change_of_what_was_vouched_for_ends_the_vouching,
    an_organization_s_client_asks_for_no_more_than_its_organization_said,
    what_was_shown_once_is_nowhere_in_the_database
);

async fn it_reads_everything_but_what_was_shown_once(world: &World) {
    let document = four_fields_and(json!({"token_endpoint_auth_method": "client_secret_basic"}));
    let made = register(world, &document).await.is(201);
    let client = TestRegistration::of(&made);
    for _ in 0..2 {
        let read = client.read(world, &client.token).await.is(200);
        assert_eq!(read.text_of("client_id"), client.id);
        assert_eq!(read.text_of("client_name"), "Notes");
        for secret in ["client_secret", "registration_access_token", "client_secret_expires_at"] {
            assert!(read.body.get(secret).is_none(), "{}", read.text);
        }
    }
}

async fn a_token_manages_one_registration_and_no_other(world: &World) {
    let (one, other) = (TestRegistration::new(world).await, TestRegistration::new(world).await);
    for token in [other.token.as_str(), "sn_ra_x", "", &one.token[..one.token.len() - 1], &one.id] {
        one.read(world, token).await.refused(401, "invalid_token");
        one.replace(world, token, &one.document(json!({}))).await.refused(401, "invalid_token");
        one.remove(world, token).await.refused(401, "invalid_token");
    }
    let nobody =
        TestRegistration { id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071".to_owned(), token: one.token.clone() };
    nobody.read(world, &one.token).await.refused(401, "invalid_token");
    let path = format!("/connect/register/{}", one.id);
    asked(world, Method::GET, &path, None, None).await.is(401);
    one.read(world, &one.token).await.is(200);
}

async fn a_new_token_is_given_with_each_change_and_the_old_one_ends_when_it_is_used(world: &World) {
    let client = TestRegistration::new(world).await;
    let changed = client.document(json!({"client_name": "Notes 2"}));
    let answer = client.replace(world, &client.token, &changed).await.is(200);
    assert_eq!(answer.text_of("client_name"), "Notes 2");
    let next = answer.text_of("registration_access_token");
    assert_ne!(next, client.token);
    // The answer may have been lost: the old one works on until the new one is used.
    client.read(world, &client.token).await.is(200);
    let again = client.replace(world, &client.token, &changed).await.is(200);
    client.read(world, &next).await.refused(401, "invalid_token");
    let last = again.text_of("registration_access_token");
    client.read(world, &last).await.is(200);
    client.read(world, &client.token).await.refused(401, "invalid_token");
    client.replace(world, &last, &changed).await.is(200);
}

async fn a_change_is_judged_like_a_registration_and_leaves_out_what_it_does_not_name(world: &World) {
    let full = four_fields_and(json!({"logo_uri": "https://notes.example/logo.png"}));
    let client = TestRegistration::of(&register(world, &full).await.is(201));
    for (more, error) in [
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
        document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.replace(world, &client.token, &document).await.refused(400, error);
    }
    let mut nameless = client.document(json!({}));
    nameless.as_object_mut().unwrap().remove("client_id");
    client.replace(world, &client.token, &nameless).await.refused(400, "invalid_client_metadata");
    let read = client.read(world, &client.token).await.is(200);
    assert_eq!(read.text_of("logo_uri"), "https://notes.example/logo.png");
    client.replace(world, &client.token, &client.document(json!({"logo_uri": null}))).await.is(200);
    assert!(client.read(world, &client.token).await.is(200).body.get("logo_uri").is_none());
}

async fn another_way_of_proving_itself_brings_a_secret_and_its_own_secret_may_be_repeated(world: &World) {
    let client = TestRegistration::new(world).await;
    let confidential = client.document(json!({"token_endpoint_auth_method": "client_secret_post"}));
    let answer = client.replace(world, &client.token, &confidential).await.is(200);
    let secret = answer.text_of("client_secret");
    assert_eq!(answer.body["client_secret_expires_at"], 0);
    let token = answer.text_of("registration_access_token");
    let mut repeated = confidential.clone();
    repeated["client_secret"] = secret.into();
    let answer = client.replace(world, &token, &repeated).await.is(200);
    assert!(answer.body.get("client_secret").is_none());
}

async fn removing_it_ends_it_and_its_token(world: &World) {
    let client = TestRegistration::new(world).await;
    let answer = client.remove(world, &client.token).await.is(204);
    assert!(answer.text.is_empty());
    client.read(world, &client.token).await.refused(401, "invalid_token");
    client.remove(world, &client.token).await.refused(401, "invalid_token");
    let operator = world.operator().await;
    operator.get(&format!("/manage/clients/{}", client.id)).await.is(404);
}

async fn one_that_an_operator_stopped_manages_nothing_until_it_goes_on(world: &World) {
    let client = TestRegistration::new(world).await;
    let engine = world.server.engine();
    let id = client.id.parse().unwrap();
    let stop =
        |version, condition| sinete_store::clients::change_condition(&id, version, condition, engine.now());
    world.happens([stop(1, sinete_core::people::LifecycleCondition::Suspended)]).await;
    client.read(world, &client.token).await.refused(401, "invalid_token");
    world.happens([stop(2, sinete_core::people::LifecycleCondition::Enabled)]).await;
    client.read(world, &client.token).await.is(200);
}

async fn a_change_of_what_was_vouched_for_ends_the_vouching(world: &World) {
    let client = TestRegistration::new(world).await;
    let operator = world.operator().await;
    let path = format!("/manage/clients/{}", client.id);
    operator.post(&format!("{path}/verification"), Value::Null).await.is(200);
    let same = client.document(json!({"scope": "openid"}));
    let answer = client.replace(world, &client.token, &same).await.is(200);
    assert!(operator.get(&path).await.body["verified_at"].is_string());
    let mut token = answer.text_of("registration_access_token");
    for another in [
        json!({"redirect_uris": ["https://elsewhere.example/cb"]}),
        json!({"scope": "openid invoices:read invoices:send"}),
        json!({"policy_uri": "https://elsewhere.example/privacy"}),
        json!({"tos_uri": "https://elsewhere.example/terms"}),
        json!({"logo_uri": "https://elsewhere.example/logo.png"}),
        json!({"client_uri": "https://elsewhere.example"}),
        json!({"client_name": "Elsewhere"}),
    ] {
        let answer = client.replace(world, &token, &client.document(another.clone())).await.is(200);
        assert!(operator.get(&path).await.body["verified_at"].is_null(), "{another}");
        operator.post(&format!("{path}/verification"), Value::Null).await.is(200);
        let answer = client.replace(world, &answer.text_of("registration_access_token"), &same).await.is(200);
        operator.post(&format!("{path}/verification"), Value::Null).await.is(200);
        token = answer.text_of("registration_access_token");
    }
}

async fn an_organization_s_client_asks_for_no_more_than_its_organization_said(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let owner = world.key(&acme, owner.membership, OWNERS_SCOPE).await;
    let made = asked(
        world,
        Method::POST,
        "/connect/register",
        Some(&owner.secret),
        Some(&four_fields_and(json!({}))),
    )
    .await
    .is(201);
    let client = TestRegistration::of(&made);
    for wider in ["openid invoices:read invoices:send", "openid invoices:*", "openid email invoices:read"] {
        let wanted = client.document(json!({"scope": wider}));
        let refused =
            client.replace(world, &client.token, &wanted).await.refused(400, "invalid_client_metadata");
        assert!(refused.text_of("error_description").starts_with("scope: "), "{}", refused.text);
    }
    let read = client.read(world, &client.token).await.is(200);
    assert_eq!(read.text_of("scope"), "openid invoices:read");
    client.replace(world, &client.token, &client.document(json!({"scope": "openid"}))).await.is(200);
}

async fn what_was_shown_once_is_nowhere_in_the_database(world: &World) {
    let document = four_fields_and(json!({"token_endpoint_auth_method": "client_secret_basic"}));
    let made = register(world, &document).await.is(201);
    let everything = format!("{:?}", world.dump().await);
    assert!(everything.contains(&made.text_of("client_id")));
    for shown in ["registration_access_token", "client_secret"] {
        let secret = made.text_of(shown);
        assert!(!everything.contains(&secret) && !everything.contains(&secret[6..40]), "{shown}");
    }
}
