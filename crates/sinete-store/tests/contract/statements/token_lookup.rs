//! What a client presents to get a token, read together with its authentication and all dependencies.

use super::{Database, Scene};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::oauth::authorize_context;
use crate::oauth::authorize_context::AuthorizeContext;
use crate::oauth::clients;
use crate::oauth::clients::{ClientOrigin, NewClient};
use crate::oauth::consents;
use crate::oauth::consents::{ConsentParties, ConsentRow};
use crate::oauth::grants;
use crate::oauth::grants::StoredGrantKind;
use crate::oauth::subject_state::token_lookup;
use crate::oauth::subject_state::token_lookup::ClientLookup;
use crate::oauth::{
    authorization_codes, client_authentication, client_secrets, refresh_tokens, subject_state,
};
use crate::organizations;
use crate::organizations::ConditionChangeReason;
use crate::organizations::memberships;
use crate::organizations::memberships::MembershipHolder;
use crate::organizations::roles;
use crate::single_use::SingleUseFixture;
use sinete_core::access_control::permission::PermissionSet;
use sinete_core::access_control::role::Role;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::LifecycleCondition::{Enabled, Ended, Suspended};
use sinete_core::client_id::ClientId;
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::secret::{AuthorizationCodeSecret, Digest, RefreshTokenDigests};

both_engines!(
    token_lookup_authenticates_the_client_by_its_secret,
    token_lookup_returns_every_dependency_of_the_credential,
    token_lookup_of_another_clients_grant_is_not_this_clients,
    service_client_lookup_includes_roles_and_ends_with_its_organization,
    authorize_context_includes_session_client_and_memberships,
    authorize_context_separates_roles_and_consents_by_membership
);

/// A client without a credential.
fn bare(client: &ClientId) -> ClientLookup<'_> {
    ClientLookup { client, secret: None }
}

async fn token_lookup_authenticates_the_client_by_its_secret(database: Database) {
    let scene = Scene::set(database).await;
    let client = &scene.world.client;
    let (secret, other) = (scene.secret(), scene.secret());
    scene.happens([client_secrets::add_client_secret(&secret, client, NOW, None)]).await;
    let token = scene.family(scene.grant(StoredGrantKind::Code).await).await.digests();
    let unknown = AuthorizationCodeSecret::mint(scene.id(), &scene.entropy).digest();
    for (digest, is_right) in [(None, false), (Some(&other), false), (Some(&secret), true)] {
        let client_lookup = ClientLookup { client, secret: digest };
        let (machine, _) =
            token_lookup::load_service(&scene.store, client_lookup, NOW).await.unwrap().unwrap();
        let (refreshing, _) = token_lookup::load_refresh_token(&scene.store, client_lookup, &token, NOW)
            .await
            .unwrap()
            .unwrap();
        let (redeeming, _) =
            token_lookup::load_authorization_code(&scene.store, client_lookup, &unknown, NOW)
                .await
                .unwrap()
                .unwrap();
        for auth_state in [machine, refreshing, redeeming] {
            assert_eq!((auth_state.has_secret, auth_state.condition), (is_right, Enabled));
        }
    }
    let client_id = ClientId::mint(NOW, &scene.entropy);
    let client_lookup = ClientLookup { client: &client_id, secret: Some(&secret) };
    assert!(token_lookup::load_service(&scene.store, client_lookup, NOW).await.unwrap().is_none());
    assert!(
        token_lookup::load_refresh_token(&scene.store, client_lookup, &token, NOW).await.unwrap().is_none()
    );
    scene.happens([client_secrets::revoke_client_secret(&secret, client, NOW)]).await;
    let client_lookup = ClientLookup { client, secret: Some(&secret) };
    let (auth_state, _) =
        token_lookup::load_refresh_token(&scene.store, client_lookup, &token, NOW).await.unwrap().unwrap();
    assert!(!auth_state.has_secret);
}

async fn token_lookup_returns_every_dependency_of_the_credential(database: Database) {
    let scene = Scene::set(database).await;
    let (client, code) = (&scene.world.client, scene.code().await);
    let (grant, token) = (code.grant, scene.family(code.grant).await.digests());
    let read = async || {
        let (_, by_token) =
            token_lookup::load_refresh_token(&scene.store, bare(client), &token, NOW).await.unwrap().unwrap();
        let (_, by_code) = token_lookup::load_authorization_code(&scene.store, bare(client), &code, NOW)
            .await
            .unwrap()
            .unwrap();
        (by_token.unwrap(), by_code.unwrap())
    };
    let (by_token, by_code) = read().await;
    assert!(
        matches!(by_token.credential, refresh_tokens::RefreshTokenStatus::Current(found) if found.grant == token.grant)
    );
    assert!(
        matches!(by_code.credential, authorization_codes::AuthorizationCodeStatus::Unredeemed(found) if found.grant == grant)
    );
    for (snapshot, granted) in [by_token.subject.unwrap(), by_code.subject.unwrap()] {
        assert_eq!(snapshot.state.require_active().unwrap().organization(), scene.world.organization);
        assert_eq!(granted.unwrap().grant.id, grant);
    }
    scene.happens([grants::revoke_grant(grant, "replay", NOW)]).await;
    let (by_token, by_code) = read().await;
    for (snapshot, granted) in [by_token.subject.unwrap(), by_code.subject.unwrap()] {
        assert_eq!((snapshot.state.grant, granted.unwrap().grant.id), (Ended, grant));
    }
    for unknown in [
        RefreshTokenDigests { grant: scene.id(), ..token },
        RefreshTokenDigests { family_mark: Digest::from_bytes([0; 32]), ..token },
        RefreshTokenDigests { token: Digest::from_bytes([0; 32]), generation: 1, ..token },
    ] {
        let snapshot =
            token_lookup::load_refresh_token(&scene.store, bare(client), &unknown, NOW).await.unwrap();
        assert!(snapshot.unwrap().1.is_none());
    }
    let older = RefreshTokenDigests { token: Digest::from_bytes([0; 32]), ..token };
    let (_, lookup) =
        token_lookup::load_refresh_token(&scene.store, bare(client), &older, NOW).await.unwrap().unwrap();
    assert!(matches!(lookup.unwrap().credential, refresh_tokens::RefreshTokenStatus::Rotated(_)));
}

