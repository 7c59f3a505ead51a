//! Whom an organization removed or its directory switched off stays out until somebody who may invite lets them in, whatever
//! a provider says of them.

use super::identities::own;
use super::sign_in::{fetched, signs_in};
use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::directory::USERS;
use crate::harness::provider::{TestOidcProvider, person};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};

const WAITS: &str = "http://127.0.0.1:49152/back";

/// The member whom the organization knows by this address, as it shows them.
async fn member(owner: &ApiCaller<'_>, email: &str) -> Value {
    let members = owner.get(&owner.tenant.path("/members?limit=200")).await.is(200).body;
    let found = members["items"].as_array().unwrap().iter().find(|it| it["profile"]["email"] == email);
    found.unwrap_or_else(|| panic!("{members}")).clone()
}

/// How signing in ends for somebody whom the provider knows like this.
async fn comes(world: &World, provider: &TestOidcProvider, somebody: Value) -> u16 {
    provider.knows(somebody);
    signs_in(world, provider, "anybody@acme.example").await.1.status
}

both_engines!(
    a_removal_holds_whatever_the_provider_says_until_somebody_invites,
    an_account_that_is_switched_off_does_not_come_back_as_another_subject,
    unlinking_a_provider_does_not_undo_a_removal,
    whom_a_directory_switched_off_or_removed_does_not_join_by_a_domain,
    only_the_provider_that_names_the_people_of_the_directory_claims_their_places
);

async fn a_removal_holds_whatever_the_provider_says_until_somebody_invites(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    provider.connect(&owner, "acme.example").await;
    provider.knows(person("bia-1", "bia@acme.example"));
    let session = signs_in(world, &provider, "b@acme.example").await.1.is(200).text_of("session_token");
    let account = super::sign_in::oneself(world, &session).await["id"].as_str().unwrap().parse().unwrap();
    let bia = member(&owner, "bia@acme.example").await;
    owner
        .delete(&acme.path(&format!("/members/{}", bia["id"].as_str().unwrap())), bia["version"].as_i64())
        .await
        .is(204);
    assert_eq!(comes(world, &provider, person("bia-1", "bia@acme.example")).await, 422);
    assert_eq!(
        comes(world, &provider, person("bia-2", "Bia@acme.example")).await,
        422,
        "nor as another subject"
    );
    assert_eq!(
        comes(world, &provider, person("cau-1", "cau@acme.example")).await,
        200,
        "others join as ever"
    );
    // Switched off is out as well, and switched on again is in.
    let cau = member(&owner, "cau@acme.example").await["id"].as_str().unwrap().to_owned();
    owner.post(&acme.path(&format!("/members/{cau}/disable")), Value::Null).await.is(200);
    assert_eq!(comes(world, &provider, person("cau-2", "cau@acme.example")).await, 422);
    // An address that they are given meanwhile is theirs as well.
    let path = acme.path(&format!("/members/{cau}"));
    let seen = owner.get(&path).await.is(200).version();
    owner.patch(&path, seen, json!({"profile": {"email": "caue@acme.example"}})).await.is(200);
    for email in ["caue@acme.example", "cau@acme.example"] {
        assert_eq!(comes(world, &provider, person("cau-3", email)).await, 422, "{email}");
    }
    owner.post(&acme.path(&format!("/members/{cau}/enable")), Value::Null).await.is(200);
    assert_eq!(comes(world, &provider, person("cau-1", "cau@acme.example")).await, 200);
    // Whoever may invite lets them in, at an address that they prove.
    let engine = world.server.engine();
    let contact = sinete_store::contacts::of_account(engine.store(), account).await.unwrap().remove(0).id;
    world.happens([sinete_store::contacts::verify(account, contact, engine.now())]).await;
    let member = owner.get(&acme.path("/roles?limit=200")).await.is(200).body;
    let role =
        member["items"].as_array().unwrap().iter().find(|role| role["name"] == "member").unwrap()["id"]
            .clone();
    owner
        .post(&acme.path("/invitations"), json!({"email": "bia@acme.example", "roles": [role]}))
        .await
        .is(201);
    let token = world.mailed_invitation("bia@acme.example").await;
    let origin = sinete_core::security::event::RequestOrigin::new(None, None, None);
    sinete_engine::invitations::accept(engine, &token, account, &origin).await.unwrap().unwrap();
    assert_eq!(comes(world, &provider, person("bia-1", "bia@acme.example")).await, 200);
}

async fn an_account_that_is_switched_off_does_not_come_back_as_another_subject(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, operator) = (world.owner(&acme).await, world.operator().await);
    let provider = world.provider().await;
    provider.connect(&owner, "acme.example").await;
    provider.knows(person("bia-1", "bia@acme.example"));
    let session = signs_in(world, &provider, "b@acme.example").await.1.is(200).text_of("session_token");
    let bia = super::sign_in::oneself(world, &session).await["id"].as_str().unwrap().to_owned();
    operator.post(&format!("/manage/accounts/{bia}/disable"), Value::Null).await.is(200);
    assert_eq!(
        member(&owner, "bia@acme.example").await["condition"],
        "enabled",
        "the organization did nothing"
    );
    for (subject, email) in
        [("bia-1", "bia@acme.example"), ("bia-2", "Bia@acme.example"), ("bia-1", "b@acme.example")]
    {
        assert_ne!(comes(world, &provider, person(subject, email)).await, 200, "{subject} {email}");
    }
    assert_eq!(world.logged("account.created").await, 1, "nobody but herself");
    operator.post(&format!("/manage/accounts/{bia}/enable"), Value::Null).await.is(200);
    assert_eq!(comes(world, &provider, person("bia-1", "bia@acme.example")).await, 200);
}

