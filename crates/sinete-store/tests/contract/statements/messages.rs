//! Messages are sent at least once and by one node at a time; keys and secrets are valid until they end.

use super::{Database, Scene};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::oauth::consents;
use crate::oauth::consents::{ConsentParties, ConsentRow, StoredConsentBinding};
use crate::oauth::{client_secrets, revocation, subject_state};
use crate::organizations::api_keys;
use crate::organizations::api_keys::NewApiKey;
use crate::organizations::assignments;
use crate::organizations::assignments::{NewOperatorAssignment, OperatorAssignmentRight};
use crate::platform::outbox;
use crate::platform::outbox::{FailedMessageAction, MessageChannel, NewOutboxMessage};
use crate::sign_in::known_devices;
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::secret::Digest;
use sinete_core::time::Lifetime;

both_engines!(
    claimed_message_is_locked_by_its_claimant,
    abandoned_message_is_claimed_again,
    api_key_is_valid_until_revoked_or_expired,
    client_secret_rotation_overlaps_until_the_old_one_expires,
    consent_is_remembered_until_revoked,
    assignment_is_active_until_its_end,
    revoked_jti_and_known_device_are_stored
);

async fn put(scene: &Scene) -> outbox::PendingMessage {
    let message = NewOutboxMessage {
        id: scene.id(),
        channel: MessageChannel::Email,
        kind: "invitation",
        ciphertext: &[1, 2, 3],
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([outbox::enqueue_message(&message)]).await;
    let [pending_message] = &outbox::list_pending_messages(&scene.store, NOW, 10).await.unwrap()[..] else {
        panic!("one message waits");
    };
    assert_eq!(
        (pending_message.id, pending_message.channel, &pending_message.ciphertext[..]),
        (message.id, MessageChannel::Email, &[1, 2, 3][..])
    );
    pending_message.clone()
}

async fn claimed_message_is_locked_by_its_claimant(database: Database) {
    let scene = Scene::set(database).await;
    let message = put(&scene).await;
    let until = NOW.plus(Lifetime::from_minutes(1));
    scene.is_refused([outbox::mark_message_sent(&message, NOW)], "outbox.done").await;
    scene.happens([outbox::claim_message(&message, NOW, until)]).await;
    assert_eq!(outbox::list_pending_messages(&scene.store, NOW, 10).await, Ok(Vec::new()));
    scene.happens([outbox::mark_message_sent(&message, NOW)]).await;
    assert_eq!(outbox::list_pending_messages(&scene.store, until, 10).await, Ok(Vec::new()));
    scene.is_refused([outbox::mark_message_sent(&message, NOW)], "outbox.done").await;
}

async fn abandoned_message_is_claimed_again(database: Database) {
    let scene = Scene::set(database).await;
    let first = put(&scene).await;
    let until = NOW.plus(Lifetime::from_minutes(1));
    scene.happens([outbox::claim_message(&first, NOW, until)]).await;
    let second = outbox::list_pending_messages(&scene.store, until, 10).await.unwrap().remove(0);
    assert_eq!(second.attempts, 1);
    let second_until = until.plus(Lifetime::from_minutes(1));
    scene.happens([outbox::claim_message(&second, until, second_until)]).await;
    // A node that lost its claim can no longer record the outcome.
    scene.is_refused([outbox::mark_message_sent(&first, until)], "outbox.done").await;
    let retry = FailedMessageAction::Retry(second_until);
    scene.is_refused([outbox::mark_message_failed(&first, "no route", retry)], "outbox.failed").await;
    scene.happens([outbox::mark_message_failed(&second, "no route", retry)]).await;
    assert_eq!(outbox::list_pending_messages(&scene.store, until, 10).await, Ok(Vec::new()));
    let third = outbox::list_pending_messages(&scene.store, second_until, 10).await.unwrap().remove(0);
    scene.happens([outbox::claim_message(&third, second_until, scene.world.expires_at)]).await;
    scene
        .happens([outbox::mark_message_failed(
            &third,
            "no such address",
            FailedMessageAction::GiveUp(second_until),
        )])
        .await;
    assert_eq!(outbox::list_pending_messages(&scene.store, second_until, 10).await, Ok(Vec::new()));
    // An expired message is not sent either.
    let stale = put(&scene).await;
    assert_eq!(outbox::list_pending_messages(&scene.store, scene.world.expires_at, 10).await, Ok(Vec::new()));
    let late = outbox::claim_message(&stale, scene.world.expires_at, scene.world.expires_at);
    scene.is_refused([late], "outbox.claim").await;
}

async fn api_key_is_valid_until_revoked_or_expired(database: Database) {
    let scene = Scene::set(database).await;
    let digest = scene.secret();
    let key = NewApiKey {
        id: scene.id(),
        digest: &digest,
        membership: scene.world.membership,
        name: "nightly",
        scope: &"invoices:read".parse().unwrap(),
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([api_keys::issue_api_key(&key)]).await;
    let api_key = api_keys::find_active_api_key(&scene.store, &digest, NOW).await.unwrap().unwrap();
    assert_eq!((api_key.id, api_key.membership), (key.id, scene.world.membership));
    assert_eq!(api_key.scope.to_string(), "invoices:read");
    assert_eq!(api_keys::find_active_api_key(&scene.store, &digest, scene.world.expires_at).await, Ok(None));
    let elsewhere = scene.id();
    scene.happens([api_keys::revoke_api_key(elsewhere, key.id, NOW)]).await;
    assert!(api_keys::find_active_api_key(&scene.store, &digest, NOW).await.unwrap().is_some());
    scene.happens([api_keys::revoke_api_key(scene.world.organization, key.id, NOW)]).await;
    assert_eq!(api_keys::find_active_api_key(&scene.store, &digest, NOW).await, Ok(None));
    scene.change("UPDATE organizations SET condition = 'suspended'").await;
    let refused = NewApiKey { id: scene.id(), digest: &scene.secret(), ..key };
    scene.is_refused([api_keys::issue_api_key(&refused)], "api_keys.issue").await;
}

async fn client_secret_rotation_overlaps_until_the_old_one_expires(database: Database) {
    let scene = Scene::set(database).await;
    let (store, client) = (&scene.store, &scene.world.client);
    let (old, new) = (scene.secret(), scene.secret());
    scene.happens([client_secrets::add_client_secret(&old, client, NOW, None)]).await;
    let overlap = NOW.plus(Lifetime::from_hours(24));
    let changed_over = [
        client_secrets::add_client_secret(&new, client, NOW, None),
        client_secrets::retire_other_secrets(client, &new, overlap),
    ];
    scene.happens(changed_over).await;
    for (digest, now, counts) in
        [(&old, NOW, true), (&new, NOW, true), (&old, overlap, false), (&new, overlap, true)]
    {
        assert_eq!(client_secrets::is_client_secret(store, client, digest, now).await, Ok(counts));
    }
    let client_id = sinete_core::client_id::ClientId::mint(NOW, &scene.entropy);
    assert_eq!(client_secrets::is_client_secret(store, &client_id, &new, NOW).await, Ok(false));
    scene.happens([client_secrets::revoke_client_secret(&new, client, NOW)]).await;
    assert_eq!(client_secrets::is_client_secret(store, client, &new, NOW).await, Ok(false));
}

async fn agreed(scene: &Scene, parties: ConsentParties<'_>) -> Option<ConsentRow> {
    subject_state::consent::load_subject_with_consent(&scene.store, parties, NOW).await.unwrap().unwrap().1
}

async fn consent_is_remembered_until_revoked(database: Database) {
    let scene = Scene::set(database).await;
    let (membership, client) = (scene.world.membership, &scene.world.client);
    let parties = ConsentParties { membership, client, audience: "https://api.example" };
    assert_eq!(agreed(&scene, parties).await, None);
    let within =
        StoredConsentBinding { session: scene.world.session, redirect_host: "app.example".to_owned() };
    let first = ConsentRow {
        scope: "openid invoices:read".parse().unwrap(),
        claims: IndividualClaims::default(),
        binding: Some(within),
        consented_at: NOW,
    };
    let wider = ConsentRow { scope: "openid invoices:*".parse().unwrap(), binding: None, ..first.clone() };
    let consent_row =
        ConsentRow { claims: IndividualClaims::from_names(["email", "birthdate"]), ..wider.clone() };
    for consent in [first, wider, consent_row] {
        scene.happens([consents::record_consent(parties, &consent)]).await;
        assert_eq!(agreed(&scene, parties).await, Some(consent));
    }
    let elsewhere = ConsentParties { audience: "https://other.example", ..parties };
    assert_eq!(agreed(&scene, elsewhere).await, None);
    scene.happens([consents::revoke_client_consents(membership, client, NOW)]).await;
    assert_eq!(agreed(&scene, parties).await, None);
}

async fn assignment_is_active_until_its_end(database: Database) {
    let scene = Scene::set(database).await;
    let (holder, organization) = (scene.world.membership, scene.world.organization);
    let assignment = NewOperatorAssignment {
        id: scene.id(),
        allows: OperatorAssignmentRight::Impersonating(scene.world.account),
        holder,
        organization,
        reason: "ticket 7",
        made_by: "system",
        created_at: NOW,
        ends_at: scene.world.expires_at,
    };
    scene.happens([assignments::create_assignment(&assignment)]).await;
    let active_assignments =
        assignments::list_holder_assignments(&scene.store, holder, organization, NOW).await.unwrap();
    let assignment_fields: Vec<_> =
        active_assignments.iter().map(|it| (it.id, it.allows, it.reason.as_str())).collect();
    assert_eq!(assignment_fields, [(assignment.id, assignment.allows, "ticket 7")]);
    let expired =
        assignments::list_holder_assignments(&scene.store, holder, organization, scene.world.expires_at)
            .await;
    assert_eq!(expired, Ok(Vec::new()));
    scene.happens([assignments::end_assignment(assignment.id, NOW)]).await;
    assert_eq!(
        assignments::list_holder_assignments(&scene.store, holder, organization, NOW).await,
        Ok(Vec::new())
    );
}

async fn revoked_jti_and_known_device_are_stored(database: Database) {
    let scene = Scene::set(database).await;
    let jti = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071.x";
    assert_eq!(revocation::is_token_revoked(&scene.store, jti).await, Ok(false));
    for _ in 0..2 {
        scene.happens([revocation::revoke_access_token(jti, scene.world.expires_at, NOW)]).await;
    }
    assert_eq!(revocation::is_token_revoked(&scene.store, jti).await, Ok(true));
    let (account, device) = (scene.world.account, Digest::from_bytes([3; 32]));
    assert_eq!(known_devices::is_known_device(&scene.store, account, &device, NOW).await, Ok(false));
    for _ in 0..2 {
        scene
            .happens([known_devices::record_device(account, &device, &scene.world.empty_document, NOW)])
            .await;
    }
    assert_eq!(known_devices::is_known_device(&scene.store, account, &device, NOW).await, Ok(true));
    let other_account = scene.id();
    assert_eq!(known_devices::is_known_device(&scene.store, other_account, &device, NOW).await, Ok(false));
    // After a sign-in by identity provider alone a device is known but not proven; an earlier proof stays.
    let vouched = Digest::from_bytes([4; 32]);
    scene
        .happens([known_devices::record_provider_device(account, &vouched, &scene.world.empty_document, NOW)])
        .await;
    assert_eq!(known_devices::is_known_device(&scene.store, account, &vouched, NOW).await, Ok(true));
    assert_eq!(known_devices::is_authenticated_device(&scene.store, account, &vouched, NOW).await, Ok(false));
    scene.happens([known_devices::record_device(account, &vouched, &scene.world.empty_document, NOW)]).await;
    scene
        .happens([known_devices::record_provider_device(account, &vouched, &scene.world.empty_document, NOW)])
        .await;
    assert_eq!(known_devices::is_authenticated_device(&scene.store, account, &vouched, NOW).await, Ok(true));
    assert_eq!(
        known_devices::is_authenticated_device(&scene.store, other_account, &device, NOW).await,
        Ok(false)
    );
}