async fn token_lookup_of_another_clients_grant_is_not_this_clients(database: Database) {
    let scene = Scene::set(database).await;
    let token = scene.family(scene.grant(StoredGrantKind::Code).await).await.digests();
    let other = ClientId::mint(NOW, &scene.entropy);
    scene.happens([service(&scene, &other, ClientOrigin::Operator)]).await;
    let (auth_state, lookup) =
        token_lookup::load_refresh_token(&scene.store, bare(&other), &token, NOW).await.unwrap().unwrap();
    assert_eq!(auth_state.condition, Enabled);
    let lookup = lookup.unwrap();
    assert!(
        matches!(lookup.credential, refresh_tokens::RefreshTokenStatus::Current(found) if found.client == scene.world.client)
    );
    let (snapshot, granted) = lookup.subject.unwrap();
    assert!(granted.is_none());
    assert_eq!(snapshot.state.grant, Ended);
}

async fn service_client_lookup_includes_roles_and_ends_with_its_organization(database: Database) {
    let scene = Scene::set(database).await;
    let (robot, membership) = (ClientId::mint(NOW, &scene.entropy), scene.id());
    let organization = scene.world.organization;
    scene.happens([service(&scene, &robot, ClientOrigin::Organization(organization))]).await;
    let read = async || token_lookup::load_service(&scene.store, bare(&robot), NOW).await.unwrap().unwrap().1;
    assert!(read().await.is_none(), "the client has no membership yet");
    scene
        .happens([
            scene.world.create_membership(membership, &MembershipHolder::Machine(robot.clone())),
            memberships::add_role(membership, scene.world.role, NOW),
        ])
        .await;
    let subject = read().await.unwrap().snapshot.state.require_active().unwrap();
    assert_eq!((subject.organization(), subject.roles().len()), (organization, 1));
    let because = ConditionChangeReason { actor: "system", reason: "unpaid" };
    scene
        .happens([organizations::change_organization_condition(organization, 1, Suspended, because, NOW)])
        .await;
    assert!(read().await.unwrap().snapshot.state.require_active().is_err());
}

async fn authorize_context_includes_session_client_and_memberships(database: Database) {
    let scene = Scene::set(database).await;
    let (world, session) = (&scene.world, &scene.world.session_digest);
    let read = async || {
        authorize_context::load_authorize_context(&scene.store, session, &world.client, NOW)
            .await
            .unwrap()
            .unwrap()
    };
    let AuthorizeContext { client, signed_in, .. } = read().await;
    let auth_state =
        client_authentication::find_client_auth_state(&scene.store, &world.client, None, NOW).await.unwrap();
    assert_eq!(Some(client), auth_state.map(|(client, _)| client));
    let authorize_context::AuthorizeSession { session: session_row, memberships: places } =
        signed_in.unwrap();
    let usable = places.unwrap().usable;
    assert_eq!((session_row.id, session_row.account), (world.session, world.account));
    assert_eq!((usable.len(), usable[0].membership), (1, world.membership));

    let client = ClientId::mint(NOW, &scene.entropy);
    assert!(
        authorize_context::load_authorize_context(&scene.store, session, &client, NOW)
            .await
            .unwrap()
            .is_none()
    );
    let unknown =
        authorize_context::load_authorize_context(&scene.store, &scene.secret(), &world.client, NOW)
            .await
            .unwrap()
            .unwrap();
    assert!(unknown.client.condition == Enabled && unknown.signed_in.is_none());

    let because = ConditionChangeReason { actor: "system", reason: "unpaid" };
    let condition = |version, to| {
        organizations::change_organization_condition(world.organization, version, to, because, NOW)
    };
    scene.happens([condition(1, Suspended)]).await;
    assert!(
        read().await.signed_in.unwrap().memberships.unwrap().usable.is_empty(),
        "signed in, without a usable membership"
    );
    scene.happens([condition(2, Enabled)]).await;
    scene.change("UPDATE memberships SET condition = 'suspended'").await;
    assert!(read().await.signed_in.unwrap().memberships.unwrap().usable.is_empty());
    scene.change("UPDATE clients SET condition = 'suspended'").await;
    let visitor = read().await;
    assert!(visitor.client.condition == Suspended && visitor.signed_in.is_some());
    scene.change("UPDATE accounts SET condition = 'suspended'").await;
    assert!(read().await.signed_in.is_none());
}

