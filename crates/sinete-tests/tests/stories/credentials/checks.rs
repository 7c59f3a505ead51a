//! Every check of WebAuthn over HTTP, by its name: each refusal reads alike outside and is told apart in the log.

use super::{gets_passkey, options};
use crate::both_engines;
use crate::harness::oneself::SignedInUser;
use crate::harness::passkey_device::{DeviceBehavior, PasskeyDevice};
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

/// How an answer is spoiled.
type Spoil = fn(&mut Value);

/// What refused the last signature, by the person's own events.
async fn last_check(world: &World, oneself: &SignedInUser<'_>) -> String {
    let events = oneself.get("/account/events?limit=200").await.is(200);
    assert_eq!(oneself.world.public(""), world.public(""));
    let items = events.body["items"].as_array().unwrap().clone();
    let failed = items.iter().rfind(|it| it["kind"] == "credential.failed");
    failed.map(|it| it["detail"]["check"].as_str().unwrap().to_owned()).unwrap_or_default()
}

async fn signs(
    world: &World,
    device: &mut PasskeyDevice,
    change: impl Fn(&mut Value),
) -> crate::harness::api::ApiResponse {
    // Events are in the order of their ids, to the millisecond.
    world.clock.pass(Lifetime::from_micros(2_000));
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    let mut signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    change(&mut signed);
    walk.says("passkey", json!({"credential": signed})).await
}

both_engines!(
    every_check_refuses_alike_and_is_told_apart_in_the_log,
    a_challenge_counts_once_for_five_minutes_and_in_its_own_flow,
    a_registration_that_fails_a_check_adds_nothing
);

async fn every_check_refuses_alike_and_is_told_apart_in_the_log(world: &World) {
    let ana = world.somebody("ana@example.com").await;
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
    let oneself = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let mut texts = Vec::new();
    for (check, conduct) in misconducts {
        device.conduct = conduct;
        let refused = signs(world, &mut device, |_| ()).await.refused(422, "unprocessable");
        texts.push(refused.body["detail"].clone());
        assert_eq!(last_check(world, &oneself).await, check);
    }
    device.conduct = honest();
    let handle = |signed: &mut Value| signed["response"]["userHandle"] = BASE64.encode([1; 16]).into();
    texts.push(signs(world, &mut device, handle).await.refused(422, "unprocessable").body["detail"].clone());
    assert_eq!(last_check(world, &oneself).await, "user_handle");
    let nobody = |signed: &mut Value| signed["response"]["userHandle"] = Value::Null;
    texts.push(signs(world, &mut device, nobody).await.refused(422, "unprocessable").body["detail"].clone());
    assert_eq!(last_check(world, &oneself).await, "user_handle");
    let unknown = |signed: &mut Value| {
        signed["id"] = BASE64.encode([9; 32]).into();
        signed["rawId"] = signed["id"].clone();
    };
    texts.push(signs(world, &mut device, unknown).await.refused(422, "unprocessable").body["detail"].clone());
    let malformed = |signed: &mut Value| signed["response"]["authenticatorData"] = "AAAA".into();
    texts.push(
        signs(world, &mut device, malformed).await.refused(422, "unprocessable").body["detail"].clone(),
    );
    assert_eq!(last_check(world, &oneself).await, "authenticator_data");
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
    signs(world, &mut device, |_| ()).await.is(200);
}

