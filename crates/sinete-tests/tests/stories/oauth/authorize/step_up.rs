//! Authorization requests that need a step-up: the flow asks for it, and the tokens contain the resulting `acr` and
//! `amr`.

use super::flows::{EMAIL, ana, browser, enters, goes_on};
use super::{code_flow, create_trusted_application};
use crate::both_engines;
use crate::harness::flow_client::{FlowClient, PASSWORD};
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::second_factors::enroll_totp;
use crate::harness::totp_app::TotpApp;
use crate::harness::world::World;
use crate::stories::sign_in::credentials::seconds;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

const AAL1: &str = "urn:sinete:aal:1";
const AAL2: &str = "urn:sinete:aal:2";
const ESSENTIAL: &str = r#"{"id_token":{"acr":{"essential":true,"value":"urn:sinete:aal:2"}}}"#;

/// The ID token of a completed flow.
async fn id_token(app: &OAuthApplication<'_>, walk: &FlowClient<'_>, session: &str) -> Value {
    let code = goes_on(app.world, walk, session).await.code();
    let (status, tokens) = app.redeem_code(&code).await;
    assert_eq!(status, 200, "{tokens}");
    let (id, access) = (code_flow::claims(&tokens["id_token"]), code_flow::claims(&tokens["access_token"]));
    assert_eq!((&id["acr"], &id["auth_time"]), (&access["acr"], &access["auth_time"]));
    id
}

/// Submits the current TOTP code.
async fn proves(world: &World, walk: &mut FlowClient<'_>, app: &TotpApp) -> String {
    let wrong = app.code_at(seconds(world) + 600);
    walk.try_submit("totp", json!({"code": wrong})).await.assert_problem(422, "unprocessable");
    let response = walk.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
    assert_eq!(walk.stage(), "resume");
    response.text_member("session_token")
}

both_engines!(
    essential_acr_leads_to_step_up_and_is_in_the_id_token,
    organization_assurance_policy_leads_to_step_up,
    max_age_requires_both_factors_again_and_updates_auth_time,
    max_age_applies_to_the_second_factor_of_the_acr
);

async fn essential_acr_leads_to_step_up_and_is_in_the_id_token(world: &World) {
    let (_, ana) = ana(world).await;
    let authenticator = enroll_totp(world, &ana).await;
    let (app, browser) = (create_trusted_application(world, json!({})).await, browser(&ana));
    let plain = app.obtain_code(&browser, &[("acr_values", Some(AAL2))]).await;
    let before = code_flow::claims(&app.redeem_code(&plain).await.1["id_token"]);
    // A voluntary `acr` claim forces no step-up, and the token has the real level.
    assert_eq!((&before["acr"], &before["amr"]), (&json!(AAL1), &json!(["pwd"])));
    world.clock.advance(Lifetime::from_seconds(60));
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
    // The session now has that level, so there is no further step-up; the earlier session is gone.
    let stronger = BrowserSession { account: ana.account, token: session };
    app.obtain_code(&stronger, &[("claims", Some(ESSENTIAL)), ("prompt", Some("none"))]).await;
    app.authorize(Some(&browser), &[("prompt", Some("none"))]).await.assert_error_redirect("login_required");
}

async fn organization_assurance_policy_leads_to_step_up(world: &World) {
    let (acme, ana) = ana(world).await;
    let owner = world.create_owner(&acme).await;
    let authenticator = enroll_totp(world, &ana).await;
    let (app, browser) = (create_trusted_application(world, json!({})).await, browser(&ana));
    app.obtain_code(&browser, &[]).await;
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    owner
        .patch(&acme.path(""), version, json!({"settings": {"least_assurance": "aal2"}}))
        .await
        .assert_status(200);
    let mut walk = enters(&app, Some(&browser), &[]).await;
    assert_eq!(walk.stage(), "reauthenticate");
    let session = proves(world, &mut walk, &authenticator).await;
    assert_eq!(id_token(&app, &walk, &session).await["acr"], AAL2);
    // A user who can set up nothing that the organization accepts is refused.
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    let settings = json!({"settings": {"allowed_credentials": ["password", "email_code"]}});
    owner.patch(&acme.path(""), version, settings).await.assert_status(200);
    let bia = world.create_user("bia@example.com").await;
    super::add_member(world, bia.account, &acme, "member").await;
    app.authorize(Some(&super::flows::browser(&bia)), &[]).await.assert_error_redirect("access_denied");
}