/// Several roles, consents and memberships are distinguished: each is the same as when read alone.
async fn authorize_context_separates_roles_and_consents_by_membership(database: Database) {
    let scene = Scene::set(database).await;
    let (world, store) = (&scene.world, &scene.store);
    let (organization, second, other_membership) = (scene.id(), scene.id(), scene.id());
    let elsewhere = SingleUseFixture { organization, ..scene.world.clone() };
    let theirs = MembershipHolder::User(world.account);
    scene
        .happens([
            world.create_organization(organization).unwrap(),
            elsewhere.create_membership(second, &theirs),
            world.create_membership(other_membership, &MembershipHolder::Unclaimed),
        ])
        .await;
    give_role(&scene, world.organization, world.membership, role("auditor", "members:read")).await;
    give_role(&scene, world.organization, world.membership, role("clerk", "members:write")).await;
    give_role(&scene, organization, second, role("auditor", "roles:read")).await;
    let apis = ["https://a.example", "https://b.example", "https://never.example"];
    let compare = async || {
        let context =
            authorize_context::load_authorize_context(store, &world.session_digest, &world.client, NOW)
                .await
                .unwrap()
                .unwrap();
        let (mut roles, mut agreements) = (Vec::new(), 0);
        let places = context.signed_in.unwrap().memberships.unwrap();
        for (membership, audience) in
            [world.membership, second].into_iter().flat_map(|it| apis.map(|api| (it, api)))
        {
            let parties = ConsentParties { membership, client: &world.client, audience };
            let context_subject =
                places.snapshots.load_subject_with_consent(store, membership, audience).await.unwrap();
            let alone = subject_state::consent::load_subject_with_consent(store, parties, NOW).await.unwrap();
            assert_eq!(format!("{context_subject:?}"), format!("{alone:?}"), "{audience}");
            let (snapshot, consent) = context_subject.unwrap();
            roles.push(snapshot.state.roles.len());
            agreements += usize::from(consent.is_some());
        }
        let foreign = places.snapshots.load_subject_with_consent(store, other_membership, apis[0]).await;
        assert!(foreign.unwrap().is_none(), "another user's membership");
        (places.usable.len(), roles, agreements)
    };
    assert_eq!(compare().await, (2, vec![3, 3, 3, 1, 1, 1], 0));
    let consent = |membership, audience: &str| {
        let (scope, claims) = ("openid".parse().unwrap(), IndividualClaims::default());
        let parties = ConsentParties { membership, client: &world.client, audience };
        consents::record_consent(parties, &ConsentRow { scope, claims, binding: None, consented_at: NOW })
    };
    scene.happens([consent(world.membership, apis[0]), consent(world.membership, apis[1])]).await;
    // Every role once, however many scopes were granted.
    assert_eq!(compare().await, (2, vec![3, 3, 3, 1, 1, 1], 2));
    scene.happens([consent(second, apis[1])]).await;
    assert_eq!(compare().await.2, 3);
    scene.happens([consents::revoke_client_consents(world.membership, &world.client, NOW)]).await;
    assert_eq!(compare().await, (2, vec![3, 3, 3, 1, 1, 1], 1));

    // Three roles with 21 consents, and the row of the other membership, reach the row limit: there may be
    // more, so none is used.
    for (number, is_read) in (0..22).map(|number| (number, number < 20)) {
        scene.happens([consent(world.membership, &format!("https://{number}.example"))]).await;
        let context =
            authorize_context::load_authorize_context(store, &world.session_digest, &world.client, NOW)
                .await
                .unwrap()
                .unwrap();
        let signed_in = context.signed_in.unwrap();
        assert_eq!(
            (signed_in.session.id, signed_in.memberships.is_some()),
            (world.session, is_read),
            "{number}"
        );
    }
}

fn role(name: &str, permission: &str) -> Role {
    Role::new(name, PermissionSet::from_iter([permission.parse().unwrap()])).unwrap()
}

/// Creates a role in an organization and assigns it to a member.
async fn give_role(scene: &Scene, organization: OrganizationId, membership: MembershipId, role: Role) {
    let id = scene.id();
    scene.happens([roles::create_role(id, organization, &role, "", NOW)]).await;
    scene.happens([memberships::add_role(membership, id, NOW)]).await;
}

fn service(scene: &Scene, id: &ClientId, origin: ClientOrigin) -> crate::GuardedStatement {
    clients::create_client(&NewClient {
        id,
        kind: sinete_core::client_id::ClientKind::Service,
        origin,
        name: "Robot",
        purpose: "",
        owner: None,
        scope: &ScopeSet::default(),
        metadata: &scene.world.empty_document,
        created_at: NOW,
    })
}
