//! Device authorizations and CIBA requests are decided once, redeemed once and notified once.

use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::contract::statements::{Database, Scene};
use crate::json_document::JsonDocument;
use crate::oauth::ciba_requests::NewCibaRequest;
use crate::oauth::ciba_requests::notifications;
use crate::oauth::deferred_grants::DeferredGrantState;
use crate::oauth::grants::StoredGrantKind;
use crate::oauth::refresh_tokens;
use crate::oauth::{ciba_requests, deferred_grants, device_authorizations};
use sinete_core::client_id::ClientId;
use sinete_core::secret::{Digest, RefreshTokenSecret};
use sinete_core::time::Lifetime;

both_engines!(
    device_code_redemption_starts_the_refresh_token_atomically,
    device_authorization_keeps_the_first_decision,
    ciba_request_accepts_only_a_grant_of_the_requested_user,
    ciba_request_for_an_unknown_user_is_stored_and_never_answered,
    ciba_notification_is_sent_once_after_the_answer_and_its_token_deleted
);

async fn device_code_redemption_starts_the_refresh_token_atomically(database: Database) {
    let scene = Scene::set(database).await;
    let (client, grant) = (&scene.world.client, scene.grant(StoredGrantKind::Device).await);
    let (device, _) = scene.device().await;
    scene.happens([deferred_grants::approve_deferred_grant(&device, grant, NOW)]).await;
    let redeem_device_code = |client: &ClientId| {
        let family = scene.beginning(&RefreshTokenSecret::mint_first(grant, &scene.entropy));
        let spent = deferred_grants::redeem_deferred_grant(&device, &scene.world.client, NOW);
        [spent, refresh_tokens::start_refresh_family(&family, client, NOW)]
    };
    let client_id = ClientId::mint(NOW, &scene.entropy);
    scene.is_refused(redeem_device_code(&client_id), "families.begin").await;
    let deferred_grant = deferred_grants::find_deferred_grant(&scene.store, &device).await.unwrap().unwrap();
    assert_eq!(deferred_grant.state, DeferredGrantState::Approved(grant));
    scene.happens(redeem_device_code(client)).await;
    scene.is_refused(redeem_device_code(client), "device_requests.spend").await;
}

async fn device_authorization_keeps_the_first_decision(database: Database) {
    let scene = Scene::set(database).await;
    let (client, grant) = (&scene.world.client, scene.grant(StoredGrantKind::Device).await);
    let (approved, user_code) = scene.device().await;
    scene
        .is_refused([deferred_grants::redeem_deferred_grant(&approved, client, NOW)], "device_requests.spend")
        .await;
    scene.happens([deferred_grants::approve_deferred_grant(&approved, grant, NOW)]).await;
    scene
        .is_refused([deferred_grants::deny_deferred_grant(&approved, None, NOW)], "device_requests.deny")
        .await;
    let deferred_grant =
        device_authorizations::find_by_user_code_digest(&scene.store, &user_code).await.unwrap().unwrap();
    assert_eq!(
        (deferred_grant.digest, deferred_grant.state),
        ((&approved).into(), DeferredGrantState::Approved(grant))
    );
    assert_eq!(
        deferred_grant.request,
        JsonDocument::from_value(&serde_json::json!({})).unwrap(),
        "the request parameters are deleted"
    );
    let client_id = ClientId::mint(NOW, &scene.entropy);
    scene
        .is_refused(
            [deferred_grants::redeem_deferred_grant(&approved, &client_id, NOW)],
            "device_requests.spend",
        )
        .await;
    scene.happens([deferred_grants::redeem_deferred_grant(&approved, client, NOW)]).await;
    scene
        .is_refused([deferred_grants::redeem_deferred_grant(&approved, client, NOW)], "device_requests.spend")
        .await;
    let deferred_grant =
        deferred_grants::find_deferred_grant(&scene.store, &approved).await.unwrap().unwrap();
    assert_eq!(deferred_grant.state, DeferredGrantState::Redeemed(grant));

    let (denied, _) = scene.device().await;
    scene.happens([deferred_grants::deny_deferred_grant(&denied, None, NOW)]).await;
    scene
        .is_refused([deferred_grants::approve_deferred_grant(&denied, grant, NOW)], "device_requests.approve")
        .await;
    let grant = deferred_grants::find_deferred_grant(&scene.store, &denied).await.unwrap().unwrap();
    assert_eq!(grant.state, DeferredGrantState::Denied);
    // Polls are guarded by what was read, so that two concurrent ones do not count as one.
    let slower = Lifetime::from_seconds(10);
    scene.happens([deferred_grants::record_poll(&grant, slower, NOW)]).await;
    scene.is_refused([deferred_grants::record_poll(&grant, slower, NOW)], "device_requests.polled").await;
    let grant = deferred_grants::find_deferred_grant(&scene.store, &denied).await.unwrap().unwrap();
    assert_eq!((grant.polled_at, grant.poll_interval), (Some(NOW), slower.micros()));
}

