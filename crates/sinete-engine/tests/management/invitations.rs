//! Invitations: sent once, to one address, accepted once, by an account with that verified address.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{MOMENT, Person, World, refusal_code, refused};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::language::Language;
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::id::{AccountId, MembershipId};
use sinete_core::limits::INVITATIONS_PER_ADDRESS_MAX;
use sinete_core::refusal::RefusalCode::{
    Conflict, InsufficientScope, NotFound, OrganizationSuspended, TooManyRequests, Unprocessable,
};
use sinete_core::time::Lifetime;
use sinete_engine::organizations::invitations;
use sinete_engine::organizations::invitations::{InvitationRequest, InvitationRow, InvitedMembership};
use sinete_engine::organizations::members;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::{JsonDocument, accounts};
use std::sync::Arc;
use tokio::sync::Barrier;

both_engines!(
    invitation_is_sent_to_one_address_and_makes_its_owner_a_member,
    invitation_accepted_by_sixteen_at_once_succeeds_once,
    invitation_accepted_by_an_account_without_the_verified_address_is_refused,
    invitation_cannot_grant_more_than_the_inviter_holds,
    invitation_ends_by_expiry_revocation_and_suspension,
    invitations_to_one_address_are_rate_limited
);

async fn wanted(world: &World, address: &str, role: &str) -> InvitationRequest {
    let membership = InvitedMembership::New(vec![world.role("acme", role).await]);
    InvitationRequest { address: address.parse().unwrap(), membership, lifetime: None, language: None }
}

/// An account that has verified the address.
async fn account_at(world: &World, address: &str) -> AccountId {
    let account = AccountId::mint(world.now(), world.engine.entropy());
    let nothing = JsonDocument::from_value(&serde_json::Map::new()).unwrap();
    world.happens([accounts::create_account(account, None, &nothing, world.now())]).await;
    world.address(account, address, true).await;
    account
}

/// The token in the only pending message.
async fn token(world: &World) -> String {
    let mut mail = world.mail().await;
    assert_eq!(mail.len(), 1);
    token_in(&mail.pop().unwrap().text)
}

/// The token in a message, which contains it without a link because there is no interface.
fn token_in(text: &str) -> String {
    text.split_whitespace().find(|word| word.starts_with("sn_in_")).unwrap().to_owned()
}

async fn accept(
    world: &World,
    token: &str,
    account: AccountId,
) -> Result<MembershipId, sinete_engine::Error> {
    world.pass(MOMENT);
    invitations::accept(&world.engine, token, account, &RequestOrigin::default()).await
}

async fn invited(world: &World, inviter: &Person, request: &InvitationRequest) -> InvitationRow {
    let inside = world.acting(inviter, "acme").await;
    invitations::invite(&world.engine, &inside, request).await.unwrap()
}

async fn invitation_is_sent_to_one_address_and_makes_its_owner_a_member(database: Database) {
    let world = World::new(database).await;
    let acme = world.organization("acme").await;
    let engine = &world.engine;
    let admin = world.person("acme", &["admin"]).await;
    let inside = world.acting(&admin, "acme").await;
    let invitation = invited(&world, &admin, &wanted(&world, "Ana@Example.com", "member").await).await;
    assert_eq!(invitation.lookup, "ana@example.com");
    assert_eq!(invitation.expires_at, world.now().plus(Lifetime::from_hours(24)));
    let with_roles = members::show(engine, &inside, invitation.membership).await.unwrap();
    assert_eq!((with_roles.membership.holder, with_roles.roles.len()), (MembershipHolder::Unclaimed, 1));
    // The recipient is only in the message, and not in any log.
    let log_entry = world.list_audit_entries(acme).await.pop().unwrap();
    assert_eq!(log_entry.kind, "invitation.sent");
    assert!(!log_entry.detail.parse::<serde_json::Value>().unwrap().to_string().contains("example.com"));
    let twice =
        invitations::invite(engine, &inside, &wanted(&world, "ANA@example.com", "member").await).await;
    assert_eq!(refused(twice), Conflict);

    let ana = account_at(&world, "ana@example.com").await;
    let token = token(&world).await;
    assert_eq!(accept(&world, &token, ana).await.unwrap(), invitation.membership);
    let member = members::show(engine, &inside, invitation.membership).await.unwrap();
    assert_eq!(member.membership.holder, MembershipHolder::User(ana));
    assert_eq!(refused(accept(&world, &token, ana).await), NotFound);
    let accepted = world.list_audit_entries(acme).await.pop().unwrap();
    let by = invitation.membership.to_string();
    assert_eq!((accepted.kind.as_str(), accepted.actor_id), ("invitation.accepted", Some(by)));
    assert_eq!(refused(invitations::revoke(engine, &inside, invitation.id).await), Conflict);
    // A member cannot accept, and trying does not use up the invitation.
    let portuguese = InvitationRequest {
        language: Some(Language::Portuguese),
        ..wanted(&world, "ana@example.com", "admin").await
    };
    invited(&world, &admin, &portuguese).await;
    let mail = world.mail().await.pop().unwrap();
    assert!(mail.subject.starts_with("Convite") && mail.to == "ana@example.com");
    let token = token_in(&mail.text);
    assert_eq!(refused(accept(&world, &token, ana).await), Conflict);
    let invitations = invitations::list(engine, &inside, None, 50).await.unwrap();
    assert_eq!(invitations.iter().filter(|it| it.accepted_at.is_none()).count(), 1);
}

