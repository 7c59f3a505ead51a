//! Passwords that nobody may choose: names of here, and, where that is asked, those known from a breach. They are refused
//! wherever a password is chosen, and never where one is shown.

use crate::both_engines;
use crate::harness::api::{ApiCaller, ApiRequest, ApiResponse};
use crate::harness::database::TestEngine;
use crate::harness::person::PASSWORD;
use crate::harness::range_service::BreachedPasswordServer;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::flow::credential::password::Password;
use sinete_crypto::breached::fingerprint_of;
use sinete_store::{JsonDocument, organizations};
use std::collections::BTreeSet;

const BREACHED: &str = "the breach was elsewhere";
const FINE: &str = "nobody ever lost this one";

/// Why it was refused, in the one sentence that is told.
fn why(refused: ApiResponse) -> String {
    let refused = refused.refused(422, "unprocessable");
    assert_eq!(refused.faults(), ["/password"]);
    refused.body["errors"][0]["detail"].as_str().unwrap().to_owned()
}

/// Tries a password wherever one can be chosen, by somebody new and by somebody who is there. What each said.
async fn chosen_everywhere(world: &World, email: &str, password: &str) -> Vec<ApiResponse> {
    let mut answers = Vec::new();
    let newcomer = format!("new-{email}");
    let walk = world.flow(json!({"kind": "sign_up"})).await;
    answers.push(walk.tries("details", json!({"email": newcomer, "password": password})).await);

    let mut reset = world.flow(json!({"kind": "reset_password"})).await;
    reset.says("email", json!({"email": email})).await.is(200);
    let code = world.mailed_code(email).await;
    reset.says("code", json!({"code": code})).await.is(200);
    answers.push(reset.tries("new_password", json!({"password": password})).await);
    answers
}

/// The same in the account API, for somebody who has the usual password.
async fn changed(world: &World, session: &str, password: &str) -> ApiResponse {
    let body = json!({"current_password": PASSWORD, "password": password});
    let headers = vec![("authorization", format!("Session {session}"))];
    let asked = ApiRequest { headers, body: Some(body), ..ApiRequest::default() };
    world.ask(reqwest::Method::POST, "/account/password", asked).await
}

/// Tries a password in an invitation to the organization.
async fn invited(world: &World, owner: &ApiCaller<'_>, password: &str) -> ApiResponse {
    let email = format!("invited-{}@example.com", password.len());
    let listed = owner.get(&owner.tenant.path("/roles")).await.is(200);
    let roles = listed.body["items"].as_array().unwrap();
    let role: Value = roles.iter().find(|role| role["name"] == "member").unwrap()["id"].clone();
    owner.post(&owner.tenant.path("/invitations"), json!({"email": email, "roles": [role]})).await.is(201);
    let text = world.newest_mail(&email).await;
    let token = text.split_whitespace().find_map(|word| word.split("token=").nth(1)).unwrap().to_owned();
    let walk = world.flow(json!({"kind": "accept_invitation", "token": token})).await;
    walk.tries("details", json!({"password": password})).await
}

both_engines!(
    the_names_of_here_are_nobodys_password,
    where_nobody_asks_a_breached_password_is_like_any_other
);

async fn the_names_of_here_are_nobodys_password(world: &World) {
    let acme = world.tenant("padaria-central-da-vila").await;
    let engine = world.server.engine();
    let kept = organizations::find(engine.store(), acme.id, engine.now()).await.unwrap().unwrap();
    let settings = JsonDocument::of(&json!({"branding": {"name": "Pão Quente do Bairro"}})).unwrap();
    world
        .happens([organizations::change(
            acme.id,
            kept.version,
            "A Padaria da Vila Nova",
            &settings,
            engine.now(),
        )])
        .await;
    let owner = world.owner(&acme).await;
    let ana = world.somebody("ana-maria-de-souza@example.com").await;
    world
        .signs_in(ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password))
        .await
        .joins(&acme, "member")
        .await;
    let named = "your address or the name of this service or organization";
    for name in
        ["a padaria da vila nova", "APadariaDaVilaNova", "padaria-central-da-vila", "pão quente do bairro"]
    {
        let refused = changed(world, &ana.session, name).await;
        assert!(why(refused).contains(named), "{name}");
        assert!(why(invited(world, &owner, name).await).contains(named), "{name}");
    }
    // Somebody who does not belong there may choose it: it is no name of theirs.
    let bob = world.somebody("bob@example.com").await;
    changed(world, &bob.session, "a padaria da vila nova").await.is(200);
    // The address and the service are everybody's.
    for name in
        ["ana-maria-de-souza", "Ana-Maria-De-Souza@Example.com", "sinetesinetesinete", "localhostlocalhost"]
    {
        assert!(why(changed(world, &ana.session, name).await).contains(named), "{name}");
    }
    let walk = world.flow(json!({"kind": "sign_up"})).await;
    for (email, password) in
        [("a-new-person-here@example.com", "a-new-person-here"), ("x@example.com", "HomeHomeHomeHome")]
    {
        let refused = walk.tries("details", json!({"email": email, "password": password})).await;
        assert!(why(refused).contains(named), "{password}");
    }
    changed(world, &ana.session, FINE).await.is(200);
}

