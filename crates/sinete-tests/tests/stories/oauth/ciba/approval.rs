//! How a user approves or denies a request, and what the client gets.

use super::{ANA, SCOPE, scene};
use crate::both_engines;
use crate::harness::ciba::CIBA_GRANT;
use crate::harness::flow_client::PASSWORD;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::second_factors::enroll_totp;
use crate::harness::token_endpoint::TestClientAuth;
use crate::harness::world::World;
use crate::stories::sign_in::credentials::seconds;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    ciba_request_is_approved_after_sign_in_step_up_and_display,
    ciba_request_is_viewed_and_denied_but_not_approved_at_a_lower_level,
    ciba_approval_needs_a_second_factor_of_the_last_day,
    ciba_request_of_another_user_cannot_be_answered,
    ciba_request_is_answered_once_by_any_path,
    ciba_request_is_answered_only_in_its_organization,
    ciba_approval_respects_organization_policy_and_the_users_permissions,
    ciba_approval_is_revoked_from_the_notification_email,
    ciba_token_of_an_agent_names_it_in_act
);

async fn ciba_request_is_approved_after_sign_in_step_up_and_display(world: &World) {
    let scene = scene(world).await;
    let app = enroll_totp(world, &world.user_with_session(&scene.ana.token).await).await;
    let ana = world.sign_in_at_aal2(scene.ana.account).await;
    let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
    world.deliver_messages().await;
    let id = ana.pending_ciba_requests().await[0]["id"].as_str().unwrap().to_owned();
    let mut walk = world.start_flow(json!({"kind": "approve_request", "request": id})).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.try_submit("consent", json!({"allow": true})).await.assert_problem(409, "conflict");
    walk.submit("password", json!({"email": ANA, "password": PASSWORD})).await.assert_status(200);
    world.clock.advance(sinete_core::time::Lifetime::from_seconds(30));
    walk.submit("totp", json!({"code": app.code_at(seconds(world))})).await.assert_status(200);
    assert_eq!(walk.stage(), "consent", "{}", walk.last.text);
    let question = walk.last.body["consent"].clone();
    assert_eq!((&question["client"]["name"], &question["api"]), (&json!("Ledger agent"), &json!("Invoices")));
    assert_eq!(
        (&question["approval"]["binding_message"], &question["approval"]["address"]),
        (&json!("Pay 12.00 EUR to Moinho"), &json!("127.0.0.1"))
    );
    assert!(question.get("redirect_host").is_none() && question.get("device").is_none(), "{question}");
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    assert_eq!((walk.stage(), walk.read_flow().await.status), ("request_approved", 410));
    let tokens = scene.agent.redeem_ciba(&request).await;
    assert_eq!(tokens["scope"], "openid invoices:send");
    let id = world.token_claims(tokens["id_token"].as_str().unwrap(), JwtType::Id);
    assert_eq!((&id["sub"], &id["acr"]), (&json!(scene.clerk), &json!("urn:sinete:aal:2")));
    for kind in ["approval.requested", "approval.given", "grant.given", "approval.redeemed"] {
        assert_eq!(world.count_events(kind).await, 1, "{kind}");
    }
    // The user is notified, sees the grant among the authorized applications, and revokes it.
    let email_text = world.newest_email_text(ANA).await;
    assert!(
        email_text.contains("You approved a request from Ledger agent")
            && email_text.contains("/not-me?token=sn_al_"),
        "{email_text}"
    );
    let response = ana.get("/account/applications").await.assert_status(200);
    assert_eq!(response.body["items"][0]["client_id"], json!(scene.agent.id));
    ana.delete(&format!("/account/memberships/{}/applications/{}", scene.clerk, scene.agent.id))
        .await
        .assert_status(204);
    assert_eq!(scene.agent.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.0, 400);
}

async fn ciba_request_is_viewed_and_denied_but_not_approved_at_a_lower_level(world: &World) {
    let scene = scene(world).await;
    enroll_totp(world, &world.user_with_session(&scene.ana.token).await).await;
    let weak = world
        .sign_in_account(
            scene.ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
        )
        .await;
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let path = weak.newest_ciba_request().await;
    let look = weak.get(&path).await.assert_status(200);
    assert_eq!((&look.body["next"], look.body.get("consent")), (&json!("step_up"), None));
    let refused = weak.post(&format!("{path}/approve"), json!({})).await;
    assert!(
        refused.headers["www-authenticate"].to_str().unwrap().contains("urn:sinete:aal:2"),
        "{:?}",
        refused.headers
    );
    refused.assert_problem(401, "insufficient_user_authentication");
    let walk = world
        .start_flow_in_session(
            json!({"kind": "approve_request", "request": path.rsplit('/').next()}),
            Some(&weak.token),
        )
        .await;
    assert_eq!(walk.stage(), "reauthenticate");
    scene.agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    weak.post(&format!("{path}/deny"), Value::Null).await.assert_status(204);
    scene.agent.assert_ciba_poll_error(&request, "access_denied").await;
    assert_eq!(
        (world.count_events("approval.denied").await, world.count_events("approval.given").await),
        (1, 0)
    );
}

