//! When an address counts as verified: clients see `email_verified` only for what the account itself verified, and an
//! unverified address is lost to the account that verifies it.

use crate::both_engines;
use crate::harness::flow_client::{PASSWORD, TestUser};
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::{AccountId, ContactId, MembershipId};
use sinete_core::limits::EMAIL_CODE_INTERVAL;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::administration::bootstrap;
use sinete_engine::organizations;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::{JsonDocument, accounts};

/// The e-mail claims of a member at userinfo.
async fn told(world: &World, house: &TestOrganization, membership: MembershipId) -> (Value, Value) {
    let token = world.create_token_caller(house, membership, "openid email").await;
    let claims = token.get("/connect/userinfo").await.assert_status(200).body;
    (claims["email"].clone(), claims["email_verified"].clone())
}

async fn joins(world: &World, house: &TestOrganization, account: AccountId) -> MembershipId {
    world
        .sign_in_account(account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await
        .join_organization(house, "member")
        .await
}

/// An operator with an address that is not verified.
pub(in crate::stories) async fn first_operator<'w>(world: &'w World, email: &str) -> TestUser<'w> {
    let engine = world.server.engine();
    let command_line = organizations::load_command_line_caller(engine).await.unwrap();
    let link = bootstrap::invite_operator(engine, &InstanceAdmin::new(engine, &command_line)).await.unwrap();
    let token = link.token;
    let mut walk = world.start_flow(json!({"kind": "first_operator", "token": token})).await;
    let response =
        walk.submit("details", json!({"email": email, "password": PASSWORD})).await.assert_status(200);
    world.user_with_session(&response.text_member("session_token")).await
}

/// The account that this address and the usual password sign in.
pub(in crate::stories) async fn signs_in_as(world: &World, email: &str) -> AccountId {
    let response = world.sign_in_with_password(email, PASSWORD).await.assert_status(200);
    world.user_with_session(&response.text_member("session_token")).await.account
}

/// An account with an address that it has not verified, as with identity providers.
async fn made_with(world: &World, email: &str) -> AccountId {
    let engine = world.server.engine();
    let (now, account) = (engine.now(), AccountId::mint(engine.now(), engine.entropy()));
    let contact = NewContact {
        id: ContactId::mint(now, engine.entropy()),
        account,
        kind: ContactKind::Email,
        address: email,
        lookup: email,
        is_primary: true,
        created_at: now,
    };
    let nothing = JsonDocument::from_value(&json!({})).unwrap();
    world
        .apply_statements([
            accounts::create_account(account, None, &nothing, now),
            contacts::add_contact(&contact),
        ])
        .await;
    account
}

both_engines!(
    unverified_address_stays_with_its_account_until_verified_by_another,
    bootstrap_sign_up_with_an_existing_address_is_notified,
    email_verified_claim_is_true_only_for_addresses_the_account_verified,
    email_address_owner_inherits_nothing_from_an_earlier_unverified_claim,
    invitation_verifies_only_the_address_it_was_sent_to
);

