//! Clients that are told to ask, once somebody answered.

use super::{ANA, scene};
use crate::both_engines;
use crate::harness::application::OAuthApplication;
use crate::harness::hooks::{ReceiverBehavior, WebhookReceiver};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_engine::approval::notices::{CibaNotificationRound, tell};
use sinete_store::clients::ClientOrigin;

const TOKEN: &str = "8d67dc78-7faa-4d41-aabd-67707b374255";

async fn told<'w>(world: &'w World, receiver: &WebhookReceiver) -> OAuthApplication<'w> {
    let metadata = json!({"backchannel_token_delivery_mode": "ping", "backchannel_client_notification_endpoint": receiver.address});
    world.agent(ClientOrigin::Operator, metadata).await
}

async fn round(world: &World) -> CibaNotificationRound {
    tell(world.server.engine()).await.unwrap()
}

both_engines!(
    a_client_is_told_with_its_own_token_and_fetches_what_came_of_it,
    a_client_that_is_away_is_told_later_and_one_that_refuses_is_not_told_again
);

async fn a_client_is_told_with_its_own_token_and_fetches_what_came_of_it(world: &World) {
    let (scene, receiver) = (scene(world).await, WebhookReceiver::start().await);
    let agent = told(world, &receiver).await;
    let (status, refused) = agent.asks_approval(&[("login_hint", ANA)]).await;
    assert_eq!(
        (status, &refused["error"]),
        (400, &json!("invalid_request")),
        "it says what it recognises it by"
    );
    let token = ("client_notification_token", TOKEN);
    let request = agent.waits_for(ANA, &[token]).await;
    assert_eq!(round(world).await, CibaNotificationRound::default(), "nobody answered");
    scene.ana.approves().await;
    assert_eq!(round(world).await.told, 1);
    let [hook] = &receiver.take()[..] else { panic!("told once") };
    assert_eq!(
        (hook.authorization.as_str(), hook.body()),
        (&*format!("Bearer {TOKEN}"), json!({"auth_req_id": request}))
    );
    agent.is_given(&request).await;
    assert_eq!(
        (round(world).await, receiver.take().len()),
        (CibaNotificationRound::default(), 0),
        "and not again"
    );
    // Who fetched before they were told is not told any more: fetching twice would end what came of it.
    let fetched = agent.waits_for(ANA, &[token]).await;
    scene.ana.approves().await;
    receiver.next([ReceiverBehavior::Answer(503)]);
    assert_eq!(round(world).await.postponed, 1);
    agent.is_given(&fetched).await;
    world.clock.pass(Lifetime::from_seconds(60));
    assert_eq!((round(world).await, receiver.take().len()), (CibaNotificationRound::default(), 1));
    // A no is told as well, with nothing more in it.
    let denied = agent.waits_for(ANA, &[token]).await;
    let path = scene.ana.newest_request().await;
    scene.ana.post(&format!("{path}/deny"), Value::Null).await.is(204);
    round(world).await;
    assert_eq!(receiver.take()[0].body(), json!({"auth_req_id": denied}));
    agent.is_refused(&denied, "access_denied").await;
}

async fn a_client_that_is_away_is_told_later_and_one_that_refuses_is_not_told_again(world: &World) {
    let (scene, receiver) = (scene(world).await, WebhookReceiver::start().await);
    let agent = told(world, &receiver).await;
    let token = ("client_notification_token", TOKEN);
    agent.waits_for(ANA, &[token]).await;
    scene.ana.approves().await;
    receiver.next([ReceiverBehavior::Answer(503)]);
    assert_eq!(
        (round(world).await.postponed, round(world).await),
        (1, CibaNotificationRound::default()),
        "not at once"
    );
    world.clock.pass(Lifetime::from_seconds(60));
    assert_eq!((round(world).await.told, receiver.take().len()), (1, 2));
    // Nobody is followed elsewhere with somebody's token.
    let elsewhere = WebhookReceiver::start().await;
    for answer in [ReceiverBehavior::Answer(401), ReceiverBehavior::Redirect(elsewhere.address.clone())] {
        agent.waits_for(ANA, &[token]).await;
        scene.ana.approves().await;
        receiver.next([answer]);
        assert_eq!(round(world).await.given_up, 1);
        world.clock.pass(Lifetime::from_minutes(1));
        assert_eq!(round(world).await, CibaNotificationRound::default());
    }
    assert!(elsewhere.take().is_empty());
    assert_eq!(world.logged("approval.notice_given_up").await, 2);
    // It is tried for as long as there is something to fetch.
    let request = agent.waits_for(ANA, &[token, ("requested_expiry", "30")]).await;
    scene.ana.approves().await;
    receiver.next((0..20).map(|_| ReceiverBehavior::Answer(500)));
    for _ in 0..8 {
        round(world).await;
        world.clock.pass(Lifetime::from_seconds(60));
    }
    assert_eq!(
        (round(world).await, world.logged("approval.notice_given_up").await),
        (CibaNotificationRound::default(), 3)
    );
    agent.is_refused(&request, "expired_token").await;
}