async fn ciba_request_accepts_only_a_grant_of_the_requested_user(database: Database) {
    let scene = Scene::set(database).await;
    let (account, client) = (scene.world.account, &scene.world.client);
    let digest = scene.backchannel().await;
    let requests = ciba_requests::list_pending_ciba_requests(&scene.store, account, NOW).await.unwrap();
    assert_eq!(requests.iter().map(|it| it.deferred.digest).collect::<Vec<_>>(), [(&digest).into()]);
    let by_id = ciba_requests::find_ciba_request_by_id(&scene.store, requests[0].id).await.unwrap();
    assert_eq!(by_id.as_ref(), requests.first());
    let asked_of = Digest::from_bytes([7; 32]);
    let pending = async || {
        ciba_requests::count_pending_ciba_requests(&scene.store, client, &asked_of, NOW).await.unwrap()
    };
    assert_eq!(pending().await, 1);
    let refused = "approval_requests.approve";
    scene.is_refused([deferred_grants::approve_deferred_grant(&digest, scene.id(), NOW)], refused).await;
    let other_account = scene.id();
    let refused = "approval_requests.deny";
    scene
        .is_refused([deferred_grants::deny_deferred_grant(&digest, Some(other_account), NOW)], refused)
        .await;
    let grant = scene.grant(StoredGrantKind::Backchannel).await;
    scene.happens([deferred_grants::approve_deferred_grant(&digest, grant, NOW)]).await;
    assert_eq!(pending().await, 0);
    scene.is_refused([deferred_grants::deny_deferred_grant(&digest, Some(account), NOW)], refused).await;
    assert_eq!(ciba_requests::list_pending_ciba_requests(&scene.store, account, NOW).await, Ok(Vec::new()));
    scene.happens([deferred_grants::redeem_deferred_grant(&digest, client, NOW)]).await;
    let deferred_grant = deferred_grants::find_deferred_grant(&scene.store, &digest).await.unwrap().unwrap();
    assert_eq!(deferred_grant.state, DeferredGrantState::Redeemed(grant));
    assert_eq!(
        deferred_grant.request,
        JsonDocument::from_value(&serde_json::json!({})).unwrap(),
        "the request parameters are deleted"
    );
}

async fn ciba_request_for_an_unknown_user_is_stored_and_never_answered(database: Database) {
    let scene = Scene::set(database).await;
    let digest = scene.secret();
    let request = NewCibaRequest {
        digest: &digest,
        id: scene.id(),
        client: &scene.world.client,
        account: None,
        organization: None,
        hinted_user: &Digest::from_bytes([8; 32]),
        request: &scene.world.empty_document,
        sealed_notice: Some(b"sealed"),
        poll_interval: Lifetime::from_seconds(5),
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([ciba_requests::create_ciba_request(&request)]).await;
    let grant = scene.grant(StoredGrantKind::Backchannel).await;
    let refused = "approval_requests.approve";
    scene.is_refused([deferred_grants::approve_deferred_grant(&digest, grant, NOW)], refused).await;
    let refused = "approval_requests.deny";
    scene
        .is_refused([deferred_grants::deny_deferred_grant(&digest, Some(scene.world.account), NOW)], refused)
        .await;
    assert_eq!(
        notifications::list_due_notifications(&scene.store, scene.world.expires_at, 10).await,
        Ok(Vec::new())
    );
}

async fn ciba_notification_is_sent_once_after_the_answer_and_its_token_deleted(database: Database) {
    let scene = Scene::set(database).await;
    let digest = scene.secret();
    let request = NewCibaRequest {
        digest: &digest,
        id: scene.id(),
        client: &scene.world.client,
        account: Some(scene.world.account),
        organization: None,
        hinted_user: &Digest::from_bytes([8; 32]),
        request: &scene.world.empty_document,
        sealed_notice: Some(b"sealed"),
        poll_interval: Lifetime::from_seconds(5),
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([ciba_requests::create_ciba_request(&request)]).await;
    assert_eq!(
        notifications::list_due_notifications(&scene.store, scene.world.expires_at, 10).await,
        Ok(Vec::new())
    );
    scene.happens([deferred_grants::deny_deferred_grant(&digest, Some(scene.world.account), NOW)]).await;
    let due = notifications::list_due_notifications(&scene.store, NOW, 10).await.unwrap().remove(0);
    assert_eq!((due.id, due.ciphertext.as_slice(), due.attempts), (request.id, &b"sealed"[..], 0));
    let later = NOW.plus(Lifetime::from_seconds(30));
    scene.happens([notifications::claim_notification(&due, later)]).await;
    scene
        .is_refused([notifications::claim_notification(&due, later)], "approval_requests.claim_notice")
        .await;
    assert_eq!(notifications::list_due_notifications(&scene.store, NOW, 10).await, Ok(Vec::new()));
    let retry_at = NOW.plus(Lifetime::from_seconds(5));
    scene.happens([notifications::postpone_notification(&due, later, retry_at)]).await;
    let due = notifications::list_due_notifications(&scene.store, retry_at, 10).await.unwrap().remove(0);
    assert_eq!((due.due_at, due.attempts), (retry_at, 1));
    scene.happens([notifications::delete_notification(&due)]).await;
    assert_eq!(
        notifications::list_due_notifications(&scene.store, scene.world.expires_at, 10).await,
        Ok(Vec::new())
    );
}
