//! Imported users sign in with their existing passwords, and with no other credential.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::administration::import::AccountImportFormat;
use sinete_core::id::AccountId;
use sinete_crypto::sign_in::credentials::foreign_password::FirebaseProject;
use sinete_engine::UseCaseResult;
use sinete_engine::access_control::organization_access;
use sinete_engine::administration::import;
use sinete_engine::administration::import::{ImportOptions, ImportOutcome, ImportRun, ImportedEmailTrust};
use sinete_engine::organizations;
use sinete_engine::organizations::roles;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::sign_in::credentials;

const PROJECT: &str = "base64_signer_key: \
    jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,\n\
    base64_salt_separator: Bw==,\nrounds: 8,\nmem_cost: 14,\n";

/// A user in each import format, with the password.
fn people() -> Vec<(AccountImportFormat, &'static str, Value)> {
    let build_account =
        |name: &str, hash: &str| json!({"email": format!("{name}@example.com"), "password_hash": hash});
    let keycloak = json!({"id": "k1", "email": "keycloak@example.com", "credentials": [{"type": "password",
        "credentialData": "{\"hashIterations\":4096,\"algorithm\":\"pbkdf2\"}",
        "secretData": "{\"value\":\"SwB5AbdlSJq+rUnZJvch0GWkKcE=\",\"salt\":\"c2FsdA==\"}"}]});
    let firebase = json!({"localId": "f1", "email": "firebase@example.com", "salt": "42xEC+ixf3L2lw==",
        "passwordHash": "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="});
    let auth0 = json!({"_id": {"$oid": "a1"}, "email": "auth0@example.com",
        "passwordHash": "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"});
    vec![
        (AccountImportFormat::Keycloak, "password", keycloak),
        (AccountImportFormat::Firebase, "user1password", firebase),
        (AccountImportFormat::Auth0, "U*U", auth0),
        (
            AccountImportFormat::Sinete,
            "pleaseletmein",
            build_account(
                "scrypt",
                "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw",
            ),
        ),
        (
            AccountImportFormat::Sinete,
            "password",
            build_account(
                "pbkdf2",
                "$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44",
            ),
        ),
        (
            AccountImportFormat::Sinete,
            "password",
            build_account(
                "argon",
                "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8",
            ),
        ),
        (
            AccountImportFormat::Sinete,
            "Hello world!",
            build_account("shadow", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
        ),
    ]
}

/// An import run with this source name, into the home organization.
async fn run(world: &World, source: &str, addresses: ImportedEmailTrust) -> ImportRun {
    let engine = world.server.engine();
    let caller = organizations::load_command_line_caller(engine).await.unwrap();
    let home = organization_access::authorize_in_organization(engine, &caller, "home").await.unwrap();
    let all = roles::list(engine, &home, None, 100).await.unwrap();
    let member = all.iter().find(|role| role.role.name() == "member").unwrap().id;
    let firebase = Some(FirebaseProject::parse(PROJECT).unwrap());
    let import_options =
        ImportOptions { source: source.parse().unwrap(), roles: vec![member], addresses, firebase };
    import::prepare_import(engine, &home, import_options).await.unwrap()
}

async fn bring(
    world: &World,
    run: &ImportRun,
    from: AccountImportFormat,
    raw: &Value,
) -> Result<ImportOutcome, String> {
    let account = from.parse_account(raw).unwrap();
    let foreseen = run.preview_account(world.server.engine(), &account).await;
    let foreseen = foreseen.unless_refused().unwrap();
    let result = run.import_account(world.server.engine(), &account).await;
    assert_eq!(foreseen.is_some(), result.is_ok(), "the preview matches the import");
    result.map_err(|error| error.into_refusal().unwrap().public_text().into_owned())
}

async fn account_of(world: &World, email: &str) -> AccountId {
    let contact =
        contacts::find_contact_owner(world.server.engine().store(), ContactKind::Email, email).await.unwrap();
    contact.unwrap().account
}

async fn material(world: &World, email: &str) -> String {
    let account = account_of(world, email).await;
    let credential = credentials::list_account_credentials(world.server.engine().store(), account)
        .await
        .unwrap()
        .remove(0);
    String::from_utf8(credential.material).unwrap()
}

both_engines!(
    import_creates_neither_owners_nor_operators_under_any_name,
    imported_password_hash_of_every_format_signs_in_and_is_rehashed,
    imported_password_hash_is_not_revealed_by_a_wrong_password,
    import_never_merges_accounts_by_address,
    import_keeps_users_disabled_and_refuses_too_expensive_hashes
);

async fn import_creates_neither_owners_nor_operators_under_any_name(world: &World) {
    let engine = world.server.engine();
    world.create_operator().await;
    let house = world.find_organization("operator").await;
    let command_line = organizations::load_command_line_caller(engine).await.unwrap();
    let inside = organization_access::authorize_in_organization(engine, &command_line, &house.id.to_string())
        .await
        .unwrap();
    let chief = sinete_core::access_control::role::Role::new(
        "chief",
        ["accounts:manage".parse().unwrap()].into_iter().collect(),
    )
    .unwrap();
    let id = sinete_core::id::RoleId::mint(engine.now(), engine.entropy());
    world
        .apply_statements([sinete_store::organizations::roles::create_role(
            id,
            house.id,
            &chief,
            "",
            engine.now(),
        )])
        .await;
    let roles = roles::list(engine, &inside, None, 200).await.unwrap();
    for (name, becomes) in [
        ("owner", Err("owner")),
        ("operator", Err("operator")),
        ("chief", Err("operator")),
        ("member", Ok(())),
    ] {
        let role = roles.iter().find(|it| it.role.name() == name).unwrap().id;
        let import_options = ImportOptions {
            source: "old".parse().unwrap(),
            roles: vec![role],
            addresses: ImportedEmailTrust::VerifyHere,
            firebase: None,
        };
        let prepared = import::prepare_import(engine, &inside, import_options).await;
        match (prepared.map_err(|error| error.into_refusal().unwrap()), becomes) {
            (Ok(_), Ok(())) => {}
            (Err(refusal), Err(expected_role)) => {
                assert!(refusal.public_text().contains(expected_role), "{name}: {refusal:?}")
            }
            (prepared, _) => panic!("{name}: {prepared:?}"),
        }
    }
}

async fn imported_password_hash_of_every_format_signs_in_and_is_rehashed(world: &World) {
    let run = run(world, "elsewhere", ImportedEmailTrust::VerifyHere).await;
    for (from, _, raw) in &people() {
        assert_eq!(bring(world, &run, *from, raw).await, Ok(ImportOutcome::Imported), "{raw}");
        assert_eq!(bring(world, &run, *from, raw).await, Ok(ImportOutcome::AlreadyImported), "{raw}");
    }
    let store = world.server.engine().store();
    for (_, password, raw) in &people() {
        let email = raw["email"].as_str().unwrap();
        let before = material(world, email).await;
        assert!(credentials::find_imported_password(store).await.unwrap().is_some());
        world.sign_in_with_password(email, "not that one at all").await.assert_problem(422, "unprocessable");
        assert_eq!(material(world, email).await, before, "{email}");
        world.sign_in_with_password(email, password).await.assert_status(200);
        let after = material(world, email).await;
        assert!(after.starts_with("$argon2id$v=19$m=64,t=1,p=1$"), "{email}: {after}");
        world.sign_in_with_password(email, password).await.assert_status(200);
        world.sign_in_with_password(email, "not that one at all").await.assert_problem(422, "unprocessable");
        assert_eq!(material(world, email).await, after, "{email}");
    }
    assert_eq!(
        credentials::find_imported_password(store).await.unwrap(),
        None,
        "every imported password was rehashed"
    );
}

async fn imported_password_hash_is_not_revealed_by_a_wrong_password(world: &World) {
    let run = run(world, "elsewhere", ImportedEmailTrust::TrustSource).await;
    let (from, _, raw) = people().remove(6);
    bring(world, &run, from, &raw).await.unwrap();
    world.create_user("ours@example.com").await;
    let mut answers = Vec::new();
    for email in ["shadow@example.com", "ours@example.com", "nobody@example.com"] {
        let before = world.server.engine().password_hash_count();
        let reply = world.sign_in_with_password(email, "wrong wrong wrong wrong").await;
        answers.push((reply.status, reply.text.len(), world.server.engine().password_hash_count() - before));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!((answers[0].0, answers[0].2), (422, 1));
}

async fn import_never_merges_accounts_by_address(world: &World) {
    let (trusting, wary) = (
        run(world, "one", ImportedEmailTrust::TrustSource).await,
        run(world, "two", ImportedEmailTrust::VerifyHere).await,
    );
    world.create_user("ana@example.com").await;
    let ana = json!({"id": "1", "email": "Ana@example.com", "email_verified": true});
    for run in [&trusting, &wary] {
        let refused = bring(world, run, AccountImportFormat::Sinete, &ana).await.unwrap_err();
        assert!(refused.contains("belongs to an existing account"), "{refused}");
    }
    // The operator decides whether an address that the source calls verified counts as verified.
    let bia = json!({"id": "2", "email": "bia@example.com", "email_verified": true, "name": "Bia"});
    assert_eq!(bring(world, &wary, AccountImportFormat::Sinete, &bia).await, Ok(ImportOutcome::Imported));
    let store = world.server.engine().store();
    assert_eq!(
        contacts::find_verified_contact(store, ContactKind::Email, "bia@example.com").await.unwrap(),
        None
    );
    let claimed = account_of(world, "bia@example.com").await;
    assert_eq!(bring(world, &trusting, AccountImportFormat::Sinete, &bia).await, Ok(ImportOutcome::Imported));
    let contact =
        contacts::find_verified_contact(store, ContactKind::Email, "bia@example.com").await.unwrap().unwrap();
    assert_ne!(contact.account, claimed, "two accounts, and the one that verified the address has it");
    assert!(contacts::list_account_contacts(store, claimed).await.unwrap().is_empty());
    let duplicate_account = json!({"id": "3", "email": "bia@example.com", "email_verified": false});
    assert!(bring(world, &trusting, AccountImportFormat::Sinete, &duplicate_account).await.is_err());
}

async fn import_keeps_users_disabled_and_refuses_too_expensive_hashes(world: &World) {
    let run = run(world, "elsewhere", ImportedEmailTrust::VerifyHere).await;
    let hash = "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5";
    let off = json!({"email": "off@example.com", "enabled": false, "password_hash": hash});
    bring(world, &run, AccountImportFormat::Sinete, &off).await.unwrap();
    world.sign_in_with_password("off@example.com", "Hello world!").await.assert_problem(422, "unprocessable");
    let costly = json!({"email": "costly@example.com", "password_hash":
        "$5$rounds=999999999$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"});
    bring(world, &run, AccountImportFormat::Sinete, &costly).await.unwrap_err();
    let store = world.server.engine().store();
    assert!(!contacts::is_contact_claimed(store, ContactKind::Email, "costly@example.com").await.unwrap());
}
