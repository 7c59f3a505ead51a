//! Failed back-channel logout is retried from the outbox, by any node.

use super::logout::eventually;
use crate::both_engines;
use crate::harness::grants::{GrantRequest, TestGrant};
use crate::harness::http_receiver::HttpReceiver;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::limits::{
    BACKCHANNEL_LOGOUT_CLAIM, BACKCHANNEL_LOGOUT_CLIENTS_MAX, BACKCHANNEL_LOGOUT_RETRY,
    BACKCHANNEL_LOGOUT_RETRY_LIFETIME,
};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_engine::sign_in::backchannel_logout;
use sinete_store::events::security_log;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::sign_in::logout_deliveries;
use sinete_store::sign_in::logout_deliveries::DeliverySchedule;
use sinete_store::sign_in::sessions;

async fn told_at<'w>(world: &'w World, receiver: &HttpReceiver) -> OAuthApplication<'w> {
    let metadata = json!({"consent": "implied", "backchannel_logout_uri": receiver.address});
    world.create_application(ClientOrigin::Operator, metadata).await
}

/// A session with a grant to this application.
async fn session<'w>(world: &'w World, app: &OAuthApplication<'_>) -> TestGrant<'w> {
    let acme = world.create_organization("acme").await;
    let ana = world.create_member(&acme, &["member"]).await;
    world.create_grant(&acme, ana, &app.id, GrantRequest::for_scope("openid")).await
}

/// Ends the session over the API, which waits for the notifications.
async fn signs_out(world: &World, granted: &TestGrant<'_>) {
    let request = world.http.post(world.public_url("/connect/logout"));
    let request = request.header("authorization", format!("Session {}", granted.session.token));
    assert_eq!(request.header("accept", "application/json").send().await.unwrap().status(), 204);
}

async fn retries(world: &World) -> usize {
    backchannel_logout::retry_due(world.server.engine()).await.unwrap()
}

async fn queued(world: &World, granted: &TestGrant<'_>) -> usize {
    let store = world.server.engine().store();
    logout_deliveries::list_session_logout_deliveries(store, granted.session.id).await.unwrap().len()
}

/// Whether each `logout.not_delivered` event says that there will be a retry.
async fn retried(world: &World) -> Vec<bool> {
    let log = security_log::list_events(world.server.engine().store(), None, 10_000).await.unwrap();
    let failed = log.iter().filter(|it| it.event.kind == "logout.not_delivered");
    failed
        .map(|it| serde_json::from_str::<Value>(&it.event.detail).unwrap()["retried"].as_bool().unwrap())
        .collect()
}

both_engines!(
    backchannel_logout_is_retried_once_for_an_unreachable_client,
    backchannel_logout_is_not_sent_to_a_disabled_or_removed_client,
    backchannel_logout_of_a_dead_node_is_sent_by_another,
    backchannel_logout_is_dropped_after_a_day
);

async fn backchannel_logout_is_retried_once_for_an_unreachable_client(world: &World) {
    let (down, well) = (HttpReceiver::with_status(503).await, HttpReceiver::with_status(200).await);
    let (app, other) = (told_at(world, &down).await, told_at(world, &well).await);
    let granted = session(world, &app).await;
    let acme = world.find_organization("acme").await;
    world
        .create_grant_in_session(
            &granted.session,
            &acme,
            granted.membership,
            &other.id,
            GrantRequest::for_scope("openid"),
        )
        .await;
    signs_out(world, &granted).await;
    assert_eq!((down.received_bodies().len(), well.received_bodies().len()), (1, 1), "during the sign-out");
    assert_eq!((queued(world, &granted).await, retried(world).await), (1, vec![true]));
    assert_eq!(retries(world).await, 0, "not before the next retry");
    world.clock.advance(BACKCHANNEL_LOGOUT_RETRY);
    assert_eq!((retries(world).await, retries(world).await), (1, 0));
    assert_eq!(down.received_bodies().len(), 2);
    world.clock.advance(BACKCHANNEL_LOGOUT_RETRY);
    assert_eq!(retries(world).await, 0, "the second interval is twice as long");
    down.set_status(204);
    world.clock.advance(BACKCHANNEL_LOGOUT_RETRY);
    assert_eq!(retries(world).await, 1);
    let message = down.received_bodies().pop().unwrap();
    let claims = world.verify_token(JwtType::Logout, message.strip_prefix("logout_token=").unwrap());
    assert_eq!((&claims["sid"], &claims["aud"]), (&json!(granted.session.id), &json!(app.id)));
    let now = world.server.engine().now().seconds();
    assert_eq!(claims["iat"], now, "each attempt has a new token");
    world.clock.advance(Lifetime::from_hours(2));
    assert_eq!((retries(world).await, queued(world, &granted).await), (0, 0));
    assert_eq!(
        (down.received_bodies().len(), well.received_bodies().len()),
        (3, 1),
        "a client that accepted it is not notified again"
    );
    assert_eq!(retried(world).await.len(), 1);
}

