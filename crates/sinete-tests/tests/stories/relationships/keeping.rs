//! Relationships are kept by whoever the API belongs to, all of a request or nothing, and each change is told.

use crate::both_engines;
use crate::harness::drive::{added, relationship, removed, with};
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::limits::RELATIONSHIP_CHANGES_MAX;

fn listed(reply: &crate::harness::api::ApiResponse) -> Vec<String> {
    let written = |it: &Value| {
        format!(
            "{}:{} {}",
            it["object"]["type"].as_str().unwrap(),
            it["object"]["id"].as_str().unwrap(),
            it["relation"].as_str().unwrap()
        )
    };
    let mut all: Vec<String> = reply.body["items"].as_array().unwrap().iter().map(written).collect();
    all.sort();
    all
}

both_engines!(
    what_is_added_is_listed_and_told_and_adding_it_again_changes_nothing,
    what_does_not_fit_or_is_not_of_the_organization_is_refused_whole,
    a_request_stands_on_what_it_says_and_of_two_that_stand_on_the_same_one_wins,
    many_who_add_the_same_at_once_leave_one_and_all_are_told_so,
    only_who_may_keeps_relationships_and_only_of_the_own_api,
    operators_keep_those_of_an_api_of_the_instance_and_each_organization_sees_its_own
);

async fn what_is_added_is_listed_and_told_and_adding_it_again_changes_nothing(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    let robot = drive.books.service("reader", "documents:read").await;
    let all = [
        format!("folder:plans owner member:{ana}"),
        "document:plan folder folder:plans".to_owned(),
        "folder:plans viewer team:design#member".to_owned(),
        format!("team:design member client:{}", robot.id),
    ];
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let done = drive.change(added(&all)).await.is(200);
    assert_eq!(done.body, json!({"added": 4, "removed": 0}));
    assert_eq!(drive.change(added(&all)).await.is(200).body, json!({"added": 0, "removed": 0}));
    let (owner, path) = (&drive.books.owner, drive.path());
    assert_eq!(owner.get(&path).await.is(200).body["items"].as_array().unwrap().len(), 4);
    let of = async |filter: &str| listed(&owner.get(&format!("{path}?{filter}")).await.is(200));
    assert_eq!(of("object_type=folder&object_id=plans").await, ["folder:plans owner", "folder:plans viewer"]);
    assert_eq!(of(&format!("subject_type=member&subject_id={ana}")).await, ["folder:plans owner"]);
    assert_eq!(of(&format!("subject_type=client&subject_id={}", robot.id)).await, ["team:design member"]);
    assert_eq!(of("subject_type=folder&subject_id=plans").await, ["document:plan folder"]);
    assert_eq!(of("subject_type=team&subject_id=design").await, ["folder:plans viewer"]);
    let first = owner.get(&format!("{path}?limit=3")).await.is(200);
    let next = first.body["next"].as_str().unwrap().to_owned();
    assert_eq!(
        owner.get(&format!("{path}?limit=3&after={next}")).await.is(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
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
        owner.get(&format!("{path}?{wrong}")).await.refused(400, "invalid_request");
    }
    owner
        .get(&format!("{path}?subject_type=folder&subject_id={}", "a".repeat(257)))
        .await
        .refused(400, "invalid_request");
    assert!(of(&format!("subject_type=folder&subject_id={}", "a".repeat(256))).await.is_empty());
    let done = drive.change(removed(&all[..2])).await.is(200);
    assert_eq!(done.body, json!({"added": 0, "removed": 2}));
    assert_eq!(drive.change(removed(&all[..2])).await.is(200).body, json!({"added": 0, "removed": 0}));

    // What changed something stands in the log and in the organization's trail; what changed nothing does not.
    assert_eq!(world.logged("relationships.changed").await, 2);
    let trail = owner.get(&drive.tenant().path("/audit")).await.is(200);
    let entries: Vec<&Value> = trail.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["kind"] == "relationships.changed")
        .collect();
    assert_eq!(entries.len(), 2);
    let told: usize = entries.iter().map(|it| it["detail"]["added"].as_array().unwrap().len()).sum();
    assert_eq!(told, 4);
    assert!(
        entries.iter().any(|it| it["detail"]["removed"].as_array().unwrap().contains(&relationship(all[0]))),
        "{entries:?}"
    );
}

