//! A removed or disabled member stays out, whatever a provider says, until a member who may invite lets them in.

use super::identities::own;
use super::oidc_sign_in::{fetched, signs_in};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::oidc_provider::{TestOidcProvider, provider_user};
use crate::harness::scim_client::USERS;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

const WAITS: &str = "http://127.0.0.1:49152/back";

/// The member with this e-mail address.
async fn member(owner: &ApiCaller<'_>, email: &str) -> Value {
    let members = owner.get(&owner.tenant.path("/members?limit=200")).await.assert_status(200).body;
    let matching_member =
        members["items"].as_array().unwrap().iter().find(|it| it["profile"]["email"] == email);
    matching_member.unwrap_or_else(|| panic!("{members}")).clone()
}

/// The status of a sign-in of this provider user.
async fn comes(world: &World, provider: &TestOidcProvider, user_claims: Value) -> u16 {
    provider.set_user(user_claims);
    signs_in(world, provider, "anybody@acme.example").await.1.status
}

both_engines!(
    removed_member_cannot_return_by_single_sign_on_until_invited,
    disabled_account_does_not_return_as_another_upstream_subject,
    identity_unlinking_does_not_undo_a_removal,
    provisioned_user_disabled_or_removed_does_not_join_by_domain,
    provisioned_memberships_are_claimed_only_through_the_connection_with_external_id
);

async fn removed_member_cannot_return_by_single_sign_on_until_invited(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("bia-1", "bia@acme.example"));
    let session =
        signs_in(world, &provider, "b@acme.example").await.1.assert_status(200).text_member("session_token");
    let account =
        super::oidc_sign_in::oneself(world, &session).await["id"].as_str().unwrap().parse().unwrap();
    let bia = member(&owner, "bia@acme.example").await;
    owner
        .delete(&acme.path(&format!("/members/{}", bia["id"].as_str().unwrap())), bia["version"].as_i64())
        .await
        .assert_status(204);
    assert_eq!(comes(world, &provider, provider_user("bia-1", "bia@acme.example")).await, 422);
    assert_eq!(
        comes(world, &provider, provider_user("bia-2", "Bia@acme.example")).await,
        422,
        "not as another subject either"
    );
    assert_eq!(
        comes(world, &provider, provider_user("cau-1", "cau@acme.example")).await,
        200,
        "other users still join"
    );
    // A disabled member is out, and in again when enabled.
    let cau = member(&owner, "cau@acme.example").await["id"].as_str().unwrap().to_owned();
    owner.post(&acme.path(&format!("/members/{cau}/disable")), Value::Null).await.assert_status(200);
    assert_eq!(comes(world, &provider, provider_user("cau-2", "cau@acme.example")).await, 422);
    // An address that the member gets meanwhile counts too.
    let path = acme.path(&format!("/members/{cau}"));
    let version = owner.get(&path).await.assert_status(200).version();
    owner.patch(&path, version, json!({"profile": {"email": "caue@acme.example"}})).await.assert_status(200);
    for email in ["caue@acme.example", "cau@acme.example"] {
        assert_eq!(comes(world, &provider, provider_user("cau-3", email)).await, 422, "{email}");
    }
    owner.post(&acme.path(&format!("/members/{cau}/enable")), Value::Null).await.assert_status(200);
    assert_eq!(comes(world, &provider, provider_user("cau-1", "cau@acme.example")).await, 200);
    // A member who may invite lets them in, at an address that they verify.
    let engine = world.server.engine();
    let contact = sinete_store::accounts::contacts::list_account_contacts(engine.store(), account)
        .await
        .unwrap()
        .remove(0)
        .id;
    world
        .apply_statements([sinete_store::accounts::contacts::verify_contact(account, contact, engine.now())])
        .await;
    let member = owner.get(&acme.path("/roles?limit=200")).await.assert_status(200).body;
    let role =
        member["items"].as_array().unwrap().iter().find(|role| role["name"] == "member").unwrap()["id"]
            .clone();
    owner
        .post(&acme.path("/invitations"), json!({"email": "bia@acme.example", "roles": [role]}))
        .await
        .assert_status(201);
    let token = world.emailed_invitation("bia@acme.example").await;
    let origin = sinete_core::events::security_event::RequestOrigin::new(None, None, None);
    sinete_engine::organizations::invitations::accept(engine, &token, account, &origin).await.unwrap();
    assert_eq!(comes(world, &provider, provider_user("bia-1", "bia@acme.example")).await, 200);
}

async fn disabled_account_does_not_return_as_another_upstream_subject(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, operator) = (world.create_owner(&acme).await, world.create_operator().await);
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("bia-1", "bia@acme.example"));
    let session =
        signs_in(world, &provider, "b@acme.example").await.1.assert_status(200).text_member("session_token");
    let bia = super::oidc_sign_in::oneself(world, &session).await["id"].as_str().unwrap().to_owned();
    operator.post(&format!("/manage/accounts/{bia}/disable"), Value::Null).await.assert_status(200);
    assert_eq!(
        member(&owner, "bia@acme.example").await["condition"],
        "enabled",
        "the membership is still enabled"
    );
    for (subject, email) in
        [("bia-1", "bia@acme.example"), ("bia-2", "Bia@acme.example"), ("bia-1", "b@acme.example")]
    {
        assert_ne!(comes(world, &provider, provider_user(subject, email)).await, 200, "{subject} {email}");
    }
    assert_eq!(world.count_events("account.created").await, 1, "no other account was created");
    operator.post(&format!("/manage/accounts/{bia}/enable"), Value::Null).await.assert_status(200);
    assert_eq!(comes(world, &provider, provider_user("bia-1", "bia@acme.example")).await, 200);
}

