//! The second use of anything finds what the first one left.

mod deferred_grants;

use super::{Database, Scene};
use crate::accounts;
use crate::administration::bootstrap;
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::json_document::JsonDocument;
use crate::oauth::grants::StoredGrantKind;
use crate::oauth::par;
use crate::oauth::par::NewPushedRequest;
use crate::oauth::refresh_tokens;
use crate::oauth::refresh_tokens::{RefreshTokenStatus, SuccessorRefreshToken};
use crate::oauth::subject_state::token_lookup::ClientLookup;
use crate::oauth::{authorization_codes, grants, subject_state};
use crate::organizations::invitations;
use crate::organizations::invitations::NewInvitation;
use crate::organizations::memberships;
use crate::organizations::memberships::MembershipHolder;
use crate::sign_in::flows;
use crate::sign_in::flows::StoredFlowState;
use sinete_core::client_id::ClientId;
use sinete_core::organizations::invitations::{UnclaimedMembership, check_offered_roles};
use sinete_core::secret::{AuthorizationCodeDigest, Digest, RefreshTokenSecret};
use sinete_core::time::Lifetime;

both_engines!(
    authorization_code_presented_again_is_recognized_as_used,
    authorization_code_presented_by_another_client_stays_valid,
    authorization_code_redemption_starts_the_refresh_token_atomically,
    refresh_token_rotated_is_recognized_as_used_at_any_age,
    refresh_token_of_a_revoked_grant_is_not_rotated,
    pushed_request_is_used_by_its_own_client_once,
    flow_advances_from_each_version_once,
    invitation_creates_one_member,
    bootstrap_link_that_was_used_records_the_time
);

/// The code, as presented by its client.
async fn shown(
    scene: &Scene,
    code: &AuthorizationCodeDigest,
) -> Option<authorization_codes::AuthorizationCodeStatus> {
    let client_lookup = ClientLookup { client: &scene.world.client, secret: None };
    let (_, lookup) =
        subject_state::token_lookup::load_authorization_code(&scene.store, client_lookup, code, NOW)
            .await
            .unwrap()
            .unwrap();
    lookup.map(|lookup| lookup.credential)
}

async fn authorization_code_presented_again_is_recognized_as_used(database: Database) {
    let scene = Scene::set(database).await;
    let (world, digest) = (&scene.world, scene.code().await);
    let grant = digest.grant;
    let Some(authorization_codes::AuthorizationCodeStatus::Unredeemed(code)) = shown(&scene, &digest).await
    else {
        panic!("an unredeemed code is fresh");
    };
    assert_eq!((code.grant, code.membership, &code.client), (grant, world.membership, &world.client));
    assert_eq!((code.challenge, code.expires_at), ([7; 32], world.expires_at));

    scene.happens([authorization_codes::redeem_authorization_code(&digest, &world.client, NOW)]).await;
    scene
        .is_refused(
            [authorization_codes::redeem_authorization_code(&digest, &world.client, NOW)],
            "codes.spend",
        )
        .await;
    let status = shown(&scene, &digest).await;
    assert_eq!(status, Some(authorization_codes::AuthorizationCodeStatus::Redeemed(code, NOW)));
    let (elsewhere, other) = (scene.id(), Digest::from_bytes([0; 32]));
    for unknown in [
        AuthorizationCodeDigest { grant: elsewhere, ..digest },
        AuthorizationCodeDigest { code: other, ..digest },
    ] {
        assert_eq!(shown(&scene, &unknown).await, None);
    }
}

async fn authorization_code_redemption_starts_the_refresh_token_atomically(database: Database) {
    let scene = Scene::set(database).await;
    let (client, digest) = (&scene.world.client, scene.code().await);
    let begin = |digest: &AuthorizationCodeDigest| {
        let first = RefreshTokenSecret::mint_first(digest.grant, &scene.entropy);
        (first.digests(), scene.beginning(&first))
    };
    let (first, family) = begin(&digest);
    let client_id = ClientId::mint(NOW, &scene.entropy);
    let theirs = authorization_codes::redeem_code_with_refresh_token(&digest, &client_id, &family, NOW);
    scene.is_refused([theirs], "codes.spend_and_begin").await;
    assert!(
        matches!(
            shown(&scene, &digest).await,
            Some(authorization_codes::AuthorizationCodeStatus::Unredeemed(_))
        ),
        "nothing was spent"
    );
    assert_eq!(refresh_tokens::find_refresh_token(&scene.store, &first).await, Ok(None), "and nothing begun");
    scene.happens([authorization_codes::redeem_code_with_refresh_token(&digest, client, &family, NOW)]).await;
    assert!(matches!(
        shown(&scene, &digest).await,
        Some(authorization_codes::AuthorizationCodeStatus::Redeemed(_, NOW))
    ));
    assert!(matches!(
        refresh_tokens::find_refresh_token(&scene.store, &first).await,
        Ok(Some(RefreshTokenStatus::Current(_)))
    ));
    let (_, another) = begin(&digest);
    let second_redemption =
        authorization_codes::redeem_code_with_refresh_token(&digest, client, &another, NOW);
    scene.is_refused([second_redemption], "codes.spend_and_begin").await;
    scene
        .is_refused([authorization_codes::redeem_authorization_code(&digest, client, NOW)], "codes.spend")
        .await;
    scene.is_refused([refresh_tokens::start_refresh_family(&another, client, NOW)], "families.begin").await;
    assert!(matches!(
        refresh_tokens::find_refresh_token(&scene.store, &first).await,
        Ok(Some(RefreshTokenStatus::Current(_)))
    ));

    // A grant with refresh tokens starts no further family, whatever its code.
    let digest = scene.code().await;
    scene.family(digest.grant).await;
    let (_, second) = begin(&digest);
    let spent = authorization_codes::redeem_code_with_refresh_token(&digest, client, &second, NOW);
    scene.is_refused([spent], "codes.spend_and_begin").await;
    assert!(matches!(
        shown(&scene, &digest).await,
        Some(authorization_codes::AuthorizationCodeStatus::Unredeemed(_))
    ));
}

