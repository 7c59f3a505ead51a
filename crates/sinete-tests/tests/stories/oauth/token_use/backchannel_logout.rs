//! Back-channel logout of sessions that end without a logout request: every client with a grant in the session is
//! notified, and no other.

use super::logout::eventually;
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::grants::{GrantRequest, TestGrant};
use crate::harness::http_receiver::HttpReceiver;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::organizations::TestOrganization;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::MembershipId;
use sinete_core::limits::{ACCOUNT_SESSIONS_MAX, BACKCHANNEL_LOGOUT_CONCURRENT_MAX};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_engine::platform::background;
use sinete_store::events::security_log;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::sign_in::sessions;

/// An application with this back-channel logout URI.
async fn told_at<'w>(world: &'w World, receiver: &HttpReceiver) -> OAuthApplication<'w> {
    let metadata = json!({"consent": "implied", "backchannel_logout_uri": receiver.address});
    world.create_application(ClientOrigin::Operator, metadata).await
}

/// A new session of the member with a grant to this application.
async fn session<'w>(
    world: &'w World,
    acme: &TestOrganization,
    membership: MembershipId,
    app: &OAuthApplication<'_>,
) -> TestGrant<'w> {
    world.create_grant(acme, membership, &app.id, GrantRequest::for_scope("openid")).await
}

/// The subjects and sessions of the received logout tokens, sorted, once there are as many.
async fn heard(world: &World, receiver: &HttpReceiver, count: usize) -> Vec<(String, String)> {
    eventually(async || receiver.received_bodies().len() >= count).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let read = |body: &String| {
        let claims = world.verify_token(JwtType::Logout, body.strip_prefix("logout_token=").unwrap());
        (text(&claims["sub"]), text(&claims["sid"]))
    };
    let mut all: Vec<_> = receiver.received_bodies().iter().map(read).collect();
    all.sort();
    all
}

