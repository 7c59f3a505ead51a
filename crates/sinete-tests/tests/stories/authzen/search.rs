//! Search: the subjects, resources and actions for which the decision is true, in pages and within limits.

use crate::both_engines;
use crate::harness::drive_api::{DriveApi, parse_reference};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

/// The ids or names in the results, of all pages.
async fn found(drive: &DriveApi<'_>, search_kind: &str, mut request: Value) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let path = format!("/access/v1/search/{search_kind}");
        let response = drive.books.world.post_authzen(&drive.service, &path, &request).await.is(200);
        let results = response.body["results"].as_array().unwrap();
        let name = |it: &Value| it["id"].as_str().or(it["name"].as_str()).unwrap().to_owned();
        all.extend(results.iter().map(name));
        match response.body["page"]["next_token"].as_str().unwrap() {
            "" => return all,
            token => request["page"]["token"] = json!(token),
        }
    }
}

fn who(subject: &str) -> Value {
    let (of_type, id) = subject.split_once(':').unwrap();
    json!({"type": of_type, "id": id})
}

fn whom(of_type: &str, action: &str, object: &str) -> Value {
    json!({"subject": {"type": of_type}, "action": {"name": action}, "resource": parse_reference(object)})
}

fn what(subject: &str, action: &str, of_type: &str) -> Value {
    json!({"subject": who(subject), "action": {"name": action}, "resource": {"type": of_type}})
}

both_engines!(
    authzen_search_finds_exactly_what_evaluation_allows,
    authzen_search_includes_roles_and_is_paged,
    authzen_search_needs_permission_and_never_mixes_organizations,
    authzen_search_beyond_its_bounds_is_an_error_not_a_partial_result
);