async fn backchannel_logout_is_not_sent_to_a_disabled_or_removed_client(world: &World) {
    let (gone, well, late) = (
        HttpReceiver::with_status(200).await,
        HttpReceiver::with_status(200).await,
        HttpReceiver::with_status(503).await,
    );
    let (disabled, removed) = (told_at(world, &gone).await, told_at(world, &gone).await);
    let (enabled, failing) = (told_at(world, &well).await, told_at(world, &late).await);
    let granted = session(world, &disabled).await;
    let acme = world.find_organization("acme").await;
    for app in [&removed, &enabled, &failing] {
        world
            .create_grant_in_session(
                &granted.session,
                &acme,
                granted.membership,
                &app.id,
                GrantRequest::for_scope("openid"),
            )
            .await;
    }
    let now = world.server.engine().now();
    let becomes =
        |app: &OAuthApplication<'_>, condition| clients::change_client_condition(&app.id, 1, condition, now);
    world
        .apply_statements([
            becomes(&disabled, LifecycleCondition::Suspended),
            becomes(&removed, LifecycleCondition::Ended),
        ])
        .await;
    signs_out(world, &granted).await;
    assert_eq!(
        (gone.received_bodies().len(), well.received_bodies().len(), late.received_bodies().len()),
        (0, 1, 1)
    );
    assert_eq!(queued(world, &granted).await, 1, "only the failed notification is retried");
    // A client that was disabled between two attempts is not notified either.
    world.apply_statements([becomes(&failing, LifecycleCondition::Suspended)]).await;
    world.clock.advance(BACKCHANNEL_LOGOUT_RETRY);
    assert_eq!((retries(world).await, late.received_bodies().len()), (1, 1));
    assert_eq!((queued(world, &granted).await, retried(world).await), (0, vec![true]));
}

async fn backchannel_logout_of_a_dead_node_is_sent_by_another(world: &World) {
    let receiver = HttpReceiver::with_status(200).await;
    let app = told_at(world, &receiver).await;
    let granted = session(world, &app).await;
    let now = world.server.engine().now();
    // The write batch of a node that stops before it notifies any client.
    let schedule = DeliverySchedule {
        due_at: now.plus(BACKCHANNEL_LOGOUT_CLAIM),
        expires_at: now.plus(BACKCHANNEL_LOGOUT_RETRY_LIFETIME),
    };
    let queue = || {
        logout_deliveries::queue_logout_deliveries(
            granted.session.id,
            schedule,
            BACKCHANNEL_LOGOUT_CLIENTS_MAX,
        )
    };
    let end = sessions::end_session(granted.session.account, granted.session.id, now);
    world.apply_statements([end, queue(), queue()]).await;
    assert_eq!(
        (retries(world).await, queued(world, &granted).await),
        (0, 1),
        "the first node may still be sending"
    );
    world.clock.advance(BACKCHANNEL_LOGOUT_CLAIM);
    let (one, two, three) = tokio::join!(retries(world), retries(world), retries(world));
    assert_eq!((one + two + three, receiver.received_bodies().len()), (1, 1), "one node takes over");
    assert_eq!(queued(world, &granted).await, 0);
}

async fn backchannel_logout_is_dropped_after_a_day(world: &World) {
    let deaf = HttpReceiver::with_status(500).await;
    let (app, silent) = (
        told_at(world, &deaf).await,
        world.create_application(ClientOrigin::Operator, json!({"consent": "implied"})).await,
    );
    let granted = session(world, &app).await;
    let acme = world.find_organization("acme").await;
    world
        .create_grant_in_session(
            &granted.session,
            &acme,
            granted.membership,
            &silent.id,
            GrantRequest::for_scope("openid"),
        )
        .await;
    signs_out(world, &granted).await;
    assert_eq!(queued(world, &granted).await, 1, "a client without a logout URI is not queued");
    for _ in 0..60 {
        world.clock.advance(Lifetime::from_minutes(30));
        retries(world).await;
    }
    assert_eq!((queued(world, &granted).await, retried(world).await), (0, vec![true, false]));
    let request_count = deaf.received_bodies().len();
    assert!((10..60).contains(&request_count), "{request_count} attempts");
    world.clock.advance(Lifetime::from_days(2));
    eventually(async || retries(world).await == 0).await;
    assert_eq!(deaf.received_bodies().len(), request_count);
}