async fn a_challenge_counts_once_for_five_minutes_and_in_its_own_flow(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let mut device = PasskeyDevice::new();
    gets_passkey(world, &ana, &mut device).await;
    let (mut one, mut other) =
        (world.flow(json!({"kind": "sign_in"})).await, world.flow(json!({"kind": "sign_in"})).await);
    let signed = device.get(&options(&one, "passkey"), &world.origin()).unwrap();
    let body = json!({"credential": signed});
    other.says("passkey", body.clone()).await.refused(422, "unprocessable");
    let mut invented = options(&one, "passkey");
    invented["challenge"] = BASE64.encode([7; 32]).into();
    let forged = device.get(&invented, &world.origin()).unwrap();
    one.says("passkey", json!({"credential": forged})).await.refused(422, "unprocessable");
    // Each look shows another challenge, and those shown before still count.
    one.looks().await.is(200);
    world.clock.pass(Lifetime::from_seconds(299));
    one.says("passkey", body.clone()).await.is(200);
    one.says("passkey", body.clone()).await.refused(409, "conflict");
    let mut late = world.flow(json!({"kind": "sign_in"})).await;
    let signed = device.get(&options(&late, "passkey"), &world.origin()).unwrap();
    world.clock.pass(Lifetime::from_seconds(301));
    late.says("passkey", json!({"credential": signed})).await.refused(422, "unprocessable");
    let fresh = late.looks().await.is(200);
    late.last = fresh;
    let signed = device.get(&options(&late, "passkey"), &world.origin()).unwrap();
    late.says("passkey", json!({"credential": signed})).await.is(200);
    other.says("passkey", body).await.refused(422, "unprocessable");
}

async fn a_registration_that_fails_a_check_adds_nothing(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let enroll = json!({"kind": "enroll", "credential": "passkey"});
    let mut walk = world.flow_as(enroll.clone(), Some(&ana.session)).await;
    let asked = options(&walk, "passkey_registration");
    let changes: [(&str, Spoil); 7] = [
        ("no CBOR", |made| made["response"]["attestationObject"] = BASE64.encode(b"\xff\xff").into()),
        ("an endless map", |made| made["response"]["attestationObject"] = BASE64.encode(b"\xbf").into()),
        ("deep CBOR", |made| {
            made["response"]["attestationObject"] =
                BASE64.encode([&[0xa1, 0x01][..], &[0x81; 9_000]].concat()).into()
        }),
        ("a huge length", |made| {
            made["response"]["attestationObject"] =
                BASE64.encode(b"\xa1\x63fmt\x7b\xff\xff\xff\xff\xff\xff\xff\xff").into()
        }),
        ("no client data", |made| made["response"]["clientDataJSON"] = "e30".into()),
        ("another id", |made| made["rawId"] = "AAAA".into()),
        ("no type", |made| made["type"] = "password".into()),
    ];
    for (what, change) in changes {
        let mut made = PasskeyDevice::new().create(&asked, &world.origin()).unwrap();
        change(&mut made);
        let refused = walk.says("passkey_registration", json!({"credential": made})).await;
        assert_eq!(refused.status, 422, "{what}: {}", refused.text);
    }
    for conduct in [
        DeviceBehavior { user_verified: false, ..DeviceBehavior::default() },
        DeviceBehavior { user_present: false, ..DeviceBehavior::default() },
        DeviceBehavior { claimed_origin: Some("https://evil.example".into()), ..DeviceBehavior::default() },
        DeviceBehavior { claimed_ceremony: Some("webauthn.get"), ..DeviceBehavior::default() },
        DeviceBehavior { cross_origin: true, ..DeviceBehavior::default() },
    ] {
        let mut device = PasskeyDevice::new();
        device.conduct = conduct;
        let made = device.create(&asked, &world.origin()).unwrap();
        walk.says("passkey_registration", json!({"credential": made})).await.refused(422, "unprocessable");
    }
    let oneself = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let listed = oneself.get("/account/credentials").await.is(200);
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 1);
    let mut device = PasskeyDevice::new();
    let made = device.create(&asked, &world.origin()).unwrap();
    walk.says("passkey_registration", json!({"credential": made.clone()})).await.is(200);
    // The same key again is nobody's new one, and its device makes no second.
    let session = world
        .signs_in(
            ana.account,
            &sinete_core::assurance::AuthenticationEvidence::of(crate::harness::oneself::VERIFIED),
        )
        .await;
    let walk = world.flow_as(enroll, Some(&session.token)).await;
    assert!(device.create(&options(&walk, "passkey_registration"), &world.origin()).is_none());
}