async fn identity_unlinking_does_not_undo_a_removal(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let ana = world.sign_up_user("ana@home.example").await;
    world.add_member(&acme, ana.account).await;
    let start = json!({"kind": "link_identity", "connection": created["id"], "return_to": WAITS});
    let mut walk = world.start_flow_in_session(start.clone(), Some(&ana.session)).await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let body = fetched(world, &provider, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(200);
    let identities =
        own(world, &ana.session, Method::GET, "/account/identities").await.assert_status(200).body;
    let identity = format!("/account/identities/{}", identities["items"][0]["id"].as_str().unwrap());
    own(world, &ana.session, Method::DELETE, &identity).await.assert_status(204);
    // She is still a member, so the provider does not create a second membership.
    assert_eq!(comes(world, &provider, provider_user("ana-7", "ana@acme.example")).await, 422);
    let mut late = world.start_flow_in_session(start, Some(&ana.session)).await;
    let body = fetched(world, &provider, &late).await;
    // She unlinks the identity and is then removed; the organization has no address of hers.
    let all = sinete_store::organizations::memberships::list_account_memberships(
        world.server.engine().store(),
        ana.account,
    )
    .await
    .unwrap();
    let mine = all.into_iter().find(|it| it.organization == acme.id).unwrap();
    owner.delete(&acme.path(&format!("/members/{}", mine.id)), Some(mine.version)).await.assert_status(204);
    assert_eq!(comes(world, &provider, provider_user("ana-7", "ana@acme.example")).await, 422);
    assert_eq!(world.count_events("account.created").await, 1, "no other account was created");
    assert_ne!(late.submit("provider_answer", body).await.status, 200, "a flow that she started as a member");
    assert_eq!(world.count_events("identity.linked").await, 1);
}

async fn provisioned_user_disabled_or_removed_does_not_join_by_domain(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    let user = |name: &str, active: bool| {
        json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": name, "active": active,
            "emails": [{"value": format!("{name}@acme.example"), "primary": true}],
        })
    };
    let rui = directory.post(USERS, user("rui", true)).await.assert_status(201).text_member("id");
    directory.post(USERS, user("eva", false)).await.assert_status(201);
    let leo = directory.post(USERS, user("leo", true)).await.assert_status(201).text_member("id");
    directory
        .scim_patch(&format!("{USERS}/{rui}"), json!([{"op": "replace", "path": "active", "value": false}]))
        .await
        .assert_status(200);
    directory.delete(&format!("{USERS}/{leo}"), None).await.assert_status(204);
    for (subject, email) in
        [("rui-1", "rui@acme.example"), ("eva-1", "eva@acme.example"), ("leo-1", "leo@acme.example")]
    {
        assert_eq!(comes(world, &provider, provider_user(subject, email)).await, 422, "{email}");
    }
    assert_eq!(comes(world, &provider, provider_user("ida-1", "ida@acme.example")).await, 200);
}

async fn provisioned_memberships_are_claimed_only_through_the_connection_with_external_id(world: &World) {
    let acme = world.create_organization("acme").await;
    let (owner, directory) = (world.create_owner(&acme).await, world.create_scim_client(&acme).await);
    let (provider, partner) = (world.create_oidc_provider().await, world.create_oidc_provider().await);
    let own_connection = provider.create_connection(&owner, "acme.example").await;
    let theirs = partner.create_connection(&owner, "partner.example").await;
    assert_eq!(
        (&own_connection["external_id_claim"], &theirs["external_id_claim"]),
        (&Value::Null, &Value::Null)
    );
    let user = json!({"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ana", "externalId": "object-7"});
    let membership_id = directory.post(USERS, user).await.assert_status(201).text_member("id");
    let path = |created: &Value| acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    // Neither connection claims a membership before an external id claim is set.
    assert_eq!(comes(world, &provider, json!({"sub": "object-7"})).await, 422);
    owner.patch(&path(&own_connection), 1, json!({"external_id_claim": "sub"})).await.assert_status(200);
    let second = owner.patch(&path(&theirs), 1, json!({"external_id_claim": "sub"})).await.assert_status(422);
    assert_eq!(second.fault_pointers(), ["/external_id_claim"]);
    // The partner's provider can assert any subject, and claims nothing.
    partner.set_user(json!({"sub": "object-7", "oid": "object-7"}));
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("single_sign_on", json!({"connection": theirs["id"], "return_to": WAITS}))
        .await
        .assert_status(200);
    let body = fetched(world, &partner, &walk).await;
    walk.submit("provider_answer", body).await.assert_status(422);
    assert_eq!(comes(world, &provider, json!({"sub": "object-7"})).await, 200);
    assert_eq!(
        owner.get(&acme.path(&format!("/members/{membership_id}"))).await.assert_status(200).body["kind"],
        "person"
    );
    // The claim can be removed and set on the other connection.
    owner.patch(&path(&own_connection), 2, json!({"external_id_claim": null})).await.assert_status(200);
    owner.patch(&path(&theirs), 1, json!({"external_id_claim": "oid"})).await.assert_status(200);
}