async fn invitation_accepted_by_sixteen_at_once_succeeds_once(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let admin = world.person("acme", &["admin"]).await;
    let ana = account_at(&world, "ana@example.com").await;
    invited(&world, &admin, &wanted(&world, "ana@example.com", "member").await).await;
    let (token, barrier) = (token(&world).await, Arc::new(Barrier::new(16)));
    let racing: Vec<_> = (0..16)
        .map(|_| {
            let (engine, token, barrier) = (world.engine.clone(), token.clone(), barrier.clone());
            tokio::spawn(async move {
                barrier.wait().await;
                invitations::accept(&engine, &token, ana, &RequestOrigin::default()).await
            })
        })
        .collect();
    let mut won = 0;
    for racer in racing {
        match racer.await.unwrap() {
            Ok(_) => won += 1,
            // The losers find the invitation used or, having read it before, an existing membership.
            Err(error) => {
                let code = refusal_code(error);
                assert!(matches!(code, NotFound | Conflict), "{code:?}");
            }
        }
    }
    assert_eq!(won, 1);
    let accepted = "SELECT count(*) FROM audit WHERE kind = 'invitation.accepted'";
    assert_eq!(world.database.number(accepted).await, 1);
    assert_eq!(memberships::list_account_memberships(world.store(), ana).await.unwrap().len(), 1);
}

async fn invitation_accepted_by_an_account_without_the_verified_address_is_refused(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let admin = world.person("acme", &["admin"]).await;
    invited(&world, &admin, &wanted(&world, "mike@example.com", "member").await).await;
    let token = token(&world).await;
    let (another, claims) =
        (account_at(&world, "other@example.com").await, account_at(&world, "x@example.com").await);
    world.address(claims, "mike@example.com", false).await;
    let lookalike = account_at(&world, "mike@еxample.com").await;
    let records = world.records().await;
    for account in [another, claims, lookalike, AccountId::from_bytes([9; 16])] {
        assert_eq!(refused(accept(&world, &token, account).await), NotFound);
    }
    let mike = account_at(&world, "MIKE@example.com").await;
    for bad in ["", "sn_in_", &token[..token.len() - 1], &token.replace("sn_in_", "sn_ml_")] {
        assert_eq!(refused(accept(&world, bad, mike).await), NotFound);
    }
    assert_eq!(world.records().await, records);
    // None of them has used it up.
    assert!(accept(&world, &token, mike).await.is_ok());
}

