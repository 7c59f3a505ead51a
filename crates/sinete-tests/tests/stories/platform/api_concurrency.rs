//! Concurrent requests that do not conflict all succeed: 409 is for real conflicts.

use super::api_conventions::join_all;
use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiResponse};
use crate::harness::world::World;
use serde_json::{Value, json};

/// How many requests are concurrent.
const AT_ONCE: usize = 32;
/// How many, where the limit is ten.
const FEW_AT_ONCE: usize = 8;

/// Sends all of these concurrently.
async fn at_once(
    api_caller: &ApiCaller<'_>,
    path: &str,
    bodies: impl Iterator<Item = Value>,
) -> Vec<ApiResponse> {
    join_all(bodies.map(|body| api_caller.post(path, body)).collect()).await
}

fn api(identifier: &str, resource: &str) -> Value {
    let permissions = json!([
        {"permission": format!("{resource}:read"), "english": "See it"},
        {"permission": format!("{resource}:void"), "english": "Void it", "irreversible": true},
    ]);
    json!({"identifier": identifier, "name": resource, "permissions": permissions})
}

fn application(name: &str) -> Value {
    let metadata = json!({"client_name": name, "redirect_uris": ["https://portal.example/callback"]});
    json!({"kind": "application", "metadata": metadata})
}

/// A path, how many requests are sent there concurrently, and the body of the n-th.
type Create = (String, usize, Box<dyn Fn(usize) -> Value>);

/// The body of every route that creates something, distinct for each n, and how many requests are concurrent.
fn creates(api_caller: &ApiCaller<'_>, role: &str) -> Vec<Create> {
    let (slug, membership, role) = (api_caller.tenant.slug.clone(), api_caller.membership, role.to_owned());
    let of = |below: &str| api_caller.tenant.path(below);
    let name = move |kind: &str, n: usize| format!("{kind}-{slug}-{n}");
    let (apis, hooks, domains) = (name.clone(), name.clone(), name.clone());
    let (roles, invited) = (name.clone(), name.clone());
    vec![
        (
            of("/apis"),
            AT_ONCE,
            Box::new(move |n| api(&format!("https://apis.example/{n}"), &apis("things", n))),
        ),
        (
            of("/roles"),
            AT_ONCE,
            Box::new(move |n| json!({"name": roles("role", n), "permissions": ["members:read"]})),
        ),
        (of("/clients"), AT_ONCE, Box::new(|n| application(&format!("Portal {n}")))),
        (
            of("/api-keys"),
            AT_ONCE,
            Box::new(
                move |n| json!({"membership": membership, "name": format!("key {n}"), "scope": "organization:read"}),
            ),
        ),
        (
            of("/invitations"),
            FEW_AT_ONCE,
            Box::new(
                move |n| json!({"email": format!("{}@mail.example", invited("guest", n)), "roles": [role]}),
            ),
        ),
        (
            of("/webhooks"),
            FEW_AT_ONCE,
            Box::new(move |n| json!({"address": format!("https://{}.example/events", hooks("hook", n))})),
        ),
        (
            of("/domains"),
            FEW_AT_ONCE,
            Box::new(move |n| json!({"domain": format!("{}.example", domains("mail", n))})),
        ),
        (
            of("/connections"),
            FEW_AT_ONCE,
            Box::new(
                |n| json!({"name": format!("Provider {n}"), "issuer": format!("https://idp-{n}.example"), "client_id": "x", "client_secret": "y"}),
            ),
        ),
    ]
}

both_engines!(
    concurrent_creates_in_one_organization_all_succeed,
    concurrent_creates_of_the_instance_all_succeed,
    concurrent_creates_of_one_resource_name_or_identifier_succeed_once
);

async fn concurrent_creates_in_one_organization_all_succeed(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let guest = json!({"name": "guest", "permissions": ["members:read"]});
    let guest = owner.post(&acme.path("/roles"), guest).await.assert_status(201).text_member("id");
    world.verify_domain(&acme, "apis.example").await;
    for (path, many, body) in creates(&owner, &guest) {
        for (n, reply) in at_once(&owner, &path, (0..many).map(&body)).await.into_iter().enumerate() {
            assert_eq!(reply.status, 201, "{n} of {many} at {path}: {}", reply.text);
        }
    }
}

async fn concurrent_creates_of_the_instance_all_succeed(world: &World) {
    let operator = world.create_operator().await;
    let clients = (0..AT_ONCE).map(|n| application(&format!("Portal {n}")));
    let apis = (0..AT_ONCE).map(|n| api(&format!("https://of-all-{n}.example"), &format!("of-all-{n}")));
    let organizations = (0..AT_ONCE).map(|n| json!({"slug": format!("tenant-{n}")}));
    let webhooks = (0..FEW_AT_ONCE).map(|n| json!({"address": format!("https://siem-{n}.example")}));
    let mut replies = at_once(&operator, "/manage/clients", clients).await;
    replies.extend(at_once(&operator, "/manage/apis", apis).await);
    replies.extend(at_once(&operator, "/manage/organizations", organizations).await);
    replies.extend(at_once(&operator, "/manage/webhooks", webhooks).await);
    for reply in replies {
        assert_eq!(reply.status, 201, "{}", reply.text);
    }
}

async fn concurrent_creates_of_one_resource_name_or_identifier_succeed_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path("/apis");
    world.verify_domain(&acme, "apis.example").await;
    // The same identifier: one request succeeds, the others get a conflict.
    let same = at_once(
        &owner,
        &path,
        (0..AT_ONCE).map(|n| api("https://apis.example/same", &format!("unlike-{n}"))),
    )
    .await;
    assert_eq!(same.iter().filter(|reply| reply.status == 201).count(), 1);
    for reply in same.into_iter().filter(|reply| reply.status != 201) {
        reply.assert_problem(409, "conflict");
    }
    // The same resource name under other identifiers: one API has it, and the others get a validation error.
    let responses = at_once(
        &owner,
        &path,
        (0..AT_ONCE).map(|n| api(&format!("https://apis.example/unlike/{n}"), "ledgers")),
    )
    .await;
    assert_eq!(responses.iter().filter(|reply| reply.status == 201).count(), 1);
    for reply in responses.into_iter().filter(|reply| reply.status != 201) {
        assert_eq!(
            reply.assert_problem(422, "unprocessable").fault_pointers()[0],
            "/permissions/0/permission"
        );
    }
    // Also if an API of the instance and one of an organization are created concurrently.
    let operator = world.create_operator().await;
    for round in 0..4 {
        let resource = format!("met-everywhere-{round}");
        let (ours, theirs) = tokio::join!(
            operator.post("/manage/apis", api(&format!("https://ours-{round}.example"), &resource)),
            owner.post(&path, api(&format!("https://apis.example/theirs/{round}"), &resource)),
        );
        let mut statuses = [ours.status, theirs.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 422], "{} {}", ours.text, theirs.text);
    }
}
