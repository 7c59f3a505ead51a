//! Searching: whom and what the answer would be yes about, told to whoever may ask, in pages and within bounds.

use crate::both_engines;
use crate::harness::drive::{DriveApi, named};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::clients::ClientOrigin;

/// The ids or names that were found, all pages together.
async fn found(drive: &DriveApi<'_>, what: &str, mut asked: Value) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let path = format!("/access/v1/search/{what}");
        let answered = drive.books.world.asked(&drive.service, &path, &asked).await.is(200);
        let results = answered.body["results"].as_array().unwrap();
        let name = |it: &Value| it["id"].as_str().or(it["name"].as_str()).unwrap().to_owned();
        all.extend(results.iter().map(name));
        match answered.body["page"]["next_token"].as_str().unwrap() {
            "" => return all,
            token => asked["page"]["token"] = json!(token),
        }
    }
}

fn who(subject: &str) -> Value {
    let (of_type, id) = subject.split_once(':').unwrap();
    json!({"type": of_type, "id": id})
}

fn whom(of_type: &str, action: &str, object: &str) -> Value {
    json!({"subject": {"type": of_type}, "action": {"name": action}, "resource": named(object)})
}

fn what(subject: &str, action: &str, of_type: &str) -> Value {
    json!({"subject": who(subject), "action": {"name": action}, "resource": {"type": of_type}})
}

both_engines!(
    what_is_found_is_what_the_answer_is_yes_about_and_nothing_else,
    roles_are_searched_through_and_pages_go_on_where_they_ended,
    nobody_else_searches_and_organizations_do_not_mix,
    a_search_that_leads_too_far_finds_nothing_rather_than_a_part
);

async fn what_is_found_is_what_the_answer_is_yes_about_and_nothing_else(world: &World) {
    let drive = world.drive().await;
    let (ana, ben, eva) = (drive.member().await, drive.member().await, drive.member().await);
    let robot = drive.books.service("reader", "documents:read").await;
    drive
        .add(&[
            "folder:plans parent folder:root",
            "document:plan folder folder:plans",
            "document:note folder folder:root",
            &format!("folder:root owner member:{ana}"),
            "folder:plans viewer team:design#member",
            &format!("team:design member member:{ben}"),
            &format!("team:design member client:{}", robot.id),
            &format!("document:own editor member:{ben}"),
        ])
        .await;
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    let both = sorted(vec![ana.to_string(), ben.to_string()]);
    assert_eq!(found(&drive, "subject", whom("member", "read", "document:plan")).await, both);
    assert_eq!(found(&drive, "subject", whom("member", "write", "document:plan")).await, [ana.to_string()]);
    assert_eq!(found(&drive, "subject", whom("client", "read", "document:plan")).await, [robot.id.as_str()]);
    assert!(found(&drive, "subject", whom("client", "write", "document:plan")).await.is_empty());
    assert!(found(&drive, "subject", whom("member", "burn", "document:plan")).await.is_empty());
    let (a, b, e) = (format!("member:{ana}"), format!("member:{ben}"), format!("member:{eva}"));
    assert_eq!(found(&drive, "resource", what(&a, "read", "document")).await, ["note", "plan"]);
    assert_eq!(found(&drive, "resource", what(&b, "read", "document")).await, ["own", "plan"]);
    assert_eq!(found(&drive, "resource", what(&b, "write", "document")).await, ["own"]);
    assert_eq!(found(&drive, "resource", what(&b, "list", "folder")).await, ["plans"]);
    assert_eq!(
        found(&drive, "resource", what(&format!("client:{}", robot.id), "read", "document")).await,
        ["plan"]
    );
    assert!(found(&drive, "resource", what(&e, "read", "document")).await.is_empty());
    let actions = |subject: &str, object: &str| json!({"subject": who(subject), "resource": named(object)});
    assert_eq!(found(&drive, "action", actions(&a, "document:plan")).await, ["read", "share", "write"]);
    assert_eq!(found(&drive, "action", actions(&b, "document:plan")).await, ["read"]);
    assert!(found(&drive, "action", actions(&e, "document:plan")).await.is_empty());
    // A token finds no more than it is for.
    let token = drive.token(ben, "documents:read").await;
    let shown = format!("access_token:{token}");
    assert_eq!(found(&drive, "resource", what(&shown, "read", "document")).await, ["own", "plan"]);
    assert!(found(&drive, "resource", what(&shown, "write", "document")).await.is_empty());
    assert_eq!(found(&drive, "action", actions(&shown, "document:own")).await, ["read", "share"]);
    // Whoever does not count is not found and finds nothing.
    drive
        .books
        .owner
        .post(&drive.tenant().path(&format!("/members/{ben}/disable")), Value::Null)
        .await
        .is(200);
    assert_eq!(found(&drive, "subject", whom("member", "read", "document:plan")).await, [ana.to_string()]);
    assert!(found(&drive, "resource", what(&b, "read", "document")).await.is_empty());
    assert!(found(&drive, "resource", what(&shown, "read", "document")).await.is_empty());
}

