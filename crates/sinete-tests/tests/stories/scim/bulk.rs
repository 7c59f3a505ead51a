//! Bulk requests.

use crate::both_engines;
use crate::harness::scim_client::{GROUPS, USER, USERS};
use crate::harness::world::World;
use serde_json::{Value, json};

const BULK: &str = "/scim/v2/Bulk";

fn many(operations: Value) -> Value {
    json!({"schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": operations})
}

fn statuses(reply: &crate::harness::api_caller::ApiResponse) -> Vec<String> {
    let operations = reply.body["Operations"].as_array().unwrap();
    operations.iter().map(|it| it["status"].as_str().unwrap().to_owned()).collect()
}

both_engines!(
    scim_bulk_operations_reference_each_other,
    scim_bulk_operations_fail_individually_until_fail_on_errors,
    scim_bulk_with_too_many_operations_or_bytes_is_refused
);

async fn scim_bulk_operations_reference_each_other(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let old = directory.create_scim_user("old").await.text_member("id");
    let response = directory.post(BULK, many(json!([
        {"method": "POST", "path": "/Groups", "bulkId": "g", "data": {"displayName": "Choir", "members": [{"type": "User", "value": "bulkId:a"}]}},
        {"method": "POST", "path": "/Users", "bulkId": "a", "data": {"userName": "ana"}},
        {"method": "POST", "path": "/Users", "bulkId": "b", "data": {"userName": "bia", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"manager": {"value": "bulkId:a"}}}},
        {"method": "PATCH", "path": "/Groups/bulkId:g", "data": {"Operations": [{"op": "add", "path": "members", "value": [{"value": "bulkId:b"}]}]}},
        {"method": "PUT", "path": format!("{USER}/{old}"), "version": "W/\"1\"", "data": {"userName": "older"}},
        {"method": "DELETE", "path": format!("{USER}/{old}"), "version": "W/\"2\""},
    ]))).await.assert_status(200);
    assert_eq!(statuses(&response), ["201", "201", "201", "200", "200", "204"]);
    let location =
        response.body["Operations"][0]["location"].as_str().unwrap().strip_prefix(world.issuer()).unwrap();
    let choir = directory.get(location).await.assert_status(200);
    assert_eq!(choir.body["members"].as_array().unwrap().len(), 2);
    assert_eq!(response.body["Operations"][1]["bulkId"], "a");
    directory.get(&format!("{USERS}/{old}")).await.assert_scim_error(404, "");
    let bia = directory.scim_filter(USERS, "userName eq \"bia\"").await.assert_status(200);
    let manager =
        &bia.body["Resources"][0]["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"]["manager"];
    assert_eq!(manager["$ref"], response.body["Operations"][1]["location"]);
}

async fn scim_bulk_operations_fail_individually_until_fail_on_errors(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let user = |bulk_id: &str, name: &str| json!({"method": "POST", "path": "/Users", "bulkId": bulk_id, "data": {"userName": name}});
    let round = json!({"method": "POST", "path": "/Groups", "bulkId": "r", "data": {"displayName": "x", "members": [{"value": "bulkId:r"}]}});
    let wrong = [
        user("1", "ana"),
        user("2", "ANA"),
        json!({"method": "DELETE", "path": format!("{USER}/nobody")}),
        json!({"method": "DELETE", "path": "/Things/7"}),
        round,
        user("3", "bia"),
    ];
    let response = directory.post(BULK, many(json!(wrong))).await.assert_status(200);
    assert_eq!(statuses(&response), ["201", "409", "404", "404", "409", "201"]);
    assert_eq!(response.body["Operations"][1]["response"]["scimType"], "uniqueness");
    let mut enough = many(json!([user("1", "ana"), user("2", "caio"), user("3", "bia"), user("4", "delia")]));
    enough["failOnErrors"] = json!(2);
    assert_eq!(statuses(&directory.post(BULK, enough).await.assert_status(200)), ["409", "201", "409"]);
    assert!(
        directory
            .scim_filter(USERS, "userName eq \"delia\"")
            .await
            .assert_status(200)
            .listed_ids()
            .is_empty()
    );
}

async fn scim_bulk_with_too_many_operations_or_bytes_is_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let directory = world.create_scim_client(&acme).await;
    let one = |number: usize| json!({"method": "POST", "path": "/Users", "bulkId": number.to_string(), "data": {"userName": format!("user {number}")}});
    let requests: Vec<Value> = (0..1_001).map(one).collect();
    directory.post(BULK, many(requests.clone().into())).await.assert_scim_error(413, "");
    let large = json!({"method": "POST", "path": "/Users", "bulkId": "x", "data": {"userName": "x".repeat(1024 * 1024)}});
    directory.post(BULK, many(json!([large]))).await.assert_scim_error(413, "");
    directory
        .post(BULK, many(json!([{"method": "GET", "path": "/Users"}])))
        .await
        .assert_scim_error(400, "invalidSyntax");
    assert_eq!(directory.get(USERS).await.assert_status(200).body["totalResults"], 1);
    let response = directory.post(BULK, many(requests[..100].to_vec().into())).await.assert_status(200);
    assert!(statuses(&response).iter().all(|status| status == "201"), "{}", response.text);
    assert_eq!(directory.get(&format!("{USERS}?count=0")).await.assert_status(200).body["totalResults"], 101);
    directory.get(GROUPS).await.assert_status(200);
}
