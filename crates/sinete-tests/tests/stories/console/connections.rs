//! Providers on the console: shown with what to register there, tried, switched on and off, deleted.

use super::page;
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::provider::OidcProviderBehavior;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

pub(super) fn csrf_of(page: &str) -> String {
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

both_engines!(a_provider_is_shown_tried_switched_on_and_off_and_deleted_as_by_the_api, a_provider_that_speaks_saml_is_shown_with_its_certificates_and_switched_off_by_whoever_manages_connections, sending_members_to_a_provider_waits_for_a_proof_and_others_neither_see_nor_touch_it);

async fn a_provider_is_shown_tried_switched_on_and_off_and_deleted_as_by_the_api(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let id = made["id"].as_str().unwrap();
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let (here, path) = (page(&acme, "/connections"), acme.path(&format!("/connections/{id}")));
    let one = format!("{here}/{id}");
    let connection = async || owner.get(&path).await.is(200).body;
    let list = ana.reader.reads(&here).await;
    assert!(
        list.contains(&format!("href=\"{one}\""))
            && list.contains(&provider.issuer)
            && list.contains("switched on"),
        "{list}"
    );
    // What to register at the provider stands there as the API gives it out, and the secret nowhere.
    let shown = ana.reader.reads(&one).await;
    let callback = made["callback"].as_str().unwrap();
    assert!(
        shown.contains(&format!("id=\"callback\">{callback}</code>"))
            && shown.contains("acme.example")
            && shown.contains("openid email profile"),
        "{shown}"
    );
    assert!(!shown.contains(crate::harness::provider::CLIENT_SECRET), "{shown}");
    // Trying it says the first thing that is wrong, in the words of the API too.
    let (_, after) = ana.reader.presses(&shown, "id=\"test\"", &[("action", "test")]).await;
    assert!(after.contains("Everything that is set works.") && !after.contains("id=\"wrong\""), "{after}");
    provider.behaves(OidcProviderBehavior {
        token_answer: Some((401, r#"{"error":"invalid_client"}"#.into())),
        ..OidcProviderBehavior::default()
    });
    let (_, after) = ana.reader.presses(&shown, "id=\"test\"", &[("action", "test")]).await;
    assert!(
        after.contains("did not take what this service shows") && after.contains("invalid_client"),
        "{after}"
    );
    assert!(!ana.reader.reads(&one).await.contains("invalid_client"), "it is said once");
    // Switching says how it shall stand; what others changed meanwhile stays.
    owner.patch(&path, 1, json!({"name": "Acme & Co", "two_factors": {"amr": ["mfa"]}})).await.is(200);
    let (_, off) = ana.reader.presses(&shown, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(
        off.contains("Nobody is sent there any more.")
            && off.contains("id=\"switch-on\"")
            && off.contains("More is set about it over the management API"),
        "{off}"
    );
    let stands = connection().await;
    assert_eq!(
        (&stands["enabled"], &stands["name"], &stands["two_factors"], &stands["has_secret"]),
        (&json!(false), &json!("Acme & Co"), &json!({"amr": ["mfa"]}), &json!(true))
    );
    assert_eq!(stands["domains"], json!(["acme.example"]));
    let (_, on) = ana.reader.presses(&off, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert!(
        on.contains("People are sent there from now on.") && connection().await["enabled"] == true,
        "{on}"
    );
    let (_, gone) = ana.reader.presses(&on, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(
        gone.contains("The connection is deleted.") && gone.contains("No provider is connected yet."),
        "{gone}"
    );
    owner.get(&path).await.refused(404, "not_found");
    // Whoever presses once more finds the list, and is told.
    for (button, action) in [("remove-now", "remove"), ("switch-off", "disable"), ("test", "test")] {
        let (status, late) =
            ana.reader.presses(&on, &format!("id=\"{button}\""), &[("action", action)]).await;
        assert!(
            status == 200 && late.contains("not there any more") && late.contains("<h1>Providers</h1>"),
            "{action}: {late}"
        );
    }
    let trail = owner.get(&acme.path(&format!("/audit?actor={}", ana.membership))).await.is(200).body;
    let mut kinds: Vec<&str> =
        trail["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(
        kinds,
        [
            "connection.changed",
            "connection.changed",
            "connection.removed",
            "connection.tested",
            "connection.tested"
        ]
    );
}

async fn a_provider_that_speaks_saml_is_shown_with_its_certificates_and_switched_off_by_whoever_manages_connections(
    world: &World,
) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let role = json!({"name": "plumber", "permissions": ["organization:read", "sso:manage"]});
    owner.post(&acme.path("/roles"), role).await.is(201);
    let made = world.saml_provider().connect(&owner, "acme.example").await;
    let one = page(&acme, &format!("/connections/{}", made["id"].as_str().unwrap()));
    let mut pia = world.worker(&acme, "pia@example.com", "plumber").await;
    let shown = pia.reader.reads(&one).await;
    for told in [
        &made["issuer"],
        &made["entity_id"],
        &made["callback"],
        &made["saml"]["sso_url"],
        &made["certificates"][0]["sha256"],
    ] {
        assert!(shown.contains(&format!(">{}</code>", told.as_str().unwrap())), "{told}: {shown}");
    }
    assert!(!shown.contains("BEGIN CERTIFICATE") && shown.contains("<code>mail</code>"), "{shown}");
    let (_, after) = pia.reader.presses(&shown, "id=\"test\"", &[("action", "test")]).await;
    assert!(after.contains("Everything that is set works."), "{after}");
    let (_, after) = pia.reader.presses(&shown, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(after.contains("Nobody is sent there any more."), "{after}");
}

async fn sending_members_to_a_provider_waits_for_a_proof_and_others_neither_see_nor_touch_it(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let owner = world.owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.is(201);
    let made = world.provider().await.connect(&owner, "acme.example").await;
    let id = made["id"].as_str().unwrap();
    let (here, path) = (page(&acme, "/connections"), acme.path(&format!("/connections/{id}")));
    let one = format!("{here}/{id}");
    let connection = async || owner.get(&path).await.is(200).body;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    world.clock.pass(Lifetime::from_hours(2));
    // Taking away does not wait; letting in does, and is done by the proof.
    let shown = ana.reader.reads(&one).await;
    let (_, off) = ana.reader.presses(&shown, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(off.contains("Nobody is sent there any more."), "{off}");
    let (_, proving) = ana.reader.presses(&off, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert!(proving.contains("name=\"password\"") && connection().await["enabled"] == false, "{proving}");
    let (_, on) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        on.contains("People are sent there from now on.") && connection().await["enabled"] == true,
        "{on}"
    );
    let mut rita = world.worker(&acme, "rita@example.com", "reader").await;
    assert!(!rita.reader.reads(&page(&acme, "")).await.contains("/console/acme/connections"));
    assert_eq!((rita.reader.opens(&here).await.0, rita.reader.opens(&one).await.0), (403, 403));
    let csrf = csrf_of(&rita.reader.reads(&page(&acme, &format!("/members/{}", rita.membership))).await);
    let mut bia = world.worker(&other, "bia@example.com", "owner").await;
    let own = csrf_of(&bia.reader.reads(&page(&other, "/keys")).await);
    let through = page(&other, &format!("/connections/{id}"));
    assert!(!bia.reader.reads(&page(&other, "/connections")).await.contains(id));
    assert_eq!((bia.reader.opens(&through).await.0, bia.reader.opens(&one).await.0), (404, 404));
    let stands = connection().await;
    for action in ["test", "enable", "disable", "remove", "anything"] {
        rita.reader.forges(&one, &world.origin(), &[("csrf", csrf.as_str()), ("action", action)]).await;
        bia.reader.forges(&through, &world.origin(), &[("csrf", own.as_str()), ("action", action)]).await;
        assert_eq!(
            bia.reader.forges(&one, &world.origin(), &[("csrf", own.as_str()), ("action", action)]).await.0,
            404
        );
        assert_eq!(connection().await, stands, "{action}");
    }
    let tried = owner.get(&acme.path("/audit?kind=connection.tested")).await.is(200).body;
    assert_eq!(tried["items"], json!([]), "nor is it tried by others");
    // A suspended organization shows its providers and takes no change.
    let before = ana.reader.reads(&one).await;
    let operator = world.operator().await;
    world.assign(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.is(200);
    let seen = ana.reader.reads(&one).await;
    assert!(seen.contains("id=\"callback\"") && !seen.contains("<form"), "{seen}");
    for (button, action) in [("test", "test"), ("switch-off", "disable"), ("remove-now", "remove")] {
        let (_, after) =
            ana.reader.presses(&before, &format!("id=\"{button}\""), &[("action", action)]).await;
        assert!(after.contains("suspended and accepts no change"), "{action}: {after}");
    }
    let left: Value = connection().await;
    assert_eq!(left, stands);
}
