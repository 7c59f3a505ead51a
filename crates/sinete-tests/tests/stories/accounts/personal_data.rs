//! Everything stored about an account can be exported and is deleted with the account. Every table with personal data
//! is listed here, so that a new one is noticed.

use super::picture::{png, sets};
use crate::both_engines;
use crate::harness::flow_client::{PASSWORD, TestUser};
use crate::harness::grants::GrantRequest;
use crate::harness::organizations::TestOrganization;
use crate::harness::second_factors::{enroll_recovery_codes, enroll_totp};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::limits::{CLEANUP_AFTER, EMAIL_CODE_INTERVAL};
use sinete_core::time::Lifetime;
use std::collections::{BTreeMap, BTreeSet};

/// Tables with rows of an account, and the part of the export that contains them. For a table that the export leaves
/// out, because it holds secrets, digests or short-lived state, the second text says why.
const OF_AN_ACCOUNT: &[(&str, &str)] = &[
    ("account_links", "digests of links in e-mails"),
    ("account_pictures", "picture"),
    ("accounts", "account"),
    ("address_changes", "former_addresses"),
    ("approval_requests", "pending requests for approval"),
    ("assignments", "events"),
    ("contacts", "contacts"),
    ("credentials", "credentials"),
    ("devices", "devices"),
    ("flows", "flows in progress"),
    ("grants", "applications"),
    ("identities", "identities"),
    ("memberships", "memberships"),
    ("sessions", "sessions"),
];

/// A user with rows in every table, and the personal data to search for. Returns the session token too.
async fn a_whole_life(world: &World) -> (String, BTreeSet<&'static str>) {
    let acme = world.create_organization("acme").await;
    let ana = sign_up_and_join(world, &acme).await;
    fill_in_profile_and_contacts(world, &ana).await;
    enroll_totp(world, &ana).await;
    let strong = world
        .sign_in_account(
            ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    enroll_recovery_codes(world, &world.user_with_session(&strong.token).await).await;
    let memberships = sinete_store::organizations::memberships::list_account_memberships(
        world.server.engine().store(),
        ana.account,
    )
    .await
    .unwrap();
    let membership = memberships.iter().find(|it| it.organization == acme.id).unwrap().id;
    let app = world.create_confidential_client().await;
    world.create_grant(&acme, membership, &app.id, GrantRequest::for_scope("openid")).await;
    world.deliver_messages().await;
    let known_by = [
        "ana.reis@example.com",
        "ana@elsewhere.example",
        "Ana Reis",
        "Aninha",
        "1984-02-29",
        "+5581999990000",
    ];
    (strong.token, known_by.into())
}

/// Signs up as ana.reis@example.com and accepts an invitation to the organization.
async fn sign_up_and_join<'w>(world: &'w World, acme: &TestOrganization) -> TestUser<'w> {
    let owner = world.create_owner(acme).await;
    let response = owner.get(&acme.path("/roles")).await.assert_status(200);
    let member = response.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "member").unwrap()
        ["id"]
        .clone();
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    walk.submit(
        "details",
        json!({"email": "ana.reis@example.com", "password": PASSWORD, "name": "Ana Reis"}),
    )
    .await
    .assert_status(200);
    let code = world.emailed_code("ana.reis@example.com").await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    let ana = world.user_with_session(&response.text_member("session_token")).await;

    let invited = json!({"email": "ana.reis@example.com", "roles": [member]});
    owner.post(&acme.path("/invitations"), invited).await.assert_status(201);
    let mail = world.newest_email_text("ana.reis@example.com").await;
    let token = mail.split_whitespace().find_map(|word| word.split("token=").nth(1)).unwrap().to_owned();
    let mut walk = world.start_flow(json!({"kind": "accept_invitation", "token": token})).await;
    walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    ana
}

