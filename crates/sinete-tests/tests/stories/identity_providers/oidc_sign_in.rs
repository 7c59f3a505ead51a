//! Sign-in through an OpenID Provider, in a browser and in a program.

use crate::both_engines;
use crate::harness::flow_client::FlowClient;
use crate::harness::oidc_provider::{CLIENT_ID, TestOidcProvider, provider_user};
use crate::harness::world::World;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The return URL of a program.
const WAITS: &str = "http://127.0.0.1:49152/back";

/// Starts single sign-on for this address in a program.
pub(in crate::stories) async fn departs<'w>(world: &'w World, email: &str) -> FlowClient<'w> {
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("single_sign_on", json!({"email": email, "return_to": WAITS})).await.assert_status(200);
    assert_eq!(walk.stage(), "at_provider");
    walk
}

/// Completes the sign-in at the provider, and returns the response as the program receives it.
pub(in crate::stories) async fn fetched(
    world: &World,
    provider: &TestOidcProvider,
    walk: &FlowClient<'_>,
) -> Value {
    let back = provider.follow_authorization(world, walk.last.body["go_to"].as_str().unwrap()).await;
    let answer = world.get(&back).await;
    assert_eq!(answer.status(), 303, "{back}");
    let location = url::Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    assert_eq!(format!("{}{}", location.origin().ascii_serialization(), location.path()), WAITS);
    assert!(!answer.headers().contains_key("set-cookie"), "no user is signed in in that browser");
    let mut query_params: serde_json::Map<String, Value> =
        location.query_pairs().map(|(name, value)| (name.into_owned(), json!(value))).collect();
    assert_eq!(query_params.remove("flow").unwrap(), walk.id.as_str());
    Value::Object(query_params)
}

/// Signs in for this address and returns the response.
pub(in crate::stories) async fn signs_in<'w>(
    world: &'w World,
    provider: &TestOidcProvider,
    email: &str,
) -> (FlowClient<'w>, crate::harness::api_caller::ApiResponse) {
    let mut walk = departs(world, email).await;
    let body = fetched(world, provider, &walk).await;
    let reply = walk.submit("provider_answer", body).await;
    (walk, reply)
}

/// The account of a session, as the account API shows it.
pub(in crate::stories) async fn oneself(world: &World, session: &str) -> Value {
    let request =
        world.http.get(world.public_url("/account")).header("authorization", format!("Session {session}"));
    request.send().await.unwrap().json().await.unwrap()
}

both_engines!(
    upstream_oidc_sign_in_works_from_a_program,
    single_sign_on_discovery_by_domain_reveals_no_account,
    upstream_oidc_callback_in_a_browser_needs_its_own_cookies,
    upstream_oidc_callback_that_is_forged_changes_no_flow,
    upstream_oidc_callback_belongs_to_one_flow_step_and_is_accepted_once,
    connection_disabled_or_organization_suspended_refuses_a_sign_in_in_progress,
    upstream_oidc_client_authenticates_with_private_key_jwt,
    sign_in_page_suggests_single_sign_on_after_a_wrong_password_for_any_address
);

async fn sign_in_page_suggests_single_sign_on_after_a_wrong_password_for_any_address(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let hint = "id=\"provider-instead\"";
    let fails = async |email: &'static str| {
        let mut reader = world.create_page_browser("en");
        let page = reader.open_page("/sign-in").await;
        assert!(page.contains("id=\"sign-in-submit\"") && !page.contains(hint), "{page}");
        let fields = [("identifier", email), ("password", "not the password"), ("action", "password")];
        reader.submit_form(&page, "sign-in-submit", &fields).await.1
    };
    // Without a connection there is nothing to point to.
    assert!(!fails("ana@acme.example").await.contains(hint));
    world.create_oidc_provider().await.create_connection(&owner, "acme.example").await;
    world.sign_up_user("bia@elsewhere.example").await;
    for email in ["ana@acme.example", "nob@elsewhere.example", "bia@elsewhere.example"] {
        let after = fails(email).await;
        assert!(after.contains("id=\"trouble\"") && after.contains(hint), "{email}: {after}");
    }
}

