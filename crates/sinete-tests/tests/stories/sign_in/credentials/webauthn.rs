//! Every WebAuthn verification step, by name: each refusal has the same response and its own reason in the log.

use super::{gets_passkey, options};
use crate::both_engines;
use crate::harness::passkey_device::{DeviceBehavior, PasskeyDevice};
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

/// How a response is made invalid.
type Spoil = fn(&mut Value);

/// The reason of the last refusal, from the account's events.
async fn last_check(world: &World, user: &SignedInUser<'_>) -> String {
    let events = user.get("/account/events?limit=200").await.assert_status(200);
    assert_eq!(user.world.public_url(""), world.public_url(""));
    let items = events.body["items"].as_array().unwrap().clone();
    let failed = items.iter().rfind(|it| it["kind"] == "credential.failed");
    failed.map(|it| it["detail"]["check"].as_str().unwrap().to_owned()).unwrap_or_default()
}

async fn signs(
    world: &World,
    device: &mut PasskeyDevice,
    change: impl Fn(&mut Value),
) -> crate::harness::api_caller::ApiResponse {
    // Events are ordered by id, which has milliseconds.
    world.clock.advance(Lifetime::from_micros(2_000));
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    let mut signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    change(&mut signed);
    walk.submit("passkey", json!({"credential": signed})).await
}

both_engines!(
    webauthn_checks_refuse_uniformly_and_are_distinguished_in_the_log,
    webauthn_challenge_is_accepted_once_for_five_minutes_in_its_own_flow,
    webauthn_registration_that_fails_a_check_adds_nothing
);

async fn webauthn_checks_refuse_uniformly_and_are_distinguished_in_the_log(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let honest = DeviceBehavior::default;
    let port = world.origin();
    let origins = [
        "https://badexample.com",
        "http://localhost.evil:8080",
        "http://xlocalhost:8080",
        "http://localhost",
        "null",
    ];
    let mut misconducts = vec![
        ("user_presence", DeviceBehavior { user_present: false, ..honest() }),
        ("user_verification", DeviceBehavior { user_verified: false, ..honest() }),
        ("relying_party", DeviceBehavior { claimed_domain: Some("evil.example".into()), ..honest() }),
        ("relying_party", DeviceBehavior { claimed_domain: Some("sub.localhost".into()), ..honest() }),
        ("ceremony", DeviceBehavior { claimed_ceremony: Some("webauthn.create"), ..honest() }),
        ("cross_origin", DeviceBehavior { cross_origin: true, ..honest() }),
        ("signature", DeviceBehavior { bad_signature: true, ..honest() }),
        ("backup", DeviceBehavior { backed_up: false, ..honest() }),
    ];
    for origin in origins {
        assert_ne!(origin, port);
        misconducts.push(("origin", DeviceBehavior { claimed_origin: Some(origin.into()), ..honest() }));
    }
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let mut details = Vec::new();
    for (check, conduct) in misconducts {
        device.behavior = conduct;
        let refused = signs(world, &mut device, |_| ()).await.assert_problem(422, "unprocessable");
        details.push(refused.body["detail"].clone());
        assert_eq!(last_check(world, &user).await, check);
    }
    device.behavior = honest();
    let handle = |signed: &mut Value| signed["response"]["userHandle"] = BASE64.encode([1; 16]).into();
    details.push(
        signs(world, &mut device, handle).await.assert_problem(422, "unprocessable").body["detail"].clone(),
    );
    assert_eq!(last_check(world, &user).await, "user_handle");
    let remove_user_handle = |signed: &mut Value| signed["response"]["userHandle"] = Value::Null;
    details.push(
        signs(world, &mut device, remove_user_handle).await.assert_problem(422, "unprocessable").body["detail"].clone(),
    );
    assert_eq!(last_check(world, &user).await, "user_handle");
    let unknown = |signed: &mut Value| {
        signed["id"] = BASE64.encode([9; 32]).into();
        signed["rawId"] = signed["id"].clone();
    };
    details.push(
        signs(world, &mut device, unknown).await.assert_problem(422, "unprocessable").body["detail"].clone(),
    );
    let malformed = |signed: &mut Value| signed["response"]["authenticatorData"] = "AAAA".into();
    details.push(
        signs(world, &mut device, malformed).await.assert_problem(422, "unprocessable").body["detail"]
            .clone(),
    );
    assert_eq!(last_check(world, &user).await, "authenticator_data");
    details.dedup();
    assert_eq!(details.len(), 1, "{details:?}");
    signs(world, &mut device, |_| ()).await.assert_status(200);
}

