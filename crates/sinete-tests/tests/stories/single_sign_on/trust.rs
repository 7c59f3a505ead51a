//! Who decides by whose word members are signed in: owners, over OpenID Connect as over SAML. `sso:manage` alone neither connects
//! a provider nor changes what its word is worth, and no provisioned membership is claimed through a connection that no owner
//! confirmed.

use super::sign_in::{fetched, oneself, signs_in};
use crate::both_engines;
use crate::harness::api::{ApiCaller, ApiResponse};
use crate::harness::directory::USERS;
use crate::harness::provider::{CLIENT_ID, CLIENT_SECRET, TestOidcProvider, person, proves};
use crate::harness::saml::{ENTITY_ID, SSO_URL, certificate, metadata, strange_certificate};
use crate::harness::tenants::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_core::provider::confirmation::OwnerConfirmation;
use sinete_store::memberships::{self, MembershipHolder};
use sinete_store::{connections, roles};

/// Everybody who may manage connections and holds less than an owner: by role, and by the key that an owner uses.
async fn lesser<'w>(world: &'w World, acme: &TestOrganization) -> [ApiCaller<'w>; 2] {
    let (admin, owner) = (world.member(acme, &["admin"]).await, world.member(acme, &["owner"]).await);
    [world.key(acme, admin, "sso:manage").await, world.key(acme, owner, "sso:manage").await]
}

/// A membership that a directory provisioned, which carries the role of owners and waits for whoever is called this.
async fn waiting_owner(world: &World, acme: &TestOrganization, external_id: &str) -> MembershipId {
    let directory = world.directory(acme).await;
    let schema = "urn:ietf:params:scim:schemas:core:2.0:User";
    let user = json!({"schemas": [schema], "userName": external_id, "externalId": external_id});
    let id: MembershipId = directory.post(USERS, user).await.is(201).text_of("id").parse().unwrap();
    let engine = world.server.engine();
    let all = roles::of_organization(engine.store(), acme.id).await.unwrap();
    let owner = all.iter().find(|role| role.role.name() == "owner").unwrap().id;
    world.happens([memberships::give_role(id, owner, engine.now())]).await;
    id
}

async fn is_claimed(world: &World, acme: &TestOrganization, id: MembershipId) -> bool {
    let found = memberships::find(world.server.engine().store(), acme.id, id).await.unwrap().unwrap();
    found.holder != MembershipHolder::Nobody
}

/// How signing in at a connection ends.
async fn comes_through(
    world: &World,
    provider: &TestOidcProvider,
    connection: &Value,
    who: Value,
) -> ApiResponse {
    provider.knows(who);
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let there = json!({"connection": connection["id"], "return_to": "http://127.0.0.1:49152/back"});
    walk.says("single_sign_on", there).await.is(200);
    let said = fetched(world, provider, &walk).await;
    walk.says("provider_answer", said).await
}

both_engines!(
    sso_manage_alone_does_not_become_owner_through_a_provider_of_its_own,
    sso_manage_alone_changes_no_trust_setting_over_either_protocol,
    provisioned_membership_waits_until_an_owner_confirms_the_connection
);

async fn sso_manage_alone_does_not_become_owner_through_a_provider_of_its_own(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, place) = (world.owner(&acme).await, waiting_owner(world, &acme, "object-7").await);
    let (provider, path) = (world.provider().await, acme.path("/connections"));
    let whole = json!({
        "name": "Mine", "issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET,
        "external_id_claim": "sub", "two_factors": {"amr": ["pwd"]}, "enabled": true,
    });
    for somebody in lesser(world, &acme).await {
        somebody.post(&path, whole.clone()).await.refused(403, "insufficient_scope");
        // Nor in parts: not switched off, nor without the claim, to be made decisive later.
        for (name, value) in
            [("enabled", json!(false)), ("external_id_claim", Value::Null), ("two_factors", json!({}))]
        {
            let mut less = whole.clone();
            less[name] = value;
            somebody.post(&path, less).await.refused(403, "insufficient_scope");
        }
        let saml = json!({"sso_url": SSO_URL, "certificates": [certificate()]});
        somebody
            .post(&path, json!({"name": "Mine", "issuer": ENTITY_ID, "saml": saml}))
            .await
            .refused(403, "insufficient_scope");
        somebody
            .post(&path, json!({"name": "Mine", "metadata": metadata()}))
            .await
            .refused(403, "insufficient_scope");
    }
    assert_eq!(owner.get(&path).await.is(200).body["items"], json!([]));
    assert!(!is_claimed(world, &acme, place).await);
    // Through the connection of an owner it is claimed, with what the membership carries.
    let made = owner.post(&path, whole.clone()).await.is(201).body;
    assert_eq!(made["confirmed"], true);
    let reply =
        comes_through(world, &provider, &made, json!({"sub": "object-7", "amr": ["pwd"]})).await.is(200);
    assert!(is_claimed(world, &acme, place).await);
    assert_eq!(oneself(world, &reply.text_of("session_token")).await["session"]["acr"], "urn:sinete:aal:2");
    // So does an operator who acts there by assignment.
    owner.delete(&format!("{path}/{}", made["id"].as_str().unwrap()), None).await.is(204);
    let operator = world.operator().await;
    world.assign(&operator, &acme, "set up single sign-on").await;
    assert_eq!(operator.post(&path, whole).await.is(201).body["confirmed"], true);
}

