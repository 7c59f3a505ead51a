//! Who somebody is here when a provider that speaks SAML vouches for them: whom they linked, where that is required, and whose
//! place a directory keeps.

use super::identities::own;
use super::required::{application, settles};
use super::saml::{fetched, signs_in};
use super::sign_in::oneself;
use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::directory::USERS;
use crate::harness::saml::saml_person;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_store::clients::ClientOrigin;

const WAITS: &str = "http://127.0.0.1:49152/back";

both_engines!(
    somebody_links_a_provider_that_speaks_saml_signs_in_with_it_and_unlinks_it,
    an_organization_can_require_its_provider_that_speaks_saml,
    whom_a_directory_keeps_signs_in_over_saml_while_it_does
);

async fn somebody_links_a_provider_that_speaks_saml_signs_in_with_it_and_unlinks_it(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.saml_provider();
    let made = provider.connect(&owner, "acme.example").await;
    let ana = world.person("ana@home.example").await;
    world.joins(&acme, ana.account).await;
    assert_eq!(
        own(world, &ana.session, Method::GET, "/account/providers").await.is(200).body["items"][0]["connection"],
        made["id"]
    );
    let start = json!({"kind": "link_identity", "connection": made["id"], "return_to": WAITS});
    // Somebody else's identity at that provider stays theirs.
    signs_in(world, &provider, saml_person("bia-1", "bia@acme.example")).await.1.is(200);
    let mut walk = world.flow_as(start.clone(), Some(&ana.session)).await;
    let said = fetched(world, &provider, &walk).await;
    walk.says("provider_answer", said).await.is(409);
    // Her own needs no address that anybody vouches for.
    provider.knows(("ana-7".to_owned(), vec![("mail", "ana@unproven.example".to_owned())]));
    let said = fetched(world, &provider, &walk).await;
    walk.says("provider_answer", said.clone()).await.is(200);
    assert_eq!(walk.stage(), "identity_linked");
    walk.tries("provider_answer", said).await.is(409);
    assert!(world.newest_mail("ana@home.example").await.contains("login.acme.example"), "they are told");
    let session = signs_in(world, &provider, saml_person("ana-7", "whoever@acme.example"))
        .await
        .1
        .is(200)
        .text_of("session_token");
    let seen = oneself(world, &session).await;
    assert_eq!(
        (&seen["id"], &seen["session"]["amr"]),
        (&oneself(world, &ana.session).await["id"], &json!(["fed"])),
        "{seen}"
    );
    assert_eq!(world.logged("account.created").await, 2, "hers from before, and the other's");
    let listed = own(world, &ana.session, Method::GET, "/account/identities").await.is(200).body;
    assert_eq!(
        (&listed["items"][0]["subject"], &listed["items"][0]["works"]),
        (&json!("ana-7"), &json!(true))
    );
    // A provider does not decide about an account whose owner has a password.
    let path = format!("/account/identities/{}", listed["items"][0]["id"].as_str().unwrap());
    own(world, &session, Method::DELETE, &path).await.is(401);
    own(world, &ana.session, Method::DELETE, &path).await.is(204);
    assert_eq!(world.logged("identity.unlinked").await, 1);
    // A member still, she does not become a second one by coming through the provider.
    signs_in(world, &provider, saml_person("ana-7", "ana@acme.example")).await.1.is(422);
    assert_eq!(world.logged("account.created").await, 2);
    // Only a member links it, and only whoever began it goes on with it.
    let eva = world.person("eva@home.example").await;
    let mut body = start.clone();
    body["session"] = json!("token");
    let headers = vec![("authorization", format!("Session {}", eva.session))];
    world
        .ask(Method::POST, "/flows", ApiRequest { body: Some(body), headers, ..ApiRequest::default() })
        .await
        .is(409);
    let (hers, mut theirs) =
        (world.flow_as(start, Some(&ana.session)).await, world.flow(json!({"kind": "sign_in"})).await);
    let said = fetched(world, &provider, &hers).await;
    theirs.says("single_sign_on", json!({"connection": made["id"], "return_to": WAITS})).await.is(200);
    theirs.says("provider_answer", said).await.is(422);
    assert_eq!(world.logged("identity.linked").await, 2, "the other's, and hers once");
}