async fn unlinking_a_provider_does_not_undo_a_removal(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let ana = world.person("ana@home.example").await;
    world.joins(&acme, ana.account).await;
    let start = json!({"kind": "link_identity", "connection": made["id"], "return_to": WAITS});
    let mut walk = world.flow_as(start.clone(), Some(&ana.session)).await;
    provider.knows(person("ana-7", "ana@acme.example"));
    let said = fetched(world, &provider, &walk).await;
    walk.says("provider_answer", said).await.is(200);
    let listed = own(world, &ana.session, Method::GET, "/account/identities").await.is(200).body;
    let identity = format!("/account/identities/{}", listed["items"][0]["id"].as_str().unwrap());
    own(world, &ana.session, Method::DELETE, &identity).await.is(204);
    // A member still, she does not become a second one by coming through the provider.
    assert_eq!(comes(world, &provider, person("ana-7", "ana@acme.example")).await, 422);
    let mut late = world.flow_as(start, Some(&ana.session)).await;
    let said = fetched(world, &provider, &late).await;
    // First she unlinks it, then she is removed: the organization gave her no address it could know her by.
    let all =
        sinete_store::memberships::of_account(world.server.engine().store(), ana.account).await.unwrap();
    let mine = all.into_iter().find(|it| it.organization == acme.id).unwrap();
    owner.delete(&acme.path(&format!("/members/{}", mine.id)), Some(mine.version)).await.is(204);
    assert_eq!(comes(world, &provider, person("ana-7", "ana@acme.example")).await, 422);
    assert_eq!(world.logged("account.created").await, 1, "nobody but herself");
    assert_ne!(late.says("provider_answer", said).await.status, 200, "what she began as a member");
    assert_eq!(world.logged("identity.linked").await, 1);
}

async fn whom_a_directory_switched_off_or_removed_does_not_join_by_a_domain(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    let provider = world.provider().await;
    provider.connect(&owner, "acme.example").await;
    let user = |name: &str, active: bool| {
        json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": name, "active": active,
            "emails": [{"value": format!("{name}@acme.example"), "primary": true}],
        })
    };
    let rui = directory.post(USERS, user("rui", true)).await.is(201).text_of("id");
    directory.post(USERS, user("eva", false)).await.is(201);
    let leo = directory.post(USERS, user("leo", true)).await.is(201).text_of("id");
    directory
        .changes(&format!("{USERS}/{rui}"), json!([{"op": "replace", "path": "active", "value": false}]))
        .await
        .is(200);
    directory.delete(&format!("{USERS}/{leo}"), None).await.is(204);
    for (subject, email) in
        [("rui-1", "rui@acme.example"), ("eva-1", "eva@acme.example"), ("leo-1", "leo@acme.example")]
    {
        assert_eq!(comes(world, &provider, person(subject, email)).await, 422, "{email}");
    }
    assert_eq!(comes(world, &provider, person("ida-1", "ida@acme.example")).await, 200);
}

async fn only_the_provider_that_names_the_people_of_the_directory_claims_their_places(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    let (provider, partner) = (world.provider().await, world.provider().await);
    let own = provider.connect(&owner, "acme.example").await;
    let theirs = partner.connect(&owner, "partner.example").await;
    assert_eq!((&own["external_id_claim"], &theirs["external_id_claim"]), (&Value::Null, &Value::Null));
    let user = json!({"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ana", "externalId": "object-7"});
    let place = directory.post(USERS, user).await.is(201).text_of("id");
    let path = |made: &Value| acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
    // Neither names anybody before it is said which one does.
    assert_eq!(comes(world, &provider, json!({"sub": "object-7"})).await, 422);
    owner.patch(&path(&own), 1, json!({"external_id_claim": "sub"})).await.is(200);
    let second = owner.patch(&path(&theirs), 1, json!({"external_id_claim": "sub"})).await.is(422);
    assert_eq!(second.faults(), ["/external_id_claim"]);
    // The partner can say that somebody is whoever it likes, and claims nothing.
    partner.knows(json!({"sub": "object-7", "oid": "object-7"}));
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("single_sign_on", json!({"connection": theirs["id"], "return_to": WAITS})).await.is(200);
    let said = fetched(world, &partner, &walk).await;
    walk.says("provider_answer", said).await.is(422);
    assert_eq!(comes(world, &provider, json!({"sub": "object-7"})).await, 200);
    assert_eq!(owner.get(&acme.path(&format!("/members/{place}"))).await.is(200).body["kind"], "person");
    // It can be taken back, and given to another.
    owner.patch(&path(&own), 2, json!({"external_id_claim": null})).await.is(200);
    owner.patch(&path(&theirs), 1, json!({"external_id_claim": "oid"})).await.is(200);
}
