//! Digits and recovery codes after a password.

use super::{gets_app, gets_codes, seconds, worth};
use crate::both_engines;
use crate::harness::oneself::SignedInUser;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

both_engines!(
    digits_follow_the_password_and_each_step_works_once,
    a_seed_is_shown_while_it_is_set_up_and_never_again,
    recovery_codes_are_ten_shown_once_and_each_works_once,
    wrong_digits_are_counted_and_answered_with_a_wait
);

async fn digits_follow_the_password_and_each_step_works_once(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let app = gets_app(world, &ana).await;
    let after_password = async || {
        let mut walk = world.flow(json!({"kind": "sign_in"})).await;
        let said = json!({"email": "ana@example.com", "password": PASSWORD});
        let asked = walk.says("password", said).await.is(200);
        assert_eq!(asked.body["stage"], "second_factor");
        assert!(asked.body["session_token"].is_null());
        walk
    };
    let mut walk = after_password().await;
    let code = app.digits_at(seconds(world));
    for wrong in
        ["000000", "", "12345", &app.digits_at(seconds(world) + 30), &app.digits_at(seconds(world) - 60)]
    {
        let refused = walk.tries("totp", json!({"code": wrong})).await;
        assert_eq!(refused.status, 422, "{wrong}: {}", refused.text);
    }
    let done = walk.says("totp", json!({"code": code})).await.is(200);
    let worth = worth(world, &done.text_of("session_token")).await;
    assert_eq!((&worth["acr"], &worth["amr"]), (&json!("urn:sinete:aal:2"), &json!(["mfa", "otp", "pwd"])));
    // The same digits again, in the same half minute and one step later.
    let mut again = after_password().await;
    again.says("totp", json!({"code": code})).await.refused(422, "unprocessable");
    world.clock.pass(Lifetime::from_seconds(30));
    again.says("totp", json!({"code": code})).await.refused(422, "unprocessable");
    // Digits may be one step late.
    let late = app.digits_at(seconds(world));
    world.clock.pass(Lifetime::from_seconds(30));
    again.says("totp", json!({"code": late})).await.is(200);
}

async fn a_seed_is_shown_while_it_is_set_up_and_never_again(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let walk = world.flow_as(json!({"kind": "enroll", "credential": "totp"}), Some(&ana.session)).await;
    let totp = &walk.last.body["totp"];
    let secret = totp["secret"].as_str().unwrap().to_owned();
    assert_eq!(secret.len(), 32);
    assert!(totp["uri"].as_str().unwrap().contains(&secret));
    assert!(totp["qr_svg"].as_str().unwrap().starts_with("<svg"));
    let wrong = walk.tries("totp_confirmation", json!({"code": "000000"})).await;
    assert_eq!(wrong.refused(422, "unprocessable").faults(), ["/code"]);
    let app = crate::harness::authenticator_app::TotpApp::scan(totp["uri"].as_str().unwrap());
    let mut walk = walk;
    let done = walk
        .says("totp_confirmation", json!({"code": app.digits_at(seconds(world)), "name": "app"}))
        .await
        .is(200);
    assert!(!done.text.contains(&secret));
    let session = world
        .signs_in(
            ana.account,
            &AuthenticationEvidence::of(AuthenticationProof::Password).and(AuthenticationProof::Totp),
        )
        .await;
    for path in ["/account/credentials", "/account/export", "/account/events?limit=200"] {
        assert!(!session.get(path).await.is(200).text.contains(&secret), "{path}");
    }
    let dump = format!("{:?}", world.dump().await);
    assert!(!dump.contains(&secret));
}

async fn recovery_codes_are_ten_shown_once_and_each_works_once(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    gets_app(world, &ana).await;
    let strong = world
        .signs_in(
            ana.account,
            &AuthenticationEvidence::of(AuthenticationProof::Password).and(AuthenticationProof::Totp),
        )
        .await;
    let strong = world.holding(&strong.token).await;
    let old = gets_codes(world, &strong).await;
    let codes = gets_codes(world, &strong).await;
    assert_eq!((codes.len(), codes[0].len()), (10, 34));
    let signs = async |code: &str| {
        let mut walk = world.flow(json!({"kind": "sign_in"})).await;
        walk.says("password", json!({"email": "ana@example.com", "password": PASSWORD})).await.is(200);
        walk.says("recovery_code", json!({"code": code})).await
    };
    // A new set takes the place of the old one.
    signs(&old[0]).await.refused(422, "unprocessable");
    signs("0000-0000-0000-0000-0000-0000-0000").await.refused(422, "unprocessable");
    let done = signs(&codes[0].to_uppercase().replace('-', " ")).await.is(200);
    assert_eq!(worth(world, &done.text_of("session_token")).await["acr"], "urn:sinete:aal:2");
    signs(&codes[0]).await.refused(422, "unprocessable");
    signs(&codes[1]).await.is(200);
    let oneself = SignedInUser { world, account: ana.account, token: strong.session.clone() };
    let listed = oneself.get("/account/credentials").await.is(200);
    let sets: Vec<_> =
        listed.body["items"].as_array().unwrap().iter().filter(|it| it["kind"] == "recovery_codes").collect();
    assert_eq!((sets.len(), &sets[0]["codes_left"]), (1, &json!(8)));
    let dump = format!("{:?}", world.dump().await);
    assert!(codes.iter().all(|code| !dump.contains(code.as_str())));
}

async fn wrong_digits_are_counted_and_answered_with_a_wait(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let app = gets_app(world, &ana).await;
    let mut walk = world.flow(json!({"kind": "sign_in"})).await;
    walk.says("password", json!({"email": "ana@example.com", "password": PASSWORD})).await.is(200);
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(walk.tries("totp", json!({"code": "000000"})).await.status);
    }
    assert_eq!(statuses[..5], [422; 5]);
    assert!(statuses.contains(&429), "{statuses:?}");
    let right = json!({"code": app.digits_at(seconds(world))});
    walk.tries("totp", right).await.refused(429, "too_many_requests");
    world.clock.pass(Lifetime::from_minutes(16));
    walk.says("totp", json!({"code": app.digits_at(seconds(world))})).await.is(200);
}
