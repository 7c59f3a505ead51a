//! Connections to SAML providers: created from metadata or by hand, changed and tested.

use super::saml::{brought, signs_in};
use crate::both_engines;
use crate::harness::saml_provider::{
    ENTITY_ID, SSO_URL, SamlProviderBehavior, foreign_certificate, provider_certificate, saml_metadata,
    saml_user,
};
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    saml_connection_is_created_from_metadata,
    saml_connection_faults_are_reported_by_name,
    saml_connection_trust_settings_need_an_owner,
    saml_certificate_rotation_accepts_both_certificates
);

async fn saml_connection_is_created_from_metadata(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path("/connections");
    let created =
        owner.post(&path, json!({"name": "Acme", "metadata": saml_metadata()})).await.assert_status(201).body;
    assert_eq!(
        (&created["kind"], &created["issuer"], &created["saml"]["sso_url"]),
        (&json!("saml"), &json!(ENTITY_ID), &json!(SSO_URL))
    );
    assert_eq!(
        (&created["saml"]["subject"], created.get("client_id"), created.get("metadata")),
        (&json!("NameID"), None, None)
    );
    assert_eq!(created["certificates"].as_array().unwrap().len(), 1);
    assert!(created["certificates"][0]["ends_at"].as_str().unwrap().len() > 20);
    let (id, callback) = (created["id"].as_str().unwrap(), created["callback"].as_str().unwrap());
    assert!(callback.ends_with(&format!("/sign-in/provider/{id}")));
    assert_eq!(created["entity_id"], format!("{callback}/metadata"));
    // The metadata of the service provider is public.
    let ours = world.get(&format!("/sign-in/provider/{id}/metadata")).await;
    assert_eq!(
        (ours.status().as_u16(), ours.headers()["content-type"].to_str().unwrap()),
        (200, "application/samlmetadata+xml")
    );
    let text = ours.text().await.unwrap();
    assert!(
        text.contains(&format!("entityID=\"{callback}/metadata\""))
            && text.contains(&format!("Location=\"{callback}\"")),
        "{text}"
    );
    assert_eq!(world.get("/sign-in/provider/nothing/metadata").await.status(), 404);
    let connection_path = format!("{path}/{id}");
    let changed = owner
        .patch(&connection_path, 1, json!({"enabled": true, "saml": {"email": "mail"}}))
        .await
        .assert_status(200)
        .body;
    assert_eq!((&changed["saml"]["email"], &changed["saml"]["sso_url"]), (&json!("mail"), &json!(SSO_URL)));
    let tried = owner.post(&format!("{connection_path}/test"), Value::Null).await.assert_status(200).body;
    assert_eq!(tried, json!({"works": true, "checks": [{"check": "certificates", "wrong": null}]}));
    owner.delete(&connection_path, None).await.assert_status(204);
}

async fn saml_connection_faults_are_reported_by_name(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path("/connections");
    let valid_body = json!({"name": "Acme", "issuer": "urn:acme:idp", "saml": {"sso_url": SSO_URL, "certificates": [provider_certificate()]}});
    for (changed_pointer, value, pointer) in [
        ("/issuer", json!("a b"), "/issuer"),
        ("/issuer", Value::Null, "/issuer"),
        ("/saml/sso_url", json!("http://idp.example/sso"), "/saml/sso_url"),
        ("/saml/sso_url", json!("javascript:alert(1)"), "/saml/sso_url"),
        ("/saml/certificates", json!([]), "/saml/certificates"),
        ("/saml/certificates", json!(["x"]), "/saml/certificates/0"),
        (
            "/saml/certificates",
            json!([provider_certificate(), format!("{}{}", provider_certificate(), provider_certificate())]),
            "/saml/certificates/1",
        ),
        ("/saml/more", json!(1), "/saml/more"),
        ("/client_id", json!("x"), "/saml"),
        ("/client_secret", json!("x"), "/client_secret"),
        ("/metadata", json!("<!DOCTYPE x><x/>"), "/metadata"),
        ("/metadata", json!(saml_metadata()), "/issuer"),
    ] {
        let mut invalid_body = valid_body.clone();
        let (within, name) = changed_pointer.rsplit_once('/').unwrap();
        let parent_object = invalid_body.pointer_mut(within).unwrap().as_object_mut().unwrap();
        match value {
            Value::Null => drop(parent_object.remove(name)),
            value => drop(parent_object.insert(name.to_owned(), value)),
        }
        let refused = owner.post(&path, invalid_body).await.assert_status(422);
        assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{changed_pointer}: {}", refused.text);
    }
    let created = owner.post(&path, valid_body).await.assert_status(201).body;
    let connection_path = format!("{path}/{}", created["id"].as_str().unwrap());
    for (changes, pointer) in [
        (json!({"saml": null, "client_id": "x"}), "/saml"),
        (json!({"metadata": saml_metadata()}), "/metadata"),
        (json!({"issuer": "urn:other"}), "/issuer"),
    ] {
        let refused = owner.patch(&connection_path, 1, changes).await.assert_status(422);
        assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{}", refused.text);
    }
    // A SAML connection does not become an OpenID Connect connection, or the reverse.
    let other = json!({"name": "Acme", "issuer": "https://idp.example", "client_id": "x", "authentication": "private_key"});
    let other = owner.post(&path, other).await.assert_status(201).body;
    let changes = json!({"client_id": null, "authentication": null, "scopes": null, "saml": {"sso_url": SSO_URL, "certificates": [provider_certificate()]}});
    let other = format!("{path}/{}", other["id"].as_str().unwrap());
    owner.patch(&other, 1, changes).await.assert_status(422);
}

