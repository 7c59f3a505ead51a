//! Requests for which somebody has to prove more than they did: the flow asks, and the tokens say what was proven.

use super::flows::{EMAIL, ana, browser, enters, goes_on};
use super::{trusted, whole};
use crate::both_engines;
use crate::harness::application::{BrowserSession, OAuthApplication};
use crate::harness::authenticator_app::TotpApp;
use crate::harness::person::{FlowClient, PASSWORD};
use crate::harness::second_factors::gets_app;
use crate::harness::world::World;
use crate::stories::credentials::seconds;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

const AAL1: &str = "urn:sinete:aal:1";
const AAL2: &str = "urn:sinete:aal:2";
const ESSENTIAL: &str = r#"{"id_token":{"acr":{"essential":true,"value":"urn:sinete:aal:2"}}}"#;

/// What the ID token says that the flow led to, in the session it led to.
async fn id_token(app: &OAuthApplication<'_>, walk: &FlowClient<'_>, session: &str) -> Value {
    let code = goes_on(app.world, walk, session).await.code();
    let (status, tokens) = app.redeem(&code).await;
    assert_eq!(status, 200, "{tokens}");
    let (id, access) = (whole::claims(&tokens["id_token"]), whole::claims(&tokens["access_token"]));
    assert_eq!((&id["acr"], &id["auth_time"]), (&access["acr"], &access["auth_time"]));
    id
}

/// Gives the digits that are right now.
async fn proves(world: &World, walk: &mut FlowClient<'_>, app: &TotpApp) -> String {
    let wrong = app.digits_at(seconds(world) + 600);
    walk.tries("totp", json!({"code": wrong})).await.refused(422, "unprocessable");
    let done = walk.says("totp", json!({"code": app.digits_at(seconds(world))})).await.is(200);
    assert_eq!(walk.stage(), "resume");
    done.text_of("session_token")
}

both_engines!(
    what_is_essential_to_the_client_is_proven_first_and_said_in_the_id_token,
    an_organization_that_wants_to_be_sure_has_people_prove_more,
    an_old_sign_in_is_made_anew_with_both_factors_and_says_when,
    max_age_holds_for_the_second_factor_that_acr_rests_on
);

async fn what_is_essential_to_the_client_is_proven_first_and_said_in_the_id_token(world: &World) {
    let (_, ana) = ana(world).await;
    let authenticator = gets_app(world, &ana).await;
    let (app, browser) = (trusted(world, json!({})).await, browser(&ana));
    let plain = app.code(&browser, &[("acr_values", Some(AAL2))]).await;
    let before = whole::claims(&app.redeem(&plain).await.1["id_token"]);
    // A wish forces nobody, and is not said to have come true.
    assert_eq!((&before["acr"], &before["amr"]), (&json!(AAL1), &json!(["pwd"])));
    world.clock.pass(Lifetime::from_seconds(60));
    let mut walk = enters(&app, Some(&browser), &[("claims", Some(ESSENTIAL))]).await;
    assert_eq!(walk.stage(), "reauthenticate");
    goes_on_nowhere(world, &walk, &browser.token).await;
    let session = proves(world, &mut walk, &authenticator).await;
    let after = id_token(&app, &walk, &session).await;
    assert_eq!((&after["acr"], &after["amr"]), (&json!(AAL2), &json!(["mfa", "otp", "pwd"])));
    assert_eq!(after["auth_time"], json!(seconds(world)));
    assert_eq!(
        (&after["sub"], after["auth_time"].as_i64() > before["auth_time"].as_i64()),
        (&before["sub"], true)
    );
    // The session is worth that much now, so nobody is asked again; the one before it is gone.
    let stronger = BrowserSession { account: ana.account, token: session };
    app.code(&stronger, &[("claims", Some(ESSENTIAL)), ("prompt", Some("none"))]).await;
    app.authorize(Some(&browser), &[("prompt", Some("none"))]).await.refused("login_required");
}

