//! A SCIM token is for one organization. Ids of another organization are not found: in paths, bodies, filters, sorting,
//! patches and bulk requests.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiRequest};
use crate::harness::database_dump::DatabaseDump;
use crate::harness::scim_client::{GROUPS, USER, USERS};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_http::router::ROUTES;
use sinete_server::route::{CallerKind, RequiredPermission};

const NOTHING: &str = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";
const ENTERPRISE: &str = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/// A user and a group with external ids that both organizations use.
async fn furnish(directory: &ApiCaller<'_>) -> UserAndGroup {
    let user = json!({"userName": "ana@example.org", "externalId": "same"});
    let user = directory.post(USERS, user).await.assert_status(201).text_member("id");
    let group = json!({"displayName": "Choir", "externalId": "same", "members": [{"value": user}]});
    let group = directory.post(GROUPS, group).await.assert_status(201).text_member("id");
    UserAndGroup { user, group }
}

fn assert_same(before: &DatabaseDump, after: &DatabaseDump) {
    for (table, rows) in before {
        assert_eq!(rows, &after[table], "{table} has changed");
    }
}

both_engines!(
    scim_resources_of_another_organization_are_not_found,
    scim_manager_of_another_organization_is_a_text,
    scim_token_provisions_its_own_organization_only
);

async fn scim_resources_of_another_organization_are_not_found(world: &World) {
    let (ours, theirs) = (world.create_organization("ours").await, world.create_organization("theirs").await);
    let (ours, theirs) = (world.create_scim_client(&ours).await, world.create_scim_client(&theirs).await);
    let (fixture, foreign) = (furnish(&ours).await, furnish(&theirs).await);
    let before = world.dump_database().await;
    foreign_ids_are_not_found_in_paths(&ours, &fixture, &foreign).await;
    foreign_ids_are_not_found_in_bodies(&ours, &fixture, &foreign).await;
    foreign_ids_are_not_found_in_searches(&ours, &fixture, &foreign, theirs.membership).await;
    foreign_ids_are_not_found_in_bulk_operations(&ours, &fixture, &foreign).await;
    assert_same(&before, &world.dump_database().await);
}

async fn scim_manager_of_another_organization_is_a_text(world: &World) {
    let (ours, theirs) = (world.create_organization("ours").await, world.create_organization("theirs").await);
    let (ours, theirs) = (world.create_scim_client(&ours).await, world.create_scim_client(&theirs).await);
    let UserAndGroup { user, .. } = furnish(&theirs).await;
    // It is answered as an id that does not exist: without a reference.
    for (name, manager) in [("rui", user.as_str()), ("eva", NOTHING)] {
        let new_user = json!({"userName": name, ENTERPRISE: {"manager": {"value": manager}}});
        let response = ours.post(USERS, new_user).await.assert_status(201);
        assert_eq!(response.body[ENTERPRISE]["manager"], json!({"value": manager}));
    }
}

/// The ids of the user and the group of one organization.
struct UserAndGroup {
    user: String,
    group: String,
}

/// Every route that names a user or a group answers as for an id that does not exist.
async fn foreign_ids_are_not_found_in_paths(
    ours: &ApiCaller<'_>,
    fixture: &UserAndGroup,
    foreign: &UserAndGroup,
) {
    let UserAndGroup { user: our_user, group: our_group } = fixture;
    let UserAndGroup { user, group } = foreign;
    let mut tried = 0;
    for route in ROUTES {
        let CallerKind::Bearer(RequiredPermission::InCredentialOrganization(_)) = route.caller else {
            continue;
        };
        if !route.path.contains("{user}") && !route.path.contains("{group}") {
            continue;
        }
        let method = Method::from_bytes(route.method.name().as_bytes()).unwrap();
        let body = match (method.as_str(), route.path.contains("{user}")) {
            ("PATCH", _) => {
                Some(json!({"Operations": [{"op": "replace", "path": "externalId", "value": "x"}]}))
            }
            ("PUT", true) => Some(json!({"userName": "x"})),
            ("PUT", false) => Some(json!({"displayName": "x"})),
            _ => None,
        };
        let ask = async |user: &str, group: &str| {
            let path = route.path.replace("{user}", user).replace("{group}", group);
            let reply = ours
                .send_request(
                    method.clone(),
                    &path,
                    ApiRequest { body: body.clone(), ..ApiRequest::default() },
                )
                .await;
            reply.assert_scim_error(404, "").body
        };
        assert_eq!(ask(user, group).await, ask(NOTHING, NOTHING).await, "{route:?}");
        // The id of a group is not found as a user, or the reverse.
        ask(our_group, our_user).await;
        tried += 1;
    }
    assert_eq!(tried, 8);
}

