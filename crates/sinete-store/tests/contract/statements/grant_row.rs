//! A grant, its code and its refresh tokens are stored in one row.

use super::{Database, Scene};
use crate::WriteBatch;
use crate::contract::both_engines;
use crate::contract::database::connect;
use crate::contract::probe::NOW;
use crate::json_document::JsonDocument;
use crate::oauth::authorization_codes;
use crate::oauth::authorization_codes::{AuthorizationCodeRow, NewAuthorizationCode};
use crate::oauth::grants;
use crate::oauth::grants::StoredGrantKind;
use crate::oauth::refresh_tokens;
use crate::oauth::refresh_tokens::{
    NewRefreshFamily, RefreshTokenRow, RefreshTokenStatus, SuccessorRefreshToken,
};
use crate::oauth::subject_state::token_lookup;
use crate::oauth::subject_state::token_lookup::ClientLookup;
use crate::write_batch::GuardedStatement;
use sinete_core::secret::{AuthorizationCodeSecret, RefreshTokenSecret};
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(
    grant_row_round_trips_with_code_and_refresh_token,
    grant_without_code_or_refresh_token_has_neither,
    authorization_code_is_issued_once_and_never_replaced
);

async fn grant_row_round_trips_with_code_and_refresh_token(database: Database) {
    let scene = Scene::set(database).await;
    let (world, id) = (&scene.world, scene.id());
    let digest = AuthorizationCodeSecret::mint(id, &scene.entropy).digest();
    let request = JsonDocument::from_value(&serde_json::json!({"nonce": "n-0S6_WzA2Mj"})).unwrap();
    let (in_a_minute, in_ten) = (NOW.plus(Lifetime::from_minutes(1)), NOW.plus(Lifetime::from_minutes(10)));
    let new = NewAuthorizationCode {
        digest: &digest.code,
        redirect_uri: "https://app.example/callback",
        challenge: [9; 32],
        request: &request,
        expires_at: in_a_minute,
    };
    scene
        .happens([grants::open_grant_with_code(&world.new_grant(id, StoredGrantKind::Code), &new, None)])
        .await;
    let client_lookup = ClientLookup { client: &world.client, secret: None };
    let by_code = async || {
        token_lookup::load_authorization_code(&scene.store, client_lookup, &digest, NOW)
            .await
            .unwrap()
            .unwrap()
            .1
            .unwrap()
    };
    let code = AuthorizationCodeRow {
        grant: id,
        membership: world.membership,
        client: world.client.clone(),
        redirect_uri: "https://app.example/callback".to_owned(),
        challenge: [9; 32],
        request: request.clone(),
        expires_at: in_a_minute,
    };
    assert_eq!(
        by_code().await.credential,
        authorization_codes::AuthorizationCodeStatus::Unredeemed(code.clone())
    );
    assert_eq!(authorization_codes::find_grant_request(&scene.store, id).await, Ok(Some(request.clone())));

    let first = RefreshTokenSecret::mint_first(id, &scene.entropy);
    let confirmation = JsonDocument::from_value(&serde_json::json!({"jkt": "x"})).unwrap();
    let family = NewRefreshFamily {
        audience: "https://other.example".to_owned(),
        scope: "openid invoices:send".parse().unwrap(),
        confirmation: Some(confirmation.clone()),
        idle_expires_at: in_a_minute,
        expires_at: in_ten,
        ..scene.beginning(&first)
    };
    scene
        .happens([authorization_codes::redeem_code_with_refresh_token(&digest, &world.client, &family, NOW)])
        .await;
    assert_eq!(by_code().await.credential, authorization_codes::AuthorizationCodeStatus::Redeemed(code, NOW));
    let token = RefreshTokenRow {
        grant: id,
        newest: first.digests().token,
        membership: world.membership,
        client: world.client.clone(),
        audience: "https://other.example".to_owned(),
        scope: "openid invoices:send".parse().unwrap(),
        confirmation: Some(confirmation),
        request: Some(request),
        idle_expires_at: in_a_minute,
        expires_at: in_ten,
        revoked_at: None,
    };
    assert_refresh_token_is_read_back(&scene, &first, token, in_ten).await;
}

/// Both statements that read a refresh token return its row, before and after the token was used again.
async fn assert_refresh_token_is_read_back(
    scene: &Scene,
    first: &RefreshTokenSecret,
    token: RefreshTokenRow,
    next_expiry: Timestamp,
) {
    let client_lookup = ClientLookup { client: &scene.world.client, secret: None };
    let result = refresh_tokens::find_refresh_token(&scene.store, &first.digests()).await;
    assert_eq!(result, Ok(Some(RefreshTokenStatus::Current(token.clone()))));
    let by_token = token_lookup::load_refresh_token(&scene.store, client_lookup, &first.digests(), NOW)
        .await
        .unwrap()
        .unwrap()
        .1;
    assert_eq!(by_token.unwrap().credential, RefreshTokenStatus::Current(token.clone()));
    scene
        .happens([refresh_tokens::reuse_refresh_token(
            &first.digests(),
            &scene.world.client,
            next_expiry,
            NOW,
        )])
        .await;
    let used = RefreshTokenRow { idle_expires_at: next_expiry, ..token };
    assert_eq!(
        refresh_tokens::find_refresh_token(&scene.store, &first.digests()).await,
        Ok(Some(RefreshTokenStatus::Current(used)))
    );
}