async fn authorization_code_presented_by_another_client_stays_valid(database: Database) {
    let scene = Scene::set(database).await;
    let digest = scene.code().await;
    let client = ClientId::mint(NOW, &scene.entropy);
    scene
        .is_refused([authorization_codes::redeem_authorization_code(&digest, &client, NOW)], "codes.spend")
        .await;
    scene.happens([authorization_codes::redeem_authorization_code(&digest, &scene.world.client, NOW)]).await;
}

async fn refresh_token_rotated_is_recognized_as_used_at_any_age(database: Database) {
    let scene = Scene::set(database).await;
    let client = &scene.world.client;
    let first = scene.family(scene.grant(StoredGrantKind::Code).await).await;
    let (mut newest, mut line) = (first.duplicate(), vec![first.digests()]);
    for generation in 0..5 {
        let successor = newest.mint_successor(&scene.entropy);
        let next = SuccessorRefreshToken {
            digest: &successor.digests().token,
            idle_expires_at: scene.world.expires_at,
        };
        scene.happens([refresh_tokens::rotate_refresh_token(&line[generation], client, &next, NOW)]).await;
        line.push(successor.digests());
        newest = successor;
    }
    // A token derived from one of the family counts as reuse too.
    line.insert(0, first.mint_successor(&scene.entropy).digests());
    for (index, digests) in line.iter().enumerate() {
        let status = refresh_tokens::find_refresh_token(&scene.store, digests).await.unwrap().unwrap();
        let token = match &status {
            RefreshTokenStatus::Current(token) if index == 6 => token,
            RefreshTokenStatus::Rotated(token) if index < 6 => token,
            _ => panic!("token {index} is {status:?}"),
        };
        assert_eq!(token.grant, first.grant());
        assert_eq!(token.scope.to_string(), "openid invoices:read");
        if index < 6 {
            let next = first.mint_successor(&scene.entropy).digests();
            let next = SuccessorRefreshToken { digest: &next.token, idle_expires_at: scene.world.expires_at };
            scene
                .is_refused(
                    [refresh_tokens::rotate_refresh_token(digests, client, &next, NOW)],
                    "families.rotate",
                )
                .await;
        }
    }
    let digests = RefreshTokenSecret::mint_first(first.grant(), &scene.entropy).digests();
    assert_eq!(
        refresh_tokens::find_refresh_token(&scene.store, &digests).await.unwrap(),
        None,
        "it has another mark"
    );
    let later = newest.mint_successor(&scene.entropy).digests();
    assert_eq!(
        refresh_tokens::find_refresh_token(&scene.store, &later).await.unwrap(),
        None,
        "no token of this generation is known here yet"
    );
}

async fn refresh_token_of_a_revoked_grant_is_not_rotated(database: Database) {
    let scene = Scene::set(database).await;
    let token = scene.family(scene.grant(StoredGrantKind::Code).await).await;
    let (grant, next) = (token.grant(), token.mint_successor(&scene.entropy).digests());
    let token = token.digests();
    scene.happens([grants::revoke_grant(grant, "reused", NOW)]).await;
    let next = SuccessorRefreshToken { digest: &next.token, idle_expires_at: scene.world.expires_at };
    let rotation = refresh_tokens::rotate_refresh_token(&token, &scene.world.client, &next, NOW);
    scene.is_refused([rotation], "families.rotate").await;
    let Some(RefreshTokenStatus::Current(refresh_token)) =
        refresh_tokens::find_refresh_token(&scene.store, &token).await.unwrap()
    else {
        panic!("a token that was refused is not consumed");
    };
    assert_eq!(refresh_token.revoked_at, Some(NOW));
    // Revoking again is not a conflict and does not change the time.
    scene.happens([grants::revoke_grant(grant, "reused", NOW.plus(Lifetime::from_seconds(1)))]).await;
    let Some(RefreshTokenStatus::Current(refresh_token)) =
        refresh_tokens::find_refresh_token(&scene.store, &token).await.unwrap()
    else {
        panic!("it is still there");
    };
    assert_eq!(refresh_token.revoked_at, Some(NOW));
}

