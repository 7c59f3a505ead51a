//! Searching members by the beginnings of words: which members are found, by which fields, and by which not.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_core::time::Lifetime;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::{JsonDocument, WriteBatch};

/// The text encoded for a query.
fn spelled(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The ids on one page of results.
async fn found(api_caller: &ApiCaller<'_>, search: &str) -> Vec<String> {
    let page = api_caller
        .get(&api_caller.tenant.path(&format!("/members?search={}", spelled(search))))
        .await
        .assert_status(200);
    ids(&page.body)
}

/// The id of a role, by its name.
async fn role(api_caller: &ApiCaller<'_>, name: &str) -> Value {
    let response = api_caller.get(&api_caller.tenant.path("/roles")).await.assert_status(200);
    let items = response.body["items"].as_array().unwrap();
    items.iter().find(|role| role["name"] == name).unwrap()["id"].clone()
}

fn ids(page: &Value) -> Vec<String> {
    page["items"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

/// Creates a member with this profile.
async fn known(world: &World, tenant: &TestOrganization, owner: &ApiCaller<'_>, profile: Value) -> String {
    let member = world.create_member(tenant, &["member"]).await;
    owner
        .patch(&tenant.path(&format!("/members/{member}")), 1, json!({"profile": profile}))
        .await
        .assert_status(200);
    member.to_string()
}

/// Whether a word is in the database, as either engine shows bytes.
async fn is_kept(world: &World, word: &str) -> bool {
    let hex: String = word.bytes().map(|byte| format!("{byte:02x}")).collect();
    let plain = format!("{:?}", word.as_bytes());
    world.dump_database().await["member_words"].iter().any(|row| row.contains(&hex) || row.contains(&plain))
}

both_engines!(
    member_search_matches_name_and_address_prefixes_ignoring_case_and_diacritics,
    member_search_query_that_is_invalid_is_refused_and_its_cursor_is_bound_to_it,
    member_search_needs_permission_and_stays_within_the_organization,
    member_search_by_address_matches_only_addresses_the_organization_knows,
    member_search_drops_members_who_left_were_removed_or_erased,
    member_search_finds_services_and_agents_for_readers_of_clients,
    member_search_among_ten_thousand_members_is_paged
);

async fn member_search_matches_name_and_address_prefixes_ignoring_case_and_diacritics(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let jose =
        known(world, &acme, &owner, json!({"name": "José Ângelo", "email": "Zeca@acme.example"})).await;
    let ana = known(world, &acme, &owner, json!({"given_name": "Ana-Maria", "family_name": "Souza"})).await;
    for (search, expected_member) in [
        ("jos", &jose),
        ("JOSÉ", &jose),
        ("jose", &jose),
        ("angelo", &jose),
        ("angelo jose", &jose),
        ("zeca@ACME", &jose),
        ("ana", &ana),
        ("maria", &ana),
        ("souza ana", &ana),
        ("  sou  ", &ana),
        (&ana, &ana),
    ] {
        assert_eq!(found(&owner, search).await, [expected_member.as_str()], "{search}");
    }
    assert_eq!(found(&owner, "an").await.len(), 2, "ana and angelo");
    for unmatched_search in [
        "ose",
        "eca",
        "acme.example",
        "ana jose",
        "contadora",
        "%",
        "_ose",
        "jos%",
        "jos*",
        "\\",
        "'",
        "0",
        "j o s e x",
    ] {
        assert!(found(&owner, unmatched_search).await.is_empty(), "{unmatched_search}");
    }
    // A change is found at once, and the earlier value no longer.
    owner
        .patch(&acme.path(&format!("/members/{ana}")), 2, json!({"profile": {"given_name": "Rita"}}))
        .await
        .assert_status(200);
    assert_eq!(found(&owner, "rita").await, [ana.as_str()]);
    assert!(found(&owner, "maria").await.is_empty());
    // A disabled member is still found.
    owner.post(&acme.path(&format!("/members/{ana}/disable")), json!(null)).await.assert_status(200);
    assert_eq!(found(&owner, "rita").await, [ana.as_str()]);
}

async fn member_search_query_that_is_invalid_is_refused_and_its_cursor_is_bound_to_it(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for name in ["Ana Um", "Ana Dois", "Ana Três", "Anabela Ana"] {
        known(world, &acme, &owner, json!({"name": name})).await;
    }
    let path = acme.path("/members");
    for search in ["", "%20%20", &"x".repeat(257), "a+b+c+d+e+f+g+h+i", "a%00b", "a%E2%80%AEb", "%FF"] {
        owner.get(&format!("{path}?search={search}")).await.assert_problem(400, "invalid_request");
    }
    owner.get(&format!("{path}?search=ana&search=rui")).await.assert_problem(400, "invalid_request");
    let all_matches = found(&owner, "ana").await;
    assert_eq!(all_matches.len(), 4, "each once");
    let mut walked = Vec::new();
    let mut next = format!("{path}?search=ana&limit=1");
    loop {
        let page = owner.get(&next).await.assert_status(200);
        walked.extend(ids(&page.body));
        let Some(after) = page.body["next"].as_str() else { break };
        owner.get(&format!("{path}?limit=1&after={after}")).await.assert_problem(400, "invalid_request");
        owner
            .get(&format!("{path}?search=anab&limit=1&after={after}"))
            .await
            .assert_problem(400, "invalid_request");
        next = format!("{path}?search=ana&limit=1&after={after}");
    }
    assert_eq!(walked, all_matches);
    // A cursor of the list is not valid for a search.
    let response = owner.get(&format!("{path}?limit=1")).await.assert_status(200);
    let after = response.text_member("next");
    owner.get(&format!("{path}?search=ana&after={after}")).await.assert_problem(400, "invalid_request");
}

async fn member_search_needs_permission_and_stays_within_the_organization(world: &World) {
    let (acme, umbra) = (world.create_organization("acme").await, world.create_organization("umbra").await);
    let (owner, api_caller) = (world.create_owner(&acme).await, world.create_owner(&umbra).await);
    let ana = known(world, &acme, &owner, json!({"name": "Ana", "email": "ana@acme.example"})).await;
    assert_eq!(found(&owner, "ana").await, [ana.as_str()]);
    for search in ["ana", "ana@acme.example", &ana] {
        assert!(found(&api_caller, search).await.is_empty(), "{search}");
        api_caller
            .get(&acme.path(&format!("/members?search={search}")))
            .await
            .assert_problem(404, "not_found");
    }
    let plain = world.create_member(&acme, &["member"]).await;
    let plain = world.create_api_key_caller(&acme, plain, "organization:read").await;
    plain.get(&acme.path("/members?search=ana")).await.assert_problem(403, "insufficient_scope");
}

async fn member_search_by_address_matches_only_addresses_the_organization_knows(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    // The sign-in address of an account is private.
    let ana = world
        .create_signed_in_user("secret@example.com")
        .await
        .join_organization(&acme, "member")
        .await
        .to_string();
    assert!(found(&owner, "secret@example.com").await.is_empty() && found(&owner, "secret").await.is_empty());
    assert_eq!(found(&owner, &ana).await, [ana.as_str()]);
    // The address of an invitation is searched until the invitation is withdrawn.
    let role = role(&owner, "member").await;
    let invited = json!({"email": "Rui@Example.com", "roles": [role]});
    let invited = owner.post(&acme.path("/invitations"), invited).await.assert_status(201);
    assert_eq!(found(&owner, "RUI@ex").await, [invited.text_member("membership")]);
    world.clock.advance(Lifetime::from_micros(1_000));
    let second_invitation =
        json!({"email": "rui@other.example", "member": invited.text_member("membership")});
    owner.post(&acme.path("/invitations"), second_invitation).await.assert_status(201);
    assert_eq!(found(&owner, "rui@other").await, [invited.text_member("membership")]);
    assert!(found(&owner, "rui@example").await.is_empty(), "only the newest pending invitation is searched");
    owner
        .delete(&acme.path(&format!("/members/{}", invited.text_member("membership"))), None)
        .await
        .assert_status(204);
    assert!(found(&owner, "rui").await.is_empty());
}

async fn member_search_drops_members_who_left_were_removed_or_erased(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let gone = known(world, &acme, &owner, json!({"name": "Gonçalo Ido"})).await;
    let remaining_member = known(world, &acme, &owner, json!({"name": "Gonçalo Fica"})).await;
    let erased = world.create_signed_in_user("erased@example.com").await;
    let path = acme.path(&format!("/members/{}", erased.join_organization(&acme, "member").await));
    owner.patch(&path, 1, json!({"profile": {"name": "Gonçalo Apagado"}})).await.assert_status(200);
    assert_eq!(found(&owner, "goncalo").await.len(), 3);
    assert!(is_kept(world, "ido").await && is_kept(world, "apagado").await && is_kept(world, "fica").await);
    owner.delete(&acme.path(&format!("/members/{gone}")), None).await.assert_status(204);
    assert!(!is_kept(world, "ido").await, "removed before the next search");
    erased.delete("/account").await.assert_status(204);
    assert!(!is_kept(world, "apagado").await && is_kept(world, "fica").await);
    assert_eq!(found(&owner, "goncalo").await, [remaining_member.as_str()]);
    assert!(found(&owner, &gone).await.is_empty());
}

async fn member_search_finds_services_and_agents_for_readers_of_clients(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = role(&owner, "member").await;
    let metadata = json!({"client_name": "Robô Fiscal", "grant_types": ["client_credentials"]});
    let created = json!({"kind": "service", "roles": [role], "metadata": metadata});
    let response = owner.post(&acme.path("/clients"), created).await.assert_status(201);
    let (client, member) = (response.text_member("id"), response.text_member("membership"));
    assert_eq!(found(&owner, "robo").await, [member.as_str()]);
    assert_eq!(found(&owner, &client).await, [member.as_str()]);
    let admin = world.create_member(&acme, &["admin"]).await;
    let narrow = world.create_api_key_caller(&acme, admin, "members:read").await;
    let path = acme.path(&format!("/clients/{client}"));
    assert!(found(&narrow, "robo").await.is_empty(), "the name of a client needs clients:read");
    assert_eq!(found(&narrow, &client).await, [member.as_str()], "the client id is visible with the member");
    let renamed = json!({"metadata": {"client_name": "Autômato"}});
    owner.patch(&path, response.version(), renamed).await.assert_status(200);
    assert!(found(&owner, "robo").await.is_empty());
    assert_eq!(found(&owner, "automato").await, [member.as_str()]);
}

async fn member_search_among_ten_thousand_members_is_paged(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let engine = world.server.engine();
    let mut member_count = 0;
    while member_count < 10_000 {
        let mut batch = WriteBatch::new();
        for number in member_count..member_count + 250 {
            let profile = json!({"name": format!("Membro N{number:05}"), "email": format!("m{number:05}@acme.example")});
            let profile = JsonDocument::from_value(&profile).unwrap();
            batch = batch.with_statement(memberships::create_membership(&NewMembership {
                id: MembershipId::mint(engine.now(), engine.entropy()),
                organization: acme.id,
                holder: &MembershipHolder::Unclaimed,
                profile: &profile,
                external_id: Some(&format!("Ext {number:05}")),
                created_at: engine.now(),
            }));
        }
        engine.store().commit(batch).await.unwrap().into_result().unwrap();
        member_count += 250;
    }
    while sinete_engine::organizations::member_search::index_due_members(engine, 100_000)
        .await
        .unwrap()
        .indexed
        > 0
    {}
    assert_eq!(found(&owner, "n04217").await.len(), 1);
    assert_eq!(found(&owner, "m0421").await.len(), 10);
    let exact = owner.get(&acme.path("/members?search=Ext+04217&limit=1")).await.assert_status(200);
    assert_eq!(
        (&exact.body["items"][0]["external_id"], &exact.body["next"]),
        (&json!("Ext 04217"), &Value::Null)
    );
    assert!(found(&owner, "ext 04217").await.is_empty(), "an external id is compared exactly");
    let (mut members, mut next) = (Vec::new(), acme.path("/members?search=me+n01&limit=200"));
    loop {
        let page = owner.get(&next).await.assert_status(200);
        members.extend(
            page.body["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["profile"]["name"].as_str().unwrap().to_owned()),
        );
        let Some(after) = page.body["next"].as_str() else { break };
        next = acme.path(&format!("/members?search=me+n01&limit=200&after={after}"));
    }
    let expected: Vec<String> = (1_000..2_000).map(|number| format!("Membro N{number:05}")).collect();
    assert_eq!(members, expected, "in the order of the longest word");
}