async fn max_age_requires_both_factors_again_and_updates_auth_time(world: &World) {
    let (_, ana) = ana(world).await;
    let authenticator = enroll_totp(world, &ana).await;
    let (app, browser) = (create_trusted_application(world, json!({})).await, browser(&ana));
    world.clock.advance(Lifetime::from_minutes(10));
    let mut walk = enters(&app, Some(&browser), &[("max_age", Some("300"))]).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.submit("password", json!({"email": EMAIL, "password": PASSWORD})).await.assert_status(200);
    assert_eq!(walk.stage(), "second_factor");
    goes_on_nowhere(world, &walk, &browser.token).await;
    let session = proves(world, &mut walk, &authenticator).await;
    let body = id_token(&app, &walk, &session).await;
    assert_eq!((&body["acr"], &body["auth_time"]), (&json!(AAL2), &json!(seconds(world))));
}

async fn max_age_applies_to_the_second_factor_of_the_acr(world: &World) {
    let (_, ana) = ana(world).await;
    let authenticator = enroll_totp(world, &ana).await;
    let app = create_trusted_application(world, json!({})).await;
    let strong = world
        .sign_in_account(
            ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    let proven_at = seconds(world);
    world.clock.advance(Lifetime::from_minutes(20));
    // The password is entered again, without a TOTP code.
    let flow_body = json!({"kind": "step_up", "assurance": "aal1"});
    let mut step_up_flow = world.start_flow_in_session(flow_body, Some(&strong.token)).await;
    let response = step_up_flow.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    let browser = BrowserSession { account: ana.account, token: response.text_member("session_token") };
    // The level and its authentication time stay the same.
    let claims = async |extra_params: &[(&'static str, Option<&'static str>)]| {
        let code = app.obtain_code(&browser, extra_params).await;
        code_flow::claims(&app.redeem_code(&code).await.1["id_token"])
    };
    let plain = claims(&[]).await;
    assert_eq!((&plain["acr"], &plain["auth_time"]), (&json!(AAL2), &json!(proven_at)));
    // A request with a lower `max_age` gets the newer authentication and its level.
    let newer = claims(&[("max_age", Some("300"))]).await;
    assert_eq!((&newer["acr"], &newer["auth_time"]), (&json!(AAL1), &json!(seconds(world))));
    let silent = [("max_age", Some("300")), ("claims", Some(ESSENTIAL)), ("prompt", Some("none"))];
    app.authorize(Some(&browser), &silent).await.assert_error_redirect("interaction_required");
    let mut walk = enters(&app, Some(&browser), &silent[..2]).await;
    assert_eq!(walk.stage(), "reauthenticate");
    let session = proves(world, &mut walk, &authenticator).await;
    let body = id_token(&app, &walk, &session).await;
    assert_eq!((&body["acr"], &body["auth_time"]), (&json!(AAL2), &json!(seconds(world))));
    // A request with a higher `max_age` accepts the older authentication.
    let patient = [("max_age", Some("3600")), ("claims", Some(ESSENTIAL)), ("prompt", Some("none"))];
    app.obtain_code(&BrowserSession { token: session, ..browser }, &patient).await;
}

/// An unfinished flow leads to no code.
async fn goes_on_nowhere(world: &World, walk: &FlowClient<'_>, session: &str) {
    world.resume_flow(&walk.id, Some(session), &[]).await.assert_no_redirect();
}
