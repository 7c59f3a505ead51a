//! The names and addresses of members on the console: of the organization, and not of the accounts.

use super::console_path;
use crate::both_engines;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::organizations::invitations::{UnclaimedMembership, check_offered_roles};
use sinete_core::time::Lifetime;
use sinete_store::organizations::{invitations, memberships};

both_engines!(
    console_member_is_named_by_the_profile_of_the_organization,
    console_member_list_does_not_show_the_name_of_an_account,
    console_member_is_identified_by_the_accepted_address_only,
);

async fn console_member_is_named_by_the_profile_of_the_organization(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let (list, path) = (console_path(&acme, "/members"), acme.path(&format!("/members/{bruno}")));
    // An address that its identity provider or its directory sent.
    let email = json!({"profile": {"email": "bruno@acme.example"}});
    owner.patch(&path, 1, email).await.assert_status(200);
    let page = ana.reader.open_page(&list).await;
    assert!(page.contains("<strong>bruno@acme.example</strong>"), "{page}");
    assert!(page.contains("id=\"member-names\""), "{page}");
    let one = ana.reader.open_page(&console_path(&acme, &format!("/members/{bruno}"))).await;
    assert!(one.contains("<h1>bruno@acme.example</h1>"), "{one}");
    let profile = json!({"profile": {"name": "Bruno Lima", "email": "bruno@acme.example"}});
    owner.patch(&path, 2, profile).await.assert_status(200);
    let results_page = ana.reader.open_page(&format!("{list}?search=bruno")).await;
    assert!(results_page.contains("<strong>Bruno Lima</strong>"), "{results_page}");
    assert!(!results_page.contains("id=\"member-names\""), "everyone on the page has a name: {results_page}");
}

async fn console_member_list_does_not_show_the_name_of_an_account(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let zoe = world.create_console_user(&acme, "zoe@example.com", "member").await;
    let user = SignedInUser { world, account: zoe.account, token: zoe.session.clone() };
    let version = user.get("/account").await.assert_status(200).version();
    let profile = json!({"profile": {"name": "Zoe Private"}});
    user.patch("/account", Some(version), profile).await.assert_status(200);
    // The organization has no profile of her.
    let (owner, theirs) =
        (world.create_owner(&acme).await, acme.path(&format!("/members/{}", zoe.membership)));
    let version = owner.get(&theirs).await.assert_status(200).version();
    owner.patch(&theirs, version, json!({"profile": {}})).await.assert_status(200);
    let one = console_path(&acme, &format!("/members/{}", zoe.membership));
    for page in [console_path(&acme, "/members"), one, console_path(&acme, "/members?search=private")] {
        let page = ana.reader.open_page(&page).await;
        assert!(!page.contains("Zoe Private"), "{page}");
    }
    let page = ana.reader.open_page(&console_path(&acme, "/members")).await;
    assert!(page.contains("No name") && page.contains("id=\"member-names\""), "{page}");
}

async fn console_member_is_identified_by_the_accepted_address_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let role = world.find_role(&acme, "member").await.to_string();
    let first = json!({"email": "right@example.com", "roles": [role]});
    let first = owner.post(&acme.path("/invitations"), first).await.assert_status(201);
    world.clock.advance(Lifetime::from_micros(1_000));
    let second = json!({"email": "wrong@example.com", "member": first.text_member("membership")});
    let second = owner.post(&acme.path("/invitations"), second).await.assert_status(201);
    let list = console_path(&acme, "/members");
    let page = ana.reader.open_page(&list).await;
    assert!(page.contains("wrong@example.com"), "the newest pending invitation: {page}");
    let engine = world.server.engine();
    let withdrawn =
        invitations::revoke_invitation(acme.id, second.text_member("id").parse().unwrap(), engine.now());
    world.apply_statements([withdrawn]).await;
    let page = ana.reader.open_page(&list).await;
    assert!(
        page.contains("right@example.com") && !page.contains("wrong@example.com"),
        "the newest is withdrawn: {page}"
    );
    // Two invitations are pending, and one is accepted.
    world.clock.advance(Lifetime::from_micros(1_000));
    let third = json!({"email": "other@example.com", "member": first.text_member("membership")});
    owner.post(&acme.path("/invitations"), third).await.assert_status(201);
    let id = first.text_member("id").parse().unwrap();
    let accepted = invitations::find_invitation(engine.store(), acme.id, id).await.unwrap().unwrap();
    let bruno = world.create_user("bruno@example.com").await.account;
    let membership =
        memberships::find_membership(engine.store(), acme.id, accepted.membership).await.unwrap().unwrap();
    let membership =
        UnclaimedMembership { id: membership.id, version: membership.version, roles: &accepted.roles };
    let invitable_membership = check_offered_roles(&accepted.roles, &membership).unwrap();
    world
        .apply_statements(invitations::accept_invitation(
            accepted.id,
            invitable_membership,
            bruno,
            engine.now(),
        ))
        .await;
    let one = ana
        .reader
        .open_page(&console_path(&acme, &format!("/members/{}", first.text_member("membership"))))
        .await;
    for page in [ana.reader.open_page(&list).await, one] {
        assert!(page.contains("right@example.com") && !page.contains("other@example.com"), "{page}");
    }
}
