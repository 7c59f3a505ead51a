//! What a token depends on, at the time of use: its root, the exchanges it came from, and itself.

use super::{Database, Scene};
use crate::accounts;
use crate::administration::cleanup;
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::oauth::clients;
use crate::oauth::clients::{ClientOrigin, NewClient};
use crate::oauth::delegations;
use crate::oauth::delegations::{ExchangedSubjectToken, NewDelegation};
use crate::oauth::grants::StoredGrantKind;
use crate::oauth::subject_state::access_token;
use crate::oauth::{grants, revocation};
use crate::organizations;
use crate::organizations::ConditionChangeReason;
use crate::organizations::memberships::MembershipHolder;
use crate::organizations::{api_keys, memberships};
use crate::sign_in::sessions;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::InactiveSubject;
use sinete_core::access_control::subject::LifecycleCondition::{Enabled, Ended, Suspended};
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::id::DelegationId;
use sinete_core::oauth::access_token::AccessTokenClaims;
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::secret::Secret;
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(
    access_token_is_active_while_its_grant_is,
    service_client_token_ends_with_its_epoch_and_membership,
    exchanged_token_of_an_api_key_ends_with_the_key,
    exchanged_token_ends_with_any_part_of_its_chain,
    token_exchange_of_an_ended_subject_is_refused,
    token_exchange_chains_are_cleaned_up_from_the_last_to_the_first
);

fn claims(scene: &Scene, holder: &str, client: &ClientId, jti: &Jti) -> AccessTokenClaims {
    serde_json::from_value(serde_json::json!({
        "iss": "https://id.example", "sub": holder, "aud": "https://api.example", "exp": NOW.seconds() + 600,
        "iat": NOW.seconds(), "jti": jti.to_string(), "client_id": client.as_str(), "scope": "organization:read",
        "org": scene.world.organization.to_string(), "role": "member",
    }))
    .unwrap()
}

/// The inactive dependency of a user's token, if any.
async fn ended(scene: &Scene, client: &ClientId, jti: &Jti) -> Option<InactiveSubject> {
    let claims = claims(scene, &scene.world.membership.to_string(), client, jti);
    let read = access_token::load_access_token_subject(&scene.store, &claims, NOW).await.unwrap().unwrap();
    read.snapshot.state.require_active().err()
}

const GONE: Option<InactiveSubject> = Some(InactiveSubject::Grant(Ended));

fn client(scene: &Scene, id: &ClientId, kind: ClientKind) -> crate::write_batch::GuardedStatement {
    clients::create_client(&NewClient {
        id,
        kind,
        origin: ClientOrigin::Operator,
        name: "Another",
        purpose: "",
        owner: None,
        scope: &ScopeSet::default(),
        metadata: &scene.world.empty_document,
        created_at: NOW,
    })
}

async fn access_token_is_active_while_its_grant_is(database: Database) {
    let mut scene = Scene::set(database).await;
    for end in 0..5 {
        scene.begin_anew().await;
        let (world, grant) = (&scene.world, scene.grant(StoredGrantKind::Code).await);
        let jti = Jti::mint(TokenRevocationRoot::Grant(grant), None, &scene.entropy);
        assert_eq!(ended(&scene, &world.client, &jti).await, None);
        let step = match end {
            0 => grants::revoke_grant(grant, "replay", NOW),
            1 => sessions::end_session(world.account, world.session, NOW),
            2 => accounts::advance_account_epoch(world.account),
            3 => clients::advance_client_epoch(&world.client),
            _ => revocation::revoke_access_token(&jti.to_string(), world.expires_at, NOW),
        };
        scene.happens([step]).await;
        assert_eq!(ended(&scene, &scene.world.client, &jti).await, GONE, "{end}");
    }
    scene.begin_anew().await;
    let (world, grant) = (&scene.world, scene.grant(StoredGrantKind::Code).await);
    let jti = Jti::mint(TokenRevocationRoot::Grant(grant), None, &scene.entropy);
    let because = ConditionChangeReason { actor: "system", reason: "unpaid" };
    let changed = |condition, version| {
        [
            (
                organizations::change_organization_condition(
                    world.organization,
                    version,
                    condition,
                    because,
                    NOW,
                ),
                InactiveSubject::Organization(condition),
            ),
            (
                clients::change_client_condition(&world.client, version, condition, NOW),
                InactiveSubject::Client(condition),
            ),
            (
                accounts::change_account_condition(world.account, version, condition, NOW),
                InactiveSubject::Account(condition),
            ),
        ]
    };
    for ((suspend, subject), (restore, _)) in changed(Suspended, 1).into_iter().zip(changed(Enabled, 2)) {
        scene.happens([suspend]).await;
        assert_eq!(ended(&scene, &world.client, &jti).await, Some(subject));
        scene.happens([restore]).await;
        assert_eq!(ended(&scene, &world.client, &jti).await, None, "restoring restores");
    }
    // A grant of another user does not match.
    let jti = Jti::mint(TokenRevocationRoot::Grant(scene.id()), None, &scene.entropy);
    assert_eq!(ended(&scene, &world.client, &jti).await, GONE);
}

