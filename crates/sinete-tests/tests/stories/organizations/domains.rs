//! Domains: verified by a DNS record, for one organization at a time, and lost with the record.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::grants::GrantRequest;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::ContactId;
use sinete_core::time::Lifetime;
use sinete_engine::organizations::domains::{DomainCheckTally, recheck_verified_domains};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};

/// Adds a domain and publishes its record.
async fn published(owner: &ApiCaller<'_>, domain: &str) -> Value {
    let added =
        owner.post(&owner.tenant.path("/domains"), json!({"domain": domain})).await.assert_status(201).body;
    let record = |member: &str| added["record"][member].as_str().unwrap();
    owner.world.dns.publish(record("name"), record("value"));
    added
}

async fn verified(owner: &ApiCaller<'_>, domain: &str) -> Value {
    published(owner, domain).await;
    owner
        .post(&owner.tenant.path(&format!("/domains/{domain}/verify")), Value::Null)
        .await
        .assert_status(200)
        .body
}

async fn state(owner: &ApiCaller<'_>, domain: &str) -> String {
    let path = owner.tenant.path(&format!("/domains/{domain}"));
    owner.get(&path).await.assert_status(200).text_member("state")
}

/// Advances the clock by a day and checks every record.
async fn next_day(world: &World) -> DomainCheckTally {
    world.clock.advance(Lifetime::from_hours(25));
    recheck_verified_domains(world.server.engine()).await.unwrap()
}

both_engines!(
    domain_is_verified_by_its_requested_txt_record_only,
    domain_that_is_public_or_shared_is_refused_and_idn_is_accepted,
    domain_verified_by_two_organizations_belongs_to_the_first,
    domain_is_lost_with_its_record_but_not_by_dns_failure,
    domain_management_needs_permission_and_an_active_organization,
    domain_verification_makes_only_organization_provided_addresses_verified
);

async fn domain_is_verified_by_its_requested_txt_record_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let added =
        owner.post(&acme.path("/domains"), json!({"domain": "Acme.Example"})).await.assert_status(201);
    assert!(added.headers["location"].to_str().unwrap().ends_with("/domains/acme.example"));
    assert_eq!((&added.body["state"], &added.body["record"]["type"]), (&"waiting".into(), &"TXT".into()));
    assert_eq!(added.body["record"]["name"], "_sinete-challenge.acme.example");
    let value = added.body["record"]["value"].as_str().unwrap();
    let verify = acme.path("/domains/acme.example/verify");
    owner.post(&verify, Value::Null).await.assert_status(409);
    world.dns.publish("_sinete-challenge.acme.example", "v=spf1 -all");
    world.dns.publish("acme.example", value);
    world.dns.publish("_sinete-challenge.acme.example", &value[..value.len() - 1]);
    let refused = owner.post(&verify, Value::Null).await.assert_status(409);
    assert!(refused.text.contains("The DNS record was not found"), "{}", refused.text);
    world.dns.publish("_sinete-challenge.acme.example", value);
    let response = owner.post(&verify, Value::Null).await.assert_status(200);
    assert_eq!(response.body["state"], "verified");
    assert_eq!(owner.get(&acme.path("/domains")).await.assert_status(200).body["items"][0], response.body);
    owner.post(&verify, Value::Null).await.assert_status(200);
    assert_eq!(world.count_events("domain.verified").await, 1, "verified once");
    owner.post(&acme.path("/domains"), json!({"domain": "ACME.example"})).await.assert_status(409);
    owner.delete(&acme.path("/domains/acme.example"), None).await.assert_status(204);
    owner.get(&acme.path("/domains/acme.example")).await.assert_status(404);
    let audit_log = owner.get(&acme.path("/audit?limit=200")).await.assert_status(200);
    for kind in ["domain.added", "domain.verified", "domain.removed"] {
        let is = |it: &&Value| it["kind"] == kind && it["subject"]["id"] == "acme.example";
        assert_eq!(audit_log.body["items"].as_array().unwrap().iter().filter(is).count(), 1, "{kind}");
    }
}

async fn domain_that_is_public_or_shared_is_refused_and_idn_is_accepted(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for domain in [
        "gmail.com",
        "com.br",
        "co.uk",
        "localhost",
        "printer.local",
        "acme",
        "*.acme.example",
        "https://acme.example/",
    ] {
        let refused = owner.post(&acme.path("/domains"), json!({"domain": domain})).await.assert_status(422);
        assert_eq!(refused.body["errors"][0]["pointer"], "/domain", "{domain}");
    }
    let added = owner
        .post(&acme.path("/domains"), json!({"domain": "padaria-são-joão.com.br"}))
        .await
        .assert_status(201);
    assert_eq!(added.body["domain"], "xn--padaria-so-joo-yhbe.com.br");
    assert_eq!(added.body["name"], "padaria-são-joão.com.br");
    owner.get(&acme.path("/domains/padaria-s%C3%A3o-jo%C3%A3o.com.br")).await.assert_status(200);
    let once = owner
        .post_with_idempotency_key(&acme.path("/domains"), "a-key", json!({"domain": "acme.example"}))
        .await
        .assert_status(201);
    let repeated_response = owner
        .post_with_idempotency_key(&acme.path("/domains"), "a-key", json!({"domain": "acme.example"}))
        .await
        .assert_status(201);
    assert_eq!(once.body, repeated_response.body, "a repeated request adds nothing twice");
}