async fn upstream_oidc_sign_in_works_from_a_program(world: &World) {
    let acme = world.create_organization("acme").await;
    let provider = world.create_oidc_provider().await;
    let owner = world.create_owner(&acme).await;
    let before = world.start_flow(json!({"kind": "sign_in"})).await;
    let names = |walk: &FlowClient<'_>| {
        walk.last.body["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(!names(&before).contains(&"single_sign_on".to_owned()), "no identity provider is connected yet");
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let (walk, reply) = signs_in(world, &provider, "ana@acme.example").await;
    let reply = reply.assert_status(200);
    assert_eq!(walk.stage(), "signed_in");
    let session = reply.text_member("session_token");
    let account = oneself(world, &session).await;
    assert_eq!(account["session"]["amr"], json!(["fed"]), "{account}");
    let form = provider.take_token_requests().remove(0);
    assert_eq!((&*form["client_id"], &*form["grant_type"]), (CLIENT_ID, "authorization_code"));
    assert!(form["redirect_uri"].contains("/sign-in/provider/") && form["code_verifier"].len() == 43);
    // The same subject is the same account, whatever its address is now.
    provider.set_user(provider_user("ana-7", "ana.maria@elsewhere.example"));
    let (_, second_response) = signs_in(world, &provider, "anybody@acme.example").await;
    let second_account =
        oneself(world, &second_response.assert_status(200).text_member("session_token")).await;
    assert_eq!(second_account["id"], account["id"]);
    assert_eq!(world.count_events("account.created").await, 1);
}

async fn single_sign_on_discovery_by_domain_reveals_no_account(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.assert_status(200);
    let mut shapes = Vec::new();
    for email in ["ana@acme.example", "nob@acme.example", "ANA@ACME.example"] {
        let walk = departs(world, email).await;
        let mut shape = walk.last.body.clone();
        for random_member in ["id", "expires_at", "flow_token"] {
            shape.as_object_mut().unwrap().remove(random_member);
        }
        let text = shape.to_string().replace(&walk.id, "ID");
        let go_to = shape["go_to"].as_str().unwrap().to_owned();
        shapes.push((
            text.len() - go_to.len(),
            url::Url::parse(&go_to)
                .unwrap()
                .query_pairs()
                .map(|(name, _)| name.into_owned())
                .collect::<Vec<_>>(),
        ));
    }
    assert!(shapes.windows(2).all(|two| two[0] == two[1]), "{shapes:?}");
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    for body in [
        json!({"email": "ana@mail.acme.example", "return_to": WAITS}),
        json!({"email": "ana@elsewhere.example", "return_to": WAITS}),
        json!({"email": "nobody", "return_to": WAITS}),
        json!({"connection": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071", "return_to": WAITS}),
        json!({"return_to": WAITS}),
        json!({"email": "ana@acme.example"}),
        json!({"email": "ana@acme.example", "return_to": "https://evil.example/"}),
        json!({"email": "ana@acme.example", "return_to": "http://127.0.0.1@evil.example/"}),
    ] {
        walk.try_submit("single_sign_on", body.clone()).await.assert_status(422);
    }
    // A domain that is no longer verified starts no single sign-on, nor does a disabled connection.
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    let mut version = created["version"].as_i64().unwrap();
    owner.patch(&path, version, json!({"enabled": false})).await.assert_status(200);
    walk.try_submit("single_sign_on", json!({"email": "ana@acme.example", "return_to": WAITS}))
        .await
        .assert_status(422);
    version += 1;
    owner.patch(&path, version, json!({"enabled": true})).await.assert_status(200);
    walk.try_submit("single_sign_on", json!({"email": "ana@acme.example", "return_to": WAITS}))
        .await
        .assert_status(200);
    let walk = world.start_flow(json!({"kind": "sign_in"})).await;
    owner.delete(&acme.path("/domains/acme.example"), None).await.assert_status(204);
    walk.try_submit("single_sign_on", json!({"email": "ana@acme.example", "return_to": WAITS}))
        .await
        .assert_status(422);
}

async fn upstream_oidc_callback_in_a_browser_needs_its_own_cookies(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.try_submit("single_sign_on", json!({"email": "ana@acme.example", "return_to": WAITS}))
        .await
        .assert_status(422);
    walk.submit("single_sign_on", json!({"email": "ana@acme.example"})).await.assert_status(200);
    let back = provider.follow_authorization(world, walk.last.body["go_to"].as_str().unwrap()).await;
    let with = async |back: &str, cookies: &str| {
        world.http.get(world.public_url(back)).header("cookie", cookies).send().await.unwrap()
    };
    // A link that an attacker started signs no user in: neither without cookies nor with those of another flow.
    let elsewhere = with(&back, "").await;
    assert_eq!(elsewhere.status(), 400);
    let other = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    let format_cookies = |walk: &FlowClient<'_>| {
        walk.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    };
    let answer = with(&back, &format_cookies(&other)).await;
    assert!(
        answer.status().is_client_error() && !answer.headers().contains_key("set-cookie"),
        "{}",
        answer.status()
    );
    let answer = with(&back, &format_cookies(&walk)).await;
    assert_eq!(answer.status(), 303);
    let set: Vec<_> =
        answer.headers().get_all("set-cookie").iter().map(|it| it.to_str().unwrap().to_owned()).collect();
    assert!(set.iter().any(|line| line.starts_with("sinete_session=")), "{set:?}");
    let repeated_response = with(&back, &format_cookies(&walk)).await;
    assert!(
        repeated_response.status().is_client_error(),
        "a response is accepted once: {}",
        repeated_response.status()
    );
}

async fn upstream_oidc_callback_that_is_forged_changes_no_flow(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    walk.submit("single_sign_on", json!({"email": "ana@acme.example"})).await.assert_status(200);
    let go_to = walk.last.body["go_to"].clone();
    let back = provider.follow_authorization(world, go_to.as_str().unwrap()).await;
    let cookie_header =
        walk.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
    let request_callback = async |back: &str| {
        world.http.get(world.public_url(back)).header("cookie", &cookie_header).send().await.unwrap()
    };
    // An attacker who knows the flow opens its callback before the browser returns.
    let (path, query) = back.split_once('?').unwrap();
    let state = url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "state")
        .unwrap()
        .1
        .into_owned();
    let forged = format!("{}{}", &state[..22], "A".repeat(state.len() - 22));
    assert_ne!(forged, state);
    for query in [
        format!("state={forged}&code=mallory"),
        format!("state={forged}&error=access_denied"),
        format!("state={}&code=mallory", &state[..state.len() - 4]),
        "code=mallory".to_owned(),
    ] {
        let answer = request_callback(&format!("{path}?{query}")).await;
        assert_eq!(answer.status(), 400, "{query}");
        assert!(!answer.headers().contains_key("set-cookie") && !answer.headers().contains_key("location"));
    }
    assert!(provider.take_token_requests().is_empty(), "the provider received no token request");
    assert_eq!(walk.read_flow().await.assert_status(200).body["go_to"], go_to, "the flow is unchanged");
    assert_eq!(request_callback(&back).await.status(), 303);
    assert_eq!(world.count_events("session.started").await, 1);
    // A browser is redirected to the return URL of a program only by a response for it.
    let program = departs(world, "ana@acme.example").await;
    let back = provider.follow_authorization(world, program.last.body["go_to"].as_str().unwrap()).await;
    let state = url::form_urlencoded::parse(back.split_once('?').unwrap().1.as_bytes())
        .find(|(name, _)| name == "state")
        .unwrap()
        .1
        .into_owned();
    let made_up = back.replace(&state, &format!("{}{}", &state[..22], "A".repeat(state.len() - 22)));
    assert_ne!(made_up, back);
    let answer = world.get(&made_up).await;
    assert!(answer.status() == 400 && !answer.headers().contains_key("location"), "{}", answer.status());
    assert_eq!(world.get(&back).await.status(), 303);
}

async fn upstream_oidc_callback_belongs_to_one_flow_step_and_is_accepted_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let mut first = departs(world, "ana@acme.example").await;
    let second = departs(world, "ana@acme.example").await;
    let body = fetched(world, &provider, &first).await;
    second.try_submit("provider_answer", body.clone()).await.assert_status(422);
    let mut altered = body.clone();
    altered["state"] = json!("AAAA");
    first.try_submit("provider_answer", altered).await.assert_status(422);
    // A restarted flow has another state: the earlier response is not accepted.
    first.submit("restart", json!({})).await.assert_status(200);
    first
        .submit("single_sign_on", json!({"email": "ana@acme.example", "return_to": WAITS}))
        .await
        .assert_status(200);
    first.try_submit("provider_answer", body).await.assert_status(422);
    assert!(provider.take_token_requests().is_empty(), "the provider received no token request");
    // A code of another request is redeemed with another verifier and refused.
    let mine = fetched(world, &provider, &first).await;
    let theirs = fetched(world, &provider, &second).await;
    let mut injected = mine.clone();
    injected["code"] = theirs["code"].clone();
    first.try_submit("provider_answer", injected).await.assert_status(422);
    let mine = fetched(world, &provider, &first).await;
    first.submit("provider_answer", mine.clone()).await.assert_status(200);
    first.try_submit("provider_answer", mine).await.assert_status(409);
    assert_eq!(world.count_events("session.started").await, 1);
}

