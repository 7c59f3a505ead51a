//! Cleanup deletes rows that expired long ago, in small batches, and nothing that is still needed.

use super::{Database, Scene};
use crate::administration::cleanup;
use crate::administration::cleanup::ROWS_MAX;
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::oauth::deferred_grants;
use crate::oauth::deferred_grants::DeferredGrantState;
use crate::oauth::grants::{NewGrant, StoredGrantKind};
use crate::oauth::subject_state::token_lookup;
use crate::oauth::subject_state::token_lookup::ClientLookup;
use crate::oauth::{authorization_codes, grants, refresh_tokens, revocation};
use crate::sign_in::sessions;
use crate::single_use::{SINGLE_USE, SingleUseFixture};
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(
    cleanup_deletes_only_rows_expired_long_ago,
    cleanup_run_deletes_a_bounded_number_of_rows,
    cleanup_retains_used_and_revoked_rows_while_their_grant_lasts
);

async fn sweep(scene: &Scene, long_ago: Timestamp) {
    for batch in cleanup::cleanup_batches(long_ago) {
        scene.store.commit(batch).await.unwrap().into_result().unwrap();
    }
}

/// The tables that cleanup empties.
const SWEPT: &[&str] = &[
    "account_links",
    "assertion_replays",
    "attempt_counters",
    "approval_requests",
    "bootstrap_links",
    "device_requests",
    "flows",
    "grants",
    "idempotency_keys",
    "magic_links",
    "one_time_codes",
    "outbox",
    "pushed_requests",
    "revoked_jtis",
    "saml_answers",
    "sessions",
];

async fn cleanup_deletes_only_rows_expired_long_ago(database: Database) {
    let scene = Scene::set(database).await;
    for entry in SINGLE_USE {
        let item = (entry.prepare)(&scene.world, &scene.entropy).unwrap();
        scene.happens(item.setup).await;
        scene.store.commit((item.build_use)(&scene.entropy)).await.unwrap().into_result().unwrap();
    }
    scene.happens([revocation::revoke_access_token("jti", scene.world.expires_at, NOW)]).await;
    let before = rows(&scene).await;
    assert!(before.iter().all(|(_, rows)| *rows > 0), "{before:?}");
    sweep(&scene, NOW).await;
    assert_eq!(rows(&scene).await, before, "nothing has expired");
    // One run deletes children, the next their parents.
    for _ in 0..2 {
        sweep(&scene, scene.world.expires_at.plus(Lifetime::from_micros(1))).await;
    }
    let after = rows(&scene).await;
    assert!(after.iter().all(|(_, rows)| *rows == 0), "{after:?}");
}

async fn cleanup_run_deletes_a_bounded_number_of_rows(database: Database) {
    let scene = Scene::set(database).await;
    let many = i64::from(ROWS_MAX) + 100;
    for first in (0..many).step_by(100) {
        let revoked = (first..first + 100).map(|number| {
            revocation::revoke_access_token(&format!("jti-{number}"), NOW.minus(Lifetime::from_days(1)), NOW)
        });
        scene.happens(revoked).await;
    }
    let count_revoked =
        async || rows(&scene).await.into_iter().find(|(table, _)| *table == "revoked_jtis").unwrap().1;
    assert_eq!(count_revoked().await, many);
    sweep(&scene, NOW).await;
    assert_eq!(count_revoked().await, 100);
    sweep(&scene, NOW).await;
    assert_eq!(count_revoked().await, 0);
}

async fn cleanup_retains_used_and_revoked_rows_while_their_grant_lasts(database: Database) {
    let scene = Scene::set(database).await;
    let (client, expires_at) = (scene.world.client.clone(), scene.world.expires_at);
    // Everything except the grant expired long ago, and it was revoked too.
    let brief = SingleUseFixture {
        expires_at: NOW.plus(Lifetime::from_seconds(1)),
        client,
        empty_document: scene.world.empty_document.clone(),
        ..scene.world
    };
    let scene = Scene { world: brief, ..scene };
    let grant = scene.id();
    let new_grant = NewGrant { expires_at, ..scene.world.new_grant(grant, StoredGrantKind::Code) };
    let (code, opened) = scene.opens_with_code(&new_grant);
    scene.happens([opened]).await;
    let token = scene.family(grant).await.digests();
    let ((device, _), (handed_over, _)) = (scene.device().await, scene.device().await);
    scene.happens([deferred_grants::approve_deferred_grant(&handed_over, grant, NOW)]).await;
    scene.happens([deferred_grants::redeem_deferred_grant(&handed_over, &scene.world.client, NOW)]).await;
    scene.happens([authorization_codes::redeem_authorization_code(&code, &scene.world.client, NOW)]).await;
    scene.happens([grants::revoke_grant(grant, "replay", NOW)]).await;
    sweep(&scene, NOW.plus(Lifetime::from_minutes(30))).await;
    let client_lookup = ClientLookup { client: &scene.world.client, secret: None };
    let (_, lookup) = token_lookup::load_authorization_code(&scene.store, client_lookup, &code, NOW)
        .await
        .unwrap()
        .unwrap();
    assert!(
        matches!(lookup.unwrap().credential, authorization_codes::AuthorizationCodeStatus::Redeemed(..)),
        "so that a second use is detected"
    );
    assert!(refresh_tokens::find_refresh_token(&scene.store, &token).await.unwrap().is_some());
    assert!(grants::find_grant(&scene.store, grant).await.unwrap().is_some());
    assert_eq!(deferred_grants::find_deferred_grant(&scene.store, &device).await, Ok(None));
    let deferred_grant =
        deferred_grants::find_deferred_grant(&scene.store, &handed_over).await.unwrap().unwrap();
    assert_eq!(
        deferred_grant.state,
        DeferredGrantState::Redeemed(grant),
        "so that a second redemption is detected"
    );
    assert!(sessions::find_session(&scene.store, &scene.world.session_digest, NOW).await.unwrap().is_some());
}

/// The number of rows in each table.
async fn rows(scene: &Scene) -> Vec<(&'static str, i64)> {
    let mut row_counts = Vec::new();
    for table in SWEPT {
        row_counts.push((*table, scene.count(table).await));
    }
    row_counts
}