async fn foreign_ids_are_not_found_in_bodies(
    ours: &ApiCaller<'_>,
    fixture: &UserAndGroup,
    foreign: &UserAndGroup,
) {
    let UserAndGroup { group: our_group, .. } = fixture;
    let UserAndGroup { user, .. } = foreign;
    let member = json!([{"value": user}]);
    ours.post(GROUPS, json!({"displayName": "Spies", "members": member})).await.assert_scim_error(404, "");
    let path = format!("{GROUPS}/{our_group}");
    for op in ["add", "replace"] {
        ours.scim_patch(&path, json!([{"op": op, "path": "members", "value": member}]))
            .await
            .assert_scim_error(404, "");
    }
    ours.scim_patch(
        &path,
        json!([{"op": "add", "path": format!("members[value eq \"{user}\"]"), "value": {"type": "User"}}]),
    )
    .await
    .assert_scim_error(404, "");
    ours.scim_put(&path, json!({"displayName": "Choir", "externalId": "same", "members": member}))
        .await
        .assert_scim_error(404, "");
}

async fn foreign_ids_are_not_found_in_searches(
    ours: &ApiCaller<'_>,
    fixture: &UserAndGroup,
    foreign: &UserAndGroup,
    their_membership: MembershipId,
) {
    let UserAndGroup { user: our_user, group: our_group } = fixture;
    let UserAndGroup { user, group } = foreign;
    let find_ids = async |kind: &str, filter: String| {
        ours.scim_filter(kind, &filter).await.assert_status(200).listed_ids()
    };
    assert!(find_ids(USERS, format!("id eq \"{user}\"")).await.is_empty());
    assert!(find_ids(USERS, format!("groups.value eq \"{group}\"")).await.is_empty());
    assert!(find_ids(USERS, format!("userName eq \"{}\"", their_membership)).await.is_empty());
    assert!(find_ids(GROUPS, format!("id eq \"{group}\" or members.value eq \"{user}\"")).await.is_empty());
    assert_eq!(find_ids(USERS, "externalId eq \"same\"".to_owned()).await, [our_user.as_str()]);
    assert_eq!(find_ids(GROUPS, "externalId eq \"same\"".to_owned()).await, [our_group.as_str()]);
    for sorted in ["sortBy=externalId", "startIndex=1&count=200", "sortBy=meta.created&sortOrder=descending"]
    {
        let ids = ours.get(&format!("{USERS}?{sorted}")).await.assert_status(200).listed_ids();
        assert!(!ids.contains(user) && ids.len() == 2);
    }
    let all = ours.post("/scim/v2/.search", json!({"count": 200})).await.assert_status(200).listed_ids();
    assert!(!all.contains(user) && !all.contains(group));
}

async fn foreign_ids_are_not_found_in_bulk_operations(
    ours: &ApiCaller<'_>,
    fixture: &UserAndGroup,
    foreign: &UserAndGroup,
) {
    let UserAndGroup { group: our_group, .. } = fixture;
    let UserAndGroup { user, group } = foreign;
    let bulk: Value = json!({"Operations": [
        {"method": "DELETE", "path": format!("{USER}/{user}")},
        {"method": "DELETE", "path": format!("/Groups/{group}")},
        {"method": "PUT", "path": format!("{USER}/{user}"), "data": {"userName": "x"}},
        {"method": "PATCH", "path": format!("/Groups/{our_group}"), "data": {"Operations": [{"op": "add", "path": "members", "value": [{"value": user}]}]}},
    ]});
    let response = ours.post("/scim/v2/Bulk", bulk).await.assert_status(200);
    assert!(
        response.body["Operations"].as_array().unwrap().iter().all(|it| it["status"] == "404"),
        "{}",
        response.text
    );
}

async fn scim_token_provisions_its_own_organization_only(world: &World) {
    let (ours, theirs) = (world.create_organization("ours").await, world.create_organization("theirs").await);
    let member = world.create_member(&ours, &["owner"]).await;
    let token = world.create_token_caller(&ours, member, "scim:provision").await;
    let user = token.create_scim_user("ana").await.text_member("id");
    let elsewhere = world.create_scim_client(&theirs).await;
    elsewhere.get(&format!("{USERS}/{user}")).await.assert_scim_error(404, "");
    // An operator with an assignment cannot provision the organization: a SCIM token is for its own.
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &ours, "a ticket").await;
    operator.get(&format!("{USERS}/{user}")).await.assert_scim_error(404, "");
    let unmarked = world.create_token_caller(&ours, member, "members:manage").await;
    unmarked.get(USERS).await.assert_scim_error(403, "");
}