async fn an_organization_can_require_its_provider_that_speaks_saml(world: &World) {
    let (acme, rival) = (world.tenant("acme").await, world.tenant("rival").await);
    let (owner, other) = (world.owner(&acme).await, world.owner(&rival).await);
    let provider = world.saml_provider();
    let made = provider.connect(&owner, "acme.example").await;
    let session = signs_in(world, &provider, saml_person("ana-7", "ana@acme.example"))
        .await
        .1
        .is(200)
        .text_of("session_token");
    let account = world.holding(&session).await.account;
    world.joins(&rival, account).await;
    let application = world.application(ClientOrigin::Operator, application()).await;
    let asks = async |session: &str, organization: &str| {
        let changes =
            [("scope", Some("openid")), ("organization", Some(organization)), ("prompt", Some("none"))];
        application.authorize(Some(&world.browser_holding(session).await), &changes).await
    };
    let with_password =
        world.begin_session(account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    asks(&with_password, "acme").await.code();
    settles(&owner, json!({"single_sign_on": "required"})).await;
    asks(&session, "acme").await.code();
    asks(&with_password, "acme").await.refused("login_required");
    // It counts in its own organization and in no other, required or not.
    asks(&session, "rival").await.refused("login_required");
    asks(&with_password, "rival").await.code();
    settles(&other, json!({"single_sign_on": "required"})).await;
    asks(&session, "rival").await.refused("login_required");
    asks(&with_password, "rival").await.refused("login_required");
    // Whoever comes back from it now is in, and nobody is while it is switched off.
    let path = acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
    let again = signs_in(world, &provider, saml_person("ana-7", "ana@acme.example"))
        .await
        .1
        .is(200)
        .text_of("session_token");
    asks(&again, "acme").await.code();
    owner.patch(&path, 1, json!({"enabled": false})).await.is(200);
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    assert_ne!(
        walk.says("single_sign_on", json!({"connection": made["id"], "return_to": WAITS})).await.status,
        200
    );
    asks(&with_password, "acme").await.refused("login_required");
}

async fn whom_a_directory_keeps_signs_in_over_saml_while_it_does(world: &World) {
    let acme = world.tenant("acme").await;
    let (owner, directory) = (world.owner(&acme).await, world.directory(&acme).await);
    let provider = world.saml_provider();
    let made = provider.connect(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", made["id"].as_str().unwrap()));
    let user = |name: &str, active: bool| {
        json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": name, "active": active,
            "externalId": format!("e-{name}"), "emails": [{"value": format!("{name}@acme.example"), "primary": true}],
        })
    };
    let comes = async |name: &str, employee: &str, email: &str| {
        let values = vec![("employee", employee.to_owned()), ("mail", email.to_owned())];
        signs_in(world, &provider, (name.to_owned(), values)).await.1
    };
    let ana = directory.post(USERS, user("ana", true)).await.is(201).text_of("id");
    directory.post(USERS, user("eva", false)).await.is(201);
    // Nobody claims a place before it is said by which attribute, nor with another value of it.
    comes("ana-7", "e-ana", "ana@elsewhere.example").await.is(422);
    owner.patch(&path, 1, json!({"external_id_claim": "employee"})).await.is(200);
    comes("ana-8", "e-other", "ana@elsewhere.example").await.is(422);
    let session = comes("ana-7", "e-ana", "ana@elsewhere.example").await.is(200).text_of("session_token");
    let member = owner.get(&acme.path(&format!("/members/{ana}"))).await.is(200).body;
    assert_eq!((&member["kind"], &member["external_id"]), (&json!("person"), &json!("e-ana")), "{member}");
    assert_eq!((world.logged("membership.claimed").await, world.logged("account.created").await), (1, 1));
    // Once it is claimed, another name finds nothing that waits.
    comes("mallory", "e-ana", "mallory@elsewhere.example").await.is(422);
    comes("eva-1", "e-eva", "eva@acme.example").await.is(422);
    // Switched off in the directory she is out at once, and in again when it switches her on.
    let own = format!("{USERS}/{ana}");
    let switch = async |on: bool| {
        directory.changes(&own, json!([{"op": "replace", "path": "active", "value": on}])).await.is(200)
    };
    switch(false).await;
    comes("ana-7", "e-ana", "ana@acme.example").await.is(422);
    comes("ana-9", "e-ana", "ana@acme.example").await.is(422);
    switch(true).await;
    let again = comes("ana-7", "e-ana", "ana@acme.example").await.is(200).text_of("session_token");
    let id = |seen: Value| seen["id"].clone();
    assert_eq!(id(oneself(world, &again).await), id(oneself(world, &session).await));
    // Taken out of the directory, she stays out.
    directory.delete(&own, None).await.is(204);
    for name in ["ana-7", "ana-9"] {
        comes(name, "e-ana", "ana@acme.example").await.is(422);
    }
    // Whom the directory never kept joins by the domain, as everywhere.
    comes("ida-1", "e-ida", "ida@acme.example").await.is(200);
    assert_eq!(world.logged("account.created").await, 2);
}
