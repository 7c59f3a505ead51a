//! Sessions are active until they end: explicitly, by time, by epoch, or with their account.

use super::{Database, Scene};
use crate::accounts;
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::oauth::authorize_context;
use crate::oauth::grants::StoredGrantKind;
use crate::organizations::memberships;
use crate::sign_in::sessions;
use crate::sign_in::sessions::{NewSession, SessionRow, SessionTokenRenewal};
use sinete_core::access_control::subject::LifecycleCondition::{Enabled, Suspended};
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use sinete_core::limits::ACCOUNT_SESSIONS_MAX;
use sinete_core::secret::{Digest, SessionToken};
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(
    account_epoch_advance_ends_every_session_at_once,
    session_ends_after_idle_time_and_maximum_age,
    session_use_is_written_at_most_once_a_minute,
    session_renewal_replaces_the_token,
    session_idle_too_long_is_marked_until_step_up,
    sessions_are_ended_individually_or_all_but_one,
    session_limit_of_an_account_is_enforced,
    suspended_account_has_no_session_until_restored,
    sessions_ended_together_are_listed_in_pages
);

/// The session, which must be the same when it is read together with a client.
async fn at(scene: &Scene, digest: &Digest<SessionToken>, now: Timestamp) -> Option<SessionRow> {
    let session_row = sessions::find_session(&scene.store, digest, now).await.unwrap();
    let visitor = authorize_context::load_authorize_context(&scene.store, digest, &scene.world.client, now)
        .await
        .unwrap()
        .unwrap();
    let usable = match &session_row {
        Some(session) => {
            memberships::list_usable_memberships(&scene.store, session.account, now).await.unwrap()
        }
        None => Vec::new(),
    };
    let signed_in = visitor.signed_in.map(|it| (it.session, it.memberships.unwrap().usable));
    assert_eq!(signed_in, session_row.clone().map(|session| (session, usable)));
    session_row
}

async fn another(scene: &Scene) -> Digest<SessionToken> {
    let digest = scene.secret();
    scene.happens([scene.world.start_session(scene.id(), &digest)]).await;
    digest
}

async fn account_epoch_advance_ends_every_session_at_once(database: Database) {
    let scene = Scene::set(database).await;
    let second = another(&scene).await;
    assert!(at(&scene, &second, NOW).await.is_some());
    scene.happens([accounts::advance_account_epoch(scene.world.account)]).await;
    assert_eq!(at(&scene, &second, NOW).await, None);
    assert_eq!(at(&scene, &scene.world.session_digest, NOW).await, None);
    assert_eq!(sessions::list_account_sessions(&scene.store, scene.world.account, NOW).await, Ok(Vec::new()));
    // A sign-in that began before it cannot create a session after it.
    let late = scene.world.start_session(scene.id(), &scene.secret());
    scene.is_refused([late], "sessions.start").await;
    let epoch = accounts::find_account(&scene.store, scene.world.account).await.unwrap().unwrap().epoch;
    let digest = scene.secret();
    let fresh = NewSession {
        id: scene.id(),
        digest: &digest,
        account: scene.world.account,
        account_epoch: epoch,
        evidence: &scene.world.empty_document,
        device: Some(&Digest::from_bytes([5; 32])),
        description: &scene.world.empty_document,
        created_at: NOW,
        idle_expires_at: scene.world.expires_at,
        expires_at: scene.world.expires_at,
    };
    scene.happens([sessions::start_session(&fresh)]).await;
    let session = at(&scene, &digest, NOW).await.unwrap();
    assert_eq!((session.id, session.account_epoch), (fresh.id, 1));
    assert_eq!(session.device, Some(Digest::from_bytes([5; 32])));
}

async fn session_ends_after_idle_time_and_maximum_age(database: Database) {
    let scene = Scene::set(database).await;
    let digest = &scene.world.session_digest;
    let just_before = scene.world.expires_at.minus(Lifetime::from_micros(1));
    assert!(at(&scene, digest, just_before).await.is_some());
    assert_eq!(at(&scene, digest, scene.world.expires_at).await, None);
    // Use extends it, but not beyond its maximum age.
    let beyond = scene.world.expires_at.plus(Lifetime::from_hours(1));
    scene.happens([sessions::touch_session(scene.world.session, just_before, beyond)]).await;
    assert_eq!(at(&scene, digest, scene.world.expires_at).await, None);
    scene.change("UPDATE sessions SET expires_at = expires_at * 2").await;
    assert!(at(&scene, digest, scene.world.expires_at).await.is_some());
    assert_eq!(at(&scene, digest, beyond).await, None);
    // Using an ended session does not restore it.
    scene
        .happens([sessions::touch_session(scene.world.session, beyond, beyond.plus(Lifetime::from_hours(1)))])
        .await;
    assert_eq!(at(&scene, digest, beyond).await, None);
}