async fn saml_connection_trust_settings_need_an_owner(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let created = world.create_saml_provider().create_connection(&owner, "acme.example").await;
    let path = acme.path("/connections");
    let connection_path = format!("{path}/{}", created["id"].as_str().unwrap());
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin = world.create_api_key_caller(&acme, admin, "sso:manage").await;
    let strange = json!({"sso_url": SSO_URL, "certificates": [foreign_certificate()]});
    for change in [
        json!({"saml": {"certificates": [foreign_certificate()]}}),
        json!({"saml": {"subject": "uid"}}),
        json!({"saml": {"sso_url": "https://idp.example/other"}}),
        json!({"two_factors": {"acr": ["urn:x"], "amr": []}}),
        json!({"external_id_claim": "uid"}),
    ] {
        admin.patch(&connection_path, 1, change.clone()).await.assert_status(403);
    }
    for issuer in [ENTITY_ID, "urn:other:idp"] {
        admin
            .post(&path, json!({"name": "Mine", "issuer": issuer, "saml": strange}))
            .await
            .assert_status(403);
    }
    // The name and whether the connection is enabled need `sso:manage` only.
    admin
        .patch(&connection_path, 1, json!({"name": "Acme again", "enabled": false}))
        .await
        .assert_status(200);
    admin.patch(&connection_path, 2, json!({"enabled": true})).await.assert_status(200);
    // A second connection with the same entity ID is refused: the owner changes the existing one.
    let conflict_body = owner
        .post(&path, json!({"name": "Again", "issuer": ENTITY_ID, "saml": strange}))
        .await
        .assert_status(422)
        .body;
    assert_eq!(conflict_body["errors"][0]["pointer"], "/issuer", "{conflict_body}");
    owner
        .patch(&connection_path, 3, json!({"saml": {"certificates": [foreign_certificate()]}}))
        .await
        .assert_status(200);
    let audit_log =
        owner.get(&acme.path("/audit?kind=connection.changed&limit=200")).await.assert_status(200);
    let fingerprint = created["certificates"][0]["sha256"].as_str().unwrap();
    assert_eq!(
        audit_log.text.matches(fingerprint).count(),
        2,
        "two changes name the certificate, and the third another one: {}",
        audit_log.text
    );
}

async fn saml_certificate_rotation_accepts_both_certificates(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_saml_provider();
    let created = provider.create_connection(&owner, "acme.example").await;
    let connection_path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    let ana = || saml_user("ana-7", "ana@acme.example");
    provider.set_behavior(SamlProviderBehavior {
        is_signed_by_foreign_key: true,
        ..SamlProviderBehavior::default()
    });
    signs_in(world, &provider, ana()).await.1.assert_status(422);
    owner
        .patch(
            &connection_path,
            1,
            json!({"saml": {"certificates": [provider_certificate(), foreign_certificate()]}}),
        )
        .await
        .assert_status(200);
    signs_in(world, &provider, ana()).await.1.assert_status(200);
    provider.set_behavior(SamlProviderBehavior::default());
    signs_in(world, &provider, ana()).await.1.assert_status(200);
    // A response that was verified with a certificate which has been removed since is refused.
    let (mut walk, body) = brought(world, &provider).await;
    owner
        .patch(&connection_path, 2, json!({"saml": {"certificates": [foreign_certificate()]}}))
        .await
        .assert_status(200);
    walk.submit("provider_answer", body).await.assert_status(422);
    signs_in(world, &provider, ana()).await.1.assert_status(422);
}