async fn where_nobody_asks_a_breached_password_is_like_any_other(world: &World) {
    world.somebody("ana@example.com").await;
    for answer in chosen_everywhere(world, "ana@example.com", BREACHED).await {
        answer.is(200);
    }
}

/// A list with these passwords among others, in order.
fn list(passwords: &[&str]) -> String {
    let others = (0..200).map(|number| format!("somebody's password {number}"));
    let all = passwords.iter().map(|it| (*it).to_owned()).chain(others);
    let lines = all.map(|password| {
        BreachedPasswordServer::digits(&fingerprint_of(&Password::presented(&password).unwrap()))
    });
    lines.collect::<BTreeSet<_>>().into_iter().map(|digits| format!("{digits}:7\r\n")).collect()
}

/// Whatever is asked, a breached password is refused everywhere it is chosen, and signs in whoever has it.
async fn breached_are_refused(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let told = "the password is known from a breach elsewhere: choose another";
    let mut refused = chosen_everywhere(world, "ana@example.com", BREACHED).await;
    refused.push(changed(world, &ana.session, BREACHED).await);
    refused.push(invited(world, &owner, BREACHED).await);
    for answer in refused {
        assert_eq!(why(answer), told);
    }
    invited(world, &owner, FINE).await.is(200);
    // It is asked of who chooses a password, and never of who has one.
    world.sign_in("ana@example.com", PASSWORD).await.is(200);
    changed(world, &ana.session, PASSWORD).await.refused(422, "unprocessable");
    changed(world, &ana.session, FINE).await.is(200);
    world.sign_in("ana@example.com", FINE).await.is(200);
}

async fn a_password_of_the_list_is_refused_wherever_one_is_chosen(on: TestEngine) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("breached.txt");
    std::fs::write(&path, list(&[BREACHED, PASSWORD])).unwrap();
    let world = World::begin_with(on, &[("SINETE_PASSWORDS_BREACHED_FILE", path.to_str().unwrap())]).await;
    breached_are_refused(&world).await;
    world.end().await;
}

async fn a_password_the_service_knows_is_refused_wherever_one_is_chosen(on: TestEngine) {
    let service = BreachedPasswordServer::knowing(&[BREACHED, PASSWORD]).await;
    let world = World::begin_with(on, &[("SINETE_PASSWORDS_BREACHED_SERVICE", &service.address)]).await;
    breached_are_refused(&world).await;
    let asked = service.asked();
    assert!(!asked.is_empty() && asked.iter().all(|path| path.len() == "/range/".len() + 5), "{asked:?}");
    // Signing in asks nobody.
    world.sign_in("ana@example.com", FINE).await.is(200);
    assert_eq!(service.asked(), asked);
    // Where the service is gone, passwords are chosen without it.
    drop(service);
    let walk = world.flow(json!({"kind": "sign_up"})).await;
    walk.tries("details", json!({"email": "late@example.com", "password": BREACHED})).await.is(200);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_of_the_list_is_refused_wherever_one_is_chosen_on_sqlite() {
    a_password_of_the_list_is_refused_wherever_one_is_chosen(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_of_the_list_is_refused_wherever_one_is_chosen_on_postgresql() {
    a_password_of_the_list_is_refused_wherever_one_is_chosen(TestEngine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_the_service_knows_is_refused_wherever_one_is_chosen_on_sqlite() {
    a_password_the_service_knows_is_refused_wherever_one_is_chosen(TestEngine::Sqlite).await;
}