async fn session_use_is_written_at_most_once_a_minute(database: Database) {
    let scene = Scene::set(database).await;
    let (digest, id) = (&scene.world.session_digest, scene.world.session);
    for (seconds, wants_touch, expected_seconds) in
        [(59, false, 0), (60, true, 60), (119, false, 60), (120, true, 120)]
    {
        let now = NOW.plus(Lifetime::from_seconds(seconds));
        assert_eq!(at(&scene, digest, now).await.unwrap().needs_touch(now), wants_touch, "{seconds}");
        scene.happens([sessions::touch_session(id, now, scene.world.expires_at)]).await;
        let used_at = at(&scene, digest, now).await.unwrap().used_at;
        assert_eq!(used_at, NOW.plus(Lifetime::from_seconds(expected_seconds)));
    }
}

async fn session_renewal_replaces_the_token(database: Database) {
    let scene = Scene::set(database).await;
    let old = &scene.world.session_digest;
    let before = at(&scene, old, NOW).await.unwrap();
    let (digest, now) = (scene.secret(), NOW.plus(Lifetime::from_seconds(1)));
    let evidence = crate::JsonDocument::from_value(&["passkey"]).unwrap();
    let renewed = SessionTokenRenewal { digest: &digest, evidence: &evidence, authenticated_at: now };
    scene.happens([sessions::renew_session(&before, &renewed, now)]).await;
    assert_eq!(at(&scene, old, now).await, None);
    let after = at(&scene, &digest, now).await.unwrap();
    assert_eq!((after.id, after.authenticated_at, after.version), (before.id, now, 2));
    assert_eq!((after.evidence, after.created_at), (evidence, before.created_at));
    let second_renewal = SessionTokenRenewal {
        digest: &scene.secret(),
        evidence: &scene.world.empty_document,
        authenticated_at: NOW,
    };
    scene.is_refused([sessions::renew_session(&before, &second_renewal, now)], "sessions.renew").await;
}

async fn session_idle_too_long_is_marked_until_step_up(database: Database) {
    let scene = Scene::set(database).await;
    let (digest, id, far) = (scene.secret(), scene.id(), NOW.plus(Lifetime::from_days(3)));
    let session = NewSession {
        id,
        digest: &digest,
        account: scene.world.account,
        account_epoch: 0,
        evidence: &scene.world.empty_document,
        device: None,
        description: &scene.world.empty_document,
        created_at: NOW,
        idle_expires_at: far,
        expires_at: far,
    };
    scene.happens([sessions::start_session(&session)]).await;
    let authentication_evidence = AuthenticationEvidence::from_proof(AuthenticationProof::Passkey {
        user_verified: true,
        device_bound: true,
    });
    let level = async |at_most: Timestamp| {
        at(&scene, &digest, at_most).await.unwrap().assurance_level(&authentication_evidence, at_most)
    };
    let hour = NOW.plus(Lifetime::from_hours(1));
    scene.happens([sessions::touch_session(id, hour, far)]).await;
    assert_eq!(level(hour).await, Some(AssuranceLevel::Two));
    let late = hour.plus(Lifetime::from_seconds(3601));
    assert_eq!(level(late).await, Some(AssuranceLevel::One));
    scene.happens([sessions::touch_session(id, late, far)]).await;
    let used = at(&scene, &digest, late).await.unwrap();
    assert_eq!((used.used_at, used.assurance_lapsed_at), (late, Some(late)));
    assert_eq!(level(late).await, Some(AssuranceLevel::One), "being used does not bring it back");
    let renewed = SessionTokenRenewal {
        digest: &scene.secret(),
        evidence: &scene.world.empty_document,
        authenticated_at: late,
    };
    scene.happens([sessions::renew_session(&used, &renewed, late)]).await;
    let after = at(&scene, renewed.digest, late).await.unwrap();
    assert_eq!(
        (after.assurance_lapsed_at, after.assurance_level(&authentication_evidence, late)),
        (None, Some(AssuranceLevel::Two))
    );
}