fn named(granted: &[&TestGrant<'_>]) -> Vec<(String, String)> {
    let mut all: Vec<_> =
        granted.iter().map(|it| (it.membership.to_string(), it.session.id.to_string())).collect();
    all.sort();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_waits_for_backchannel_logout() {
    let world = World::start(TestEngine::Sqlite).await;
    let slow = HttpReceiver::paused_with_status(200).await;
    {
        let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
        let ana = world.create_member(&acme, &["member"]).await;
        let app = told_at(&world, &slow).await;
        let granted = session(&world, &acme, ana, &app).await;
        operator
            .post(&format!("/manage/accounts/{}/disable", granted.session.account), json!(null))
            .await
            .assert_status(200);
    }
    eventually(async || slow.received_bodies().len() == 1).await;
    let (engine, public) = (world.server.engine().clone(), world.server.public);
    let ending = tokio::spawn(world.stop());
    eventually(async || tokio::net::TcpStream::connect(public).await.is_err()).await;
    // The server accepts no connections, and does not stop while a notification has no response.
    for _ in 0..50 {
        let is_over = ending.is_finished();
        assert!(!is_over || background::running_tasks(&engine) == 0);
        assert!(tokio::net::TcpStream::connect(public).await.is_err());
    }
    slow.release();
    ending.await.unwrap();
    assert_eq!(background::running_tasks(&engine), 0, "the task ends with the notification");
}

both_engines!(
    backchannel_logout_is_sent_when_an_account_is_disabled_or_deleted,
    backchannel_logout_of_all_sessions_runs_in_the_background,
    backchannel_logout_is_sent_for_a_replaced_session
);

async fn backchannel_logout_is_sent_when_an_account_is_disabled_or_deleted(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let (ana, bob) =
        (world.create_member(&acme, &["member"]).await, world.create_member(&acme, &["member"]).await);
    let (one, other) = (HttpReceiver::with_status(200).await, HttpReceiver::with_status(204).await);
    let (both, bobs) = (told_at(world, &one).await, told_at(world, &other).await);
    let (first, second) = (session(world, &acme, ana, &both).await, session(world, &acme, ana, &both).await);
    let third = session(world, &acme, bob, &both).await;
    let fourth = world
        .create_grant_in_session(&third.session, &acme, bob, &bobs.id, GrantRequest::for_scope("openid"))
        .await;

    let account = format!("/manage/accounts/{}", first.session.account);
    operator.post(&format!("{account}/disable"), json!(null)).await.assert_status(200);
    assert_eq!(heard(world, &one, 2).await, named(&[&first, &second]));
    // Disabling or enabling again ends nothing.
    operator.post(&format!("{account}/disable"), json!(null)).await.assert_status(200);
    operator.post(&format!("{account}/enable"), json!(null)).await.assert_status(200);

    let user = SignedInUser { world, account: third.session.account, token: third.session.token.clone() };
    user.delete("/account").await.assert_status(204);
    // A client without a grant in the first user's sessions is notified about the second user's only.
    assert_eq!(heard(world, &other, 1).await, named(&[&fourth]));
    assert_eq!(heard(world, &one, 3).await, named(&[&first, &second, &third]));
    assert_eq!(world.count_events("logout.not_delivered").await, 0);
}

async fn backchannel_logout_of_all_sessions_runs_in_the_background(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let (ana, bob) =
        (world.create_member(&acme, &["member"]).await, world.create_member(&acme, &["member"]).await);
    let (slow, quick, idle, deaf) = (
        HttpReceiver::paused_with_status(200).await,
        HttpReceiver::with_status(200).await,
        HttpReceiver::with_status(200).await,
        HttpReceiver::with_status(500).await,
    );
    let (all, bobs, deaf_one) =
        (told_at(world, &slow).await, told_at(world, &quick).await, told_at(world, &deaf).await);
    let unused = told_at(world, &idle).await;
    let (first, second) = (session(world, &acme, ana, &all).await, session(world, &acme, bob, &all).await);
    let third = world
        .create_grant_in_session(&second.session, &acme, bob, &bobs.id, GrantRequest::for_scope("openid"))
        .await;
    // One session ended before, and its client is not notified twice.
    let over = session(world, &acme, ana, &unused).await;
    let user = SignedInUser { world, account: over.session.account, token: over.session.token.clone() };
    user.delete(&format!("/account/sessions/{}", over.session.id)).await.assert_status(204);
    assert_eq!(heard(world, &idle, 1).await, named(&[&over]));
    world.clock.advance(Lifetime::from_seconds(1));

    operator.post("/manage/sessions/end-all", json!(null)).await.assert_status(204);
    assert_eq!(heard(world, &slow, 2).await, named(&[&first, &second]));
    slow.release();
    assert_eq!(heard(world, &quick, 1).await, named(&[&third]));

    // A client that cannot be reached is not contacted for each of very many sessions, and all failures are counted.
    let many = BACKCHANNEL_LOGOUT_CONCURRENT_MAX + 8;
    for number in 0..many {
        let member = if number % 2 == 0 { ana } else { bob };
        session(world, &acme, member, &deaf_one).await;
    }
    operator.post("/manage/sessions/end-all", json!(null)).await.assert_status(204);
    let not_told = async || {
        let log = security_log::list_events(world.server.engine().store(), None, 10_000).await.unwrap();
        let failed = log.iter().filter(|it| it.event.kind == "logout.not_delivered");
        let of_deaf = failed.filter(|it| it.event.client.as_deref() == Some(deaf_one.id.as_str()));
        let detail = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        of_deaf.map(|it| detail(&it.event.detail)["sessions"].as_u64().unwrap_or(1)).sum::<u64>()
    };
    eventually(async || not_told().await == many as u64).await;
    assert!(deaf.received_bodies().len() < many, "it was notified {} times", deaf.received_bodies().len());
    assert_eq!(idle.received_bodies().len(), 1, "a client without a session is not notified");
}

async fn backchannel_logout_is_sent_for_a_replaced_session(world: &World) {
    let acme = world.create_organization("acme").await;
    let (ana, bob) =
        (world.create_member(&acme, &["member"]).await, world.create_user("bob@example.com").await);
    let receiver = HttpReceiver::with_status(200).await;
    let app = told_at(world, &receiver).await;
    // Another user signs in in the same browser.
    let hers = session(world, &acme, ana, &app).await;
    let cookies = [("sinete_session".to_owned(), hers.session.token.clone())].into();
    let mut walk = world.start_browser_flow(json!({"kind": "sign_in"}), &cookies).await;
    walk.submit("password", json!({"email": "bob@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    assert_eq!(heard(world, &receiver, 1).await, named(&[&hers]));
    // One session more than allowed ends the one that was unused for longest.
    let joined = SignedInUser { world, account: bob.account, token: bob.session.clone() };
    let his = joined.join_organization(&acme, "member").await;
    world.apply_statements([sessions::end_account_sessions(bob.account, world.server.engine().now())]).await;
    let oldest = session(world, &acme, his, &app).await;
    world.clock.advance(Lifetime::from_seconds(1));
    for _ in 1..ACCOUNT_SESSIONS_MAX {
        world
            .create_session_token(
                bob.account,
                &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            )
            .await;
    }
    assert_eq!(receiver.received_bodies().len(), 1);
    world.sign_in_with_password("bob@example.com", PASSWORD).await.assert_status(200);
    assert_eq!(heard(world, &receiver, 2).await, named(&[&hers, &oldest]));
}