async fn pushed_request_is_used_by_its_own_client_once(database: Database) {
    let scene = Scene::set(database).await;
    let (digest, client_id) = (scene.secret(), ClientId::mint(NOW, &scene.entropy));
    let request = NewPushedRequest {
        digest: &digest,
        client: &scene.world.client,
        request: &scene.world.empty_document,
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([par::store_pushed_request(&request)]).await;
    let consume_request = |client: &ClientId| [par::consume_pushed_request(&digest, client, NOW)];
    scene.is_refused(consume_request(&client_id), "pushed_requests.take").await;
    scene.happens(consume_request(&scene.world.client)).await;
    scene.is_refused(consume_request(&scene.world.client), "pushed_requests.take").await;
    let request = par::find_pushed_request(&scene.store, &digest).await.unwrap().unwrap();
    assert_eq!((request.client, request.used_at), (scene.world.client.clone(), Some(NOW)));
}

async fn flow_advances_from_each_version_once(database: Database) {
    let scene = Scene::set(database).await;
    let (id, digest) = scene.flow().await;
    let account = Some(scene.world.account);
    let state = StoredFlowState { document: &scene.world.empty_document, form: 2, account };
    let newer = scene.secret();
    scene.happens([flows::advance_flow(id, 1, state, &newer, NOW)]).await;
    scene.is_refused([flows::advance_flow(id, 1, state, &digest, NOW)], "flows.advance").await;
    scene.is_refused([flows::finish_flow(id, 1, NOW)], "flows.finish").await;
    let flow = flows::find_flow(&scene.store, id).await.unwrap().unwrap();
    assert_eq!((flow.version, flow.form, flow.account, flow.digest), (2, 2, account, newer));
    scene.happens([flows::finish_flow(id, 2, NOW)]).await;
    scene.is_refused([flows::advance_flow(id, 3, state, &newer, NOW)], "flows.advance").await;
    let flow = flows::find_flow(&scene.store, id).await.unwrap().unwrap();
    assert_eq!((flow.version, flow.finished_at), (3, Some(NOW)));
}

async fn invitation_creates_one_member(database: Database) {
    let scene = Scene::set(database).await;
    let (membership, digest) = (scene.id(), scene.secret());
    let statement = scene.world.create_membership(membership, &MembershipHolder::Unclaimed);
    let invitation = NewInvitation {
        id: scene.id(),
        digest: &digest,
        organization: scene.world.organization,
        membership,
        roles: &JsonDocument::from_value(&[scene.world.role]).unwrap(),
        lookup: "ana@example.com",
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([statement, invitations::create_invitation(&invitation)]).await;
    let (first, second) = (scene.id(), scene.id());
    for account in [first, second] {
        scene.happens([accounts::create_account(account, None, &scene.world.empty_document, NOW)]).await;
    }
    let invitation = invitations::find_invitation_by_token(&scene.store, &digest).await.unwrap().unwrap();
    assert_eq!((invitation.lookup.as_str(), invitation.accepted_at), ("ana@example.com", None));
    assert_eq!(invitation.roles, [scene.world.role], "the offered roles are kept");
    let accept = |version, account| {
        let unclaimed = UnclaimedMembership { id: membership, version, roles: &[] };
        invitations::accept_invitation(
            invitation.id,
            check_offered_roles(&invitation.roles, &unclaimed).unwrap(),
            account,
            NOW,
        )
    };
    // It changed after it was checked, so nothing is granted and the invitation is not used.
    scene.happens([memberships::advance_membership_version(membership, 1, NOW)]).await;
    scene.is_refused(accept(1, first), "memberships.claim").await;
    scene.happens(accept(2, first)).await;
    scene.is_refused(accept(2, second), "invitations.accept").await;
    scene
        .is_refused(
            [invitations::revoke_invitation(invitation.organization, invitation.id, NOW)],
            "invitations.revoke",
        )
        .await;
    let invitation = invitations::find_invitation_by_token(&scene.store, &digest).await.unwrap().unwrap();
    assert_eq!(invitation.accepted_at, Some(NOW));
    let joined = memberships::list_account_memberships(&scene.store, first).await.unwrap();
    assert_eq!(joined.iter().map(|it| it.id).collect::<Vec<_>>(), [membership]);
    assert_eq!(memberships::list_account_memberships(&scene.store, second).await, Ok(Vec::new()));
}

async fn bootstrap_link_that_was_used_records_the_time(database: Database) {
    let scene = Scene::set(database).await;
    let digest = scene.secret();
    scene.happens([bootstrap::issue_bootstrap_link(&digest, NOW, scene.world.expires_at)]).await;
    scene.happens([bootstrap::consume_bootstrap_link(&digest, NOW)]).await;
    scene.is_refused([bootstrap::consume_bootstrap_link(&digest, NOW)], "bootstrap_links.spend").await;
    let link = bootstrap::find_bootstrap_link(&scene.store, &digest).await.unwrap().unwrap();
    assert_eq!((link.spent_at, link.expires_at), (Some(NOW), scene.world.expires_at));
}