async fn ciba_approval_needs_a_second_factor_of_the_last_day(world: &World) {
    let scene = scene(world).await;
    let ana = world.user_with_session(&scene.ana.token).await;
    let app = enroll_totp(world, &ana).await;
    let mut session = world
        .sign_in_account(
            scene.ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    for _ in 0..50 {
        world.clock.advance(Lifetime::from_minutes(30));
        session.get("/account").await.assert_status(200);
    }
    // The password is entered again, 25 hours after the TOTP code.
    let flow_body = json!({"kind": "step_up", "assurance": "aal1"});
    let mut step_up_flow = world.start_flow_in_session(flow_body, Some(&session.token)).await;
    session.token = step_up_flow
        .submit("password", json!({"password": PASSWORD}))
        .await
        .assert_status(200)
        .text_member("session_token");
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let path = session.newest_ciba_request().await;
    assert_eq!(session.get(&path).await.assert_status(200).body["next"], "step_up");
    session
        .post(&format!("{path}/approve"), json!({}))
        .await
        .assert_problem(401, "insufficient_user_authentication");
    let mut walk = world
        .start_flow_in_session(
            json!({"kind": "approve_request", "request": path.rsplit('/').next()}),
            Some(&session.token),
        )
        .await;
    assert_eq!(walk.stage(), "reauthenticate");
    let response = walk.submit("totp", json!({"code": app.current_code(world)})).await.assert_status(200);
    assert_eq!(walk.stage(), "consent");
    let fresh = crate::harness::signed_in_user::SignedInUser {
        token: response.text_member("session_token"),
        ..session
    };
    fresh.post(&format!("{path}/approve"), json!({})).await.assert_status(204);
    scene.agent.redeem_ciba(&request).await;
}

async fn ciba_request_of_another_user_cannot_be_answered(world: &World) {
    let scene = scene(world).await;
    let bob = world.create_user("bob@example.com").await;
    crate::stories::oauth::authorize::add_member(world, bob.account, &scene.books.tenant, "clerk").await;
    let bob = world.sign_in_at_aal2(bob.account).await;
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let path = scene.ana.newest_ciba_request().await;
    let id = path.rsplit('/').next().unwrap();
    assert!(bob.pending_ciba_requests().await.is_empty());
    bob.get(&path).await.assert_problem(404, "not_found");
    bob.post(&format!("{path}/approve"), json!({})).await.assert_problem(404, "not_found");
    bob.post(&format!("{path}/deny"), Value::Null).await.assert_problem(404, "not_found");
    // In a flow, another user is asked to sign in as the right one; if they do not, they are refused, and the request
    // still waits.
    let mut walk = world
        .start_flow_in_session(json!({"kind": "approve_request", "request": id}), Some(&bob.token))
        .await;
    assert_eq!(walk.stage(), "sign_in");
    walk.submit("password", json!({"email": "bob@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("login_required")));
    scene.agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    assert_eq!(world.count_events("approval.denied").await, 0);
    scene.ana.approve_ciba_request().await;
    scene.agent.redeem_ciba(&request).await;
    // An answered request, an unknown one and an invalid id get the same response.
    for gone in [path.as_str(), "/account/requests/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"] {
        scene.ana.get(gone).await.assert_problem(404, "not_found");
    }
    let body = json!({"kind": "approve_request", "session": "token", "request": id});
    let answer = world.http.post(world.public_url("/flows")).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 404);
}

async fn ciba_request_is_answered_once_by_any_path(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let path = scene.ana.newest_ciba_request().await;
    let begin = json!({"kind": "approve_request", "request": path.rsplit('/').next()});
    let (one, mut other) = (
        world.start_flow_in_session(begin.clone(), Some(&scene.ana.token)).await,
        world.start_flow_in_session(begin, Some(&scene.ana.token)).await,
    );
    assert_eq!((one.stage(), other.stage()), ("consent", "consent"));
    scene.ana.post(&format!("{path}/deny"), Value::Null).await.assert_status(204);
    scene.ana.post(&format!("{path}/approve"), json!({})).await.assert_problem(404, "not_found");
    other.submit("consent", json!({"allow": true})).await.assert_status(200);
    assert_eq!(other.stage(), "refused", "the request is no longer pending");
    scene.agent.assert_ciba_poll_error(&request, "access_denied").await;
    assert_eq!(world.count_events("grant.given").await, 0);
}

async fn ciba_request_is_answered_only_in_its_organization(world: &World) {
    let scene = scene(world).await;
    let second = world.create_organization("second").await;
    crate::stories::oauth::authorize::add_member(world, scene.ana.account, &second, "member").await;
    let books_request = scene.agent.start_ciba(ANA, &[("organization", "books"), ("scope", "openid")]).await;
    scene.ana.approve_ciba_request().await;
    let tokens = scene.agent.redeem_ciba(&books_request).await;
    assert_eq!(
        world.token_claims(tokens["id_token"].as_str().unwrap(), JwtType::Id)["sub"],
        json!(scene.clerk)
    );
    // Without an organization in the request, the user chooses.
    let unnamed = scene.agent.start_ciba(ANA, &[("scope", "openid")]).await;
    let path = scene.ana.newest_ciba_request().await;
    assert_eq!(
        scene.ana.get(&path).await.assert_status(200).body["next"],
        "answer",
        "an earlier grant of the session decides the organization"
    );
    let other = world.create_ciba_client(ClientOrigin::Operator, json!({})).await;
    // Two requests of the same second: neither is the newest.
    world.clock.advance(sinete_core::time::Lifetime::from_seconds(1));
    let fresh = other.start_ciba(ANA, &[("scope", "openid")]).await;
    let path_of_other = scene.ana.newest_ciba_request().await;
    assert_eq!(scene.ana.get(&path_of_other).await.assert_status(200).body["next"], "choose_organization");
    scene.ana.post(&format!("{path_of_other}/approve"), json!({})).await.assert_problem(422, "unprocessable");
    scene
        .ana
        .post(&format!("{path_of_other}/approve"), json!({"organization": second.id}))
        .await
        .assert_status(204);
    let tokens = other.redeem_ciba(&fresh).await;
    assert_ne!(
        world.token_claims(tokens["id_token"].as_str().unwrap(), JwtType::Id)["sub"],
        json!(scene.clerk)
    );
    scene.ana.post(&format!("{path}/deny"), Value::Null).await.assert_status(204);
    scene.agent.assert_ciba_poll_error(&unnamed, "access_denied").await;
}

async fn ciba_approval_respects_organization_policy_and_the_users_permissions(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.start_ciba(ANA, &[]).await;
    scene.books.change_settings(json!({"refused_grants": ["backchannel"]})).await;
    let path = scene.ana.newest_ciba_request().await;
    scene.ana.post(&format!("{path}/approve"), json!({})).await.assert_problem(403, "forbidden");
    scene.agent.assert_ciba_poll_error(&request, "access_denied").await;
    // While the organization disallows it, its members are not asked, and the client cannot tell.
    let silent = scene.agent.start_ciba(ANA, &[]).await;
    assert!(scene.ana.pending_ciba_requests().await.is_empty());
    scene.agent.assert_ciba_poll_error(&silent, "authorization_pending").await;
    scene.books.change_settings(json!({"refused_grants": []})).await;
    let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:void")]).await;
    let path = scene.ana.newest_ciba_request().await;
    assert_eq!(scene.ana.get(&path).await.assert_status(200).body["next"], "deny");
    // Opening the request shows why it cannot be approved, and it still waits.
    let id = path.rsplit('/').next();
    let walk = world
        .start_flow_in_session(json!({"kind": "approve_request", "request": id}), Some(&scene.ana.token))
        .await;
    assert_eq!(walk.stage(), "refused");
    scene.agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    assert_eq!(world.count_events("approval.denied").await, 1);
    scene.ana.post(&format!("{path}/approve"), json!({})).await.assert_problem(403, "forbidden");
    scene.agent.assert_ciba_poll_error(&request, "access_denied").await;
}

async fn ciba_approval_is_revoked_from_the_notification_email(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.start_ciba(ANA, &[("scope", SCOPE.split(" invoices").next().unwrap())]).await;
    scene.ana.approve_ciba_request().await;
    let tokens = scene.agent.redeem_ciba(&request).await;
    let email_text = world.newest_email_text(ANA).await;
    let token = email_text.split("/not-me?token=").nth(1).unwrap().split_whitespace().next().unwrap();
    let response =
        world.http.post(world.public_url("/links/not-me")).form(&[("token", token)]).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(
        scene.agent.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.0,
        400,
        "the refresh token is revoked, even with offline access"
    );
}

async fn ciba_token_of_an_agent_names_it_in_act(world: &World) {
    let scene = scene(world).await;
    let owner = scene.books.owner.membership;
    let metadata = json!({
        "client_name": "Ledger agent", "grant_types": [CIBA_GRANT, "refresh_token"], "scope": SCOPE,
        "token_endpoint_auth_method": "client_secret_basic",
    });
    let agent = json!({"kind": "agent", "purpose": "Pays", "owner": owner, "metadata": metadata});
    let agent = scene.books.create_client(agent).await;
    let TestClientAuth::Basic(secret) = agent.auth.clone() else { panic!("the agent has no secret") };
    let id = agent.id.parse().unwrap();
    let agent = OAuthApplication { id, secret: Some(secret), ..scene.agent.clone() };
    for (client, expected) in
        [(&agent, Some(json!({"sub": agent.id, "sub_profile": "ai_agent"}))), (&scene.agent, None)]
    {
        let request = client.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
        scene.ana.approve_ciba_request().await;
        let tokens = client.redeem_ciba(&request).await;
        let renewed = client.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.1;
        for tokens in [&tokens, &renewed] {
            let claims = world.token_claims(tokens["access_token"].as_str().unwrap(), JwtType::Access);
            assert_eq!((claims.get("act"), &claims["sub"]), (expected.as_ref(), &json!(scene.clerk)));
        }
    }
}
