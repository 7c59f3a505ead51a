//! Refused passwords: names of the account, organization and service, and, if configured, breached ones. They are
//! refused wherever a password is chosen, and never at sign-in.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiRequest, ApiResponse};
use crate::harness::breached_password_server::BreachedPasswordServer;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::sign_in::credentials::password::Password;
use sinete_crypto::sign_in::credentials::breached_password::fingerprint_password;
use sinete_store::{JsonDocument, organizations};
use std::collections::BTreeSet;

const BREACHED: &str = "the breach was elsewhere";
const FINE: &str = "nobody ever lost this one";

/// The reason in the response.
fn why(refused: ApiResponse) -> String {
    let refused = refused.assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers(), ["/password"]);
    refused.body["errors"][0]["detail"].as_str().unwrap().to_owned()
}

/// Tries a password wherever one can be chosen, by a new and by an existing user, and returns each response.
async fn chosen_everywhere(world: &World, email: &str, password: &str) -> Vec<ApiResponse> {
    let mut answers = Vec::new();
    let newcomer = format!("new-{email}");
    let walk = world.start_flow(json!({"kind": "sign_up"})).await;
    answers.push(walk.try_submit("details", json!({"email": newcomer, "password": password})).await);

    let mut reset = world.start_flow(json!({"kind": "reset_password"})).await;
    reset.submit("email", json!({"email": email})).await.assert_status(200);
    let code = world.emailed_code(email).await;
    reset.submit("code", json!({"code": code})).await.assert_status(200);
    answers.push(reset.try_submit("new_password", json!({"password": password})).await);
    answers
}

/// Tries it in the account API, for a user with the usual password.
async fn changed(world: &World, session: &str, password: &str) -> ApiResponse {
    let body = json!({"current_password": PASSWORD, "password": password});
    let headers = vec![("authorization", format!("Session {session}"))];
    let request = ApiRequest { headers, body: Some(body), ..ApiRequest::default() };
    world.send_request(reqwest::Method::POST, "/account/password", request).await
}

/// Tries a password in an invitation to the organization.
async fn invited(world: &World, owner: &ApiCaller<'_>, password: &str) -> ApiResponse {
    let email = format!("invited-{}@example.com", password.len());
    let response = owner.get(&owner.tenant.path("/roles")).await.assert_status(200);
    let roles = response.body["items"].as_array().unwrap();
    let role: Value = roles.iter().find(|role| role["name"] == "member").unwrap()["id"].clone();
    owner
        .post(&owner.tenant.path("/invitations"), json!({"email": email, "roles": [role]}))
        .await
        .assert_status(201);
    let text = world.newest_email_text(&email).await;
    let token = text.split_whitespace().find_map(|word| word.split("token=").nth(1)).unwrap().to_owned();
    let walk = world.start_flow(json!({"kind": "accept_invitation", "token": token})).await;
    walk.try_submit("details", json!({"password": password})).await
}

both_engines!(
    password_equal_to_a_service_or_organization_name_is_refused,
    breached_password_is_accepted_where_no_check_is_configured
);

async fn password_equal_to_a_service_or_organization_name_is_refused(world: &World) {
    let acme = world.create_organization("padaria-central-da-vila").await;
    let engine = world.server.engine();
    let organization =
        organizations::find_organization(engine.store(), acme.id, engine.now()).await.unwrap().unwrap();
    let settings = JsonDocument::from_value(&json!({"branding": {"name": "Pão Quente do Bairro"}})).unwrap();
    world
        .apply_statements([organizations::change_organization(
            acme.id,
            organization.version,
            "A Padaria da Vila Nova",
            &settings,
            engine.now(),
        )])
        .await;
    let owner = world.create_owner(&acme).await;
    let ana = world.create_user("ana-maria-de-souza@example.com").await;
    world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await
        .join_organization(&acme, "member")
        .await;
    let expected_reason = "your address or the name of this service or organization";
    for name in
        ["a padaria da vila nova", "APadariaDaVilaNova", "padaria-central-da-vila", "pão quente do bairro"]
    {
        let refused = changed(world, &ana.session, name).await;
        assert!(why(refused).contains(expected_reason), "{name}");
        assert!(why(invited(world, &owner, name).await).contains(expected_reason), "{name}");
    }
    // A user outside the organization may choose its name.
    let bob = world.create_user("bob@example.com").await;
    changed(world, &bob.session, "a padaria da vila nova").await.assert_status(200);
    // The address and the service's name are refused for every account.
    for name in
        ["ana-maria-de-souza", "Ana-Maria-De-Souza@Example.com", "sinetesinetesinete", "localhostlocalhost"]
    {
        assert!(why(changed(world, &ana.session, name).await).contains(expected_reason), "{name}");
    }
    let walk = world.start_flow(json!({"kind": "sign_up"})).await;
    for (email, password) in
        [("a-new-person-here@example.com", "a-new-person-here"), ("x@example.com", "HomeHomeHomeHome")]
    {
        let refused = walk.try_submit("details", json!({"email": email, "password": password})).await;
        assert!(why(refused).contains(expected_reason), "{password}");
    }
    changed(world, &ana.session, FINE).await.assert_status(200);
}