/// Sets a profile, adds a telephone number, changes the e-mail address, and signs in with each of them.
async fn fill_in_profile_and_contacts(world: &World, ana: &TestUser<'_>) {
    let user = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    let profile = json!({"profile": {"nickname": "Aninha", "birthdate": "1984-02-29"}});
    let version = user.get("/account").await.assert_status(200).version();
    let changed = user.patch("/account", Some(version), profile).await.assert_status(200);
    sets(&user, changed.version(), &png(8, 8, 100)).await.assert_status(200);
    world.add_verified_phone(ana.account, "+5581999990000").await;
    world
        .sign_in_with_password("ana.reis@example.com", "wrong wrong wrong wrong")
        .await
        .assert_problem(422, "unprocessable");
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("sms_code", json!({"phone": "+5581999990000"})).await.assert_status(200);
    world.clock.advance(EMAIL_CODE_INTERVAL);
    let change = json!({"kind": "change_email", "email": "ana@elsewhere.example"});
    let mut walk = world.start_flow_in_session(change, Some(&ana.session)).await;
    let code = world.emailed_code("ana@elsewhere.example").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    let mut browser = world.start_browser_flow(json!({"kind": "sign_in"}), &BTreeMap::new()).await;
    browser
        .submit("password", json!({"email": "ana@elsewhere.example", "password": PASSWORD}))
        .await
        .assert_status(200);
}

both_engines!(
    account_export_contains_all_personal_data_and_deletion_removes_it,
    personal_data_tables_are_all_listed
);

async fn account_export_contains_all_personal_data_and_deletion_removes_it(world: &World) {
    let (token, known_by) = a_whole_life(world).await;
    let strong = world.user_with_session(&token).await;
    let user =
        crate::harness::signed_in_user::SignedInUser { world, account: strong.account, token: token.clone() };
    let everything = user.get("/account/export").await.assert_status(200);
    for personal_text in &known_by {
        assert!(everything.text.contains(personal_text), "{personal_text} is stored and not exported");
    }
    let parts: BTreeSet<&str> = everything.body.as_object().unwrap().keys().map(String::as_str).collect();
    let filled = |part: &str| everything.body[part].as_array().is_none_or(|all| !all.is_empty());
    for (table, part) in OF_AN_ACCOUNT.iter().filter(|(_, part)| !part.contains(' ')) {
        assert!(parts.contains(part), "the rows of {table} are not exported");
        assert!(*part == "identities" || filled(part), "{part} is empty");
    }
    for secret in ["sn_se_", "sn_al_", "$argon2id$", "otpauth"] {
        assert!(!everything.text.contains(secret), "the export contains the secret {secret}");
    }

    user.delete("/account").await.assert_status(204);
    // Pending messages are delivered or expire, and flows expire; after cleanup nothing is left.
    world.clock.advance(Lifetime::from_days(8));
    world.clock.advance(CLEANUP_AFTER);
    sinete_engine::administration::cleanup::delete_expired(world.server.engine()).await.unwrap();
    let database_dump = world.dump_database().await;
    for (table, rows) in &database_dump {
        for personal_text in &known_by {
            assert!(
                !rows.iter().any(|row| row.contains(personal_text)),
                "{personal_text} is still in {table}: {rows:?}"
            );
        }
    }
    // The id stays, so that it is never used again.
    assert!(database_dump["accounts"].iter().any(|row| row.contains("ended")));
}

async fn personal_data_tables_are_all_listed(world: &World) {
    let listed_tables: BTreeSet<&str> = OF_AN_ACCOUNT.iter().map(|(table, _)| *table).collect();
    let of_accounts: BTreeSet<String> = world
        .list_columns()
        .await
        .into_iter()
        .filter(|(table, column)| column == "account_id" || (table == "accounts" && column == "id"))
        .map(|(table, _)| table)
        .collect();
    let of_accounts: BTreeSet<&str> = of_accounts.iter().map(String::as_str).collect();
    assert_eq!(of_accounts, listed_tables, "every table with data of an account is listed here");
}