async fn session_limit_of_an_account_is_enforced(database: Database) {
    let scene = Scene::set(database).await;
    let account = scene.world.account;
    for _ in 1..ACCOUNT_SESSIONS_MAX {
        another(&scene).await;
    }
    scene
        .happens([accounts::lock_account_row(account, 0), sessions::check_session_limit(account, NOW)])
        .await;
    let start_session = || scene.world.start_session(scene.id(), &scene.secret());
    scene
        .is_refused(
            [
                accounts::lock_account_row(account, 0),
                start_session(),
                sessions::check_session_limit(account, NOW),
            ],
            "sessions.are_few",
        )
        .await;
    scene.is_refused([accounts::lock_account_row(account, 1)], "accounts.hold").await;
    let one_less = sessions::end_session(account, scene.world.session, NOW);
    scene.happens([one_less, start_session(), sessions::check_session_limit(account, NOW)]).await;
    assert_eq!(sessions::count_active_sessions(&scene.store, NOW).await, Ok(ACCOUNT_SESSIONS_MAX as i64));
    scene.happens([sessions::end_account_sessions(account, NOW)]).await;
    assert_eq!(sessions::list_account_sessions(&scene.store, account, NOW).await, Ok(Vec::new()));
    let another = another(&scene).await;
    scene.happens([sessions::end_all_sessions(NOW), sessions::end_all_sessions(NOW)]).await;
    assert_eq!(at(&scene, &another, NOW).await, None);
    assert_eq!(sessions::count_active_sessions(&scene.store, NOW).await, Ok(0));
}

async fn sessions_are_ended_individually_or_all_but_one(database: Database) {
    let scene = Scene::set(database).await;
    let (account, first) = (scene.world.account, scene.world.session);
    let digests = [another(&scene).await, another(&scene).await];
    let second = at(&scene, &digests[0], NOW).await.unwrap().id;
    let other_account = scene.id();
    scene.happens([sessions::end_session(other_account, second, NOW)]).await;
    assert!(at(&scene, &digests[0], NOW).await.is_some());
    scene
        .happens([sessions::end_session(account, second, NOW), sessions::end_session(account, second, NOW)])
        .await;
    assert_eq!(at(&scene, &digests[0], NOW).await, None);
    assert!(at(&scene, &digests[1], NOW).await.is_some());
    scene.happens([sessions::end_other_sessions(account, first, NOW)]).await;
    let remaining_sessions = sessions::list_account_sessions(&scene.store, account, NOW).await.unwrap();
    assert_eq!(remaining_sessions.iter().map(|session| session.id).collect::<Vec<_>>(), [first]);
}

async fn suspended_account_has_no_session_until_restored(database: Database) {
    let scene = Scene::set(database).await;
    let (account, digest) = (scene.world.account, &scene.world.session_digest);
    scene.happens([accounts::change_account_condition(account, 1, Suspended, NOW)]).await;
    assert_eq!(at(&scene, digest, NOW).await, None);
    let start = scene.world.start_session(scene.id(), &scene.secret());
    scene.is_refused([start], "sessions.start").await;
    scene.happens([accounts::change_account_condition(account, 2, Enabled, NOW)]).await;
    assert!(at(&scene, digest, NOW).await.is_some());
}

async fn sessions_ended_together_are_listed_in_pages(database: Database) {
    let scene = Scene::set(database).await;
    let first = scene.world.session;
    scene.happens([scene.world.open_grant(scene.id(), StoredGrantKind::Code)]).await;
    // There are no grants in these two, one of which ended before.
    another(&scene).await;
    let earlier = at(&scene, &another(&scene).await, NOW).await.unwrap().id;
    let (then, later) = (NOW.plus(Lifetime::from_seconds(1)), NOW.plus(Lifetime::from_seconds(2)));
    scene.happens([sessions::end_session(scene.world.account, earlier, NOW)]).await;
    let ended = async |at, after| sessions::list_sessions_ended_at(&scene.store, at, after, 1).await.unwrap();
    assert_eq!(ended(then, None).await, []);
    scene.happens([sessions::end_all_sessions(then)]).await;
    assert_eq!(ended(then, None).await, [first]);
    assert_eq!(ended(then, Some(first)).await, []);
    scene.happens([sessions::end_all_sessions(later)]).await;
    assert_eq!(ended(later, None).await, [], "it ended once");
}
