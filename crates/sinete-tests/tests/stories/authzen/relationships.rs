//! Relationships are managed by the API's owner; a request changes all of them or none, and each change is recorded.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiResponse};
use crate::harness::drive_api::{DriveApi, additions, parse_relationship, removals, with_member};
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::limits::RELATIONSHIP_CHANGES_MAX;

fn listed(reply: &ApiResponse) -> Vec<String> {
    let format_relationship = |it: &Value| {
        format!(
            "{}:{} {}",
            it["object"]["type"].as_str().unwrap(),
            it["object"]["id"].as_str().unwrap(),
            it["relation"].as_str().unwrap()
        )
    };
    let mut all: Vec<String> =
        reply.body["items"].as_array().unwrap().iter().map(format_relationship).collect();
    all.sort();
    all
}

both_engines!(
    relationships_are_listed_and_recorded_and_adding_twice_changes_nothing,
    relationship_change_outside_model_or_organization_is_refused_as_a_whole,
    relationship_precondition_is_enforced_and_one_of_two_conflicting_changes_succeeds,
    relationship_added_concurrently_is_stored_once_and_all_succeed,
    relationship_changes_need_permission_for_the_own_api,
    relationships_of_an_instance_api_are_managed_by_operators_and_visible_per_organization
);

async fn relationships_are_listed_and_recorded_and_adding_twice_changes_nothing(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    let robot = drive.books.create_service("reader", "documents:read").await;
    let all = [
        format!("folder:plans owner member:{ana}"),
        "document:plan folder folder:plans".to_owned(),
        "folder:plans viewer team:design#member".to_owned(),
        format!("team:design member client:{}", robot.id),
    ];
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let response = drive.change_relationships(additions(&all)).await.assert_status(200);
    assert_eq!(response.body, json!({"added": 4, "removed": 0}));
    assert_eq!(
        drive.change_relationships(additions(&all)).await.assert_status(200).body,
        json!({"added": 0, "removed": 0})
    );
    let (owner, path) = (&drive.books.owner, drive.relationships_path());
    assert_eq!(owner.get(&path).await.assert_status(200).body["items"].as_array().unwrap().len(), 4);
    let of = async |filter: &str| listed(&owner.get(&format!("{path}?{filter}")).await.assert_status(200));
    assert_eq!(of("object_type=folder&object_id=plans").await, ["folder:plans owner", "folder:plans viewer"]);
    assert_eq!(of(&format!("subject_type=member&subject_id={ana}")).await, ["folder:plans owner"]);
    assert_eq!(of(&format!("subject_type=client&subject_id={}", robot.id)).await, ["team:design member"]);
    assert_eq!(of("subject_type=folder&subject_id=plans").await, ["document:plan folder"]);
    assert_eq!(of("subject_type=team&subject_id=design").await, ["folder:plans viewer"]);
    let first = owner.get(&format!("{path}?limit=3")).await.assert_status(200);
    let next = first.body["next"].as_str().unwrap().to_owned();
    assert_eq!(
        owner.get(&format!("{path}?limit=3&after={next}")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_list_filters_are_checked(owner, &path).await;
    assert!(of(&format!("subject_type=folder&subject_id={}", "a".repeat(256))).await.is_empty());
    let response = drive.change_relationships(removals(&all[..2])).await.assert_status(200);
    assert_eq!(response.body, json!({"added": 0, "removed": 2}));
    assert_eq!(
        drive.change_relationships(removals(&all[..2])).await.assert_status(200).body,
        json!({"added": 0, "removed": 0})
    );
    assert_only_effective_changes_are_recorded(&drive, all[0]).await;
}

async fn assert_list_filters_are_checked(owner: &ApiCaller<'_>, path: &str) {
    for wrong in [
        "object_type=folder",
        "subject_id=x",
        "object_type=folder&object_id=a&subject_type=member&subject_id=b",
        "object_type=Folder&object_id=a",
        "relation=viewer",
        "subject_type=member&subject_id=a%00b",
        "subject_type=team%00&subject_id=a",
        "subject_type=member&subject_id=",
    ] {
        owner.get(&format!("{path}?{wrong}")).await.assert_problem(400, "invalid_request");
    }
    owner
        .get(&format!("{path}?subject_type=folder&subject_id={}", "a".repeat(257)))
        .await
        .assert_problem(400, "invalid_request");
}

/// Two changes took effect and are in the security log and the organization's audit log; the repetitions are not.
async fn assert_only_effective_changes_are_recorded(drive: &DriveApi<'_>, removed: &str) {
    assert_eq!(drive.books.world.count_events("relationships.changed").await, 2);
    let owner = &drive.books.owner;
    let audit_log = owner.get(&drive.tenant().path("/audit")).await.assert_status(200);
    let entries: Vec<&Value> = audit_log.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["kind"] == "relationships.changed")
        .collect();
    assert_eq!(entries.len(), 2);
    let added_count: usize = entries.iter().map(|it| it["detail"]["added"].as_array().unwrap().len()).sum();
    assert_eq!(added_count, 4);
    assert!(
        entries
            .iter()
            .any(|it| it["detail"]["removed"].as_array().unwrap().contains(&parse_relationship(removed))),
        "{entries:?}"
    );
}

async fn relationship_change_outside_model_or_organization_is_refused_as_a_whole(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    let elsewhere = world.create_organization("elsewhere").await;
    let (api_caller, robot) =
        (world.create_owner(&elsewhere).await, world.create_confidential_client().await);
    let roles = api_caller.get(&elsewhere.path("/roles")).await.assert_status(200);
    let role = roles.body["items"][0]["id"].as_str().unwrap().to_owned();
    let fine = format!("folder:plans owner member:{ana}");
    for (wrong, pointer) in [
        (format!("folder:plans owner member:{}", api_caller.membership), "/changes/1/subject/id"),
        ("folder:plans owner member:ana".to_owned(), "/changes/1/subject/id"),
        (format!("folder:plans viewer client:{}", robot.id), "/changes/1/subject/id"),
        (format!("folder:plans viewer role:{role}"), "/changes/1/subject/id"),
        (format!("folder:plans parent member:{ana}"), "/changes/1"),
        ("folder:plans owner team:x#member".to_owned(), "/changes/1"),
        ("folder:plans editor team:x#boss".to_owned(), "/changes/1"),
        ("folder:plans editor team:x".to_owned(), "/changes/1"),
        ("folder:plans king folder:x".to_owned(), "/changes/1"),
        ("king:plans owner folder:x".to_owned(), "/changes/1"),
        ("folder:plans Owner folder:x".to_owned(), "/changes/1/relation"),
        ("folder:é parent folder:x".to_owned(), "/changes/1/object/id"),
        ("folder:plans parent folder:é".to_owned(), "/changes/1/subject/id"),
        (format!("folder:plans owner member:{ana}#member"), "/changes/1/subject/relation"),
        (fine.clone(), "/changes/1"),
    ] {
        let refused = drive
            .change_relationships(additions(&[&fine, &wrong]))
            .await
            .assert_problem(422, "unprocessable");
        assert_eq!(refused.fault_pointers(), [pointer], "{wrong}");
    }
    let many: Vec<String> =
        (0..=RELATIONSHIP_CHANGES_MAX).map(|n| format!("folder:f{n} parent folder:root")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    drive.change_relationships(additions(&many)).await.assert_problem(422, "unprocessable");
    drive.change_relationships(json!({"changes": []})).await.assert_problem(422, "unprocessable");
    drive.change_relationships(json!({})).await.assert_problem(422, "unprocessable");
    assert!(
        drive.books.owner.get(&drive.relationships_path()).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        drive.change_relationships(additions(&many[1..])).await.assert_status(200).body["added"],
        RELATIONSHIP_CHANGES_MAX
    );
}

async fn relationship_precondition_is_enforced_and_one_of_two_conflicting_changes_succeeds(world: &World) {
    let drive = world.create_drive_api().await;
    let (ana, ben) = (drive.create_member().await, drive.create_member().await);
    let (of_ana, of_ben) =
        (format!("folder:plans owner member:{ana}"), format!("folder:plans owner member:{ben}"));
    let on = |is: &str, text: &str| json!([with_member(parse_relationship(text), "is", is)]);
    let mut body = additions(&[&of_ana]);
    body["only_if"] = on("there", &of_ben);
    drive.change_relationships(body.clone()).await.assert_problem(412, "precondition_failed");
    body["only_if"] = on("absent", &of_ana);
    drive.change_relationships(body.clone()).await.assert_status(200);
    drive.change_relationships(body).await.assert_problem(412, "precondition_failed");
    // Concurrent transfers of ownership: one succeeds, the precondition of the others fails.
    for _ in 0..4 {
        let mut transfer = removals(&[&of_ana]);
        transfer["changes"].as_array_mut().unwrap().push(with_member(
            parse_relationship(&of_ben),
            "change",
            "add",
        ));
        transfer["only_if"] = on("there", &of_ana);
        let go = || drive.change_relationships(transfer.clone());
        let (a, b, c, d, e, f) = tokio::join!(go(), go(), go(), go(), go(), go());
        let (won, lost): (Vec<_>, Vec<_>) =
            [a, b, c, d, e, f].into_iter().partition(|reply| reply.status == 200);
        assert_eq!(won.len(), 1, "exactly one wins");
        lost.into_iter().for_each(|reply| {
            reply.assert_problem(412, "precondition_failed");
        });
        let mut back = removals(&[&of_ben]);
        back["changes"].as_array_mut().unwrap().push(with_member(
            parse_relationship(&of_ana),
            "change",
            "add",
        ));
        assert_eq!(
            drive.change_relationships(back).await.assert_status(200).body,
            json!({"added": 1, "removed": 1})
        );
    }
}

async fn relationship_added_concurrently_is_stored_once_and_all_succeed(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    let text = format!("folder:plans owner member:{ana}");
    let go = || drive.change_relationships(additions(&[&text]));
    let (a, b, c, d, e, f) = tokio::join!(go(), go(), go(), go(), go(), go());
    let many: i64 = [a, b, c, d, e, f]
        .into_iter()
        .map(|reply| reply.assert_status(200).body["added"].as_i64().unwrap())
        .sum();
    assert_eq!(many, 1);
    assert_eq!(
        drive.books.owner.get(&drive.relationships_path()).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(world.count_events("relationships.changed").await, 1);
}

async fn relationship_changes_need_permission_for_the_own_api(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    let body = additions(&[&format!("folder:plans owner member:{ana}")]);
    let (owner, tenant) = (drive.books.owner.membership, drive.tenant());
    // `apis:relate` allows changing relationships and nothing else, and no other permission allows that.
    let relating = world.create_api_key_caller(tenant, owner, "apis:relate").await;
    relating.post(&drive.relationships_path(), body.clone()).await.assert_status(200);
    relating.get(&drive.relationships_path()).await.assert_problem(403, "insufficient_scope");
    relating.patch(&drive.api, 1, json!({"name": "Mine"})).await.assert_problem(403, "insufficient_scope");
    let others = world.create_api_key_caller(tenant, owner, &OWNER_SCOPE.replace("apis:relate ", "")).await;
    others.post(&drive.relationships_path(), body.clone()).await.assert_problem(403, "insufficient_scope");
    others.get(&drive.relationships_path()).await.assert_status(200);
    let elsewhere = world.create_organization("elsewhere").await;
    let api_caller = world.create_owner(&elsewhere).await;
    api_caller.post(&drive.relationships_path(), body.clone()).await.assert_problem(404, "not_found");
    api_caller.get(&drive.relationships_path()).await.assert_problem(404, "not_found");
    let in_theirs = drive.relationships_path().replace(&tenant.id.to_string(), &elsewhere.id.to_string());
    api_caller.post(&in_theirs, body.clone()).await.assert_problem(404, "not_found");
    api_caller.get(&in_theirs).await.assert_problem(404, "not_found");
    // A suspended organization accepts no change.
    let operator = world.create_operator().await;
    world.create_assignment(&operator, tenant, "it pays late").await;
    operator.post(&tenant.path("/suspend"), json!({"reason": "late"})).await.assert_status(200);
    relating
        .post(&drive.relationships_path(), additions(&["folder:plans parent folder:root"]))
        .await
        .assert_problem(409, "organization_suspended");
    others.get(&drive.relationships_path()).await.assert_status(200);
}

async fn relationships_of_an_instance_api_are_managed_by_operators_and_visible_per_organization(
    world: &World,
) {
    let (operator, api) = world.create_instance_drive_api().await;
    let (acme, rival) = (world.create_organization("acme").await, world.create_organization("rival").await);
    let (ana, rita) = (world.create_owner(&acme).await, world.create_owner(&rival).await);
    let of = |tenant: &crate::harness::organizations::TestOrganization| {
        format!("{api}/organizations/{}/relationships", tenant.slug)
    };
    let body = |api_caller: &crate::harness::api_caller::ApiCaller<'_>| {
        additions(&[&format!("folder:plans owner member:{}", api_caller.membership)])
    };
    operator.post(&of(&acme), body(&ana)).await.assert_status(200);
    operator.post(&of(&rival), body(&ana)).await.assert_problem(422, "unprocessable");
    operator.post(&of(&rival), body(&rita)).await.assert_status(200);
    let id = api.rsplit('/').next().unwrap();
    for (api_caller, tenant) in [(&ana, &acme), (&rita, &rival)] {
        let response =
            api_caller.get(&tenant.path(&format!("/apis/{id}/relationships"))).await.assert_status(200);
        assert_eq!(response.body["items"].as_array().unwrap().len(), 1);
        assert_eq!(response.body["items"][0]["subject"]["id"], json!(api_caller.membership));
        // Members see the relationships but may not change them: the API belongs to the instance.
        api_caller
            .post(&tenant.path(&format!("/apis/{id}/relationships")), body(api_caller))
            .await
            .assert_problem(403, "insufficient_scope");
        api_caller.post(&of(tenant), body(api_caller)).await.assert_problem(403, "insufficient_scope");
        let audit_log = api_caller.get(&tenant.path("/audit")).await.assert_status(200);
        let change_count = audit_log.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["kind"] == "relationships.changed")
            .count();
        assert_eq!(change_count, 1, "each audit log has the organization's own change only");
    }
    assert_eq!(operator.get(&of(&acme)).await.assert_status(200).body["items"].as_array().unwrap().len(), 1);
    operator.get(&of(&acme).replace("acme", "nobody")).await.assert_problem(404, "not_found");
    let narrow = world
        .create_api_key_caller(&operator.tenant, operator.membership, "instance:operate instance:read")
        .await;
    narrow.post(&of(&acme), body(&ana)).await.assert_problem(403, "insufficient_scope");
    narrow.get(&of(&acme)).await.assert_status(200);
}
