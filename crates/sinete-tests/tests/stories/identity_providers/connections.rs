//! Connections: managed with the right permission, tested, and never with a secret in a response.

use crate::both_engines;
use crate::harness::oidc_provider::{CLIENT_ID, CLIENT_SECRET, OidcProviderBehavior};
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    connection_is_created_changed_and_removed_without_showing_its_secret,
    connection_faults_are_reported_and_foreign_connections_are_not_found,
    connection_test_reports_the_error
);

async fn connection_is_created_changed_and_removed_without_showing_its_secret(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let path = acme.path("/connections");
    let connection_body = json!({"name": "Acme", "issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET});
    let response = owner.post(&path, connection_body.clone()).await.assert_status(201);
    let connection_path = format!("{path}/{}", response.body["id"].as_str().unwrap());
    assert_eq!((&response.body["enabled"], &response.body["has_secret"]), (&json!(false), &json!(true)));
    assert!(
        response.body["callback"]
            .as_str()
            .unwrap()
            .ends_with(&format!("/sign-in/provider/{}", response.body["id"].as_str().unwrap()))
    );
    assert_eq!(response.body["scopes"], json!(["openid", "email", "profile"]));
    let version = response.body["version"].as_i64().unwrap();
    owner.patch(&connection_path, version + 7, json!({"enabled": true})).await.assert_status(412);
    let changed = owner
        .patch(&connection_path, version, json!({"enabled": true, "two_factors": {"amr": ["mfa"]}}))
        .await
        .assert_status(200);
    assert_eq!(
        (&changed.body["enabled"], &changed.body["two_factors"]["amr"]),
        (&json!(true), &json!(["mfa"]))
    );
    let refused = owner
        .patch(&connection_path, version + 1, json!({"issuer": "https://evil.example"}))
        .await
        .assert_status(422);
    assert_eq!(refused.body["errors"][0]["pointer"], "/issuer", "the issuer cannot be changed");
    let keyed = owner
        .patch(&connection_path, version + 1, json!({"authentication": "private_key"}))
        .await
        .assert_status(200);
    assert_eq!(keyed.body["has_secret"], json!(false), "an unused secret is deleted");
    owner
        .patch(&connection_path, version + 2, json!({"authentication": "client_secret"}))
        .await
        .assert_status(422);
    for api_response in [
        &response,
        &changed,
        &owner.get(&connection_path).await.assert_status(200),
        &owner.get(&path).await.assert_status(200),
    ] {
        assert!(!api_response.text.contains(CLIENT_SECRET));
    }
    assert!(!owner.get(&acme.path("/audit?limit=200")).await.assert_status(200).text.contains(CLIENT_SECRET));
    owner.delete(&connection_path, None).await.assert_status(204);
    owner.get(&connection_path).await.assert_status(404);
    for kind in ["connection.created", "connection.changed", "connection.removed"] {
        assert!(world.count_events(kind).await > 0, "{kind}");
    }
}

async fn connection_faults_are_reported_and_foreign_connections_are_not_found(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path("/connections");
    let valid_body =
        json!({"name": "Acme", "issuer": "https://idp.example", "client_id": "x", "client_secret": "y"});
    for (member, value, pointer) in [
        ("issuer", json!("http://idp.example"), "/issuer"),
        ("issuer", json!("file:///etc/passwd"), "/issuer"),
        ("issuer", json!("https://idp.example?x=1"), "/issuer"),
        ("name", json!("a\u{202e}b"), "/name"),
        ("scopes", json!(["email"]), "/scopes"),
        ("client_secret", Value::Null, "/client_secret"),
        ("domains", json!(["acme.example"]), "/domains"),
        ("domains", json!(["gmail.com"]), "/domains/0"),
    ] {
        let mut invalid_body = valid_body.clone();
        match value {
            Value::Null => drop(invalid_body.as_object_mut().unwrap().remove(member)),
            value => invalid_body[member] = value,
        }
        let refused = owner.post(&path, invalid_body).await.assert_status(422);
        assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{}", refused.text);
    }
    let created =
        owner.post_with_idempotency_key(&path, "one", valid_body.clone()).await.assert_status(201).body;
    owner.post_with_idempotency_key(&path, "one", valid_body).await.assert_status(201);
    assert_eq!(owner.get(&path).await.assert_status(200).body["items"].as_array().unwrap().len(), 1);
    let member = world.create_member(&acme, &["admin"]).await;
    let without = world.create_api_key_caller(&acme, member, "organization:read domains:manage").await;
    without.get(&path).await.assert_status(403);
    let api_caller = world.create_owner(&world.create_organization("rival").await).await;
    let foreign = api_caller.tenant.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    api_caller.get(&foreign).await.assert_status(404);
    api_caller.post(&format!("{foreign}/test"), Value::Null).await.assert_status(404);
}

async fn connection_test_reports_the_error(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    let tried = async |manner: OidcProviderBehavior| {
        provider.set_behavior(manner);
        let body = owner.post(&format!("{path}/test"), Value::Null).await.assert_status(200).body;
        let wrong: Vec<_> =
            body["checks"].as_array().unwrap().iter().filter(|it| !it["wrong"].is_null()).cloned().collect();
        assert_eq!(body["works"].as_bool().unwrap(), wrong.is_empty());
        wrong
            .first()
            .map(|it| (it["check"].as_str().unwrap().to_owned(), it["wrong"].as_str().unwrap().to_owned()))
    };
    assert_eq!(tried(OidcProviderBehavior::default()).await, None);
    let described = |name, value| OidcProviderBehavior {
        description: vec![(name, value)],
        ..OidcProviderBehavior::default()
    };
    for (manner, check, words) in [
        (
            described("issuer", json!("https://evil.example")),
            "description",
            "another issuer: https://evil.example",
        ),
        (described("jwks_uri", Value::Null), "description", "jwks_uri is missing"),
        (described("code_challenge_methods_supported", json!(["plain"])), "description", "PKCE"),
        (
            described("token_endpoint_auth_methods_supported", json!(["client_secret_basic"])),
            "description",
            "client_secret_post",
        ),
        (described("jwks_uri", json!("http://127.0.0.1:1/keys")), "keys", "could not be fetched"),
        (described("token_endpoint", json!("http://127.0.0.1:1/token")), "credentials", "did not respond"),
        (
            OidcProviderBehavior {
                token_response: Some((401, r#"{"error":"invalid_client"}"#.into())),
                ..OidcProviderBehavior::default()
            },
            "credentials",
            "invalid_client",
        ),
    ] {
        let (at, message) = tried(manner).await.unwrap();
        assert!(at == check && message.contains(words), "{at}: {message}");
    }
    // A provider at a private address is never contacted.
    let inside = json!({"name": "Inside", "issuer": "https://169.254.169.254", "client_id": "x", "client_secret": "y"});
    let created = owner.post(&acme.path("/connections"), inside).await.assert_status(201).body;
    let path = acme.path(&format!("/connections/{}/test", created["id"].as_str().unwrap()));
    let tried = owner.post(&path, Value::Null).await.assert_status(200).body;
    assert_eq!(
        tried["checks"][0]["wrong"],
        "its discovery document could not be fetched at https://169.254.169.254/.well-known/openid-configuration"
    );
}