async fn roles_are_searched_through_and_pages_go_on_where_they_ended(world: &World) {
    let drive = world.drive().await;
    let mut members = Vec::new();
    for _ in 0..5 {
        members.push(drive.member().await.to_string());
    }
    members.sort();
    let roles = drive.books.owner.get(&drive.tenant().path("/roles")).await.is(200);
    let reader =
        roles.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "reader").unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned();
    drive
        .add(&[
            &format!("document:plan viewer role:{reader}"),
            &format!("document:plan viewer member:{}", members[0]),
        ])
        .await;
    let mut asked = whom("member", "read", "document:plan");
    asked["page"] = json!({"limit": 2});
    assert_eq!(found(&drive, "subject", asked.clone()).await, members);
    let documents: Vec<String> =
        (0..7).map(|n| format!("document:d{n} viewer member:{}", members[0])).collect();
    drive.add(&documents.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut mine = what(&format!("member:{}", members[0]), "read", "document");
    mine["page"] = json!({"limit": 3});
    assert_eq!(
        found(&drive, "resource", mine.clone()).await,
        ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "plan"]
    );
    let first = world.asked(&drive.service, "/access/v1/search/resource", &mine).await.is(200);
    let token = first.body["page"]["next_token"].clone();
    // A place counts in the search that gave it out, and in no other.
    for (path, mut other) in
        [("resource", what(&format!("member:{}", members[1]), "read", "document")), ("subject", asked)]
    {
        other["page"] = json!({"token": token});
        assert_eq!(
            world.asked(&drive.service, &format!("/access/v1/search/{path}"), &other).await.status,
            400
        );
    }
    for page in [
        json!("x"),
        json!({"limit": 0}),
        json!({"limit": 201}),
        json!({"limit": "2"}),
        json!({"token": 1}),
        json!({"token": "x"}),
    ] {
        mine["page"] = page;
        assert_eq!(world.asked(&drive.service, "/access/v1/search/resource", &mine).await.status, 400);
    }
}

async fn nobody_else_searches_and_organizations_do_not_mix(world: &World) {
    let (operator, api) = world.drive_of_instance().await;
    let service = world.service(ClientOrigin::Operator).await;
    let (acme, rival) = (world.tenant("acme").await, world.tenant("rival").await);
    let (ana, rita) = (world.owner(&acme).await.membership, world.owner(&rival).await.membership);
    for (tenant, member, document) in [(&acme, ana, "plan"), (&rival, rita, "secret")] {
        let body = crate::harness::drive::added(&[
            &format!("document:{document} editor member:{member}"),
            &format!("document:shared editor member:{member}"),
        ]);
        operator.post(&format!("{api}/organizations/{}/relationships", tenant.id), body).await.is(200);
    }
    let ask = async |path: &str, mut asked: Value, organization: &str| {
        asked["context"] = json!({"organization": organization});
        let answered = world.asked(&service, &format!("/access/v1/search/{path}"), &asked).await.is(200);
        answered.body["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ask("subject", whom("member", "write", "document:shared"), "acme").await, [ana.to_string()]);
    assert_eq!(ask("subject", whom("member", "write", "document:shared"), "rival").await, [rita.to_string()]);
    assert!(ask("subject", whom("member", "write", "document:secret"), "acme").await.is_empty());
    assert_eq!(
        ask("resource", what(&format!("member:{ana}"), "write", "document"), "acme").await,
        ["plan", "shared"]
    );
    assert!(ask("resource", what(&format!("member:{ana}"), "write", "document"), "rival").await.is_empty());
    assert!(ask("resource", what(&format!("member:{ana}"), "write", "document"), "nobody").await.is_empty());
    let theirs = world.service(ClientOrigin::Organization(acme.id)).await;
    for path in ["subject", "resource", "action"] {
        let body = json!({"subject": who(&format!("member:{ana}")), "action": {"name": "read"}, "resource": named("document:plan")});
        let path = format!("/access/v1/search/{path}");
        assert_eq!(world.asked(&theirs, &path, &body).await.status, 400);
        assert_eq!(world.asked(&world.app().await, &path, &body).await.status, 403);
        assert_eq!(world.asked(&service, &path, &json!({})).await.status, 400);
    }
}

async fn a_search_that_leads_too_far_finds_nothing_rather_than_a_part(world: &World) {
    let drive = world.drive().await;
    let ana = drive.member().await;
    let chain: Vec<String> = (0..27).map(|n| format!("folder:f{n} parent folder:f{}", n + 1)).collect();
    drive.add(&chain.iter().map(String::as_str).collect::<Vec<_>>()).await;
    drive.add(&[&format!("folder:f27 owner member:{ana}")]).await;
    assert_eq!(found(&drive, "subject", whom("member", "list", "folder:f2")).await, [ana.to_string()]);
    let refused =
        world.asked(&drive.service, "/access/v1/search/subject", &whom("member", "list", "folder:f1")).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let mine = what(&format!("member:{ana}"), "list", "folder");
    let refused = world.asked(&drive.service, "/access/v1/search/resource", &mine).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    // With a shorter way to what was too far, all of it is found; a circle leads no further than it is wide.
    drive.add(&[&format!("folder:f1 owner member:{ana}"), "folder:f27 parent folder:f26"]).await;
    let mut expected: Vec<String> = (0..=27).map(|n| format!("f{n}")).collect();
    expected.sort();
    assert_eq!(found(&drive, "resource", mine).await, expected);
}
