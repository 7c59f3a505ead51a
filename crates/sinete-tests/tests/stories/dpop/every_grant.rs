//! Whatever a token is given for, a proof binds it.

use crate::both_engines;
use crate::harness::application::OAuthApplication;
use crate::harness::approvals::CIBA_GRANT;
use crate::harness::devices::DEVICE_GRANT;
use crate::harness::token_endpoint::{TestClientAuth, TokenClient};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::secret::{BackchannelRequest, DeviceCode, Secret};
use sinete_core::time::Lifetime;
use sinete_store::clients::ClientOrigin;

fn at_token_endpoint<'w>(app: &OAuthApplication<'w>) -> TokenClient<'w> {
    let proof = app.secret.clone().map_or(TestClientAuth::Nothing, TestClientAuth::Basic);
    TokenClient { world: app.world, id: app.id.to_string(), proof }
}

both_engines!(
    devices_agents_machines_and_keys_get_bound_tokens,
    a_proof_beside_a_request_that_never_was_is_not_remembered_and_beside_one_that_is_counts_once,
    whoever_asks_too_often_or_for_nothing_leaves_no_proof_behind,
    what_clients_say_about_themselves_says_whether_their_tokens_are_bound
);

async fn devices_agents_machines_and_keys_get_bound_tokens(world: &World) {
    let books = world.books().await;
    let holder = world.key_holder();
    let clerk = books.person("clerk").await;
    let browser = world.browser_of(&books.tenant, clerk).await;

    let service = books.service("clerk", "invoices:read").await;
    service.ask_holding(&holder, &[("grant_type", "client_credentials")]).await.bound_to(&holder);

    let tv = world
        .device(ClientOrigin::Operator, json!({"scope": "openid", "dpop_bound_access_tokens": true}))
        .await;
    let waiting = tv.allowed_by(&browser.token, &[("scope", "openid")]).await;
    let asked = [("grant_type", DEVICE_GRANT), ("device_code", waiting.device_code.as_str())];
    let at_device = at_token_endpoint(&tv);
    at_device.ask(&asked).await.refused("invalid_request");
    at_device.ask_holding(&holder, &asked).await.bound_to(&holder);

    let agent = world.agent(ClientOrigin::Operator, json!({"dpop_bound_access_tokens": true})).await;
    let ana = world.signs_in_strongly(browser.account).await;
    let subject = ana.get("/account/memberships").await.body["items"][0]["id"].as_str().unwrap().to_owned();
    let request = agent.waits_for(&subject, &[]).await;
    ana.approves().await;
    let asked = [("grant_type", CIBA_GRANT), ("auth_req_id", request.as_str())];
    let asking = at_token_endpoint(&agent);
    asking.ask(&asked).await.refused("invalid_request");
    asking.ask_holding(&holder, &asked).await.bound_to(&holder);

    let key = world.key(&books.tenant, clerk, "invoices:read").await;
    let exchange = [
        ("grant_type", "token-exchange"),
        ("subject_token", key.secret.as_str()),
        ("scope", "invoices:read"),
        ("subject_token_type", sinete_core::grant::token_exchange::API_KEY_TYPE),
    ];
    service.ask_holding(&holder, &exchange).await.bound_to(&holder);
}

async fn a_proof_beside_a_request_that_never_was_is_not_remembered_and_beside_one_that_is_counts_once(
    world: &World,
) {
    let (engine, holder) = (world.server.engine(), world.key_holder());
    let later = engine.now().plus(Lifetime::from_days(1));
    let is_any =
        async || sinete_store::assertion_replays::is_any_forgotten(engine.store(), later).await.unwrap();
    let (tv, agent) = (
        world.device(ClientOrigin::Operator, json!({"scope": "openid"})).await,
        world.agent(ClientOrigin::Operator, json!({})).await,
    );
    let (at_device, asking) = (at_token_endpoint(&tv), at_token_endpoint(&agent));
    let made_up = [
        Secret::<DeviceCode>::mint(engine.entropy()).reveal(),
        Secret::<BackchannelRequest>::mint(engine.entropy()).reveal(),
    ];
    let proofs = [(); 2].map(|()| holder.proof("POST", "/connect/token"));
    for (shown, request) in [(made_up[0].as_str(), made_up[1].as_str()), ("made-up", "made-up")] {
        for _ in 0..2 {
            at_device
                .ask_beside(&proofs[..1], &[("grant_type", DEVICE_GRANT), ("device_code", shown)])
                .await
                .refused("invalid_grant");
            asking
                .ask_beside(&proofs[1..], &[("grant_type", CIBA_GRANT), ("auth_req_id", request)])
                .await
                .refused("invalid_grant");
        }
    }
    assert!(!is_any().await);
    // What is there is asked about with the same proof once.
    let waiting = tv.waits(&[("scope", "openid")]).await;
    let asked = [("grant_type", DEVICE_GRANT), ("device_code", waiting.device_code.as_str())];
    at_device.ask_beside(&proofs[..1], &asked).await.refused("authorization_pending");
    assert!(is_any().await);
    world.clock.pass(Lifetime::from_seconds(5));
    at_device.ask_beside(&proofs[..1], &asked).await.refused("invalid_dpop_proof");
}

