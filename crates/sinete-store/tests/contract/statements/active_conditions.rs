//! Whatever depends on something inactive cannot be used, and can again after that is restored.

use super::{Database, Scene};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::oauth::grants::StoredGrantKind;
use crate::oauth::refresh_tokens;
use crate::oauth::refresh_tokens::SuccessorRefreshToken;
use crate::oauth::subject_state;
use crate::oauth::subject_state::ActingClient;
use crate::oauth::{authorization_codes, deferred_grants, grants};
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::subject::InactiveSubject;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::access_control::subject::LifecycleCondition::{Ended, Suspended};
use sinete_core::id::GrantId;
use sinete_core::secret::{
    AuthorizationCodeDigest, BackchannelRequest, DeviceCode, Digest, RefreshTokenSecret,
};

both_engines!(
    inactive_parent_disables_dependent_rows_until_restored,
    grant_is_created_only_while_its_parents_are_active,
    revoked_grant_keeps_its_first_reason
);

/// A way to become inactive, how it shows, and how it is reverted if possible.
struct Way {
    kill: &'static str,
    shows_as: fn(LifecycleCondition) -> InactiveSubject,
    condition: LifecycleCondition,
    remedy: Option<&'static str>,
}

const fn passing(
    kill: &'static str,
    remedy: &'static str,
    shows_as: fn(LifecycleCondition) -> InactiveSubject,
    condition: LifecycleCondition,
) -> Way {
    Way { kill, shows_as, condition, remedy: Some(remedy) }
}

const fn lasting(kill: &'static str, shows_as: fn(LifecycleCondition) -> InactiveSubject) -> Way {
    Way { kill, shows_as, condition: Ended, remedy: None }
}

const WAYS: &[Way] = &[
    passing(
        "UPDATE organizations SET condition = 'suspended'",
        "UPDATE organizations SET condition = 'enabled'",
        InactiveSubject::Organization,
        Suspended,
    ),
    passing(
        "UPDATE organizations SET ends_at = 1800000000000000",
        "UPDATE organizations SET ends_at = 1800000000000001",
        InactiveSubject::Organization,
        Ended,
    ),
    passing(
        "UPDATE memberships SET condition = 'suspended'",
        "UPDATE memberships SET condition = 'enabled'",
        InactiveSubject::Membership,
        Suspended,
    ),
    passing(
        "UPDATE accounts SET condition = 'suspended'",
        "UPDATE accounts SET condition = 'enabled'",
        InactiveSubject::Account,
        Suspended,
    ),
    passing(
        "UPDATE clients SET condition = 'suspended'",
        "UPDATE clients SET condition = 'enabled'",
        InactiveSubject::Client,
        Suspended,
    ),
    // The owner of an agent is another membership.
    passing(
        "UPDATE clients SET owner_id = (SELECT id FROM organizations LIMIT 1)",
        "UPDATE clients SET owner_id = NULL",
        InactiveSubject::Client,
        Suspended,
    ),
    lasting("UPDATE organizations SET condition = 'ended'", InactiveSubject::Organization),
    lasting("UPDATE memberships SET condition = 'ended'", InactiveSubject::Membership),
    lasting("UPDATE accounts SET condition = 'ended'", InactiveSubject::Account),
    lasting("UPDATE accounts SET epoch = epoch + 1", InactiveSubject::Grant),
    lasting("UPDATE clients SET condition = 'ended'", InactiveSubject::Client),
    lasting("UPDATE clients SET epoch = epoch + 1", InactiveSubject::Grant),
    lasting("UPDATE sessions SET ended_at = 1", InactiveSubject::Grant),
    lasting("UPDATE sessions SET idle_expires_at = 1800000000000000", InactiveSubject::Grant),
    lasting("UPDATE sessions SET expires_at = 1800000000000000", InactiveSubject::Grant),
    lasting("UPDATE grants SET revoked_at = 1", InactiveSubject::Grant),
    lasting("UPDATE grants SET expires_at = 1800000000000000", InactiveSubject::Grant),
];

/// Everything that can be used under a grant, each as the first one.
struct Held {
    grant: GrantId,
    code: AuthorizationCodeDigest,
    code_that_begins: AuthorizationCodeDigest,
    to_begin: GrantId,
    refresh_token: RefreshTokenSecret,
    device: Digest<DeviceCode>,
    backchannel: Digest<BackchannelRequest>,
}

impl Held {
    async fn by(scene: &Scene) -> Self {
        let (code, code_that_begins) = (scene.code().await, scene.code().await);
        let (grant, to_begin) = (code.grant, scene.grant(StoredGrantKind::Device).await);
        let refresh_token = scene.family(grant).await;
        let ((device, _), backchannel) = (scene.device().await, scene.backchannel().await);
        scene.happens([deferred_grants::approve_deferred_grant(&device, grant, NOW)]).await;
        scene.happens([deferred_grants::approve_deferred_grant(&backchannel, grant, NOW)]).await;
        Self { grant, code, code_that_begins, to_begin, refresh_token, device, backchannel }
    }