async fn what_does_not_fit_or_is_not_of_the_organization_is_refused_whole(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    let elsewhere = world.tenant("elsewhere").await;
    let (stranger, robot) = (world.owner(&elsewhere).await, world.app().await);
    let roles = stranger.get(&elsewhere.path("/roles")).await.is(200);
    let role = roles.body["items"][0]["id"].as_str().unwrap().to_owned();
    let fine = format!("folder:plans owner member:{ana}");
    for (wrong, place) in [
        (format!("folder:plans owner member:{}", stranger.membership), "/changes/1/subject/id"),
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
        let refused = drive.change(added(&[&fine, &wrong])).await.refused(422, "unprocessable");
        assert_eq!(refused.faults(), [place], "{wrong}");
    }
    let many: Vec<String> =
        (0..=RELATIONSHIP_CHANGES_MAX).map(|n| format!("folder:f{n} parent folder:root")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    drive.change(added(&many)).await.refused(422, "unprocessable");
    drive.change(json!({"changes": []})).await.refused(422, "unprocessable");
    drive.change(json!({})).await.refused(422, "unprocessable");
    assert!(drive.books.owner.get(&drive.path()).await.is(200).body["items"].as_array().unwrap().is_empty());
    assert_eq!(drive.change(added(&many[1..])).await.is(200).body["added"], RELATIONSHIP_CHANGES_MAX);
}

async fn a_request_stands_on_what_it_says_and_of_two_that_stand_on_the_same_one_wins(world: &World) {
    let drive = world.drive().await;
    let (ana, ben) = (drive.member().await, drive.member().await);
    let (of_ana, of_ben) =
        (format!("folder:plans owner member:{ana}"), format!("folder:plans owner member:{ben}"));
    let on = |is: &str, text: &str| json!([with(relationship(text), "is", is)]);
    let mut body = added(&[&of_ana]);
    body["only_if"] = on("there", &of_ben);
    drive.change(body.clone()).await.refused(412, "precondition_failed");
    body["only_if"] = on("absent", &of_ana);
    drive.change(body.clone()).await.is(200);
    drive.change(body).await.refused(412, "precondition_failed");
    // The owner hands over: whoever else does so at the same time finds that it has happened.
    for _ in 0..4 {
        let mut there = removed(&[&of_ana]);
        there["changes"].as_array_mut().unwrap().push(with(relationship(&of_ben), "change", "add"));
        there["only_if"] = on("there", &of_ana);
        let go = || drive.change(there.clone());
        let (a, b, c, d, e, f) = tokio::join!(go(), go(), go(), go(), go(), go());
        let (won, lost): (Vec<_>, Vec<_>) =
            [a, b, c, d, e, f].into_iter().partition(|reply| reply.status == 200);
        assert_eq!(won.len(), 1, "exactly one wins");
        lost.into_iter().for_each(|reply| {
            reply.refused(412, "precondition_failed");
        });
        let mut back = removed(&[&of_ben]);
        back["changes"].as_array_mut().unwrap().push(with(relationship(&of_ana), "change", "add"));
        assert_eq!(drive.change(back).await.is(200).body, json!({"added": 1, "removed": 1}));
    }
}

async fn many_who_add_the_same_at_once_leave_one_and_all_are_told_so(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    let text = format!("folder:plans owner member:{ana}");
    let go = || drive.change(added(&[&text]));
    let (a, b, c, d, e, f) = tokio::join!(go(), go(), go(), go(), go(), go());
    let many: i64 =
        [a, b, c, d, e, f].into_iter().map(|reply| reply.is(200).body["added"].as_i64().unwrap()).sum();
    assert_eq!(many, 1);
    assert_eq!(drive.books.owner.get(&drive.path()).await.is(200).body["items"].as_array().unwrap().len(), 1);
    assert_eq!(world.logged("relationships.changed").await, 1);
}

async fn only_who_may_keeps_relationships_and_only_of_the_own_api(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    let body = added(&[&format!("folder:plans owner member:{ana}")]);
    let (owner, tenant) = (drive.books.owner.membership, drive.tenant());
    // A key that only relates does nothing else, and one that does everything else does not relate.
    let relating = world.key(tenant, owner, "apis:relate").await;
    relating.post(&drive.path(), body.clone()).await.is(200);
    relating.get(&drive.path()).await.refused(403, "insufficient_scope");
    relating.patch(&drive.api, 1, json!({"name": "Mine"})).await.refused(403, "insufficient_scope");
    let others = world.key(tenant, owner, &OWNERS_SCOPE.replace("apis:relate ", "")).await;
    others.post(&drive.path(), body.clone()).await.refused(403, "insufficient_scope");
    others.get(&drive.path()).await.is(200);
    let elsewhere = world.tenant("elsewhere").await;
    let stranger = world.owner(&elsewhere).await;
    stranger.post(&drive.path(), body.clone()).await.refused(404, "not_found");
    stranger.get(&drive.path()).await.refused(404, "not_found");
    let in_theirs = drive.path().replace(&tenant.id.to_string(), &elsewhere.id.to_string());
    stranger.post(&in_theirs, body.clone()).await.refused(404, "not_found");
    stranger.get(&in_theirs).await.refused(404, "not_found");
    // A suspended organization accepts no change.
    let operator = world.operator().await;
    world.assign(&operator, tenant, "it pays late").await;
    operator.post(&tenant.path("/suspend"), json!({"reason": "late"})).await.is(200);
    relating
        .post(&drive.path(), added(&["folder:plans parent folder:root"]))
        .await
        .refused(409, "organization_suspended");
    others.get(&drive.path()).await.is(200);
}

async fn operators_keep_those_of_an_api_of_the_instance_and_each_organization_sees_its_own(world: &World) {
    let (operator, api) = world.drive_of_instance().await;
    let (acme, rival) = (world.tenant("acme").await, world.tenant("rival").await);
    let (ana, rita) = (world.owner(&acme).await, world.owner(&rival).await);
    let of = |tenant: &crate::harness::tenants::TestOrganization| {
        format!("{api}/organizations/{}/relationships", tenant.slug)
    };
    let body = |somebody: &crate::harness::api::ApiCaller<'_>| {
        added(&[&format!("folder:plans owner member:{}", somebody.membership)])
    };
    operator.post(&of(&acme), body(&ana)).await.is(200);
    operator.post(&of(&rival), body(&ana)).await.refused(422, "unprocessable");
    operator.post(&of(&rival), body(&rita)).await.is(200);
    let id = api.rsplit('/').next().unwrap();
    for (somebody, tenant) in [(&ana, &acme), (&rita, &rival)] {
        let seen = somebody.get(&tenant.path(&format!("/apis/{id}/relationships"))).await.is(200);
        assert_eq!(seen.body["items"].as_array().unwrap().len(), 1);
        assert_eq!(seen.body["items"][0]["subject"]["id"], json!(somebody.membership));
        // Seeing is not keeping: the API is the instance's.
        somebody
            .post(&tenant.path(&format!("/apis/{id}/relationships")), body(somebody))
            .await
            .refused(403, "insufficient_scope");
        somebody.post(&of(tenant), body(somebody)).await.refused(403, "insufficient_scope");
        let trail = somebody.get(&tenant.path("/audit")).await.is(200);
        let told = trail.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["kind"] == "relationships.changed")
            .count();
        assert_eq!(told, 1, "each organization is told of what concerns it");
    }
    assert_eq!(operator.get(&of(&acme)).await.is(200).body["items"].as_array().unwrap().len(), 1);
    operator.get(&of(&acme).replace("acme", "nobody")).await.refused(404, "not_found");
    let narrow = world.key(&operator.tenant, operator.membership, "instance:operate instance:read").await;
    narrow.post(&of(&acme), body(&ana)).await.refused(403, "insufficient_scope");
    narrow.get(&of(&acme)).await.is(200);
}
