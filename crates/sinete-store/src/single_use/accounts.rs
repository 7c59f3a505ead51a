//! Single-use statements about invitations, credentials and attempt counters.

use super::{SingleUseFixture, SpendableItem};
use crate::accounts;
use crate::accounts::action_links;
use crate::accounts::action_links::AccountActionPurpose;
use crate::accounts::email_changes;
use crate::accounts::email_changes::NewEmailChange;
use crate::administration::bootstrap;
use crate::failure::StoreFailure;
use crate::identity_providers::identities;
use crate::identity_providers::identities::ExternalIdentityKey;
use crate::json_document::JsonDocument;
use crate::organizations;
use crate::organizations::invitations;
use crate::organizations::invitations::{InvitationRow, NewInvitation};
use crate::organizations::memberships;
use crate::organizations::memberships::MembershipHolder;
use crate::sign_in::attempt_counters;
use crate::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use crate::sign_in::credentials;
use crate::sign_in::credentials::recovery_codes;
use crate::sign_in::credentials::{NewCredential, StoredCredentialKind};
use crate::sign_in::sessions;
use crate::sign_in::sessions::{SessionRow, SessionTokenRenewal};
use crate::write_batch::GuardedStatement;
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::id::{Account, CredentialId, Id, RoleId};
use sinete_core::secret::{Digest, Secret};
use sinete_core::time::Timestamp;

pub(super) fn prepare_action_link(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (digest, now) = (Secret::mint(entropy).digest(), world.now);
    let setup = [action_links::issue_action_link(
        &digest,
        world.account,
        AccountActionPurpose::ReportSignIn,
        now,
        world.expires_at,
    )];
    Ok(SpendableItem::new(setup, move |_| {
        [action_links::consume_action_link(&digest, AccountActionPurpose::ReportSignIn, now)]
    }))
}

pub(super) fn prepare_email_change(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (digest, now) = (Secret::mint(entropy).digest(), world.now);
    let change = NewEmailChange {
        digest: &digest,
        account: world.account,
        former: "ana@example.com",
        created_at: now,
        expires_at: world.expires_at,
    };
    let setup = [email_changes::record_email_change(&change)];
    Ok(SpendableItem::new(setup, move |_| [email_changes::undo_email_change(&digest, now)]))
}

pub(super) fn prepare_bootstrap_link(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (digest, now) = (Secret::mint(entropy).digest(), world.now);
    let setup = [bootstrap::issue_bootstrap_link(&digest, now, world.expires_at)];
    Ok(SpendableItem::new(setup, move |_| [bootstrap::consume_bootstrap_link(&digest, now)]))
}

fn add_credential(
    world: &SingleUseFixture,
    id: CredentialId,
    kind: StoredCredentialKind,
    confirmed_at: Option<Timestamp>,
) -> GuardedStatement {
    credentials::add_credential(&NewCredential {
        id,
        account: world.account,
        kind,
        name: "",
        handle: None,
        material: &[],
        counter: 0,
        created_at: world.now,
        confirmed_at,
    })
}

const TIME_STEP: i64 = 60_000_000;

pub(super) fn prepare_totp_step(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (id, now) = (Id::mint(world.now, entropy), world.now);
    let setup = [add_credential(world, id, StoredCredentialKind::Totp, Some(now))];
    Ok(SpendableItem::new(setup, move |_| [credentials::accept_totp_step(id, TIME_STEP, now)]))
}

pub(super) fn prepare_totp_confirmation(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (id, now) = (Id::mint(world.now, entropy), world.now);
    let setup = [add_credential(world, id, StoredCredentialKind::Totp, None)];
    Ok(SpendableItem::new(setup, move |_| [credentials::confirm_totp_step(id, TIME_STEP, now)]))
}

pub(super) fn prepare_recovery_code(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (set, now) = (Id::mint(world.now, entropy), world.now);
    let digest = Digest::from_bytes(draw_bytes(entropy));
    let setup = [
        add_credential(world, set, StoredCredentialKind::RecoveryCodes, Some(now)),
        recovery_codes::add_recovery_code(&digest, set),
    ];
    Ok(SpendableItem::new(setup, move |_| [recovery_codes::redeem_recovery_code(&digest, set, now)]))
}