    fn spending(&self, scene: &Scene) -> [(&'static str, Vec<GuardedStatement>); 7] {
        let client = &scene.world.client;
        let (digests, next) =
            (self.refresh_token.digests(), self.refresh_token.mint_successor(&scene.entropy).digests());
        let next = SuccessorRefreshToken { digest: &next.token, idle_expires_at: scene.world.expires_at };
        let rotation = refresh_tokens::rotate_refresh_token(&digests, client, &next, NOW);
        let used_again = refresh_tokens::reuse_refresh_token(&digests, client, scene.world.expires_at, NOW);
        let beginning = |grant| scene.beginning(&RefreshTokenSecret::mint_first(grant, &scene.entropy));
        let (code, refresh_family) = (&self.code_that_begins, beginning(self.code_that_begins.grant));
        let spent = authorization_codes::redeem_code_with_refresh_token(code, client, &refresh_family, NOW);
        [
            ("codes.spend", vec![authorization_codes::redeem_authorization_code(&self.code, client, NOW)]),
            ("codes.spend_and_begin", vec![spent]),
            (
                "families.begin",
                vec![refresh_tokens::start_refresh_family(&beginning(self.to_begin), client, NOW)],
            ),
            ("families.use_again", vec![used_again]),
            ("families.rotate", vec![rotation]),
            (
                "device_requests.spend",
                vec![deferred_grants::redeem_deferred_grant(&self.device, client, NOW)],
            ),
            (
                "approval_requests.spend",
                vec![deferred_grants::redeem_deferred_grant(&self.backchannel, client, NOW)],
            ),
        ]
    }

    async fn lifeless(&self, scene: &Scene) -> Option<InactiveSubject> {
        let through = ActingClient::Grant(&scene.world.client, self.grant);
        let snapshot =
            subject_state::load_subject(&scene.store, scene.world.membership, through, NOW).await.unwrap();
        snapshot.unwrap().state.require_active().err()
    }
}

async fn inactive_parent_disables_dependent_rows_until_restored(database: Database) {
    let mut scene = Scene::set(database).await;
    for deactivation in WAYS {
        scene.begin_anew().await;
        let dependent_rows = Held::by(&scene).await;
        assert_eq!(dependent_rows.lifeless(&scene).await, None, "before {}", deactivation.kill);
        scene.change(deactivation.kill).await;
        assert_eq!(
            dependent_rows.lifeless(&scene).await,
            Some((deactivation.shows_as)(deactivation.condition)),
            "{}",
            deactivation.kill
        );
        for (statement_name, steps) in dependent_rows.spending(&scene) {
            scene.is_refused(steps, statement_name).await;
        }
        if let Some(remedy) = deactivation.remedy {
            scene.change(remedy).await;
            assert_eq!(dependent_rows.lifeless(&scene).await, None, "{remedy}");
            for (_, steps) in dependent_rows.spending(&scene) {
                scene.happens(steps).await;
            }
        }
    }
}

async fn grant_is_created_only_while_its_parents_are_active(database: Database) {
    let mut scene = Scene::set(database).await;
    for deactivation in WAYS.iter().filter(|deactivation| !deactivation.kill.contains("UPDATE grants")) {
        scene.begin_anew().await;
        // A client may revoke its grants and get new ones; all other conditions prevent that.
        let stands_in_the_way = !deactivation.kill.contains("clients SET epoch");
        scene.change(deactivation.kill).await;
        let opened = scene.world.open_grant(scene.id(), StoredGrantKind::Device);
        let (_, with_code) = scene.opens_with_code(&scene.world.new_grant(scene.id(), StoredGrantKind::Code));
        if stands_in_the_way {
            scene.is_refused([opened], "grants.open").await;
            scene.is_refused([with_code], "grants.open_with_code").await;
        } else {
            scene.happens([opened, with_code]).await;
        }
    }
}

async fn revoked_grant_keeps_its_first_reason(database: Database) {
    let scene = Scene::set(database).await;
    let (grant, other) = (scene.grant(StoredGrantKind::Code).await, scene.grant(StoredGrantKind::Code).await);
    scene.happens([grants::revoke_grant(grant, "replay", NOW)]).await;
    scene.happens([grants::revoke_grant(grant, "sign-out", scene.world.expires_at)]).await;
    assert_eq!(grants::find_grant(&scene.store, grant).await.unwrap().unwrap().revoked_at, Some(NOW));
    assert_eq!(grants::find_grant(&scene.store, other).await.unwrap().unwrap().revoked_at, None);
    let all = grants::revoke_client_grants(scene.world.membership, &scene.world.client, "removed", NOW);
    scene.happens([all]).await;
    assert_eq!(grants::find_grant(&scene.store, other).await.unwrap().unwrap().revoked_at, Some(NOW));
}
