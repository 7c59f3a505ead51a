//! Searching very many members: how far one search goes, and what the page says while the index is incomplete.

use super::console_path;
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::MembershipId;
use sinete_engine::organizations::member_search;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::{JsonDocument, WriteBatch};

/// Creates members with these profiles.
async fn many(world: &World, tenant: &TestOrganization, profiles: &[Value]) {
    let engine = world.server.engine();
    for some in profiles.chunks(250) {
        let mut batch = WriteBatch::new();
        for profile in some {
            batch = batch.with_statement(memberships::create_membership(&NewMembership {
                id: MembershipId::mint(engine.now(), engine.entropy()),
                organization: tenant.id,
                holder: &MembershipHolder::Unclaimed,
                profile: &JsonDocument::from_value(profile).unwrap(),
                external_id: None,
                created_at: engine.now(),
            }));
        }
        engine.store().commit(batch).await.unwrap().into_result().unwrap();
    }
}

/// The results of every page of a search.
async fn pages(api_caller: &ApiCaller<'_>, search: &str) -> Vec<Vec<String>> {
    let first = api_caller.tenant.path(&format!("/members?search={search}"));
    let (mut pages, mut next) = (Vec::new(), first.clone());
    loop {
        let page = api_caller.get(&next).await.assert_status(200);
        let names = page.body["items"].as_array().unwrap().iter();
        pages.push(names.map(|it| it["profile"]["name"].as_str().unwrap().to_owned()).collect());
        let Some(after) = page.body["next"].as_str() else { return pages };
        next = format!("{first}&after={after}");
    }
}

/// Thirty words with the same beginning.
fn alike() -> String {
    let chars = "abcdefghijklmnopqrstuvwxyz0123".chars();
    chars.map(|character| format!("co{character}")).collect::<Vec<_>>().join(" ")
}

both_engines!(
    console_member_search_of_a_common_or_unknown_word_continues_in_steps,
    console_member_search_reports_an_incomplete_index,
    console_member_search_skips_unreadable_profiles,
    console_member_search_distinguishes_too_many_words_from_invalid_ones
);

async fn console_member_search_of_a_common_or_unknown_word_continues_in_steps(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "admin").await;
    // More than four times 5000 words, and one member after all of them.
    let mut profiles = vec![json!({"name": alike()}); 680];
    profiles.push(json!({"name": "Cozzz Zoe"}));
    many(world, &acme, &profiles).await;
    while member_search::index_due_members(world.server.engine(), 100_000).await.unwrap().indexed > 0 {}
    let empty_page = Vec::<String>::new();
    assert_eq!(
        pages(&owner, "co+zx").await,
        vec![empty_page.clone(); 5],
        "no result, and each page searches up to its limit"
    );
    let mut expected = vec![empty_page; 4];
    expected.push(vec!["Cozzz Zoe".to_owned()]);
    assert_eq!(pages(&owner, "co+zo").await, expected);
    // Where enough members are found, the next page continues after the last one.
    assert_eq!(pages(&owner, "co&limit=200").await.iter().map(Vec::len).sum::<usize>(), 681);
    // The console continues by itself for a while, and then reports the progress.
    let list = console_path(&acme, "/members");
    for (search, expected_text) in [("co+zx", "No more members found."), ("co+zo", "Cozzz Zoe")] {
        let first = ana.reader.open_page(&format!("{list}?search={search}")).await;
        assert!(first.contains("No members found so far.") && !first.contains("id=\"next-page\""), "{first}");
        let next = first.split("id=\"look-further\"").next().unwrap().rsplit("href=\"").next().unwrap();
        let next = next.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
        let last = ana.reader.open_page(&next).await;
        assert!(last.contains(expected_text) && !last.contains("id=\"look-further\""), "{last}");
    }
}

async fn console_member_search_reports_an_incomplete_index(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "admin").await;
    let due: Vec<Value> = (0..4_100).map(|number| json!({"name": format!("N{number:05}")})).collect();
    many(world, &acme, &due).await;
    let early =
        owner.get(&acme.path("/members?search=n04099")).await.assert_problem(503, "temporarily_unavailable");
    assert_eq!(early.headers["retry-after"], "60");
    // A part of the members is indexed, and some are left.
    let list = console_path(&acme, "/members?search=n04099");
    let early = ana.reader.open_page(&list).await;
    assert!(
        early.contains("The search index is still being updated after recent changes")
            && !early.contains("No members found"),
        "{early}"
    );
    let all = ana.reader.open_page(&list).await;
    assert!(all.contains("1 member found.<") && !all.contains("id=\"early\""), "{all}");
    assert_eq!(pages(&owner, "n04099").await, [["N04099"]]);
    // The background task reports whether it is finished.
    let round = member_search::index_due_members(world.server.engine(), 100_000).await.unwrap();
    assert!(!round.has_more);
    assert_eq!(
        member_search::index_due_members(world.server.engine(), 100_000).await.unwrap(),
        member_search::MemberIndexRound::default()
    );
}

async fn console_member_search_skips_unreadable_profiles(world: &World) {
    let (acme, umbra) = (world.create_organization("acme").await, world.create_organization("umbra").await);
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&umbra).await);
    for tenant in [&acme, &umbra] {
        many(
            world,
            tenant,
            &[
                json!({"name": 5, "family_name": "Souza", "email": "nowhere"}),
                json!(["no profile"]),
                json!({"name": "Rui"}),
            ],
        )
        .await;
    }
    let engine = world.server.engine();
    assert!(
        member_search::index_due_members(engine, 100_000).await.unwrap().indexed >= 6,
        "both organizations are indexed"
    );
    assert_eq!(
        member_search::index_due_members(engine, 100_000).await.unwrap().indexed,
        0,
        "no member is left to index"
    );
    for api_caller in [&owner, &other] {
        assert_eq!(pages(api_caller, "rui").await, [["Rui"]]);
    }
    let rows = &world.dump_database().await["member_words"];
    let hex: String = "souza".bytes().map(|byte| format!("{byte:02x}")).collect();
    let plain = format!("{:?}", "souza".as_bytes());
    let indexed_count = rows.iter().filter(|row| row.contains(&hex) || row.contains(&plain)).count();
    assert_eq!(indexed_count, 2, "the readable fields are indexed");
}

async fn console_member_search_distinguishes_too_many_words_from_invalid_ones(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "admin").await;
    let many = owner
        .get(&acme.path("/members?search=a+b+c+d+e+f+g+h+i"))
        .await
        .assert_problem(400, "invalid_request");
    assert_eq!(
        many.body["detail"],
        "The query parameter search has more than eight words. Send at most eight."
    );
    let long = "a".repeat(257);
    let text = owner
        .get(&acme.path(&format!("/members?search={long}")))
        .await
        .assert_problem(400, "invalid_request");
    assert!(text.text_member("detail").contains("256 characters"));
    let page = ana.reader.open_page(&console_path(&acme, "/members?search=a+b+c+d+e+f+g+h+i")).await;
    assert!(page.contains("Search for at most eight words."), "{page}");
}