async fn service_client_token_ends_with_its_epoch_and_membership(database: Database) {
    let scene = Scene::set(database).await;
    let (robot, membership) = (ClientId::mint(NOW, &scene.entropy), scene.id());
    let holder = MembershipHolder::Machine(robot.clone());
    scene.happens([client(&scene, &robot, ClientKind::Service)]).await;
    let jti = Jti::mint(TokenRevocationRoot::Machine { epoch: 0 }, None, &scene.entropy);
    let own_claims = claims(&scene, robot.as_str(), &robot, &jti);
    let read = async |claims: &AccessTokenClaims| {
        access_token::load_access_token_subject(&scene.store, claims, NOW).await.unwrap()
    };
    assert!(read(&own_claims).await.is_none(), "it has no membership yet");
    scene.happens([scene.world.create_membership(membership, &holder)]).await;
    let snapshot = read(&own_claims).await.unwrap().snapshot;
    assert_eq!((snapshot.client_version, snapshot.client_epoch), (Some(1), Some(0)));
    assert!(snapshot.state.require_active().is_ok());
    let mut before = serde_json::to_value(&own_claims).unwrap();
    before["iat"] = (NOW.seconds() - 1).into();
    let before = serde_json::from_value(before).unwrap();
    assert!(read(&before).await.is_none(), "a token from before the membership is another membership's");

    scene.happens([clients::advance_client_epoch(&robot)]).await;
    let subject = read(&own_claims).await.unwrap().snapshot.state.require_active().unwrap_err();
    assert_eq!(subject, InactiveSubject::Grant(Ended));
    let newer = Jti::mint(TokenRevocationRoot::Machine { epoch: 1 }, None, &scene.entropy);
    let newer = claims(&scene, robot.as_str(), &robot, &newer);
    assert!(read(&newer).await.unwrap().snapshot.state.require_active().is_ok());
    let stored = memberships::find_membership(&scene.store, scene.world.organization, membership)
        .await
        .unwrap()
        .unwrap();
    scene.happens([memberships::change_membership_condition(&stored, Ended, NOW)]).await;
    assert!(read(&newer).await.is_none());
}