async fn unverified_address_stays_with_its_account_until_verified_by_another(world: &World) {
    let bia = world.sign_up_user("bia@example.com").await;
    let claims = async |address: &str| {
        let user = world
            .sign_in_account(bia.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
            .await;
        user.post("/account/contacts", json!({"kind": "email", "address": address})).await.assert_status(201);
    };
    // An unverified claim of an address before its account exists takes nothing from it.
    claims("ana@example.com").await;
    assert_eq!(signs_in_as(world, "ana@example.com").await, bia.account);
    let ana = first_operator(world, "ana@example.com").await;
    assert_eq!(signs_in_as(world, "ana@example.com").await, ana.account);
    // Nor does one made later, in another spelling, with a new account, or in a flow.
    let cau = world.sign_up_user("cau@example.com").await;
    let user = world
        .sign_in_account(cau.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    user.post("/account/contacts", json!({"kind": "email", "address": "Ana@example.com"}))
        .await
        .assert_status(201);
    world.clock.advance(EMAIL_CODE_INTERVAL);
    made_with(world, "ana@example.com").await;
    world
        .start_flow_in_session(
            json!({"kind": "change_email", "email": "ana@example.com"}),
            Some(&cau.session),
        )
        .await;
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    walk.submit("details", json!({"email": "ana@example.com", "password": "words of somebody else"}))
        .await
        .assert_status(200);
    assert_eq!(signs_in_as(world, "ana@example.com").await, ana.account);
    world
        .sign_in_with_password("ana@example.com", "words of somebody else")
        .await
        .assert_problem(422, "unprocessable");
    // Until it is verified.
    world.clock.advance(EMAIL_CODE_INTERVAL);
    let flow_request = json!({"kind": "verify_email", "email": "ana@example.com"});
    let mut walk = world.start_flow_in_session(flow_request, Some(&bia.session)).await;
    let code = world.emailed_code("ana@example.com").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(signs_in_as(world, "ana@example.com").await, bia.account);
    assert!(
        contacts::list_account_contacts(world.server.engine().store(), ana.account).await.unwrap().is_empty()
    );
}

async fn bootstrap_sign_up_with_an_existing_address_is_notified(world: &World) {
    made_with(world, "ana@example.com").await;
    let engine = world.server.engine();
    let command_line = organizations::load_command_line_caller(engine).await.unwrap();
    let link = bootstrap::invite_operator(engine, &InstanceAdmin::new(engine, &command_line)).await.unwrap();
    let walk = world.start_flow(json!({"kind": "first_operator", "token": link.token})).await;
    walk.try_submit("details", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_problem(409, "conflict");
    let response = walk
        .try_submit("details", json!({"email": "rui@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    let rui = world.user_with_session(&response.text_member("session_token")).await.account;
    assert_eq!(signs_in_as(world, "rui@example.com").await, rui);
}

async fn email_verified_claim_is_true_only_for_addresses_the_account_verified(world: &World) {
    let house = world.create_organization("acme").await;
    // By signing up with the code.
    let ana = world.sign_up_user("ana@example.com").await;
    let anas = joins(world, &house, ana.account).await;
    assert_eq!(told(world, &house, anas).await, (json!("ana@example.com"), json!(true)));
    // With an address that is not verified.
    let rui = first_operator(world, "rui@example.com").await;
    let ruis = joins(world, &house, rui.account).await;
    assert_eq!(told(world, &house, ruis).await, (json!("rui@example.com"), json!(false)));
    // And once a flow verifies it.
    let mut walk = world
        .start_flow_in_session(
            json!({"kind": "verify_email", "email": "rui@example.com"}),
            Some(&rui.session),
        )
        .await;
    walk.submit("code", json!({"code": "00000000"})).await.assert_problem(422, "unprocessable");
    assert_eq!(told(world, &house, ruis).await.1, json!(false));
    let code = world.emailed_code("rui@example.com").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(told(world, &house, ruis).await, (json!("rui@example.com"), json!(true)));
    // An address that was added and not verified is in no claim.
    let user = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    user.post("/account/contacts", json!({"kind": "email", "address": "boss@example.com"}))
        .await
        .assert_status(201);
    assert_eq!(told(world, &house, anas).await, (json!("ana@example.com"), json!(true)));
    // A change counts once the new address is verified, and undoing it restores the verified one.
    world.clock.advance(EMAIL_CODE_INTERVAL);
    let mut walk = world
        .start_flow_in_session(
            json!({"kind": "change_email", "email": "ana@elsewhere.example"}),
            Some(&ana.session),
        )
        .await;
    assert_eq!(told(world, &house, anas).await, (json!("ana@example.com"), json!(true)));
    let code = world.emailed_code("ana@elsewhere.example").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(told(world, &house, anas).await, (json!("ana@elsewhere.example"), json!(true)));
    let mail = world.newest_email_text("ana@example.com").await;
    let undo = mail.split("/undo-email?token=").nth(1).unwrap().lines().next().unwrap().to_owned();
    let undone =
        world.http.post(world.public_url("/links/undo-email")).form(&[("token", undo)]).send().await.unwrap();
    assert_eq!(undone.status(), 200);
    assert_eq!(told(world, &house, anas).await, (json!("ana@example.com"), json!(true)));
    // A password reset verifies the address it was sent to, which was verified already: nothing else changes.
    let mut reset = world.start_flow(json!({"kind": "reset_password"})).await;
    world.clock.advance(EMAIL_CODE_INTERVAL);
    reset.submit("email", json!({"email": "boss@example.com"})).await.assert_status(200);
    assert_eq!(
        world.count_emails_to("boss@example.com").await,
        0,
        "an unverified address receives no message"
    );
}

async fn email_address_owner_inherits_nothing_from_an_earlier_unverified_claim(world: &World) {
    let engine = world.server.engine();
    let squatter = first_operator(world, "victim@example.com").await;
    world.sign_in_with_password("victim@example.com", PASSWORD).await.assert_status(200);
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    walk.submit("details", json!({"email": "victim@example.com", "password": "the victim's own words"}))
        .await
        .assert_status(200);
    let code = world.emailed_code("victim@example.com").await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    let victim = world.user_with_session(&response.text_member("session_token")).await;
    assert_ne!(victim.account, squatter.account);
    // Neither the password nor the session of the one leads to the account of the other.
    world.sign_in_with_password("victim@example.com", PASSWORD).await.assert_problem(422, "unprocessable");
    let signed_in =
        world.sign_in_with_password("victim@example.com", "the victim's own words").await.assert_status(200);
    assert_eq!(
        world.user_with_session(&signed_in.text_member("session_token")).await.account,
        victim.account
    );
    assert!(contacts::list_account_contacts(engine.store(), squatter.account).await.unwrap().is_empty());
    let theirs = world
        .sign_in_account(squatter.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    assert!(!theirs.get("/account/contacts").await.assert_status(200).text.contains("victim"));
}

async fn invitation_verifies_only_the_address_it_was_sent_to(world: &World) {
    let house = world.create_organization("acme").await;
    let owner = world.create_owner(&house).await;
    let response = owner.get(&house.path("/roles")).await.assert_status(200);
    let role =
        response.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "member").unwrap()["id"]
            .clone();
    let response = owner
        .post(&house.path("/invitations"), json!({"email": "eva@example.com", "roles": [role]}))
        .await
        .assert_status(201);
    assert!(!response.text.contains("sn_"), "the response has no invitation token: {}", response.text);
    let mail = world.newest_email_text("eva@example.com").await;
    let token = mail.split_whitespace().find_map(|word| word.split("token=").nth(1)).unwrap().to_owned();
    let mut walk = world.start_flow(json!({"kind": "accept_invitation", "token": token})).await;
    let details_response = walk.submit("details", json!({"password": PASSWORD})).await.assert_status(200);
    let eva = world.user_with_session(&details_response.text_member("session_token")).await;
    let membership = sinete_store::organizations::memberships::list_account_memberships(
        world.server.engine().store(),
        eva.account,
    )
    .await
    .unwrap()[0]
        .id;
    assert_eq!(told(world, &house, membership).await, (json!("eva@example.com"), json!(true)));
}