async fn breached_password_is_accepted_where_no_check_is_configured(world: &World) {
    world.create_user("ana@example.com").await;
    for answer in chosen_everywhere(world, "ana@example.com", BREACHED).await {
        answer.assert_status(200);
    }
}

/// A list with these passwords among others, sorted.
fn list(passwords: &[&str]) -> String {
    let others = (0..200).map(|number| format!("somebody's password {number}"));
    let all = passwords.iter().map(|it| (*it).to_owned()).chain(others);
    let lines = all.map(|password| {
        BreachedPasswordServer::sha1_hex(&fingerprint_password(&Password::from_submitted(&password).unwrap()))
    });
    lines.collect::<BTreeSet<_>>().into_iter().map(|digits| format!("{digits}:7\r\n")).collect()
}

/// A breached password is refused wherever it is chosen, and still signs in an account that has it.
async fn breached_are_refused(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let expected_reason = "the password is known from a breach elsewhere: choose another";
    let mut refused = chosen_everywhere(world, "ana@example.com", BREACHED).await;
    refused.push(changed(world, &ana.session, BREACHED).await);
    refused.push(invited(world, &owner, BREACHED).await);
    for answer in refused {
        assert_eq!(why(answer), expected_reason);
    }
    invited(world, &owner, FINE).await.assert_status(200);
    // The list is checked when a password is chosen, and never at sign-in.
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    changed(world, &ana.session, PASSWORD).await.assert_problem(422, "unprocessable");
    changed(world, &ana.session, FINE).await.assert_status(200);
    world.sign_in_with_password("ana@example.com", FINE).await.assert_status(200);
}

async fn breached_password_of_the_list_is_refused_everywhere(on: TestEngine) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("breached.txt");
    std::fs::write(&path, list(&[BREACHED, PASSWORD])).unwrap();
    let world =
        World::start_with_config(on, &[("SINETE_PASSWORDS_BREACHED_FILE", path.to_str().unwrap())]).await;
    breached_are_refused(&world).await;
    world.stop().await;
}

async fn breached_password_of_the_service_is_refused_everywhere(on: TestEngine) {
    let service = BreachedPasswordServer::with_passwords(&[BREACHED, PASSWORD]).await;
    let world =
        World::start_with_config(on, &[("SINETE_PASSWORDS_BREACHED_SERVICE", &service.address)]).await;
    breached_are_refused(&world).await;
    let requested_paths = service.requested_paths();
    assert!(
        !requested_paths.is_empty() && requested_paths.iter().all(|path| path.len() == "/range/".len() + 5),
        "{requested_paths:?}"
    );
    // Sign-in sends no request to the service.
    world.sign_in_with_password("ana@example.com", FINE).await.assert_status(200);
    assert_eq!(service.requested_paths(), requested_paths);
    // If the service is unreachable, passwords are accepted without it.
    drop(service);
    let walk = world.start_flow(json!({"kind": "sign_up"})).await;
    walk.try_submit("details", json!({"email": "late@example.com", "password": BREACHED}))
        .await
        .assert_status(200);
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breached_password_of_the_list_is_refused_everywhere_on_sqlite() {
    breached_password_of_the_list_is_refused_everywhere(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breached_password_of_the_list_is_refused_everywhere_on_postgres() {
    breached_password_of_the_list_is_refused_everywhere(TestEngine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breached_password_of_the_service_is_refused_everywhere_on_sqlite() {
    breached_password_of_the_service_is_refused_everywhere(TestEngine::Sqlite).await;
}