async fn sso_manage_alone_changes_no_trust_setting_over_either_protocol(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let (provider, saml) = (world.provider().await, world.saml_provider());
    let open_id = provider.connect(&owner, "acme.example").await;
    let saml = saml.connect(&owner, "saml.example").await;
    proves(&owner, "third.example").await;
    let common = [
        json!({"two_factors": {"amr": ["pwd"]}}),
        json!({"external_id_claim": "sub"}),
        json!({"name": "Mine", "external_id_claim": "sub", "enabled": false}),
        json!({"domains": ["third.example"]}),
    ];
    let of_open_id = [
        json!({"client_id": "mine"}),
        json!({"scopes": ["openid", "groups"]}),
        json!({"authentication": "private_key"}),
    ];
    let of_saml = [
        json!({"saml": {"certificates": [strange_certificate()]}}),
        json!({"saml": {"subject": "uid"}}),
        json!({"saml": {"sso_url": "https://mine.example/sso"}}),
        json!({"metadata": metadata().replace(SSO_URL, "https://mine.example/sso")}),
    ];
    let lesser = lesser(world, &acme).await;
    for (made, own) in [(&open_id, &of_open_id[..]), (&saml, &of_saml[..])] {
        let path = acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
        for change in common.iter().chain(own) {
            for somebody in &lesser {
                somebody.patch(&path, 1, change.clone()).await.refused(403, "insufficient_scope");
            }
        }
        let shown = owner.get(&path).await.is(200).body;
        assert_eq!(
            (&shown["version"], &shown["domains"]),
            (&json!(1), &made["domains"]),
            "nothing of it was done"
        );
        // What it is called, its secret, and taking away what it is trusted with need no owner.
        let admin = &lesser[0];
        admin.patch(&path, 1, json!({"name": "Ours"})).await.is(200);
        admin.patch(&path, 2, json!({"enabled": false})).await.is(200);
        let on = admin.patch(&path, 3, json!({"enabled": true})).await.is(200).body;
        assert_eq!(
            (&on["enabled"], &on["confirmed"]),
            (&json!(true), &json!(true)),
            "an owner stands behind it still"
        );
        let without = admin.patch(&path, 4, json!({"domains": []})).await.is(200).body;
        assert_eq!(without["domains"], json!([]));
        admin.patch(&path, 5, json!({"domains": made["domains"]})).await.refused(403, "insufficient_scope");
        admin.post(&format!("{path}/test"), Value::Null).await.is(200);
        // What an owner switched off, an owner switches on.
        assert_eq!(owner.patch(&path, 5, json!({"enabled": false})).await.is(200).body["confirmed"], false);
        admin.patch(&path, 6, json!({"enabled": true})).await.refused(403, "insufficient_scope");
        admin.patch(&path, 6, json!({"name": "Theirs"})).await.is(200);
        assert_eq!(owner.patch(&path, 7, json!({"enabled": true})).await.is(200).body["confirmed"], true);
        for change in common.iter().chain(own) {
            let seen = owner.get(&path).await.is(200).version();
            owner.patch(&path, seen, change.clone()).await.is(200);
        }
        admin.delete(&path, None).await.is(204);
    }
    let secret =
        json!({"name": "A", "issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": "old"});
    let made = owner.post(&acme.path("/connections"), secret).await.is(201).body;
    let path = acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
    lesser[0].patch(&path, 1, json!({"client_secret": CLIENT_SECRET})).await.is(200);
}

async fn provisioned_membership_waits_until_an_owner_confirms_the_connection(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, place) = (world.owner(&acme).await, waiting_owner(world, &acme, "object-7").await);
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"external_id_claim": "sub"})).await.is(200);
    // As connections are that were made before it was asked who makes them.
    let store = world.server.engine().store();
    let id = made["id"].as_str().unwrap().parse().unwrap();
    let before = connections::of_id(store, id).await.unwrap().unwrap();
    world
        .happens([connections::change(&before, &before.chosen, true, OwnerConfirmation::Missing).unwrap()])
        .await;
    provider.knows(person("object-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.is(422);
    let admin = &lesser(world, &acme).await[0];
    let shown = admin.patch(&path, 3, json!({"name": "Acme SSO"})).await.is(200).body;
    assert_eq!(shown["confirmed"], false, "whoever is no owner confirms nothing");
    signs_in(world, &provider, "ana@acme.example").await.1.is(422);
    assert!(!is_claimed(world, &acme, place).await);
    assert_eq!(world.logged("account.created").await, 0, "nor is she made a second member");
    // Others join as before.
    provider.knows(person("object-8", "bia@acme.example"));
    signs_in(world, &provider, "bia@acme.example").await.1.is(200);
    assert_eq!(owner.patch(&path, 4, json!({"enabled": true})).await.is(200).body["confirmed"], true);
    provider.knows(person("object-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.is(200);
    assert!(is_claimed(world, &acme, place).await);
}
