//! Only owners decide which provider signs members in, over OpenID Connect and SAML. `sso:manage` alone neither
//! connects a provider nor changes what is trusted about it, and no provisioned membership is claimed through a
//! connection that no owner confirmed.

use super::oidc_sign_in::{fetched, oneself, signs_in};
use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiResponse};
use crate::harness::oidc_provider::{
    CLIENT_ID, CLIENT_SECRET, TestOidcProvider, provider_user, verify_domain,
};
use crate::harness::organizations::TestOrganization;
use crate::harness::saml_provider::{
    ENTITY_ID, SSO_URL, foreign_certificate, provider_certificate, saml_metadata,
};
use crate::harness::scim_client::USERS;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_store::identity_providers::connections;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::organizations::roles;

/// Callers with `sso:manage` and less than an owner: an administrator, and an owner's key with that scope only.
async fn lesser<'w>(world: &'w World, acme: &TestOrganization) -> [ApiCaller<'w>; 2] {
    let (admin, owner) =
        (world.create_member(acme, &["admin"]).await, world.create_member(acme, &["owner"]).await);
    [
        world.create_api_key_caller(acme, admin, "sso:manage").await,
        world.create_api_key_caller(acme, owner, "sso:manage").await,
    ]
}

/// A pending owner membership with this external id, provisioned by a directory.
async fn waiting_owner(world: &World, acme: &TestOrganization, external_id: &str) -> MembershipId {
    let directory = world.create_scim_client(acme).await;
    let schema = "urn:ietf:params:scim:schemas:core:2.0:User";
    let user = json!({"schemas": [schema], "userName": external_id, "externalId": external_id});
    let id: MembershipId =
        directory.post(USERS, user).await.assert_status(201).text_member("id").parse().unwrap();
    let engine = world.server.engine();
    let all = roles::list_roles(engine.store(), acme.id).await.unwrap();
    let owner = all.iter().find(|role| role.role.name() == "owner").unwrap().id;
    world.apply_statements([memberships::add_role(id, owner, engine.now())]).await;
    id
}

async fn is_claimed(world: &World, acme: &TestOrganization, id: MembershipId) -> bool {
    let membership =
        memberships::find_membership(world.server.engine().store(), acme.id, id).await.unwrap().unwrap();
    membership.holder != MembershipHolder::Unclaimed
}

/// The result of a sign-in through a connection.
async fn comes_through(
    world: &World,
    provider: &TestOidcProvider,
    connection: &Value,
    user_claims: Value,
) -> ApiResponse {
    provider.set_user(user_claims);
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let sign_in_body = json!({"connection": connection["id"], "return_to": "http://127.0.0.1:49152/back"});
    walk.submit("single_sign_on", sign_in_body).await.assert_status(200);
    let body = fetched(world, provider, &walk).await;
    walk.submit("provider_answer", body).await
}

both_engines!(
    sso_manage_permission_cannot_become_owner_through_its_own_identity_provider,
    sso_manage_permission_changes_no_trust_setting_over_either_protocol,
    provisioned_membership_waits_until_an_owner_confirms_the_connection
);

async fn sso_manage_permission_cannot_become_owner_through_its_own_identity_provider(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, membership) =
        (world.create_owner(&acme).await, waiting_owner(world, &acme, "object-7").await);
    let (provider, path) = (world.create_oidc_provider().await, acme.path("/connections"));
    let connection_body = json!({
        "name": "Mine", "issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET,
        "external_id_claim": "sub", "two_factors": {"amr": ["pwd"]}, "enabled": true,
    });
    for api_caller in lesser(world, &acme).await {
        api_caller.post(&path, connection_body.clone()).await.assert_problem(403, "insufficient_scope");
        // Nor step by step: neither disabled, nor without the claim that is added later.
        for (name, value) in
            [("enabled", json!(false)), ("external_id_claim", Value::Null), ("two_factors", json!({}))]
        {
            let mut less = connection_body.clone();
            less[name] = value;
            api_caller.post(&path, less).await.assert_problem(403, "insufficient_scope");
        }
        let saml = json!({"sso_url": SSO_URL, "certificates": [provider_certificate()]});
        api_caller
            .post(&path, json!({"name": "Mine", "issuer": ENTITY_ID, "saml": saml}))
            .await
            .assert_problem(403, "insufficient_scope");
        api_caller
            .post(&path, json!({"name": "Mine", "metadata": saml_metadata()}))
            .await
            .assert_problem(403, "insufficient_scope");
    }
    assert_eq!(owner.get(&path).await.assert_status(200).body["items"], json!([]));
    assert!(!is_claimed(world, &acme, membership).await);
    // Through a connection of an owner, the membership is claimed with its roles.
    let created = owner.post(&path, connection_body.clone()).await.assert_status(201).body;
    assert_eq!(created["confirmed"], true);
    let reply = comes_through(world, &provider, &created, json!({"sub": "object-7", "amr": ["pwd"]}))
        .await
        .assert_status(200);
    assert!(is_claimed(world, &acme, membership).await);
    assert_eq!(
        oneself(world, &reply.text_member("session_token")).await["session"]["acr"],
        "urn:sinete:aal:2"
    );
    // An operator with an assignment may connect a provider too.
    owner.delete(&format!("{path}/{}", created["id"].as_str().unwrap()), None).await.assert_status(204);
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "set up single sign-on").await;
    assert_eq!(operator.post(&path, connection_body).await.assert_status(201).body["confirmed"], true);
}

