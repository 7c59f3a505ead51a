//! Organizations: who creates, changes, suspends and deletes them.

use crate::both_engines;
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::ORGANIZATION_DELETION_WAIT;
use sinete_core::time::Lifetime;

both_engines!(
    new_instance_has_the_operator_and_home_organizations,
    organization_is_created_by_operators_only,
    organization_slug_is_unique_and_never_looks_like_an_id,
    organization_is_found_by_id_and_by_slug,
    organization_merge_patch_changes_removes_and_keeps_members,
    organization_patch_faults_are_all_reported_and_nothing_changes,
    suspended_organization_is_visible_and_read_only_and_grants_no_permissions,
    operator_and_home_organizations_cannot_be_suspended_or_deleted,
    organization_cannot_suspend_itself,
    organization_deletion_is_delayed_revocable_and_then_takes_effect
);

async fn new_instance_has_the_operator_and_home_organizations(world: &World) {
    let response = world.create_operator().await.get("/manage/organizations").await.assert_status(200);
    let mut kinds: Vec<_> = response.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["slug"].as_str().unwrap(), it["kind"].as_str().unwrap()))
        .collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [("home", "home"), ("operator", "operator")]);
}

async fn organization_is_created_by_operators_only(world: &World) {
    let operator = world.create_operator().await;
    let new_organization =
        json!({"slug": "acme", "name": "Acme Ltda", "settings": {"least_assurance": "aal2"}});
    let response = operator.post("/manage/organizations", new_organization).await.assert_status(201);
    let id = response.text_member("id");
    assert_eq!(response.headers["location"].to_str().unwrap(), format!("/manage/organizations/{id}"));
    assert_eq!((response.version(), &response.body["settings"]["least_assurance"]), (1, &json!("aal2")));
    let roles: Vec<_> = {
        let acme = world.find_organization("acme").await;
        let owner = world.create_owner(&acme).await;
        let response = owner.get(&acme.path("/roles")).await.assert_status(200);
        response.body["items"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect()
    };
    assert_eq!(roles.len(), 3, "{roles:?}");

    let owner = world.create_owner(&world.find_organization("acme").await).await;
    owner
        .post("/manage/organizations", json!({"slug": "mine"}))
        .await
        .assert_problem(403, "insufficient_scope");
    owner.get("/manage/organizations").await.assert_problem(403, "insufficient_scope");
    let house = world.find_organization("operator").await;
    let plain = world.create_member(&house, &["owner"]).await;
    let plain = world.create_api_key_caller(&house, plain, OWNER_SCOPE).await;
    plain
        .post("/manage/organizations", json!({"slug": "mine"}))
        .await
        .assert_problem(403, "insufficient_scope");
}

async fn organization_slug_is_unique_and_never_looks_like_an_id(world: &World) {
    let operator = world.create_operator().await;
    let make = async |slug: &str| operator.post("/manage/organizations", json!({"slug": slug})).await;
    make("acme").await.assert_status(201);
    make("acme").await.assert_problem(409, "conflict");
    for slug in ["Acme", "a", "-acme", "acme-", "a_b", "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"] {
        let refused = make(slug).await.assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), ["/slug"], "{slug}");
    }
}

async fn organization_is_found_by_id_and_by_slug(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let by_id = owner.get(&acme.path("")).await.assert_status(200);
    let by_slug = owner.get("/manage/organizations/acme").await.assert_status(200);
    assert_eq!(by_id.body, by_slug.body);
    let upper = acme.id.to_string().to_uppercase();
    owner.get(&format!("/manage/organizations/{upper}")).await.assert_status(404);
    owner.get("/manage/organizations/a%00b").await.assert_status(404);
    owner.get("/manage/organizations/%ff%fe").await.assert_status(404);
}

async fn organization_merge_patch_changes_removes_and_keeps_members(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let settings = json!({"least_assurance": "aal2", "refused_grants": ["device_code"], "branding": {"accent": "#1a5fb4"}});
    let first = owner.patch(&acme.path(""), 1, json!({"settings": settings})).await.assert_status(200);
    assert_eq!((first.version(), &first.body["name"]), (2, &json!("acme")));
    let patch = json!({"name": "Acme", "settings": {"least_assurance": null, "branding": {"name": "Acme!"}}});
    let second = owner.patch(&acme.path(""), 2, patch).await.assert_status(200);
    assert_eq!(second.body["name"], "Acme");
    assert_eq!(second.body["settings"]["least_assurance"], "aal1");
    assert_eq!(second.body["settings"]["refused_grants"], json!(["device_code"]));
    assert_eq!(second.body["settings"]["branding"], json!({"accent": "#1a5fb4", "name": "Acme!"}));
    assert_eq!(owner.get(&acme.path("")).await.assert_status(200).body, second.body);
}