async fn grant_without_code_or_refresh_token_has_neither(database: Database) {
    let scene = Scene::set(database).await;
    let client = &scene.world.client;
    let client_lookup = ClientLookup { client, secret: None };
    // A grant for a device has no code.
    let device = scene.grant(StoredGrantKind::Device).await;
    let code = AuthorizationCodeSecret::mint(device, &scene.entropy).digest();
    assert!(
        token_lookup::load_authorization_code(&scene.store, client_lookup, &code, NOW)
            .await
            .unwrap()
            .unwrap()
            .1
            .is_none()
    );
    assert_eq!(authorization_codes::find_grant_request(&scene.store, device).await, Ok(None));
    scene
        .is_refused([authorization_codes::redeem_authorization_code(&code, client, NOW)], "codes.spend")
        .await;
    let refresh_family = scene.beginning(&RefreshTokenSecret::mint_first(device, &scene.entropy));
    let spent = authorization_codes::redeem_code_with_refresh_token(&code, client, &refresh_family, NOW);
    scene.is_refused([spent], "codes.spend_and_begin").await;
    // A grant whose code started no family has no refresh tokens.
    let digest = scene.code().await;
    scene.happens([authorization_codes::redeem_authorization_code(&digest, client, NOW)]).await;
    for grant in [device, digest.grant] {
        let token = RefreshTokenSecret::mint_first(grant, &scene.entropy);
        let next = token.mint_successor(&scene.entropy).digests();
        let (digests, later) = (token.digests(), scene.world.expires_at);
        assert_eq!(refresh_tokens::find_refresh_token(&scene.store, &digests).await, Ok(None));
        assert!(
            token_lookup::load_refresh_token(&scene.store, client_lookup, &digests, NOW)
                .await
                .unwrap()
                .unwrap()
                .1
                .is_none()
        );
        let next = SuccessorRefreshToken { digest: &next.token, idle_expires_at: later };
        scene
            .is_refused(
                [refresh_tokens::rotate_refresh_token(&digests, client, &next, NOW)],
                "families.rotate",
            )
            .await;
        scene
            .is_refused(
                [refresh_tokens::reuse_refresh_token(&digests, client, later, NOW)],
                "families.use_again",
            )
            .await;
    }
}

async fn authorization_code_is_issued_once_and_never_replaced(database: Database) {
    let scene = Scene::set(database).await;
    let (client, digest) = (&scene.world.client, scene.code().await);
    scene.happens([authorization_codes::redeem_authorization_code(&digest, client, NOW)]).await;
    let (_, duplicate_grant) =
        scene.opens_with_code(&scene.world.new_grant(digest.grant, StoredGrantKind::Code));
    scene.is_refused([duplicate_grant], "grants.open_with_code").await;
    scene
        .is_refused([authorization_codes::redeem_authorization_code(&digest, client, NOW)], "codes.spend")
        .await;
}

/// All statements that change the row of an active grant, each for its own grant.
async fn changes(scene: &Scene) -> Vec<(&'static str, GuardedStatement)> {
    let (client, later) = (&scene.world.client, scene.world.expires_at);
    let (code, code_that_begins) = (scene.code().await, scene.code().await);
    let refresh_family =
        scene.beginning(&RefreshTokenSecret::mint_first(code_that_begins.grant, &scene.entropy));
    let to_begin = scene.grant(StoredGrantKind::Backchannel).await;
    let first = scene.beginning(&RefreshTokenSecret::mint_first(to_begin, &scene.entropy));
    let rotated = scene.family(scene.grant(StoredGrantKind::Code).await).await;
    let next = rotated.mint_successor(&scene.entropy).digests();
    let next = SuccessorRefreshToken { digest: &next.token, idle_expires_at: later };
    let used = scene.family(scene.grant(StoredGrantKind::Code).await).await;
    vec![
        ("codes.spend", authorization_codes::redeem_authorization_code(&code, client, NOW)),
        (
            "codes.spend_and_begin",
            authorization_codes::redeem_code_with_refresh_token(
                &code_that_begins,
                client,
                &refresh_family,
                NOW,
            ),
        ),
        ("families.begin", refresh_tokens::start_refresh_family(&first, client, NOW)),
        ("families.rotate", refresh_tokens::rotate_refresh_token(&rotated.digests(), client, &next, NOW)),
        ("families.use_again", refresh_tokens::reuse_refresh_token(&used.digests(), client, later, NOW)),
    ]
}

#[tokio::test]
async fn grant_write_waiting_for_a_revocation_fails_after_it() {
    let scene = Scene::set(Database::postgres().await).await;
    let (other, watch) = (connect(&scene.database.url()).await, connect(&scene.database.url()).await);
    let lock_wait_query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                   AND wait_event_type = 'Lock'";
    for revoked in [true, false] {
        for index in 0..5 {
            let (statement_name, step) = changes(&scene).await.swap_remove(index);
            other.batch_execute("BEGIN; UPDATE grants SET revoked_because = 'x'").await.unwrap();
            if revoked {
                other.batch_execute("UPDATE grants SET revoked_at = 1").await.unwrap();
            }
            let commit = scene.store.commit(WriteBatch::new().with_statement(step));
            let end = async {
                while watch.query_one(lock_wait_query, &[]).await.unwrap().get::<_, i64>(0) == 0 {
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                }
                other.batch_execute("COMMIT").await.unwrap();
            };
            let (result, ()) = tokio::join!(commit, end);
            let conflict = result.unwrap().into_result().err().map(|conflict| conflict.statement());
            assert_eq!(conflict, revoked.then_some(statement_name), "{statement_name}");
        }
    }
}
