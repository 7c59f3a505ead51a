//! What a directory cannot do: too much, too often, too deep, or in an organization that is suspended.

use crate::harness::api::Asked;
use crate::harness::directory::{GROUPS, USER, USERS};
use crate::stories;
use reqwest::Method;
use serde_json::json;

stories! {
    async fn a_filter_is_bounded_however_it_is_sent(world: &World) {
        let acme = world.tenant("acme").await;
        let directory = world.directory(&acme).await;
        let deep = |levels: usize| format!("{}userName pr{}", "(".repeat(levels), ")".repeat(levels));
        let long = format!("userName eq \"{}\"", "x".repeat(10_000));
        for filter in [deep(1_000), deep(100_000), long, "not (".repeat(10_000), vec!["id pr"; 500].join(" or ")] {
            for path in ["/scim/v2/.search".to_owned(), format!("{USERS}/.search"), format!("{GROUPS}/.search")] {
                directory.post(&path, json!({"filter": filter})).await.turned_down(400, "invalidFilter");
            }
        }
        directory.get(&format!("{USERS}?filter={}", deep(1_000))).await.turned_down(400, "invalidFilter");
        let path = format!("{USERS}/{}", directory.provisions("ana").await.text_of("id"));
        let nested = format!("emails[{}].value", deep(1_000).replace("userName", "type"));
        directory.changes(&path, json!([{"op": "add", "path": nested, "value": "a@b.example"}])).await.turned_down(400, "invalidFilter");
        let element = json!({"op": "add", "path": "title", "value": "x"});
        directory.changes(&path, vec![element; 1_001].into()).await.turned_down(400, "invalidSyntax");
    }

    async fn a_body_is_bounded_and_of_its_own_type(world: &World) {
        let acme = world.tenant("acme").await;
        let directory = world.directory(&acme).await;
        let large = |bytes: usize| json!({"userName": "ana", "unknown": "x".repeat(bytes)});
        directory.post(USERS, large(200 * 1024)).await.is(201);
        directory.post(USERS, large(256 * 1024)).await.turned_down(413, "");
        let send = async |kind: &str, body: &str| {
            let request = world.http.post(world.public(USERS)).bearer_auth(&directory.secret);
            request.header("content-type", kind).body(body.to_owned()).send().await.unwrap().status().as_u16()
        };
        assert_eq!(send("application/json; charset=utf-8", r#"{"userName": "bia"}"#).await, 201);
        assert_eq!(send("text/plain", r#"{"userName": "caio"}"#).await, 415);
        assert_eq!(send("application/scim+json", r#"{"userName": "caio""#).await, 400);
        assert_eq!(send("application/scim+json", r#"{"userName": "caio", "userName": "delia"}"#).await, 400);
    }

    async fn a_suspended_organization_is_seen_and_accepts_nothing(world: &World) {
        let (acme, operator) = (world.tenant("acme").await, world.operator().await);
        let directory = world.directory(&acme).await;
        let ana = directory.provisions("ana").await.text_of("id");
        world.assign(&operator, &acme, "abuse").await;
        operator.post(&acme.path("/suspend"), json!({"reason": "abuse"})).await.is(200);
        let path = format!("{USERS}/{ana}");
        assert_eq!(directory.get(&path).await.is(200).body["userName"], "ana");
        directory.get(USERS).await.is(200);
        let before = world.dump().await;
        directory.post(USERS, json!({"userName": "bia"})).await.turned_down(409, "");
        directory.puts(&path, json!({"userName": "bia"})).await.turned_down(409, "");
        directory.changes(&path, json!([{"op": "replace", "path": "active", "value": false}])).await.turned_down(409, "");
        directory.delete(&path, None).await.turned_down(409, "");
        directory.post(GROUPS, json!({"displayName": "Choir"})).await.turned_down(409, "");
        let bulk = json!({"Operations": [{"method": "DELETE", "path": format!("{USER}/{ana}")}]});
        directory.post("/scim/v2/Bulk", bulk).await.turned_down(409, "");
        let after = world.dump().await;
        for table in ["memberships", "provisioned_users", "provisioned_groups", "roles", "audit"] {
            assert_eq!(before[table], after[table], "{table} has changed");
        }
        operator.post(&acme.path("/restore"), json!({"reason": "sorted out"})).await.is(200);
        directory.delete(&path, None).await.is(204);
    }

    async fn one_credential_asks_so_often_and_no_more(world: &World) {
        let acme = world.tenant("acme").await;
        let (directory, other) = (world.directory(&acme).await, world.directory(&acme).await);
        let ask = async || {
            let request = world.http.get(world.public("/scim/v2/ServiceProviderConfig"));
            request.bearer_auth(&directory.secret).send().await.unwrap().status().as_u16()
        };
        for number in 0..1_000 {
            assert_eq!(ask().await, 200, "the request number {number}");
        }
        let refused = directory.ask(Method::GET, USERS, Asked::default()).await.turned_down(429, "");
        assert_eq!(refused.headers["retry-after"], "1");
        other.get(USERS).await.is(200);
        world.clock.pass(sinete_core::time::Lifetime::from_seconds(60));
        assert_eq!(ask().await, 200);
    }
}