async fn authzen_search_finds_exactly_what_evaluation_allows(world: &World) {
    let drive = world.create_drive_api().await;
    let (ana, ben, eva) =
        (drive.create_member().await, drive.create_member().await, drive.create_member().await);
    let robot = drive.books.create_service("reader", "documents:read").await;
    drive
        .add_relationships(&[
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
    let actions =
        |subject: &str, object: &str| json!({"subject": who(subject), "resource": parse_reference(object)});
    assert_eq!(found(&drive, "action", actions(&a, "document:plan")).await, ["read", "share", "write"]);
    assert_eq!(found(&drive, "action", actions(&b, "document:plan")).await, ["read"]);
    assert!(found(&drive, "action", actions(&e, "document:plan")).await.is_empty());
    // A search by access token finds only what the token's scope allows.
    let token = drive.issue_token(ben, "documents:read").await;
    let token_subject = format!("access_token:{token}");
    assert_eq!(found(&drive, "resource", what(&token_subject, "read", "document")).await, ["own", "plan"]);
    assert!(found(&drive, "resource", what(&token_subject, "write", "document")).await.is_empty());
    assert_eq!(found(&drive, "action", actions(&token_subject, "document:own")).await, ["read", "share"]);
    // A disabled member is not found and finds nothing.
    drive
        .books
        .owner
        .post(&drive.tenant().path(&format!("/members/{ben}/disable")), Value::Null)
        .await
        .assert_status(200);
    assert_eq!(found(&drive, "subject", whom("member", "read", "document:plan")).await, [ana.to_string()]);
    assert!(found(&drive, "resource", what(&b, "read", "document")).await.is_empty());
    assert!(found(&drive, "resource", what(&token_subject, "read", "document")).await.is_empty());
}

async fn authzen_search_includes_roles_and_is_paged(world: &World) {
    let drive = world.create_drive_api().await;
    let mut members = Vec::new();
    for _ in 0..5 {
        members.push(drive.create_member().await.to_string());
    }
    members.sort();
    let roles = drive.books.owner.get(&drive.tenant().path("/roles")).await.assert_status(200);
    let reader =
        roles.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "reader").unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned();
    drive
        .add_relationships(&[
            &format!("document:plan viewer role:{reader}"),
            &format!("document:plan viewer member:{}", members[0]),
        ])
        .await;
    let mut request = whom("member", "read", "document:plan");
    request["page"] = json!({"limit": 2});
    assert_eq!(found(&drive, "subject", request.clone()).await, members);
    let documents: Vec<String> =
        (0..7).map(|n| format!("document:d{n} viewer member:{}", members[0])).collect();
    drive.add_relationships(&documents.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut mine = what(&format!("member:{}", members[0]), "read", "document");
    mine["page"] = json!({"limit": 3});
    assert_eq!(
        found(&drive, "resource", mine.clone()).await,
        ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "plan"]
    );
    let first = world.post_authzen(&drive.service, "/access/v1/search/resource", &mine).await.is(200);
    let token = first.body["page"]["next_token"].clone();
    // A page token is valid only for the search that returned it.
    for (path, mut other) in
        [("resource", what(&format!("member:{}", members[1]), "read", "document")), ("subject", request)]
    {
        other["page"] = json!({"token": token});
        assert_eq!(
            world.post_authzen(&drive.service, &format!("/access/v1/search/{path}"), &other).await.status,
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
        assert_eq!(world.post_authzen(&drive.service, "/access/v1/search/resource", &mine).await.status, 400);
    }
}

async fn authzen_search_needs_permission_and_never_mixes_organizations(world: &World) {
    let (operator, api) = world.create_instance_drive_api().await;
    let service = world.create_service_client(ClientOrigin::Operator).await;
    let (acme, rival) = (world.create_organization("acme").await, world.create_organization("rival").await);
    let (ana, rita) =
        (world.create_owner(&acme).await.membership, world.create_owner(&rival).await.membership);
    for (tenant, member, document) in [(&acme, ana, "plan"), (&rival, rita, "secret")] {
        let body = crate::harness::drive_api::additions(&[
            &format!("document:{document} editor member:{member}"),
            &format!("document:shared editor member:{member}"),
        ]);
        operator
            .post(&format!("{api}/organizations/{}/relationships", tenant.id), body)
            .await
            .assert_status(200);
    }
    let ask = async |path: &str, mut request: Value, organization: &str| {
        request["context"] = json!({"organization": organization});
        let response =
            world.post_authzen(&service, &format!("/access/v1/search/{path}"), &request).await.is(200);
        response.body["results"]
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
    let theirs = world.create_service_client(ClientOrigin::Organization(acme.id)).await;
    for path in ["subject", "resource", "action"] {
        let body = json!({"subject": who(&format!("member:{ana}")), "action": {"name": "read"}, "resource": parse_reference("document:plan")});
        let path = format!("/access/v1/search/{path}");
        assert_eq!(world.post_authzen(&theirs, &path, &body).await.status, 400);
        assert_eq!(
            world.post_authzen(&world.create_confidential_client().await, &path, &body).await.status,
            403
        );
        assert_eq!(world.post_authzen(&service, &path, &json!({})).await.status, 400);
    }
}

async fn authzen_search_beyond_its_bounds_is_an_error_not_a_partial_result(world: &World) {
    let drive = world.create_drive_api().await;
    let ana = drive.create_member().await;
    let chain: Vec<String> = (0..27).map(|n| format!("folder:f{n} parent folder:f{}", n + 1)).collect();
    drive.add_relationships(&chain.iter().map(String::as_str).collect::<Vec<_>>()).await;
    drive.add_relationships(&[&format!("folder:f27 owner member:{ana}")]).await;
    assert_eq!(found(&drive, "subject", whom("member", "list", "folder:f2")).await, [ana.to_string()]);
    let refused = world
        .post_authzen(&drive.service, "/access/v1/search/subject", &whom("member", "list", "folder:f1"))
        .await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let mine = what(&format!("member:{ana}"), "list", "folder");
    let refused = world.post_authzen(&drive.service, "/access/v1/search/resource", &mine).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    // A shorter path brings every folder within the depth limit; a cycle does not add results.
    drive
        .add_relationships(&[&format!("folder:f1 owner member:{ana}"), "folder:f27 parent folder:f26"])
        .await;
    let mut expected: Vec<String> = (0..=27).map(|n| format!("f{n}")).collect();
    expected.sort();
    assert_eq!(found(&drive, "resource", mine).await, expected);
}