async fn key(scene: &Scene) -> sinete_core::id::ApiKeyId {
    let id = scene.id();
    let key = api_keys::NewApiKey {
        id,
        digest: &Secret::mint(&scene.entropy).digest(),
        membership: scene.world.membership,
        name: "key",
        scope: &"organization:read".parse().unwrap(),
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([api_keys::issue_api_key(&key)]).await;
    id
}

async fn exchanged_token_of_an_api_key_ends_with_the_key(database: Database) {
    let scene = Scene::set(database).await;
    let key = key(&scene).await;
    let jti = exchange(&scene, ExchangedSubjectToken::ApiKey(key), &scene.world.client).await;
    assert_eq!(ended(&scene, &scene.world.client, &jti).await, None);
    scene.happens([api_keys::revoke_api_key(scene.world.organization, key, NOW)]).await;
    assert_eq!(ended(&scene, &scene.world.client, &jti).await, GONE);
    let unknown = Jti::mint(TokenRevocationRoot::ApiKey(scene.id()), None, &scene.entropy);
    let claims = claims(&scene, &scene.world.membership.to_string(), &scene.world.client, &unknown);
    assert!(access_token::load_access_token_subject(&scene.store, &claims, NOW).await.unwrap().is_none());
}

fn exchange_step(
    scene: &Scene,
    id: DelegationId,
    of: ExchangedSubjectToken<'_>,
    actor: &ClientId,
) -> crate::write_batch::GuardedStatement {
    delegations::create_delegation(&NewDelegation {
        id,
        subject_token: of,
        actor,
        audience: "https://api.example",
        scope: &ScopeSet::default(),
        created_at: NOW,
        expires_at: scene.world.expires_at,
    })
}

/// Exchanges a token, and returns the id of the new one.
async fn exchange(scene: &Scene, of: ExchangedSubjectToken<'_>, actor: &ClientId) -> Jti {
    let id = scene.id();
    scene.happens([exchange_step(scene, id, of, actor)]).await;
    Jti::mint(of.root(), Some(id), &scene.entropy)
}

async fn exchanged_token_ends_with_any_part_of_its_chain(database: Database) {
    let mut scene = Scene::set(database).await;
    for end in 0..8 {
        scene.begin_anew().await;
        let [agent, helper] = [(); 2].map(|()| ClientId::mint(NOW, &scene.entropy));
        let statements = [&agent, &helper].map(|id| client(&scene, id, ClientKind::Agent));
        scene.happens(statements).await;
        let grant = scene.grant(StoredGrantKind::Code).await;
        let first = Jti::mint(TokenRevocationRoot::Grant(grant), None, &scene.entropy);
        let second = exchange(&scene, ExchangedSubjectToken::Token(&first), &agent).await;
        let third = exchange(&scene, ExchangedSubjectToken::Token(&second), &helper).await;
        assert_eq!(ended(&scene, &helper, &third).await, None);
        let later = scene.world.expires_at;
        let step = match end {
            0 => grants::revoke_grant(grant, "replay", NOW),
            1 => revocation::revoke_access_token(&first.to_string(), later, NOW),
            2 => revocation::revoke_access_token(&second.to_string(), later, NOW),
            3 => delegations::revoke_delegation(second.delegation.unwrap(), NOW),
            4 => clients::change_client_condition(&agent, 1, Suspended, NOW),
            5 => clients::advance_client_epoch(&agent),
            6 => clients::change_client_condition(&scene.world.client, 1, Suspended, NOW),
            _ => delegations::revoke_delegation(third.delegation.unwrap(), NOW),
        };
        scene.happens([step]).await;
        assert!(ended(&scene, &helper, &third).await.is_some(), "{end}");
        // What ends further down does not affect the first token.
        let is_further_down = (2..6).contains(&end) || end == 7;
        assert_eq!(ended(&scene, &scene.world.client, &first).await.is_none(), is_further_down, "{end}");
        let next_exchange = exchange_step(&scene, scene.id(), ExchangedSubjectToken::Token(&second), &helper);
        if end != 7 {
            scene.is_refused([next_exchange], "delegations.begin_of_exchanged_grant").await;
        }
        if end == 4 {
            scene.happens([clients::change_client_condition(&agent, 2, Enabled, NOW)]).await;
            assert_eq!(ended(&scene, &helper, &third).await, None, "restoring restores");
        }
    }
}

async fn token_exchange_of_an_ended_subject_is_refused(database: Database) {
    let scene = Scene::set(database).await;
    let (world, key) = (&scene.world, key(&scene).await);
    let unknown = ClientId::mint(NOW, &scene.entropy);
    let by_unknown = exchange_step(&scene, scene.id(), ExchangedSubjectToken::ApiKey(key), &unknown);
    scene.is_refused([by_unknown], "delegations.begin_of_api_key").await;
    scene.happens([api_keys::revoke_api_key(world.organization, key, NOW)]).await;
    let of_revoked = exchange_step(&scene, scene.id(), ExchangedSubjectToken::ApiKey(key), &world.client);
    scene.is_refused([of_revoked], "delegations.begin_of_api_key").await;
    let jti = Jti::mint(TokenRevocationRoot::Machine { epoch: 0 }, None, &scene.entropy);
    exchange(&scene, ExchangedSubjectToken::Token(&jti), &world.client).await;
    scene.happens([revocation::revoke_access_token(&jti.to_string(), world.expires_at, NOW)]).await;
    let of_own = exchange_step(&scene, scene.id(), ExchangedSubjectToken::Token(&jti), &world.client);
    scene.is_refused([of_own], "delegations.begin_of_own").await;
}

async fn token_exchange_chains_are_cleaned_up_from_the_last_to_the_first(database: Database) {
    let scene = Scene::set(database).await;
    let first =
        Jti::mint(TokenRevocationRoot::Grant(scene.grant(StoredGrantKind::Code).await), None, &scene.entropy);
    let second = exchange(&scene, ExchangedSubjectToken::Token(&first), &scene.world.client).await;
    let third = exchange(&scene, ExchangedSubjectToken::Token(&second), &scene.world.client).await;
    let sweep = async |long_ago: Timestamp| {
        for batch in cleanup::cleanup_batches(long_ago) {
            scene.store.commit(batch).await.unwrap().into_result().unwrap();
        }
    };
    sweep(scene.world.expires_at).await;
    assert_eq!(ended(&scene, &scene.world.client, &third).await, None);
    for expected_count in [1, 0] {
        sweep(scene.world.expires_at.plus(Lifetime::from_micros(1))).await;
        assert_eq!(scene.count("delegations").await, expected_count);
    }
}
