//! Ping mode: the client is notified once the user has answered.

use super::{ANA, scene};
use crate::both_engines;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::webhook_receiver::{ReceiverBehavior, WebhookReceiver};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_engine::oauth::ciba::notifications::{CibaNotificationRound, send_due_notifications};
use sinete_store::oauth::clients::ClientOrigin;

const TOKEN: &str = "8d67dc78-7faa-4d41-aabd-67707b374255";

async fn told<'w>(world: &'w World, receiver: &WebhookReceiver) -> OAuthApplication<'w> {
    let metadata = json!({"backchannel_token_delivery_mode": "ping", "backchannel_client_notification_endpoint": receiver.address});
    world.create_ciba_client(ClientOrigin::Operator, metadata).await
}

async fn round(world: &World) -> CibaNotificationRound {
    send_due_notifications(world.server.engine()).await.unwrap()
}

both_engines!(
    ciba_ping_sends_the_notification_token_and_the_client_fetches_the_tokens,
    ciba_ping_is_retried_for_an_unreachable_client_and_not_after_a_refusal
);

async fn ciba_ping_sends_the_notification_token_and_the_client_fetches_the_tokens(world: &World) {
    let (scene, receiver) = (scene(world).await, WebhookReceiver::start().await);
    let agent = told(world, &receiver).await;
    let (status, refused) = agent.request_ciba(&[("login_hint", ANA)]).await;
    assert_eq!(
        (status, &refused["error"]),
        (400, &json!("invalid_request")),
        "the client must send client_notification_token"
    );
    let token = ("client_notification_token", TOKEN);
    let request = agent.start_ciba(ANA, &[token]).await;
    assert_eq!(round(world).await, CibaNotificationRound::default(), "the user has not answered");
    scene.ana.approve_ciba_request().await;
    assert_eq!(round(world).await.delivered, 1);
    let [hook] = &receiver.take_received()[..] else { panic!("one notification") };
    assert_eq!(
        (hook.authorization.as_str(), hook.body()),
        (&*format!("Bearer {TOKEN}"), json!({"auth_req_id": request}))
    );
    agent.redeem_ciba(&request).await;
    assert_eq!(
        (round(world).await, receiver.take_received().len()),
        (CibaNotificationRound::default(), 0),
        "no second notification"
    );
    // A client that polled before the notification gets none: a second poll would revoke the tokens.
    let fetched = agent.start_ciba(ANA, &[token]).await;
    scene.ana.approve_ciba_request().await;
    receiver.script_responses([ReceiverBehavior::Answer(503)]);
    assert_eq!(round(world).await.retried, 1);
    agent.redeem_ciba(&fetched).await;
    world.clock.advance(Lifetime::from_seconds(60));
    assert_eq!((round(world).await, receiver.take_received().len()), (CibaNotificationRound::default(), 1));
    // A denial is notified as well, with the same content.
    let denied = agent.start_ciba(ANA, &[token]).await;
    let path = scene.ana.newest_ciba_request().await;
    scene.ana.post(&format!("{path}/deny"), Value::Null).await.assert_status(204);
    round(world).await;
    assert_eq!(receiver.take_received()[0].body(), json!({"auth_req_id": denied}));
    agent.assert_ciba_poll_error(&denied, "access_denied").await;
}

async fn ciba_ping_is_retried_for_an_unreachable_client_and_not_after_a_refusal(world: &World) {
    let (scene, receiver) = (scene(world).await, WebhookReceiver::start().await);
    let agent = told(world, &receiver).await;
    let token = ("client_notification_token", TOKEN);
    agent.start_ciba(ANA, &[token]).await;
    scene.ana.approve_ciba_request().await;
    receiver.script_responses([ReceiverBehavior::Answer(503)]);
    assert_eq!(
        (round(world).await.retried, round(world).await),
        (1, CibaNotificationRound::default()),
        "the retry is not immediate"
    );
    world.clock.advance(Lifetime::from_seconds(60));
    assert_eq!((round(world).await.delivered, receiver.take_received().len()), (1, 2));
    // Redirects are not followed, because the request contains the client's token.
    let elsewhere = WebhookReceiver::start().await;
    for answer in [ReceiverBehavior::Answer(401), ReceiverBehavior::Redirect(elsewhere.address.clone())] {
        agent.start_ciba(ANA, &[token]).await;
        scene.ana.approve_ciba_request().await;
        receiver.script_responses([answer]);
        assert_eq!(round(world).await.abandoned, 1);
        world.clock.advance(Lifetime::from_minutes(1));
        assert_eq!(round(world).await, CibaNotificationRound::default());
    }
    assert!(elsewhere.take_received().is_empty());
    assert_eq!(world.count_events("approval.notice_given_up").await, 2);
    // The notification is retried as long as the tokens can be fetched.
    let request = agent.start_ciba(ANA, &[token, ("requested_expiry", "30")]).await;
    scene.ana.approve_ciba_request().await;
    receiver.script_responses((0..20).map(|_| ReceiverBehavior::Answer(500)));
    for _ in 0..8 {
        round(world).await;
        world.clock.advance(Lifetime::from_seconds(60));
    }
    assert_eq!(
        (round(world).await, world.count_events("approval.notice_given_up").await),
        (CibaNotificationRound::default(), 3)
    );
    agent.assert_ciba_poll_error(&request, "expired_token").await;
}