async fn webauthn_challenge_is_accepted_once_for_five_minutes_in_its_own_flow(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let (mut one, mut other) = (
        world.start_flow(json!({"kind": "sign_in"})).await,
        world.start_flow(json!({"kind": "sign_in"})).await,
    );
    let signed = device.get(&options(&one, "passkey"), &world.origin()).unwrap();
    let body = json!({"credential": signed});
    other.submit("passkey", body.clone()).await.assert_problem(422, "unprocessable");
    let mut invented = options(&one, "passkey");
    invented["challenge"] = BASE64.encode([7; 32]).into();
    let forged = device.get(&invented, &world.origin()).unwrap();
    one.submit("passkey", json!({"credential": forged})).await.assert_problem(422, "unprocessable");
    // Each read returns a new challenge, and earlier ones stay valid.
    one.read_flow().await.assert_status(200);
    world.clock.advance(Lifetime::from_seconds(299));
    one.submit("passkey", body.clone()).await.assert_status(200);
    one.submit("passkey", body.clone()).await.assert_problem(409, "conflict");
    let mut late = world.start_flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&late, "passkey"), &world.origin()).unwrap();
    world.clock.advance(Lifetime::from_seconds(301));
    late.submit("passkey", json!({"credential": signed})).await.assert_problem(422, "unprocessable");
    let fresh = late.read_flow().await.assert_status(200);
    late.last = fresh;
    let signed = device.get(&options(&late, "passkey"), &world.origin()).unwrap();
    late.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    other.submit("passkey", body).await.assert_problem(422, "unprocessable");
}

async fn webauthn_registration_that_fails_a_check_adds_nothing(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let enroll = json!({"kind": "enroll", "credential": "passkey"});
    let mut walk = world.start_flow_in_session(enroll.clone(), Some(&ana.session)).await;
    let creation_options = options(&walk, "passkey_registration");
    let changes: [(&str, Spoil); 7] = [
        ("no CBOR", |created| created["response"]["attestationObject"] = BASE64.encode(b"\xff\xff").into()),
        ("an endless map", |created| {
            created["response"]["attestationObject"] = BASE64.encode(b"\xbf").into()
        }),
        ("deep CBOR", |created| {
            created["response"]["attestationObject"] =
                BASE64.encode([&[0xa1, 0x01][..], &[0x81; 9_000]].concat()).into()
        }),
        ("a huge length", |created| {
            created["response"]["attestationObject"] =
                BASE64.encode(b"\xa1\x63fmt\x7b\xff\xff\xff\xff\xff\xff\xff\xff").into()
        }),
        ("no client data", |created| created["response"]["clientDataJSON"] = "e30".into()),
        ("another id", |created| created["rawId"] = "AAAA".into()),
        ("no type", |created| created["type"] = "password".into()),
    ];
    for (case, change) in changes {
        let mut created = PasskeyDevice::new().create(&creation_options, &world.origin()).unwrap();
        change(&mut created);
        let refused = walk.submit("passkey_registration", json!({"credential": created})).await;
        assert_eq!(refused.status, 422, "{case}: {}", refused.text);
    }
    for conduct in [
        DeviceBehavior { user_verified: false, ..DeviceBehavior::default() },
        DeviceBehavior { user_present: false, ..DeviceBehavior::default() },
        DeviceBehavior { claimed_origin: Some("https://evil.example".into()), ..DeviceBehavior::default() },
        DeviceBehavior { claimed_ceremony: Some("webauthn.get"), ..DeviceBehavior::default() },
        DeviceBehavior { cross_origin: true, ..DeviceBehavior::default() },
    ] {
        let mut device = PasskeyDevice::new();
        device.behavior = conduct;
        let created = device.create(&creation_options, &world.origin()).unwrap();
        walk.submit("passkey_registration", json!({"credential": created}))
            .await
            .assert_problem(422, "unprocessable");
    }
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let response = user.get("/account/credentials").await.assert_status(200);
    assert_eq!(response.body["items"].as_array().unwrap().len(), 1);
    let mut device = PasskeyDevice::new();
    let created = device.create(&creation_options, &world.origin()).unwrap();
    walk.submit("passkey_registration", json!({"credential": created.clone()})).await.assert_status(200);
    // A registered credential cannot be registered again, and its authenticator creates no second one.
    let session = world
        .sign_in_account(
            ana.account,
            &sinete_core::assurance::AuthenticationEvidence::from_proof(
                crate::harness::signed_in_user::VERIFIED_PASSKEY,
            ),
        )
        .await;
    let walk = world.start_flow_in_session(enroll, Some(&session.token)).await;
    assert!(device.create(&options(&walk, "passkey_registration"), &world.origin()).is_none());
}