pub(super) fn prepare_invitation(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (digest, roles) = (Secret::mint(entropy).digest(), JsonDocument::from_value(&Vec::<RoleId>::new())?);
    let invitation = InvitationRow {
        id: Id::mint(world.now, entropy),
        organization: world.organization,
        membership: Id::mint(world.now, entropy),
        roles: Vec::new(),
        lookup: "ana@example.com".to_owned(),
        expires_at: world.expires_at,
        accepted_at: None,
        revoked_at: None,
    };
    let setup = [
        world.create_membership(invitation.membership, &MembershipHolder::Unclaimed),
        invitations::create_invitation(&NewInvitation {
            id: invitation.id,
            digest: &digest,
            organization: invitation.organization,
            membership: invitation.membership,
            roles: &roles,
            lookup: &invitation.lookup,
            created_at: world.now,
            expires_at: invitation.expires_at,
        }),
    ];
    let (now, nothing) = (world.now, world.empty_document.clone());
    let membership = SingleUseFixture::offered_membership(invitation.membership)?;
    Ok(SpendableItem::new(setup, move |entropy| {
        // Each racer has its own account: only the invitation decides who becomes a member.
        let account = Id::mint(now, entropy);
        let [accepted, claimed] = invitations::accept_invitation(invitation.id, membership, account, now);
        [accounts::create_account(account, None, &nothing, now), accepted, claimed]
    }))
}

pub(super) fn prepare_membership_claim(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (membership, now, nothing) = (Id::mint(world.now, entropy), world.now, world.empty_document.clone());
    let setup = [world.create_membership(membership, &MembershipHolder::Unclaimed)];
    let invitable_membership = SingleUseFixture::offered_membership(membership)?;
    Ok(SpendableItem::new(setup, move |entropy| {
        let account = Id::mint(now, entropy);
        [
            accounts::create_account(account, None, &nothing, now),
            memberships::claim_membership(invitable_membership, account, now),
        ]
    }))
}

pub(super) fn prepare_organization_version(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (id, now) = (Id::mint(world.now, entropy), world.now);
    let setup = [world.create_organization(id)?];
    Ok(SpendableItem::new(setup, move |_| [organizations::advance_organization_version(id, 1, now)]))
}

pub(super) fn prepare_session_renewal(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let session = SessionRow {
        id: Id::mint(world.now, entropy),
        account: world.account,
        account_epoch: 0,
        evidence: world.empty_document.clone(),
        authenticated_at: world.now,
        created_at: world.now,
        used_at: world.now,
        assurance_lapsed_at: None,
        idle_expires_at: world.expires_at,
        expires_at: world.expires_at,
        device: None,
        description: world.empty_document.clone(),
        version: 1,
    };
    let setup = [world.start_session(session.id, &Secret::mint(entropy).digest())];
    let now = world.now;
    Ok(SpendableItem::new(setup, move |entropy| {
        let digest = Secret::mint(entropy).digest();
        let renewed =
            SessionTokenRenewal { digest: &digest, evidence: &session.evidence, authenticated_at: now };
        [sessions::renew_session(&session, &renewed, now)]
    }))
}

pub(super) fn prepare_identity_link(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let subject = Id::<Account>::mint(world.now, entropy).to_string();
    let (now, nothing) = (world.now, world.empty_document.clone());
    Ok(SpendableItem::new([], move |entropy| {
        let account = Id::mint(now, entropy);
        let identity = ExternalIdentityKey { provider: "https://provider.example", subject: &subject };
        [
            accounts::create_account(account, None, &nothing, now),
            identities::link_identity(identity, account, now),
        ]
    }))
}

const FACTOR: &str = "password";

fn build_counter(count: i64, now: Timestamp) -> AttemptCounterRow {
    AttemptCounterRow { count, since: now, blocked_until: now }
}

pub(super) fn prepare_first_attempt(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (subject, now) = (Id::<Account>::mint(world.now, entropy).to_string(), world.now);
    Ok(SpendableItem::new([], move |_| {
        let key = AttemptCounterKey { subject: &subject, factor: FACTOR };
        [attempt_counters::advance_attempt_counter(key, None, &build_counter(1, now))]
    }))
}

pub(super) fn prepare_next_attempt(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (subject, now) = (Id::<Account>::mint(world.now, entropy).to_string(), world.now);
    let key = AttemptCounterKey { subject: &subject, factor: FACTOR };
    let setup = [attempt_counters::advance_attempt_counter(key, None, &build_counter(1, now))];
    Ok(SpendableItem::new(setup, move |_| {
        let key = AttemptCounterKey { subject: &subject, factor: FACTOR };
        [attempt_counters::advance_attempt_counter(key, Some(&build_counter(1, now)), &build_counter(2, now))]
    }))
}