async fn connection_disabled_or_organization_suspended_refuses_a_sign_in_in_progress(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    let walk = departs(world, "ana@acme.example").await;
    let body = fetched(world, &provider, &walk).await;
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"enabled": false})).await.assert_status(200);
    walk.try_submit("provider_answer", body.clone()).await.assert_status(422);
    owner.patch(&path, 2, json!({"enabled": true})).await.assert_status(200);
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "a story").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "a story"})).await.assert_status(200);
    walk.try_submit("provider_answer", body.clone()).await.assert_status(422);
    let fresh = world.start_flow(json!({"kind": "sign_in"})).await;
    fresh
        .try_submit("single_sign_on", json!({"email": "ana@acme.example", "return_to": WAITS}))
        .await
        .assert_status(422);
    operator.post(&acme.path("/restore"), json!({"reason": "a story"})).await.assert_status(200);
    let mut walk = walk;
    walk.submit("provider_answer", body).await.assert_status(200);
    assert_eq!(world.count_events("account.created").await, 1);
}

async fn upstream_oidc_client_authenticates_with_private_key_jwt(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let path = acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    owner.patch(&path, 1, json!({"authentication": "private_key"})).await.assert_status(200);
    provider.set_user(provider_user("ana-7", "ana@acme.example"));
    signs_in(world, &provider, "ana@acme.example").await.1.assert_status(200);
    let form = provider.take_token_requests().remove(0);
    assert!(!form.contains_key("client_secret"));
    let claims = world.verify_signed(
        &form["client_assertion"],
        sinete_core::platform::signing_keys::SigningAlgorithm::Rs256,
    );
    assert_eq!((&claims["iss"], &claims["sub"]), (&json!(CLIENT_ID), &json!(CLIENT_ID)));
    assert_eq!(claims["aud"], format!("{}/token", provider.issuer));
}
