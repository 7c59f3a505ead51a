//! Registration without authentication, and for an organization.

use super::{TestRegistration, minimal_metadata, minimal_metadata_with, register_client, send_request};
use crate::both_engines;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;

both_engines!(
    client_registration_needs_four_members_and_no_authentication,
    client_registration_of_a_confidential_client_returns_a_secret_without_expiry,
    client_registration_returns_all_metadata,
    client_registration_ignores_unknown_members,
    client_registration_with_a_permitted_credential_belongs_to_the_organization,
    client_registration_with_an_insufficient_credential_is_refused
);

async fn client_registration_needs_four_members_and_no_authentication(world: &World) {
    let answer = register_client(world, &minimal_metadata()).await.assert_status(201);
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    let id = answer.text_member("client_id");
    assert!(answer.text_member("registration_access_token").starts_with("sn_ra_"));
    let issuer = world.server.issuer.as_str();
    assert_eq!(answer.text_member("registration_client_uri"), format!("{issuer}/connect/register/{id}"));
    for (member, value) in minimal_metadata().as_object().unwrap() {
        assert_eq!(&answer.body[member], value, "{member}");
    }
    assert_eq!(answer.body["response_types"], json!(["code"]));
    let grants =
        json!(["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"]);
    assert_eq!(answer.body["grant_types"], grants);
    assert!(answer.body["client_id_issued_at"].is_i64());
    assert!(answer.body.get("client_secret").is_none());
    assert!(answer.body.get("client_secret_expires_at").is_none());
    let second_response = register_client(world, &minimal_metadata()).await.assert_status(201);
    assert_ne!(second_response.text_member("client_id"), id);
}

async fn client_registration_of_a_confidential_client_returns_a_secret_without_expiry(world: &World) {
    for method in ["client_secret_basic", "client_secret_post"] {
        let document = minimal_metadata_with(json!({"token_endpoint_auth_method": method}));
        let answer = register_client(world, &document).await.assert_status(201);
        assert!(answer.text_member("client_secret").starts_with("sn_cs_"), "{}", answer.text);
        assert_eq!(answer.body["client_secret_expires_at"], 0);
    }
    let silent = json!({"redirect_uris": ["https://notes.example/cb"]});
    let answer = register_client(world, &silent).await.assert_status(201);
    assert_eq!(answer.text_member("token_endpoint_auth_method"), "client_secret_basic");
    assert!(answer.body.get("scope").is_none(), "the registration has no scope: {}", answer.text);
    assert_eq!(answer.text_member("client_name"), "notes.example");
    answer.text_member("client_secret");
}

async fn client_registration_returns_all_metadata(world: &World) {
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
    let answer = register_client(world, &document).await.assert_status(201);
    let client = TestRegistration::from_response(&answer);
    let read = client.read(world, &client.token).await.assert_status(200);
    for (member, value) in document.as_object().unwrap() {
        assert_eq!(&answer.body[member], value, "{member}");
        assert_eq!(&read.body[member], value, "{member}");
    }
    let operator = world.create_operator().await;
    let response = operator.get(&format!("/manage/clients/{}", client.id)).await.assert_status(200);
    assert_eq!(response.body["origin"], "self");
    assert_eq!(response.body["metadata"]["localized"]["client_name#pt-BR"], "Notas");
}

async fn client_registration_ignores_unknown_members(world: &World) {
    let document = minimal_metadata_with(
        json!({"frobnicate": {"a": [1]}, "logo_uri": null, "software_statement": "x.y.z"}),
    );
    let answer = register_client(world, &document).await.assert_status(201);
    assert!(answer.body.get("frobnicate").is_none() && answer.body.get("software_statement").is_none());
}

async fn client_registration_with_a_permitted_credential_belongs_to_the_organization(world: &World) {
    let tenant = world.create_organization("acme").await;
    let owner = world.create_owner(&tenant).await;
    let service =
        json!({"client_name": "Nightly", "grant_types": ["client_credentials"], "scope": "invoices:read"});
    register_client(world, &service).await.assert_oauth_error(400, "invalid_client_metadata");
    let path = "/connect/register";
    let reply =
        send_request(world, Method::POST, path, Some(&owner.secret), Some(&service)).await.assert_status(201);
    reply.text_member("client_secret");
    let client = TestRegistration::from_response(&reply);
    let response = owner.get(&tenant.path(&format!("/clients/{}", client.id))).await.assert_status(200);
    assert_eq!(
        (&response.body["origin"], &response.body["kind"]),
        (&json!("organization"), &json!("service"))
    );
    assert_eq!(response.body["roles"][0]["name"], "member");
    client.read(world, &client.token).await.assert_status(200);
    client.remove(world, &client.token).await.assert_status(204);
    owner.get(&tenant.path(&format!("/clients/{}", client.id))).await.assert_status(404);
    let audit_log = owner.get(&tenant.path("/audit")).await.assert_status(200);
    assert!(
        audit_log.text.contains("client.created") && audit_log.text.contains("client.removed"),
        "{}",
        audit_log.text
    );
}

async fn client_registration_with_an_insufficient_credential_is_refused(world: &World) {
    let tenant = world.create_organization("acme").await;
    let membership = world.create_member(&tenant, &["owner"]).await;
    let reader = world.create_api_key_caller(&tenant, membership, "organization:read").await;
    let path = "/connect/register";
    let answer =
        send_request(world, Method::POST, path, Some(&reader.secret), Some(&minimal_metadata())).await;
    answer.assert_oauth_error(403, "insufficient_scope");
    let answer = send_request(world, Method::POST, path, Some("sn_ak_x"), Some(&minimal_metadata())).await;
    let answer = answer.assert_oauth_error(401, "invalid_token");
    let metadata_url = format!("{}/.well-known/oauth-protected-resource", world.origin());
    let challenge = format!("Bearer error=\"invalid_token\", resource_metadata=\"{metadata_url}\"");
    assert_eq!(answer.headers["www-authenticate"], challenge);
    let owner = world.create_api_key_caller(&tenant, membership, OWNER_SCOPE).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &tenant, "to stop it").await;
    let stopped = tenant.path("/suspend");
    operator.post(&stopped, json!({"reason": "unpaid"})).await.assert_status(200);
    let answer =
        send_request(world, Method::POST, path, Some(&owner.secret), Some(&minimal_metadata())).await;
    answer.assert_status(409);
}
