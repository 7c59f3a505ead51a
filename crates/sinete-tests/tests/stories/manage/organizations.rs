//! Organizations: who makes, changes, suspends and deletes them, and who cannot.

use crate::both_engines;
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::ORGANIZATION_DELETION_WAIT;
use sinete_core::time::Lifetime;

both_engines!(
    a_new_instance_has_the_organizations_of_its_operators_and_of_those_nobody_invited,
    an_operator_makes_an_organization_and_a_member_cannot,
    a_slug_is_never_given_twice_and_never_looks_like_an_id,
    an_organization_is_found_by_its_id_and_by_its_slug,
    what_is_named_changes_what_is_null_goes_and_the_rest_stays,
    every_fault_of_a_patch_is_told_with_its_place_and_nothing_changes,
    a_suspended_organization_is_seen_accepts_no_change_and_confers_nothing_elsewhere,
    the_operators_key_counts_for_nothing_while_their_own_organization_could_be_suspended,
    an_organization_cannot_suspend_itself,
    a_deletion_waits_can_be_taken_back_and_then_takes_effect
);

async fn a_new_instance_has_the_organizations_of_its_operators_and_of_those_nobody_invited(world: &World) {
    let listed = world.operator().await.get("/manage/organizations").await.is(200);
    let mut kinds: Vec<_> = listed.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["slug"].as_str().unwrap(), it["kind"].as_str().unwrap()))
        .collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [("home", "home"), ("operator", "operator")]);
}

