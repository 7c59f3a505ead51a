//! Domains on the console: added, verified by a DNS record, released.

use super::console_path;
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(
    console_domain_is_claimed_verified_and_released_as_by_the_api,
    console_domain_verification_needs_step_up_and_is_hidden_from_others,
    console_domain_verification_failure_names_its_cause
);

async fn console_domain_is_claimed_verified_and_released_as_by_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/domains");
    let form = ana.reader.open_page(&page_path).await;
    let claims =
        async |reader: &mut crate::harness::page_browser::PageBrowser<'_>, form: &str, domain: &str| {
            reader.submit_form(form, "id=\"claim-now\"", &[("action", "claim"), ("domain", domain)]).await.1
        };
    for wrong in ["acme", "", "not a domain", "com", "gmail.com"] {
        let after = claims(&mut ana.reader, &form, wrong).await;
        assert!(
            after.contains("Enter a domain that your organization can own, such as example.org")
                && after.contains(&format!("value=\"{wrong}\"")),
            "{wrong}: {after}"
        );
    }
    let after = claims(&mut ana.reader, &form, " acme.example ").await;
    assert!(after.contains("Domain added."), "{after}");
    // The page shows the name and value of the record, as the API returns them.
    let domain = async || owner.get(&acme.path("/domains/acme.example")).await.assert_status(200).body;
    let record = domain().await["record"].clone();
    let text = |member: &str| record[member].as_str().unwrap().to_owned();
    assert!(
        after.contains(&format!(">{}</code>", text("name")))
            && after.contains(&format!(">{}</code>", text("value"))),
        "{after}"
    );
    let repeated_page = claims(&mut ana.reader, &form, "acme.example").await;
    assert!(
        repeated_page.contains("The organization already has this domain, or has reached the limit of 50"),
        "{repeated_page}"
    );
    // Without the record the domain is not verified; with it, it is.
    let (_, after) = ana.reader.submit_form(&after, "name=\"verify\"", &[("verify", "acme.example")]).await;
    assert!(
        after.contains("The TXT record was not found") && domain().await["state"] == "waiting",
        "{after}"
    );
    world.dns.publish(&text("name"), &text("value"));
    let (_, after) = ana.reader.submit_form(&after, "name=\"verify\"", &[("verify", "acme.example")]).await;
    assert!(
        after.contains("Domain verified.")
            && domain().await["state"] == "verified"
            && !after.contains(&text("value")),
        "{after}"
    );
    assert!(!after.contains("name=\"verify\""), "the server checks a verified domain by itself: {after}");
    let (_, gone) = ana.reader.submit_form(&after, "name=\"release\"", &[("release", "acme.example")]).await;
    assert!(gone.contains("Domain removed.") && gone.contains("No domains yet."), "{gone}");
    owner.get(&acme.path("/domains/acme.example")).await.assert_problem(404, "not_found");
    let (_, late) = ana.reader.submit_form(&after, "name=\"release\"", &[("release", "acme.example")]).await;
    assert!(late.contains("This no longer exists"), "{late}");
    let audit_log =
        owner.get(&acme.path(&format!("/audit?actor={}", ana.membership))).await.assert_status(200).body;
    let mut kinds: Vec<&str> =
        audit_log["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["domain.added", "domain.removed", "domain.verified"]);
}

async fn console_domain_verification_needs_step_up_and_is_hidden_from_others(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let added =
        owner.post(&acme.path("/domains"), json!({"domain": "acme.example"})).await.assert_status(201).body;
    let record = |member: &str| added["record"][member].as_str().unwrap().to_owned();
    world.dns.publish(&record("name"), &record("value"));
    let page_path = console_path(&acme, "/domains");
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    world.clock.advance(Lifetime::from_hours(2));
    let page = ana.reader.open_page(&page_path).await;
    let (_, proving) = ana.reader.submit_form(&page, "name=\"verify\"", &[("verify", "acme.example")]).await;
    let domain = async || {
        owner.get(&acme.path("/domains/acme.example")).await.assert_status(200).body["state"].clone()
    };
    assert!(proving.contains("name=\"password\"") && domain().await == "waiting", "{proving}");
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("Domain verified.") && domain().await == "verified", "{after}");
    // Without the permission to manage domains there is no such page.
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    assert!(!rita.reader.open_page(&console_path(&acme, "")).await.contains("/console/acme/domains"));
    assert_eq!(rita.reader.open_url(&page_path).await.0, 403);
    // Another organization does not see the domain and can neither verify nor release it.
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    assert_eq!(bia.reader.open_url(&page_path).await.0, 404);
    let home = bia.reader.open_page(&console_path(&other, "/domains")).await;
    assert!(!home.contains("acme.example"), "{home}");
    for field in ["verify", "release"] {
        let (_, after) = bia.reader.submit_form(&home, "id=\"claim-now\"", &[(field, "acme.example")]).await;
        assert!(after.contains("This no longer exists"), "{field}: {after}");
    }
    let (_, after) = bia
        .reader
        .submit_form(&home, "id=\"claim-now\"", &[("action", "claim"), ("domain", "acme.example")])
        .await;
    let (_, after) = bia.reader.submit_form(&after, "name=\"verify\"", &[("verify", "acme.example")]).await;
    assert!(after.contains("The TXT record was not found"), "{after}");
    assert_eq!(domain().await, "verified");
    // A suspended organization shows its domains and accepts no change.
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    let before = ana.reader.open_page(&page_path).await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let page = ana.reader.open_page(&page_path).await;
    assert!(page.contains("acme.example") && !page.contains("<form"), "{page}");
    for (within, fields) in [
        ("id=\"claim-now\"", [("action", "claim"), ("domain", "b.example")]),
        ("name=\"release\"", [("release", "acme.example"), ("x", "")]),
    ] {
        let (_, after) = ana.reader.submit_form(&before, within, &fields).await;
        assert!(after.contains("The organization is suspended and cannot be changed"), "{within}: {after}");
    }
    let _: Value = domain().await;
}

async fn console_domain_verification_failure_names_its_cause(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    crate::harness::oidc_provider::verify_domain(&world.create_owner(&acme).await, "acme.example").await;
    let owner = world.create_owner(&other).await;
    let added =
        owner.post(&other.path("/domains"), json!({"domain": "acme.example"})).await.assert_status(201).body;
    let record = |member: &str| added["record"][member].as_str().unwrap();
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    let page = bia.reader.open_page(&console_path(&other, "/domains")).await;
    assert!(page.contains("and keep it there.") && page.contains("SINETE_OUTBOUND_DNS_SERVERS"), "{page}");
    let checks = [("verify", "acme.example")];
    let (_, after) = bia.reader.submit_form(&page, "name=\"verify\"", &checks).await;
    assert!(after.contains("The TXT record was not found. Publish it"), "{after}");
    world.dns.silence(record("name"));
    let (_, after) = bia.reader.submit_form(&after, "name=\"verify\"", &checks).await;
    assert!(after.contains("The DNS did not answer") && !after.contains("was not found"), "{after}");
    world.dns.publish(record("name"), record("value"));
    let (_, after) = bia.reader.submit_form(&after, "name=\"verify\"", &checks).await;
    assert!(after.contains("Another organization has verified this domain."), "{after}");
    assert_eq!(owner.get(&other.path("/domains/acme.example")).await.body["state"], "waiting");
}
