//! Domains on the console: claimed, proven by their record, released.

use super::page;
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(
    a_domain_is_claimed_proven_by_its_record_and_released_as_by_the_api,
    proving_a_domain_waits_for_a_proof_of_who_asks_and_others_neither_see_nor_touch_it
);

async fn a_domain_is_claimed_proven_by_its_record_and_released_as_by_the_api(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let here = page(&acme, "/domains");
    let form = ana.reader.reads(&here).await;
    let claims = async |reader: &mut crate::harness::reader::PageBrowser<'_>, form: &str, domain: &str| {
        reader.presses(form, "id=\"claim-now\"", &[("action", "claim"), ("domain", domain)]).await.1
    };
    for wrong in ["acme", "", "not a domain", "com", "gmail.com"] {
        let after = claims(&mut ana.reader, &form, wrong).await;
        assert!(
            after.contains("can be claimed by an organization")
                && after.contains(&format!("value=\"{wrong}\"")),
            "{wrong}: {after}"
        );
    }
    let after = claims(&mut ana.reader, &form, " acme.example ").await;
    assert!(after.contains("The domain is claimed."), "{after}");
    // The record stands there, name and value, as the API gives it out.
    let domain = async || owner.get(&acme.path("/domains/acme.example")).await.is(200).body;
    let record = domain().await["record"].clone();
    let text = |member: &str| record[member].as_str().unwrap().to_owned();
    assert!(
        after.contains(&format!(">{}</code>", text("name")))
            && after.contains(&format!(">{}</code>", text("value"))),
        "{after}"
    );
    let again = claims(&mut ana.reader, &form, "acme.example").await;
    assert!(again.contains("has this domain already"), "{again}");
    // Without the record nothing is proven; with it, it is.
    let (_, after) = ana.reader.presses(&after, "name=\"verify\"", &[("verify", "acme.example")]).await;
    assert!(after.contains("We did not find the record") && domain().await["state"] == "waiting", "{after}");
    world.dns.publish(&text("name"), &text("value"));
    let (_, after) = ana.reader.presses(&after, "name=\"verify\"", &[("verify", "acme.example")]).await;
    assert!(
        after.contains("The domain is proven.")
            && domain().await["state"] == "verified"
            && !after.contains(&text("value")),
        "{after}"
    );
    assert!(!after.contains("name=\"verify\""), "what is proven is looked at by us: {after}");
    let (_, gone) = ana.reader.presses(&after, "name=\"release\"", &[("release", "acme.example")]).await;
    assert!(gone.contains("The domain is released.") && gone.contains("There is no domain yet."), "{gone}");
    owner.get(&acme.path("/domains/acme.example")).await.refused(404, "not_found");
    let (_, late) = ana.reader.presses(&after, "name=\"release\"", &[("release", "acme.example")]).await;
    assert!(late.contains("not there any more"), "{late}");
    let trail = owner.get(&acme.path(&format!("/audit?actor={}", ana.membership))).await.is(200).body;
    let mut kinds: Vec<&str> =
        trail["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["domain.added", "domain.removed", "domain.verified"]);
}

async fn proving_a_domain_waits_for_a_proof_of_who_asks_and_others_neither_see_nor_touch_it(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let owner = world.owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.is(201);
    let added = owner.post(&acme.path("/domains"), json!({"domain": "acme.example"})).await.is(201).body;
    let record = |member: &str| added["record"][member].as_str().unwrap().to_owned();
    world.dns.publish(&record("name"), &record("value"));
    let here = page(&acme, "/domains");
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    world.clock.pass(Lifetime::from_hours(2));
    let seen = ana.reader.reads(&here).await;
    let (_, proving) = ana.reader.presses(&seen, "name=\"verify\"", &[("verify", "acme.example")]).await;
    let domain = async || owner.get(&acme.path("/domains/acme.example")).await.is(200).body["state"].clone();
    assert!(proving.contains("name=\"password\"") && domain().await == "waiting", "{proving}");
    let (_, after) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("The domain is proven.") && domain().await == "verified", "{after}");
    // Whoever may not manage domains has no such page.
    let mut rita = world.worker(&acme, "rita@example.com", "reader").await;
    assert!(!rita.reader.reads(&page(&acme, "")).await.contains("/console/acme/domains"));
    assert_eq!(rita.reader.opens(&here).await.0, 403);
    // Another organization sees nothing of it and can neither prove nor release it.
    let mut bia = world.worker(&other, "bia@example.com", "owner").await;
    assert_eq!(bia.reader.opens(&here).await.0, 404);
    let home = bia.reader.reads(&page(&other, "/domains")).await;
    assert!(!home.contains("acme.example"), "{home}");
    for field in ["verify", "release"] {
        let (_, after) = bia.reader.presses(&home, "id=\"claim-now\"", &[(field, "acme.example")]).await;
        assert!(after.contains("not there any more"), "{field}: {after}");
    }
    let (_, after) = bia
        .reader
        .presses(&home, "id=\"claim-now\"", &[("action", "claim"), ("domain", "acme.example")])
        .await;
    let (_, after) = bia.reader.presses(&after, "name=\"verify\"", &[("verify", "acme.example")]).await;
    assert!(after.contains("We did not find the record"), "{after}");
    assert_eq!(domain().await, "verified");
    // A suspended organization shows its domains and takes no change.
    let operator = world.operator().await;
    world.assign(&operator, &acme, "unpaid").await;
    let before = ana.reader.reads(&here).await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.is(200);
    let seen = ana.reader.reads(&here).await;
    assert!(seen.contains("acme.example") && !seen.contains("<form"), "{seen}");
    for (within, fields) in [
        ("id=\"claim-now\"", [("action", "claim"), ("domain", "b.example")]),
        ("name=\"release\"", [("release", "acme.example"), ("x", "")]),
    ] {
        let (_, after) = ana.reader.presses(&before, within, &fields).await;
        assert!(after.contains("suspended and accepts no change"), "{within}: {after}");
    }
    let _: Value = domain().await;
}