async fn an_operator_makes_an_organization_and_a_member_cannot(world: &World) {
    let operator = world.operator().await;
    let wanted = json!({"slug": "acme", "name": "Acme Ltda", "settings": {"least_assurance": "aal2"}});
    let made = operator.post("/manage/organizations", wanted).await.is(201);
    let id = made.text_of("id");
    assert_eq!(made.headers["location"].to_str().unwrap(), format!("/manage/organizations/{id}"));
    assert_eq!((made.version(), &made.body["settings"]["least_assurance"]), (1, &json!("aal2")));
    let roles: Vec<_> = {
        let acme = world.tenant_of("acme").await;
        let owner = world.owner(&acme).await;
        let listed = owner.get(&acme.path("/roles")).await.is(200);
        listed.body["items"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect()
    };
    assert_eq!(roles.len(), 3, "{roles:?}");

    let owner = world.owner(&world.tenant_of("acme").await).await;
    owner.post("/manage/organizations", json!({"slug": "mine"})).await.refused(403, "insufficient_scope");
    owner.get("/manage/organizations").await.refused(403, "insufficient_scope");
    let house = world.tenant_of("operator").await;
    let plain = world.member(&house, &["owner"]).await;
    let plain = world.key(&house, plain, OWNERS_SCOPE).await;
    plain.post("/manage/organizations", json!({"slug": "mine"})).await.refused(403, "insufficient_scope");
}

async fn a_slug_is_never_given_twice_and_never_looks_like_an_id(world: &World) {
    let operator = world.operator().await;
    let make = async |slug: &str| operator.post("/manage/organizations", json!({"slug": slug})).await;
    make("acme").await.is(201);
    make("acme").await.refused(409, "conflict");
    for slug in ["Acme", "a", "-acme", "acme-", "a_b", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"] {
        let refused = make(slug).await.refused(422, "unprocessable");
        assert_eq!(refused.faults(), ["/slug"], "{slug}");
    }
}

async fn an_organization_is_found_by_its_id_and_by_its_slug(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let by_id = owner.get(&acme.path("")).await.is(200);
    let by_slug = owner.get("/manage/organizations/acme").await.is(200);
    assert_eq!(by_id.body, by_slug.body);
    let upper = acme.id.to_string().to_uppercase();
    owner.get(&format!("/manage/organizations/{upper}")).await.is(404);
    owner.get("/manage/organizations/a%00b").await.is(404);
    owner.get("/manage/organizations/%ff%fe").await.is(404);
}

async fn what_is_named_changes_what_is_null_goes_and_the_rest_stays(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let settings = json!({"least_assurance": "aal2", "refused_grants": ["device_code"], "branding": {"accent": "#1a5fb4"}});
    let first = owner.patch(&acme.path(""), 1, json!({"settings": settings})).await.is(200);
    assert_eq!((first.version(), &first.body["name"]), (2, &json!("acme")));
    let patch = json!({"name": "Acme", "settings": {"least_assurance": null, "branding": {"name": "Acme!"}}});
    let second = owner.patch(&acme.path(""), 2, patch).await.is(200);
    assert_eq!(second.body["name"], "Acme");
    assert_eq!(second.body["settings"]["least_assurance"], "aal1");
    assert_eq!(second.body["settings"]["refused_grants"], json!(["device_code"]));
    assert_eq!(second.body["settings"]["branding"], json!({"accent": "#1a5fb4", "name": "Acme!"}));
    assert_eq!(owner.get(&acme.path("")).await.is(200).body, second.body);
}

async fn every_fault_of_a_patch_is_told_with_its_place_and_nothing_changes(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    for (patch, faults) in [
        (
            json!({"slug": "other", "settings": {"css": "x", "least_assurance": "aal3"}, "name": ""}),
            &["/name", "/settings/css", "/settings/least_assurance", "/slug"][..],
        ),
        (
            json!({"name": "a\u{202e}b", "settings": {"branding": {"accent": "#ffff00"}}}),
            &["/name", "/settings/branding/accent"],
        ),
        (json!({"name": null}), &["/name"]),
        (json!([]), &[""]),
    ] {
        let refused = owner.patch(&acme.path(""), 1, patch).await.refused(422, "unprocessable");
        assert_eq!(refused.faults(), faults);
    }
    assert_eq!(owner.get(&acme.path("")).await.is(200).version(), 1);
    let member = world.member(&acme, &["member"]).await;
    let member = world.key(&acme, member, "organization:read").await;
    member.get(&acme.path("")).await.is(200);
    member.patch(&acme.path(""), 1, json!({"name": "Mine"})).await.refused(403, "insufficient_scope");
}

async fn a_suspended_organization_is_seen_accepts_no_change_and_confers_nothing_elsewhere(world: &World) {
    let (acme, operator) = (world.tenant("acme").await, world.operator().await);
    let owner = world.owner(&acme).await;
    world.assign(&operator, &acme, "unpaid").await;
    let reason = json!({"reason": "Unpaid since March"});
    let suspended = operator.post(&acme.path("/suspend"), reason.clone()).await.is(200);
    assert_eq!(suspended.body["condition"], "suspended");

    let seen = owner.get(&acme.path("")).await.is(200);
    assert_eq!(
        (&seen.body["condition"], &seen.body["condition_reason"]),
        (&json!("suspended"), &json!("Unpaid since March"))
    );
    let member = acme.path(&format!("/members/{}", owner.membership));
    for path in ["/members", "/roles", "/api-keys", "/audit"] {
        owner.get(&acme.path(path)).await.is(200);
    }
    let code = "organization_suspended";
    owner.patch(&acme.path(""), seen.version(), json!({"name": "x"})).await.refused(409, code);
    owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.refused(409, code);
    owner.patch(&member, 1, json!({"profile": {"name": "x"}})).await.refused(409, code);
    owner.post(&format!("{member}/disable"), json!(null)).await.refused(409, code);
    owner.delete(&member, None).await.refused(409, code);
    owner.post(&acme.path("/deletion"), json!(null)).await.refused(409, code);
    let key = json!({"membership": owner.membership, "name": "k", "scope": "members:read"});
    owner.post(&acme.path("/api-keys"), key).await.refused(409, code);

    operator.post(&acme.path("/suspend"), reason).await.is(200);
    let restored = operator.post(&acme.path("/restore"), json!({"reason": "Paid"})).await.is(200);
    assert_eq!(restored.body["condition"], "enabled");
    assert!(restored.body.get("condition_reason").is_none());
    owner.patch(&acme.path(""), restored.version(), json!({"name": "x"})).await.is(200);
}

async fn the_operators_key_counts_for_nothing_while_their_own_organization_could_be_suspended(world: &World) {
    // It cannot: nobody suspends or deletes the two organizations every instance stands on.
    let operator = world.operator().await;
    for slug in ["operator", "home"] {
        let essential = world.tenant_of(slug).await;
        world.assign(&operator, &essential, "a try").await;
        let owner = world.owner(&essential).await;
        owner.post(&essential.path("/deletion"), json!(null)).await.refused(409, "conflict");
        let asked = operator.post(&essential.path("/suspend"), json!({"reason": "a try"})).await;
        assert!([404, 409].contains(&asked.status), "{slug}: {}", asked.text);
    }
    operator.get("/manage/organizations").await.is(200);
}

async fn an_organization_cannot_suspend_itself(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    owner.post(&acme.path("/suspend"), json!({"reason": "why not"})).await.refused(404, "not_found");
    owner.post(&acme.path("/restore"), json!({"reason": "why not"})).await.refused(404, "not_found");
    assert_eq!(owner.get(&acme.path("")).await.is(200).version(), 1);
}

async fn a_deletion_waits_can_be_taken_back_and_then_takes_effect(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let admin = world.member(&acme, &["admin"]).await;
    let admin = world.key(&acme, admin, "organization:read organization:update members:read").await;
    admin.post(&acme.path("/deletion"), json!(null)).await.refused(403, "insufficient_scope");

    let asked = owner.post(&acme.path("/deletion"), json!(null)).await.is(200);
    assert!(asked.body["ends_at"].is_string());
    world.clock.pass(Lifetime::from_days(1));
    let again = owner.post(&acme.path("/deletion"), json!(null)).await.is(200);
    assert_eq!(again.body["ends_at"], asked.body["ends_at"], "asking twice does not postpone the end");
    let kept = owner.delete(&acme.path("/deletion"), None).await.is(200);
    assert_eq!(kept.body["ends_at"], json!(null));

    owner.post(&acme.path("/deletion"), json!(null)).await.is(200);
    world.clock.pass(ORGANIZATION_DELETION_WAIT);
    owner.get(&acme.path("")).await.refused(401, "invalid_token");
    let operator = world.operator().await;
    world.assign(&operator, &acme, "too late").await;
    operator.get(&acme.path("")).await.refused(404, "not_found");
    operator.post("/manage/organizations", json!({"slug": "acme"})).await.refused(409, "conflict");
}