async fn whoever_asks_too_often_or_for_nothing_leaves_no_proof_behind(world: &World) {
    let books = world.books().await;
    let browser = world.browser_of(&books.tenant, books.person("clerk").await).await;
    let holder = world.key_holder();
    let kept = async || world.dump().await["assertion_replays"].len();
    let metadata = || json!({"scope": "openid"});
    let (tv, radio) = (
        world.device(ClientOrigin::Operator, metadata()).await,
        world.device(ClientOrigin::Operator, metadata()).await,
    );
    let (at_device, elsewhere) = (at_token_endpoint(&tv), at_token_endpoint(&radio));
    let waiting = tv.waits(&[("scope", "openid")]).await;
    let asked = [("grant_type", DEVICE_GRANT), ("device_code", waiting.device_code.as_str())];
    at_device.ask_holding(&holder, &asked).await.refused("authorization_pending");
    assert_eq!(kept().await, 1);
    for _ in 0..15 {
        at_device.ask_holding(&holder, &asked).await.refused("slow_down");
    }
    elsewhere.ask_holding(&holder, &asked).await.refused("invalid_grant");
    assert_eq!(kept().await, 1, "only of the question that came in time");
    // Of those who ask in time at the same moment one does.
    world.clock.pass(Lifetime::from_seconds(60));
    let asks = || at_device.ask_holding(&holder, &asked);
    tokio::join!(asks(), asks(), asks(), asks(), asks(), asks());
    assert_eq!(kept().await, 2);
    // What is handed over takes its proof, and nothing is left of whoever shows it again, or comes too late.
    let allowed = tv.allowed_by(&browser.token, &[("scope", "openid")]).await;
    let asked = [("grant_type", DEVICE_GRANT), ("device_code", allowed.device_code.as_str())];
    let proof = [holder.proof("POST", "/connect/token")];
    at_device.ask_beside(&proof, &asked).await.bound_to(&holder);
    assert_eq!(kept().await, 3);
    at_device.ask_holding(&holder, &asked).await.refused("invalid_grant");
    // It was spent by that: nothing else is handed over for it, and what it was shown for is there still.
    let again = tv.allowed_by(&browser.token, &[("scope", "openid")]).await;
    let asked = [("grant_type", DEVICE_GRANT), ("device_code", again.device_code.as_str())];
    at_device.ask_beside(&proof, &asked).await.refused("invalid_dpop_proof");
    at_device.ask_holding(&holder, &asked).await.bound_to(&holder);
    world.clock.pass(Lifetime::from_hours(1));
    let asked = [("grant_type", DEVICE_GRANT), ("device_code", waiting.device_code.as_str())];
    at_device.ask_holding(&holder, &asked).await.refused("expired_token");
    assert_eq!(kept().await, 4);
    // The same of whoever waits for an approval.
    let agent = world.agent(ClientOrigin::Operator, json!({})).await;
    let ana = world.signs_in_strongly(browser.account).await;
    let subject = ana.get("/account/memberships").await.body["items"][0]["id"].as_str().unwrap().to_owned();
    let request = agent.waits_for(&subject, &[]).await;
    let (asking, asked) =
        (at_token_endpoint(&agent), [("grant_type", CIBA_GRANT), ("auth_req_id", request.as_str())]);
    asking.ask_holding(&holder, &asked).await.refused("authorization_pending");
    asking.ask_holding(&holder, &asked).await.refused("slow_down");
    assert_eq!(kept().await, 5);
    ana.approves().await;
    asking.ask_holding(&holder, &asked).await.bound_to(&holder);
    asking.ask_holding(&holder, &asked).await.refused("invalid_grant");
    assert_eq!(kept().await, 6);
}

async fn what_clients_say_about_themselves_says_whether_their_tokens_are_bound(world: &World) {
    let document =
        json!({"redirect_uris": ["https://app.example/callback"], "dpop_bound_access_tokens": true});
    let made = world.http.post(world.public("/connect/register")).json(&document).send().await.unwrap();
    assert_eq!(made.status(), 201);
    let made: serde_json::Value = made.json().await.unwrap();
    assert_eq!(made["dpop_bound_access_tokens"], true);
    let wrong = json!({"redirect_uris": ["https://app.example/callback"], "dpop_bound_access_tokens": "yes"});
    let refused = world.http.post(world.public("/connect/register")).json(&wrong).send().await.unwrap();
    assert_eq!(refused.status(), 400);

    let books = world.books().await;
    let app = books.app(json!({"dpop_bound_access_tokens": true})).await;
    let shown = books.owner.get(&books.tenant.path(&format!("/clients/{}", app.id))).await.is(200);
    assert_eq!(shown.body["metadata"]["dpop_bound_access_tokens"], true);

    let resource: serde_json::Value =
        world.get("/.well-known/oauth-protected-resource").await.json().await.unwrap();
    assert_eq!(resource["dpop_signing_alg_values_supported"], json!(["RS256", "PS256", "ES256", "EdDSA"]));
    assert_eq!(resource["dpop_bound_access_tokens_required"], false);
}
