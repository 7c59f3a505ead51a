//! Users without a second factor whom a request or an organization asks for one: they set it up on the way.

use super::flows::{EMAIL, ana, another_browser, browser, enters, goes_on};
use super::{code_flow, create_trusted_application};
use crate::both_engines;
use crate::harness::flow_client::{FlowClient, PASSWORD};
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::totp_app::TotpApp;
use crate::harness::world::World;
use crate::stories::sign_in::credentials::{options, seconds};
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::{Lifetime, Timestamp};

const AAL2: &str = "urn:sinete:aal:2";
const ESSENTIAL: &str = r#"{"id_token":{"acr":{"essential":true,"value":"urn:sinete:aal:2"}}}"#;
const STRONG: [(&str, Option<&str>); 1] = [("claims", Some(ESSENTIAL))];

both_engines!(
    totp_is_set_up_within_a_request_that_requires_aal2_and_used_separately,
    passkey_is_set_up_within_a_request_of_an_organization_that_requires_aal2,
    least_assurance_is_required_from_its_effective_date_only,
    second_factor_is_set_up_only_after_recent_authentication_with_every_enrolled_factor,
    totp_enrollment_creates_recovery_codes_once
);

async fn sets_up_totp(world: &World, walk: &mut FlowClient<'_>) -> TotpApp {
    walk.submit("choose_factor", json!({"credential": "totp"})).await.assert_status(200);
    assert_eq!(walk.stage(), "enroll");
    let app = TotpApp::from_uri(walk.last.body["totp"]["uri"].as_str().unwrap());
    let code = app.code_at(seconds(world));
    let response = walk.submit("totp_confirmation", json!({"code": code})).await.assert_status(200);
    assert_eq!(response.body["recovery_codes"].as_array().unwrap().len(), 10, "{}", response.text);
    app
}

async fn totp_is_set_up_within_a_request_that_requires_aal2_and_used_separately(world: &World) {
    let (_, ana) = ana(world).await;
    world.add_verified_email(ana.account, "ana@work.example").await;
    let app = create_trusted_application(world, json!({})).await;
    let mut walk = enters(&app, Some(&browser(&ana)), &STRONG).await;
    assert_eq!((walk.stage(), &walk.last.body["may_enroll"]), ("choose_factor", &json!(["passkey", "totp"])));
    walk.try_submit("choose_factor", json!({"credential": "recovery_codes"}))
        .await
        .assert_problem(422, "unprocessable");
    walk.submit("choose_factor", json!({"credential": "passkey"})).await.assert_status(200);
    walk.submit("restart", json!({})).await.assert_status(200);
    assert_eq!(walk.stage(), "choose_factor", "another method can be chosen");
    let authenticator = sets_up_totp(world, &mut walk).await;
    // Setting it up proves nothing: it is asked for by itself, and the same code does not count again.
    assert_eq!(walk.stage(), "reauthenticate");
    let used = authenticator.code_at(seconds(world));
    walk.try_submit("totp", json!({"code": used})).await.assert_problem(422, "unprocessable");
    world.clock.advance(Lifetime::from_seconds(30));
    let code = authenticator.code_at(seconds(world));
    let session =
        walk.submit("totp", json!({"code": code})).await.assert_status(200).text_member("session_token");
    assert_eq!(walk.stage(), "resume");
    let code = goes_on(world, &walk, &session).await.code();
    let claims = code_flow::claims(&app.redeem_code(&code).await.1["id_token"]);
    assert_eq!((&claims["acr"], &claims["amr"]), (&json!(AAL2), &json!(["mfa", "otp", "pwd"])));
    for address in [EMAIL, "ana@work.example"] {
        let email_text = world.newest_email_text(address).await;
        assert!(email_text.contains("authenticator"), "{address}: {email_text}");
    }
}

async fn passkey_is_set_up_within_a_request_of_an_organization_that_requires_aal2(world: &World) {
    let (acme, ana) = ana(world).await;
    let owner = world.create_owner(&acme).await;
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    let settings =
        json!({"settings": {"least_assurance": "aal2", "allowed_credentials": ["password", "passkey"]}});
    owner.patch(&acme.path(""), version, settings).await.assert_status(200);
    let app = create_trusted_application(world, json!({})).await;
    app.authorize(Some(&browser(&ana)), &[("prompt", Some("none"))])
        .await
        .assert_error_redirect("interaction_required");
    let mut walk = enters(&app, None, &[]).await;
    walk.submit("password", json!({"email": EMAIL, "password": PASSWORD})).await.assert_status(200);
    assert_eq!((walk.stage(), &walk.last.body["may_enroll"]), ("choose_factor", &json!(["passkey"])));
    walk.try_submit("choose_factor", json!({"credential": "totp"})).await.assert_problem(409, "conflict");
    walk.submit("choose_factor", json!({"credential": "passkey"})).await.assert_status(200);
    let mut device = PasskeyDevice::new();
    let created = device.create(&options(&walk, "passkey_registration"), &world.origin()).unwrap();
    walk.submit("passkey_registration", json!({"credential": created})).await.assert_status(200);
    assert_eq!(walk.stage(), "reauthenticate");
    let signed = device.get(&options(&walk, "passkey"), &world.origin()).unwrap();
    let response = walk.submit("passkey", json!({"credential": signed})).await.assert_status(200);
    assert_eq!(walk.stage(), "resume");
    goes_on(world, &walk, &response.text_member("session_token")).await.code();
}