async fn organization_patch_faults_are_all_reported_and_nothing_changes(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for (patch, expected_pointers) in [
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
        let refused = owner.patch(&acme.path(""), 1, patch).await.assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), expected_pointers);
    }
    assert_eq!(owner.get(&acme.path("")).await.assert_status(200).version(), 1);
    let member = world.create_member(&acme, &["member"]).await;
    let member = world.create_api_key_caller(&acme, member, "organization:read").await;
    member.get(&acme.path("")).await.assert_status(200);
    member.patch(&acme.path(""), 1, json!({"name": "Mine"})).await.assert_problem(403, "insufficient_scope");
}

async fn suspended_organization_is_visible_and_read_only_and_grants_no_permissions(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let owner = world.create_owner(&acme).await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    let reason = json!({"reason": "Unpaid since March"});
    let suspended = operator.post(&acme.path("/suspend"), reason.clone()).await.assert_status(200);
    assert_eq!(suspended.body["condition"], "suspended");

    let response = owner.get(&acme.path("")).await.assert_status(200);
    assert_eq!(
        (&response.body["condition"], &response.body["condition_reason"]),
        (&json!("suspended"), &json!("Unpaid since March"))
    );
    let member = acme.path(&format!("/members/{}", owner.membership));
    for path in ["/members", "/roles", "/api-keys", "/audit"] {
        owner.get(&acme.path(path)).await.assert_status(200);
    }
    let code = "organization_suspended";
    owner.patch(&acme.path(""), response.version(), json!({"name": "x"})).await.assert_problem(409, code);
    owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_problem(409, code);
    owner.patch(&member, 1, json!({"profile": {"name": "x"}})).await.assert_problem(409, code);
    owner.post(&format!("{member}/disable"), json!(null)).await.assert_problem(409, code);
    owner.delete(&member, None).await.assert_problem(409, code);
    owner.post(&acme.path("/deletion"), json!(null)).await.assert_problem(409, code);
    let key = json!({"membership": owner.membership, "name": "k", "scope": "members:read"});
    owner.post(&acme.path("/api-keys"), key).await.assert_problem(409, code);

    operator.post(&acme.path("/suspend"), reason).await.assert_status(200);
    let restored = operator.post(&acme.path("/restore"), json!({"reason": "Paid"})).await.assert_status(200);
    assert_eq!(restored.body["condition"], "enabled");
    assert!(restored.body.get("condition_reason").is_none());
    owner.patch(&acme.path(""), restored.version(), json!({"name": "x"})).await.assert_status(200);
}

async fn operator_and_home_organizations_cannot_be_suspended_or_deleted(world: &World) {
    // The two built-in organizations of an instance cannot be suspended or deleted.
    let operator = world.create_operator().await;
    for slug in ["operator", "home"] {
        let essential = world.find_organization(slug).await;
        world.create_assignment(&operator, &essential, "a try").await;
        let owner = world.create_owner(&essential).await;
        owner.post(&essential.path("/deletion"), json!(null)).await.assert_problem(409, "conflict");
        let response = operator.post(&essential.path("/suspend"), json!({"reason": "a try"})).await;
        assert!([404, 409].contains(&response.status), "{slug}: {}", response.text);
    }
    operator.get("/manage/organizations").await.assert_status(200);
}

async fn organization_cannot_suspend_itself(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.post(&acme.path("/suspend"), json!({"reason": "why not"})).await.assert_problem(404, "not_found");
    owner.post(&acme.path("/restore"), json!({"reason": "why not"})).await.assert_problem(404, "not_found");
    assert_eq!(owner.get(&acme.path("")).await.assert_status(200).version(), 1);
}

async fn organization_deletion_is_delayed_revocable_and_then_takes_effect(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin =
        world.create_api_key_caller(&acme, admin, "organization:read organization:update members:read").await;
    admin.post(&acme.path("/deletion"), json!(null)).await.assert_problem(403, "insufficient_scope");

    let response = owner.post(&acme.path("/deletion"), json!(null)).await.assert_status(200);
    assert!(response.body["ends_at"].is_string());
    world.clock.advance(Lifetime::from_days(1));
    let repeated_response = owner.post(&acme.path("/deletion"), json!(null)).await.assert_status(200);
    assert_eq!(
        repeated_response.body["ends_at"], response.body["ends_at"],
        "a second request does not postpone the deletion"
    );
    let response = owner.delete(&acme.path("/deletion"), None).await.assert_status(200);
    assert_eq!(response.body["ends_at"], json!(null));

    owner.post(&acme.path("/deletion"), json!(null)).await.assert_status(200);
    world.clock.advance(ORGANIZATION_DELETION_WAIT);
    owner.get(&acme.path("")).await.assert_problem(401, "invalid_token");
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "too late").await;
    operator.get(&acme.path("")).await.assert_problem(404, "not_found");
    operator.post("/manage/organizations", json!({"slug": "acme"})).await.assert_problem(409, "conflict");
}