async fn domain_verified_by_two_organizations_belongs_to_the_first(world: &World) {
    let (acme, rival) = (world.create_organization("acme").await, world.create_organization("rival").await);
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&rival).await);
    published(&owner, "acme.example").await;
    published(&other, "acme.example").await;
    owner.post(&acme.path("/domains/acme.example/verify"), Value::Null).await.assert_status(200);
    let verify = rival.path("/domains/acme.example/verify");
    let refused = other.post(&verify, Value::Null).await.assert_status(409);
    assert!(!refused.text.contains("acme.example") && !refused.text.contains(&acme.id.to_string()));
    assert_eq!(state(&other, "acme.example").await, "waiting");
    // A suspended organization keeps its domains; once it releases one, the other organization can have it.
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "a story").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "a story"})).await.assert_status(200);
    other.post(&verify, Value::Null).await.assert_status(409);
    operator.post(&acme.path("/restore"), json!({"reason": "a story"})).await.assert_status(200);
    owner.delete(&acme.path("/domains/acme.example"), None).await.assert_status(204);
    other.post(&verify, Value::Null).await.assert_status(200);
}

async fn domain_is_lost_with_its_record_but_not_by_dns_failure(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let domain_body = verified(&owner, "acme.example").await;
    let record = "_sinete-challenge.acme.example";
    assert_eq!(
        recheck_verified_domains(world.server.engine()).await.unwrap(),
        DomainCheckTally::default(),
        "not before the next check"
    );
    assert_eq!(next_day(world).await, DomainCheckTally { verified: 1, ..DomainCheckTally::default() });
    world.dns.silence(record);
    assert_eq!(next_day(world).await, DomainCheckTally { unreachable: 1, ..DomainCheckTally::default() });
    assert_eq!(state(&owner, "acme.example").await, "verified");
    world.dns.withdraw(record);
    assert_eq!(next_day(world).await, DomainCheckTally { missing: 1, ..DomainCheckTally::default() });
    assert_eq!(state(&owner, "acme.example").await, "missing");
    world.dns.publish(record, domain_body["record"]["value"].as_str().unwrap());
    assert_eq!(next_day(world).await.verified, 1, "the record was found again");
    assert_eq!(state(&owner, "acme.example").await, "verified");
    world.dns.withdraw(record);
    assert_eq!(
        (next_day(world).await.missing, next_day(world).await.missing, next_day(world).await.missing),
        (1, 1, 1)
    );
    assert_eq!(next_day(world).await, DomainCheckTally { lost: 1, ..DomainCheckTally::default() });
    assert_eq!(state(&owner, "acme.example").await, "waiting");
    assert_eq!((world.count_events("domain.missing").await, world.count_events("domain.lost").await), (2, 1));
    assert_eq!(next_day(world).await, DomainCheckTally::default());
}

async fn domain_management_needs_permission_and_an_active_organization(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let member = world.create_member(&acme, &["admin"]).await;
    let without = world.create_api_key_caller(&acme, member, "organization:read webhooks:manage").await;
    without.get(&acme.path("/domains")).await.assert_status(403);
    without.post(&acme.path("/domains"), json!({"domain": "acme.example"})).await.assert_status(403);
    let api_caller = world.create_owner(&world.create_organization("rival").await).await;
    api_caller.get(&acme.path("/domains")).await.assert_status(404);
    verified(&owner, "acme.example").await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "a story").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "a story"})).await.assert_status(200);
    for (path, body) in
        [("/domains", json!({"domain": "b.example"})), ("/domains/acme.example/verify", Value::Null)]
    {
        let refused = owner.post(&acme.path(path), body).await.assert_status(409);
        assert_eq!(refused.body["code"], "organization_suspended", "{}", refused.text);
    }
    owner.delete(&acme.path("/domains/acme.example"), None).await.assert_status(409);
}

async fn domain_verification_makes_only_organization_provided_addresses_verified(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let member = world.create_member(&acme, &["member"]).await;
    let account = world.account_of_member(&acme, member).await;
    let client = world.create_confidential_client().await;
    let granted =
        world.create_grant(&acme, member, &client.id, GrantRequest::for_scope("openid email")).await;
    let token = granted.issue_access_token().await;
    let response_body = async || {
        let answer =
            world.http.get(world.public_url("/connect/userinfo")).bearer_auth(&token).send().await.unwrap();
        let body: Value = answer.json().await.unwrap();
        (body["email"].as_str().unwrap_or_default().to_owned(), body["email_verified"].as_bool())
    };
    let engine = world.server.engine();
    // An address that is not verified never counts, whatever its domain.
    let claimed = NewContact {
        id: ContactId::mint(engine.now(), engine.entropy()),
        account,
        kind: ContactKind::Email,
        address: "boss@acme.example",
        lookup: "boss@acme.example",
        is_primary: true,
        created_at: engine.now(),
    };
    world.apply_statements([contacts::add_contact(&claimed)]).await;
    verified(&owner, "acme.example").await;
    assert_eq!(response_body().await, ("boss@acme.example".to_owned(), Some(false)));
    let path = acme.path(&format!("/members/{member}"));
    let set_email = async |email: &str| {
        let version = owner.get(&path).await.assert_status(200).body["version"].as_i64().unwrap();
        owner.patch(&path, version, json!({"profile": {"email": email}})).await.assert_status(200);
    };
    set_email("ana@acme.example").await;
    assert_eq!(response_body().await, ("ana@acme.example".to_owned(), Some(true)));
    for elsewhere in ["ana@other.example", "ana@mail.acme.example"] {
        set_email(elsewhere).await;
        assert_eq!(response_body().await, ("boss@acme.example".to_owned(), Some(false)), "{elsewhere}");
    }
    set_email("ana@acme.example").await;
    owner.delete(&acme.path("/domains/acme.example"), None).await.assert_status(204);
    assert_eq!(response_body().await, ("boss@acme.example".to_owned(), Some(false)));
}