async fn least_assurance_is_required_from_its_effective_date_only(world: &World) {
    let (acme, ana) = ana(world).await;
    let owner = world.create_owner(&acme).await;
    let tomorrow = Timestamp::from_seconds(seconds(world)).plus(Lifetime::from_days(1)).to_string();
    let patch = async |date: &str| {
        let version = owner.get(&acme.path("")).await.assert_status(200).version();
        let settings = json!({"settings": {"least_assurance": "aal2", "least_assurance_from": date}});
        owner.patch(&acme.path(""), version, settings).await
    };
    patch("2026-02-30").await.assert_problem(422, "unprocessable");
    patch(&tomorrow).await.assert_problem(422, "unprocessable");
    let response = patch(&tomorrow[..10]).await.assert_status(200);
    assert_eq!(response.body["settings"]["least_assurance_from"], tomorrow[..10]);
    let app = create_trusted_application(world, json!({})).await;
    let silently = [("prompt", Some("none"))];
    app.authorize(Some(&browser(&ana)), &silently).await.code();
    world.clock.advance(Lifetime::from_days(1));
    let second_browser = another_browser(world, &ana).await;
    app.authorize(Some(&second_browser), &silently).await.assert_error_redirect("interaction_required");
    // Without the date the level applies at once, as before.
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    let at_once = json!({"settings": {"least_assurance_from": null}});
    let response = owner.patch(&acme.path(""), version, at_once).await.assert_status(200);
    assert!(response.body["settings"].get("least_assurance_from").is_none(), "{}", response.text);
    app.authorize(Some(&second_browser), &silently).await.assert_error_redirect("interaction_required");
}

async fn second_factor_is_set_up_only_after_recent_authentication_with_every_enrolled_factor(world: &World) {
    let (_, ana) = ana(world).await;
    let app = create_trusted_application(world, json!({})).await;
    // A session that was left open: the password is asked for again.
    let old = another_browser(world, &ana).await;
    world.clock.advance(Lifetime::from_minutes(6));
    let mut walk = enters(&app, Some(&old), &STRONG).await;
    assert_eq!(walk.stage(), "reauthenticate");
    walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    assert_eq!(walk.stage(), "choose_factor");
    // Access to the mailbox alone: the password of the account is asked for too.
    let by_mail = AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode);
    let reader = world.create_browser(ana.account, &by_mail).await;
    let mut walk = enters(&app, Some(&reader), &STRONG).await;
    assert_eq!(walk.stage(), "reauthenticate");
    walk.try_submit("choose_factor", json!({"credential": "totp"})).await.assert_problem(409, "conflict");
    walk.try_submit("password", json!({"password": "not the password"}))
        .await
        .assert_problem(422, "unprocessable");
    walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    assert_eq!(walk.stage(), "choose_factor");
}

async fn totp_enrollment_creates_recovery_codes_once(world: &World) {
    let ana = world.create_user(EMAIL).await;
    let begins = async |session: &str| {
        let enroll = json!({"kind": "enroll", "credential": "totp"});
        world.start_flow_in_session(enroll, Some(session)).await
    };
    let mut walk = begins(&ana.session).await;
    let app = TotpApp::from_uri(walk.last.body["totp"]["uri"].as_str().unwrap());
    let response = walk
        .submit("totp_confirmation", json!({"code": app.code_at(seconds(world))}))
        .await
        .assert_status(200);
    let codes = response.body["recovery_codes"].as_array().unwrap();
    assert_eq!((codes.len(), codes[0].as_str().unwrap().len()), (10, 34));
    let mut sign_in = world.start_flow(json!({"kind": "sign_in"})).await;
    sign_in.submit("password", json!({"email": EMAIL, "password": PASSWORD})).await.assert_status(200);
    let response = sign_in.submit("recovery_code", json!({"code": codes[0]})).await.assert_status(200);
    // The codes that exist stay: a second app makes no others.
    let mut walk = begins(&response.text_member("session_token")).await;
    let second = TotpApp::from_uri(walk.last.body["totp"]["uri"].as_str().unwrap());
    let code = second.code_at(seconds(world));
    let response = walk.submit("totp_confirmation", json!({"code": code})).await.assert_status(200);
    assert!(response.body.get("recovery_codes").is_none(), "{}", response.text);
}