async fn invitation_cannot_grant_more_than_the_inviter_holds(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    world.organization("other").await;
    let engine = &world.engine;
    let (admin, member) = (world.person("acme", &["admin"]).await, world.person("acme", &["member"]).await);
    let (by_admin, by_member) = (world.acting(&admin, "acme").await, world.acting(&member, "acme").await);
    let owner = wanted(&world, "ana@example.com", "owner").await;
    assert_eq!(refused(invitations::invite(engine, &by_admin, &owner).await), InsufficientScope);
    let plain = wanted(&world, "ana@example.com", "member").await;
    assert_eq!(refused(invitations::invite(engine, &by_member, &plain).await), InsufficientScope);
    assert_eq!(refused(invitations::list(engine, &by_member, None, 50).await), InsufficientScope);
    let foreign = InvitationRequest {
        membership: InvitedMembership::New(vec![world.role("other", "member").await]),
        ..plain.clone()
    };
    assert_eq!(refused(invitations::invite(engine, &by_admin, &foreign).await), Unprocessable);
    let nothing = InvitationRequest { membership: InvitedMembership::New(Vec::new()), ..plain.clone() };
    assert_eq!(refused(invitations::invite(engine, &by_admin, &nothing).await), Unprocessable);
    for lifetime in [Lifetime::ZERO, Lifetime::from_days(8)] {
        let request = InvitationRequest { lifetime: Some(lifetime), ..plain.clone() };
        assert_eq!(refused(invitations::invite(engine, &by_admin, &request).await), Unprocessable);
    }
    assert!(world.mail().await.is_empty());
    assert_eq!(world.database.number("SELECT count(*) FROM invitations").await, 0);
    let invitation = invited(&world, &admin, &plain).await;
    let user = world.person("other", &["owner"]).await;
    let elsewhere = world.acting(&user, "other").await;
    assert_eq!(refused(invitations::show(engine, &elsewhere, invitation.id).await), NotFound);
    assert_eq!(refused(invitations::revoke(engine, &elsewhere, invitation.id).await), NotFound);
}

async fn invitation_ends_by_expiry_revocation_and_suspension(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let admin = world.person("acme", &["admin"]).await;
    let ana = account_at(&world, "ana@example.com").await;
    let plain = wanted(&world, "ana@example.com", "member").await;
    let first = invited(&world, &admin, &plain).await;
    let taken_back = token(&world).await;
    let inside = world.acting(&admin, "acme").await;
    invitations::revoke(engine, &inside, first.id).await.unwrap();
    invitations::revoke(engine, &inside, first.id).await.unwrap();
    assert_eq!(refused(accept(&world, &taken_back, ana).await), NotFound);
    assert_eq!(refused(members::show(engine, &inside, first.membership).await), NotFound);

    let short = InvitationRequest { lifetime: Some(Lifetime::from_hours(1)), ..plain.clone() };
    invited(&world, &admin, &short).await;
    let late = token(&world).await;
    world.pass(Lifetime::from_hours(1));
    assert_eq!(refused(accept(&world, &late, ana).await), NotFound);

    let before = world.acting(&admin, "acme").await;
    let invitation = invitations::invite(engine, &before, &plain).await.unwrap();
    let held_up = token(&world).await;
    world.put("acme", LifecycleCondition::Suspended).await;
    assert_eq!(refused(accept(&world, &held_up, ana).await), NotFound);
    let other = wanted(&world, "bob@example.com", "member").await;
    assert_eq!(refused(invitations::invite(engine, &before, &other).await), OrganizationSuspended);
    assert_eq!(refused(invitations::revoke(engine, &before, invitation.id).await), OrganizationSuspended);
    world.put("acme", LifecycleCondition::Enabled).await;
    assert!(accept(&world, &held_up, ana).await.is_ok());
}

async fn invitations_to_one_address_are_rate_limited(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let admin = world.person("acme", &["admin"]).await;
    let plain = wanted(&world, "ana@example.com", "member").await;
    for _ in 0..INVITATIONS_PER_ADDRESS_MAX {
        let invitation = invited(&world, &admin, &plain).await;
        let inside = world.acting(&admin, "acme").await;
        invitations::revoke(engine, &inside, invitation.id).await.unwrap();
    }
    let inside = world.acting(&admin, "acme").await;
    assert_eq!(refused(invitations::invite(engine, &inside, &plain).await), TooManyRequests);
    invited(&world, &admin, &wanted(&world, "bob@example.com", "member").await).await;
    world.pass(Lifetime::from_hours(24));
    invited(&world, &admin, &plain).await;
}