async fn sso_manage_permission_changes_no_trust_setting_over_either_protocol(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let (provider, saml) = (world.create_oidc_provider().await, world.create_saml_provider());
    let open_id = provider.create_connection(&owner, "acme.example").await;
    let saml = saml.create_connection(&owner, "saml.example").await;
    verify_domain(&owner, "third.example").await;
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
        json!({"saml": {"certificates": [foreign_certificate()]}}),
        json!({"saml": {"subject": "uid"}}),
        json!({"saml": {"sso_url": "https://mine.example/sso"}}),
        json!({"metadata": saml_metadata().replace(SSO_URL, "https://mine.example/sso")}),
    ];
    let lesser = lesser(world, &acme).await;
    for (created, protocol_changes) in [(&open_id, &of_open_id[..]), (&saml, &of_saml[..])] {
        let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
        for change in common.iter().chain(protocol_changes) {
            for api_caller in &lesser {
                api_caller.patch(&path, 1, change.clone()).await.assert_problem(403, "insufficient_scope");
            }
        }
        let connection = owner.get(&path).await.assert_status(200).body;
        assert_eq!(
            (&connection["version"], &connection["domains"]),
            (&json!(1), &created["domains"]),
            "nothing was changed"
        );
        let admin = &lesser[0];
        changes_that_widen_no_trust_need_no_owner(admin, &path, &created["domains"]).await;
        // A connection that an owner disabled is enabled by an owner only.
        assert_eq!(
            owner.patch(&path, 5, json!({"enabled": false})).await.assert_status(200).body["confirmed"],
            false
        );
        admin.patch(&path, 6, json!({"enabled": true})).await.assert_problem(403, "insufficient_scope");
        admin.patch(&path, 6, json!({"name": "Theirs"})).await.assert_status(200);
        assert_eq!(
            owner.patch(&path, 7, json!({"enabled": true})).await.assert_status(200).body["confirmed"],
            true
        );
        for change in common.iter().chain(protocol_changes) {
            let version = owner.get(&path).await.assert_status(200).version();
            owner.patch(&path, version, change.clone()).await.assert_status(200);
        }
        admin.delete(&path, None).await.assert_status(204);
    }
    let secret =
        json!({"name": "A", "issuer": provider.issuer, "client_id": CLIENT_ID, "client_secret": "old"});
    let created = owner.post(&acme.path("/connections"), secret).await.assert_status(201).body;
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    lesser[0].patch(&path, 1, json!({"client_secret": CLIENT_SECRET})).await.assert_status(200);
}

/// An administrator renames, disables, enables and tests the connection and removes its domains, but adds none.
async fn changes_that_widen_no_trust_need_no_owner(admin: &ApiCaller<'_>, path: &str, domains: &Value) {
    admin.patch(path, 1, json!({"name": "Ours"})).await.assert_status(200);
    admin.patch(path, 2, json!({"enabled": false})).await.assert_status(200);
    let on = admin.patch(path, 3, json!({"enabled": true})).await.assert_status(200).body;
    assert_eq!(
        (&on["enabled"], &on["confirmed"]),
        (&json!(true), &json!(true)),
        "the owner's confirmation still applies"
    );
    let without = admin.patch(path, 4, json!({"domains": []})).await.assert_status(200).body;
    assert_eq!(without["domains"], json!([]));
    admin.patch(path, 5, json!({"domains": domains})).await.assert_problem(403, "insufficient_scope");
    admin.post(&format!("{path}/test"), Value::Null).await.assert_status(200);
}

async fn provisioned_membership_waits_until_an_owner_confirms_the_connection(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, membership) =
        (world.create_owner(&acme).await, waiting_owner(world, &acme, "object-7").await);
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"external_id_claim": "sub"})).await.assert_status(200);
    // Like a connection that is older than owner confirmation.
    let store = world.server.engine().store();
    let id = created["id"].as_str().unwrap().parse().unwrap();
    let before = connections::find_connection_by_id(store, id).await.unwrap().unwrap();
    world
        .apply_statements([connections::change_connection(
            &before,
            &before.settings,
            true,
            OwnerConfirmation::Missing,
        )
        .unwrap()])
        .await;
    provider.set_user(provider_user("object-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.assert_status(422);
    let admin = &lesser(world, &acme).await[0];
    let connection = admin.patch(&path, 3, json!({"name": "Acme SSO"})).await.assert_status(200).body;
    assert_eq!(connection["confirmed"], false, "a change by an administrator confirms nothing");
    signs_in(world, &provider, "ana@acme.example").await.1.assert_status(422);
    assert!(!is_claimed(world, &acme, membership).await);
    assert_eq!(world.count_events("account.created").await, 0, "no account was created");
    // Other users join as before.
    provider.set_user(provider_user("object-8", "bia@acme.example"));
    signs_in(world, &provider, "bia@acme.example").await.1.assert_status(200);
    assert_eq!(
        owner.patch(&path, 4, json!({"enabled": true})).await.assert_status(200).body["confirmed"],
        true
    );
    provider.set_user(provider_user("object-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.assert_status(200);
    assert!(is_claimed(world, &acme, membership).await);
}
