//! Registering: with nothing in hand, and for an organization.

use super::{TestRegistration, asked, four_fields, four_fields_and, register};
use crate::both_engines;
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;

both_engines!(
    four_fields_and_no_credentials_make_a_client,
    a_confidential_client_is_given_a_secret_and_told_that_it_does_not_expire,
    everything_a_client_says_about_itself_comes_back,
    what_is_not_known_is_passed_over,
    with_a_credential_that_allows_it_the_client_is_the_organization_s,
    a_credential_that_does_not_allow_it_is_refused_and_never_passed_over
);

async fn four_fields_and_no_credentials_make_a_client(world: &World) {
    let answer = register(world, &four_fields()).await.is(201);
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    let id = answer.text_of("client_id");
    assert!(answer.text_of("registration_access_token").starts_with("sn_ra_"));
    let issuer = world.server.issuer.as_str();
    assert_eq!(answer.text_of("registration_client_uri"), format!("{issuer}/connect/register/{id}"));
    for (member, value) in four_fields().as_object().unwrap() {
        assert_eq!(&answer.body[member], value, "{member}");
    }
    assert_eq!(answer.body["response_types"], json!(["code"]));
    let grants =
        json!(["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"]);
    assert_eq!(answer.body["grant_types"], grants);
    assert!(answer.body["client_id_issued_at"].is_i64());
    assert!(answer.body.get("client_secret").is_none());
    assert!(answer.body.get("client_secret_expires_at").is_none());
    let again = register(world, &four_fields()).await.is(201);
    assert_ne!(again.text_of("client_id"), id);
}

async fn a_confidential_client_is_given_a_secret_and_told_that_it_does_not_expire(world: &World) {
    for method in ["client_secret_basic", "client_secret_post"] {
        let document = four_fields_and(json!({"token_endpoint_auth_method": method}));
        let answer = register(world, &document).await.is(201);
        assert!(answer.text_of("client_secret").starts_with("sn_cs_"), "{}", answer.text);
        assert_eq!(answer.body["client_secret_expires_at"], 0);
    }
    let silent = json!({"redirect_uris": ["https://notes.example/cb"]});
    let answer = register(world, &silent).await.is(201);
    assert_eq!(answer.text_of("token_endpoint_auth_method"), "client_secret_basic");
    assert_eq!(answer.text_of("scope"), "openid profile email address phone offline_access");
    assert_eq!(answer.text_of("client_name"), "notes.example");
    answer.text_of("client_secret");
}

async fn everything_a_client_says_about_itself_comes_back(world: &World) {
    let document = json!({
        "client_name": "Notes",
        "client_name#pt-BR": "Notas",
        "redirect_uris": ["https://notes.example/cb", "com.example.notes:/cb", "http://[::1]:8765/cb"],
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_signing_alg": "ES256",
        "jwks": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "1"}]},
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": "openid profile invoices:*",
        "application_type": "native",
        "id_token_signed_response_alg": "EdDSA",
        "userinfo_signed_response_alg": "ES256",
        "request_object_signing_alg": "PS256",
        "subject_type": "public",
        "client_uri": "https://notes.example",
        "logo_uri": "https://notes.example/logo.png",
        "tos_uri": "https://notes.example/terms",
        "tos_uri#pt": "https://notes.example/termos",
        "policy_uri": "https://notes.example/privacy",
        "contacts": ["ana@notes.example"],
        "software_id": "notes",
        "software_version": "1.2.3",
        "initiate_login_uri": "https://notes.example/login",
        "post_logout_redirect_uris": ["https://notes.example/bye"],
        "backchannel_logout_uri": "https://notes.example/logout",
        "backchannel_logout_session_required": true,
        "default_max_age": 3600,
        "require_auth_time": true,
        "default_acr_values": ["urn:sinete:aal:2"],
        "require_pushed_authorization_requests": true,
        "authorization_details_types": ["payment"],
    });
    let answer = register(world, &document).await.is(201);
    let client = TestRegistration::of(&answer);
    let read = client.read(world, &client.token).await.is(200);
    for (member, value) in document.as_object().unwrap() {
        assert_eq!(&answer.body[member], value, "{member}");
        assert_eq!(&read.body[member], value, "{member}");
    }
    let operator = world.operator().await;
    let shown = operator.get(&format!("/manage/clients/{}", client.id)).await.is(200);
    assert_eq!(shown.body["origin"], "self");
    assert_eq!(shown.body["metadata"]["localized"]["client_name#pt-BR"], "Notas");
}

async fn what_is_not_known_is_passed_over(world: &World) {
    let document =
        four_fields_and(json!({"frobnicate": {"a": [1]}, "logo_uri": null, "software_statement": "x.y.z"}));
    let answer = register(world, &document).await.is(201);
    assert!(answer.body.get("frobnicate").is_none() && answer.body.get("software_statement").is_none());
}

async fn with_a_credential_that_allows_it_the_client_is_the_organization_s(world: &World) {
    let tenant = world.tenant("acme").await;
    let owner = world.owner(&tenant).await;
    let service =
        json!({"client_name": "Nightly", "grant_types": ["client_credentials"], "scope": "invoices:read"});
    register(world, &service).await.refused(400, "invalid_client_metadata");
    let path = "/connect/register";
    let made = asked(world, Method::POST, path, Some(&owner.secret), Some(&service)).await.is(201);
    made.text_of("client_secret");
    let client = TestRegistration::of(&made);
    let shown = owner.get(&tenant.path(&format!("/clients/{}", client.id))).await.is(200);
    assert_eq!((&shown.body["origin"], &shown.body["kind"]), (&json!("organization"), &json!("service")));
    assert_eq!(shown.body["roles"][0]["name"], "member");
    client.read(world, &client.token).await.is(200);
    client.remove(world, &client.token).await.is(204);
    owner.get(&tenant.path(&format!("/clients/{}", client.id))).await.is(404);
    let trail = owner.get(&tenant.path("/audit")).await.is(200);
    assert!(trail.text.contains("client.created") && trail.text.contains("client.removed"), "{}", trail.text);
}

async fn a_credential_that_does_not_allow_it_is_refused_and_never_passed_over(world: &World) {
    let tenant = world.tenant("acme").await;
    let membership = world.member(&tenant, &["owner"]).await;
    let reader = world.key(&tenant, membership, "organization:read").await;
    let path = "/connect/register";
    let answer = asked(world, Method::POST, path, Some(&reader.secret), Some(&four_fields())).await;
    answer.refused(403, "insufficient_scope");
    let answer = asked(world, Method::POST, path, Some("sn_ak_x"), Some(&four_fields())).await;
    let answer = answer.refused(401, "invalid_token");
    let about = format!("{}/.well-known/oauth-protected-resource", world.origin());
    let challenge = format!("Bearer error=\"invalid_token\", resource_metadata=\"{about}\"");
    assert_eq!(answer.headers["www-authenticate"], challenge);
    let owner = world.key(&tenant, membership, OWNERS_SCOPE).await;
    let operator = world.operator().await;
    world.assign(&operator, &tenant, "to stop it").await;
    let stopped = tenant.path("/suspend");
    operator.post(&stopped, json!({"reason": "unpaid"})).await.is(200);
    let answer = asked(world, Method::POST, path, Some(&owner.secret), Some(&four_fields())).await;
    answer.is(409);
}
