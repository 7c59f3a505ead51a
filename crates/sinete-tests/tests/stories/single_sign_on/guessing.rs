//! What signing in at a provider is worth on a device: its owner is told of it, and nobody guesses there apart from strangers.

use super::sign_in::fetched;
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::provider::person;
use crate::harness::world::World;
use serde_json::json;
use std::collections::BTreeMap;

both_engines!(a_device_that_only_a_provider_vouched_for_has_no_guesses_of_its_own);

async fn a_device_that_only_a_provider_vouched_for_has_no_guesses_of_its_own(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let provider = world.provider().await;
    let made = provider.connect(&owner, "acme.example").await;
    let ana = world.person("ana@home.example").await;
    world.joins(&acme, ana.account).await;
    let start = json!({"kind": "link_identity", "connection": made["id"], "return_to": "http://127.0.0.1:49152/back"});
    let mut walk = world.flow_as(start, Some(&ana.session)).await;
    provider.knows(person("ana-7", "ana@acme.example"));
    let said = fetched(world, &provider, &walk).await;
    walk.says("provider_answer", said).await.is(200);
    let usual = json!({"email": "ana@home.example", "password": PASSWORD});
    let mut home = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    home.says("password", usual.clone()).await.is(200);
    // Whoever runs the provider comes in as her, and is given what a browser is known by.
    let mut theirs = world.browse(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    theirs.says("single_sign_on", json!({"connection": made["id"]})).await.is(200);
    let back = provider.visited(world, theirs.last.body["go_to"].as_str().unwrap()).await;
    let held =
        theirs.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
    let answer = world.http.get(world.public(&back)).header("cookie", held).send().await.unwrap();
    let given: BTreeMap<String, String> = answer
        .headers()
        .get_all("set-cookie")
        .iter()
        .filter_map(|line| line.to_str().unwrap().split(';').next()?.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .filter(|(name, _)| name.contains("device"))
        .collect();
    assert_eq!(given.len(), 1, "{answer:?}");
    // Strangers have used up their guesses. That browser is none of hers.
    for _ in 0..6 {
        world.sign_in("ana@home.example", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    }
    let guess = world.browse(json!({"kind": "sign_in"}), &given).await;
    guess.tries("password", usual.clone()).await.refused(429, "too_many_requests");
    let known: BTreeMap<String, String> = home
        .cookies
        .iter()
        .filter(|(name, _)| name.contains("device"))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    assert_eq!(known.len(), 1);
    let again = world.browse(json!({"kind": "sign_in"}), &known).await;
    again.tries("password", usual).await.is(200);
}