async fn an_organization_that_wants_to_be_sure_has_people_prove_more(world: &World) {
    let (acme, ana) = ana(world).await;
    let owner = world.owner(&acme).await;
    let authenticator = gets_app(world, &ana).await;
    let (app, browser) = (trusted(world, json!({})).await, browser(&ana));
    app.code(&browser, &[]).await;
    let seen = owner.get(&acme.path("")).await.is(200).version();
    owner.patch(&acme.path(""), seen, json!({"settings": {"least_assurance": "aal2"}})).await.is(200);
    let mut walk = enters(&app, Some(&browser), &[]).await;
    assert_eq!(walk.stage(), "reauthenticate");
    let session = proves(world, &mut walk, &authenticator).await;
    assert_eq!(id_token(&app, &walk, &session).await["acr"], AAL2);
    // Nobody is led into a dead end: whoever has nothing to prove it with is turned away.
    let bia = world.somebody("bia@example.com").await;
    super::joins(world, bia.account, &acme, "member").await;
    app.authorize(Some(&super::flows::browser(&bia)), &[]).await.refused("access_denied");
}

async fn an_old_sign_in_is_made_anew_with_both_factors_and_says_when(world: &World) {
    let (_, ana) = ana(world).await;
    let authenticator = gets_app(world, &ana).await;
    let (app, browser) = (trusted(world, json!({})).await, browser(&ana));
    world.clock.pass(Lifetime::from_minutes(10));
    let mut walk = enters(&app, Some(&browser), &[("max_age", Some("300"))]).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.says("password", json!({"email": EMAIL, "password": PASSWORD})).await.is(200);
    assert_eq!(walk.stage(), "second_factor");
    goes_on_nowhere(world, &walk, &browser.token).await;
    let session = proves(world, &mut walk, &authenticator).await;
    let said = id_token(&app, &walk, &session).await;
    assert_eq!((&said["acr"], &said["auth_time"]), (&json!(AAL2), &json!(seconds(world))));
}

async fn max_age_holds_for_the_second_factor_that_acr_rests_on(world: &World) {
    let (_, ana) = ana(world).await;
    let authenticator = gets_app(world, &ana).await;
    let app = trusted(world, json!({})).await;
    let strong = world
        .signs_in(
            ana.account,
            &AuthenticationEvidence::of(AuthenticationProof::Password).and(AuthenticationProof::Totp),
        )
        .await;
    let proven_at = seconds(world);
    world.clock.pass(Lifetime::from_minutes(20));
    // The password is given again, and not the digits.
    let wanted = json!({"kind": "step_up", "assurance": "aal1"});
    let mut again = world.flow_as(wanted, Some(&strong.token)).await;
    let done = again.says("password", json!({"password": PASSWORD})).await.is(200);
    let browser = BrowserSession { account: ana.account, token: done.text_of("session_token") };
    // The level is what it was, and so is the moment it rests on.
    let claims = async |more: &[(&'static str, Option<&'static str>)]| {
        let code = app.code(&browser, more).await;
        whole::claims(&app.redeem(&code).await.1["id_token"])
    };
    let plain = claims(&[]).await;
    assert_eq!((&plain["acr"], &plain["auth_time"]), (&json!(AAL2), &json!(proven_at)));
    // Whoever asks for something newer is told what was proven since, at the level that this makes.
    let newer = claims(&[("max_age", Some("300"))]).await;
    assert_eq!((&newer["acr"], &newer["auth_time"]), (&json!(AAL1), &json!(seconds(world))));
    let silent = [("max_age", Some("300")), ("claims", Some(ESSENTIAL)), ("prompt", Some("none"))];
    app.authorize(Some(&browser), &silent).await.refused("interaction_required");
    let mut walk = enters(&app, Some(&browser), &silent[..2]).await;
    assert_eq!(walk.stage(), "reauthenticate");
    let session = proves(world, &mut walk, &authenticator).await;
    let said = id_token(&app, &walk, &session).await;
    assert_eq!((&said["acr"], &said["auth_time"]), (&json!(AAL2), &json!(seconds(world))));
    // An older proof will do for whoever allows it.
    let patient = [("max_age", Some("3600")), ("claims", Some(ESSENTIAL)), ("prompt", Some("none"))];
    app.code(&BrowserSession { token: session, ..browser }, &patient).await;
}

/// A flow that still waits for something leads to no code.
async fn goes_on_nowhere(world: &World, walk: &FlowClient<'_>, session: &str) {
    world.returns(&walk.id, Some(session), &[]).await.is_not_a_redirect();
}
