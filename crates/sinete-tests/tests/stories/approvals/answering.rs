//! What the person goes through, and what comes of each answer.

use super::{ANA, SCOPE, scene};
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::second_factors::gets_app;
use crate::harness::world::World;
use crate::stories::credentials::seconds;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;
use sinete_crypto::jwt::JwtType;
use sinete_store::clients::ClientOrigin;

both_engines!(
    somebody_signs_in_proves_more_sees_what_is_asked_and_approves_it,
    a_session_of_the_lower_level_looks_and_denies_and_does_not_approve,
    ciba_approval_needs_a_second_factor_of_the_last_day_whatever_was_proven_since,
    whoever_has_nothing_that_proves_enough_cannot_approve_and_the_client_is_told,
    nobody_answers_for_somebody_else_and_spoils_nothing,
    an_answer_is_given_once_in_whatever_way,
    it_is_answered_in_the_organization_it_is_for_and_in_no_other,
    an_organization_switches_it_off_and_what_somebody_lacks_is_not_theirs_to_give,
    whoever_was_talked_into_it_takes_it_back_with_one_button
);

async fn somebody_signs_in_proves_more_sees_what_is_asked_and_approves_it(world: &World) {
    let scene = scene(world).await;
    let app = gets_app(world, &world.holding(&scene.ana.token).await).await;
    let ana = world.signs_in_strongly(scene.ana.account).await;
    let request = scene.agent.waits_for(ANA, &[("scope", "openid invoices:send")]).await;
    world.deliver().await;
    let id = ana.requests().await[0]["id"].as_str().unwrap().to_owned();
    let mut walk = world.flow(json!({"kind": "approve_request", "request": id})).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.tries("consent", json!({"allow": true})).await.refused(409, "conflict");
    walk.says("password", json!({"email": ANA, "password": PASSWORD})).await.is(200);
    world.clock.pass(sinete_core::time::Lifetime::from_seconds(30));
    walk.says("totp", json!({"code": app.digits_at(seconds(world))})).await.is(200);
    assert_eq!(walk.stage(), "consent", "{}", walk.last.text);
    let question = walk.last.body["consent"].clone();
    assert_eq!((&question["client"]["name"], &question["api"]), (&json!("Ledger agent"), &json!("Invoices")));
    assert_eq!(
        (&question["approval"]["binding_message"], &question["approval"]["address"]),
        (&json!("Pay 12.00 EUR to Moinho"), &json!("127.0.0.1"))
    );
    assert!(question.get("redirect_host").is_none() && question.get("device").is_none(), "{question}");
    walk.says("consent", json!({"allow": true})).await.is(200);
    assert_eq!((walk.stage(), walk.looks().await.status), ("request_approved", 410));
    let tokens = scene.agent.is_given(&request).await;
    assert_eq!(tokens["scope"], "openid invoices:send");
    let id = world.said(tokens["id_token"].as_str().unwrap(), JwtType::Id);
    assert_eq!((&id["sub"], &id["acr"]), (&json!(scene.clerk), &json!("urn:sinete:aal:2")));
    for kind in ["approval.requested", "approval.given", "grant.given", "approval.redeemed"] {
        assert_eq!(world.logged(kind).await, 1, "{kind}");
    }
    // They are told, see it among their applications, and take it back.
    let letter = world.newest_mail(ANA).await;
    assert!(
        letter.contains("you approved what Ledger agent asked for")
            && letter.contains("/not-me?token=sn_al_"),
        "{letter}"
    );
    let listed = ana.get("/account/applications").await.is(200);
    assert_eq!(listed.body["items"][0]["client_id"], json!(scene.agent.id));
    ana.delete(&format!("/account/memberships/{}/applications/{}", scene.clerk, scene.agent.id))
        .await
        .is(204);
    assert_eq!(scene.agent.refresh(tokens["refresh_token"].as_str().unwrap()).await.0, 400);
}

async fn a_session_of_the_lower_level_looks_and_denies_and_does_not_approve(world: &World) {
    let scene = scene(world).await;
    gets_app(world, &world.holding(&scene.ana.token).await).await;
    let weak =
        world.signs_in(scene.ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    let request = scene.agent.waits_for(ANA, &[]).await;
    let path = weak.newest_request().await;
    let look = weak.get(&path).await.is(200);
    assert_eq!((&look.body["next"], look.body.get("consent")), (&json!("step_up"), None));
    let refused = weak.post(&format!("{path}/approve"), json!({})).await;
    assert!(
        refused.headers["www-authenticate"].to_str().unwrap().contains("urn:sinete:aal:2"),
        "{:?}",
        refused.headers
    );
    refused.refused(401, "insufficient_user_authentication");
    let walk = world
        .flow_as(json!({"kind": "approve_request", "request": path.rsplit('/').next()}), Some(&weak.token))
        .await;
    assert_eq!(walk.stage(), "reauthenticate");
    scene.agent.is_refused(&request, "authorization_pending").await;
    weak.post(&format!("{path}/deny"), Value::Null).await.is(204);
    scene.agent.is_refused(&request, "access_denied").await;
    assert_eq!((world.logged("approval.denied").await, world.logged("approval.given").await), (1, 0));
}

async fn ciba_approval_needs_a_second_factor_of_the_last_day_whatever_was_proven_since(world: &World) {
    let scene = scene(world).await;
    let ana = world.holding(&scene.ana.token).await;
    let app = gets_app(world, &ana).await;
    let mut session = world
        .signs_in(
            scene.ana.account,
            &AuthenticationEvidence::of(AuthenticationProof::Password).and(AuthenticationProof::Totp),
        )
        .await;
    for _ in 0..50 {
        world.clock.pass(Lifetime::from_minutes(30));
        session.get("/account").await.is(200);
    }
    // The password is given again, 25 hours after the digits.
    let wanted = json!({"kind": "step_up", "assurance": "aal1"});
    let mut again = world.flow_as(wanted, Some(&session.token)).await;
    session.token =
        again.says("password", json!({"password": PASSWORD})).await.is(200).text_of("session_token");
    let request = scene.agent.waits_for(ANA, &[]).await;
    let path = session.newest_request().await;
    assert_eq!(session.get(&path).await.is(200).body["next"], "step_up");
    session
        .post(&format!("{path}/approve"), json!({}))
        .await
        .refused(401, "insufficient_user_authentication");
    let mut walk = world
        .flow_as(json!({"kind": "approve_request", "request": path.rsplit('/').next()}), Some(&session.token))
        .await;
    assert_eq!(walk.stage(), "reauthenticate");
    let done = walk.says("totp", json!({"code": app.digits(world)})).await.is(200);
    assert_eq!(walk.stage(), "consent");
    let fresh = crate::harness::oneself::SignedInUser { token: done.text_of("session_token"), ..session };
    fresh.post(&format!("{path}/approve"), json!({})).await.is(204);
    scene.agent.is_given(&request).await;
}

async fn whoever_has_nothing_that_proves_enough_cannot_approve_and_the_client_is_told(world: &World) {
    let scene = scene(world).await;
    let weak =
        world.signs_in(scene.ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    let request = scene.agent.waits_for(ANA, &[]).await;
    let path = weak.newest_request().await;
    assert_eq!(weak.get(&path).await.is(200).body["next"], "deny");
    weak.post(&format!("{path}/approve"), json!({})).await.refused(403, "forbidden");
    scene.agent.is_refused(&request, "access_denied").await;
}

async fn nobody_answers_for_somebody_else_and_spoils_nothing(world: &World) {
    let scene = scene(world).await;
    let bob = world.somebody("bob@example.com").await;
    crate::stories::authorize::joins(world, bob.account, &scene.books.tenant, "clerk").await;
    let bob = world.signs_in_strongly(bob.account).await;
    let request = scene.agent.waits_for(ANA, &[]).await;
    let path = scene.ana.newest_request().await;
    let id = path.rsplit('/').next().unwrap();
    assert!(bob.requests().await.is_empty());
    bob.get(&path).await.refused(404, "not_found");
    bob.post(&format!("{path}/approve"), json!({})).await.refused(404, "not_found");
    bob.post(&format!("{path}/deny"), Value::Null).await.refused(404, "not_found");
    // In a flow they are asked to sign in as whom is meant; whoever does not is turned away, and it still waits.
    let mut walk = world.flow_as(json!({"kind": "approve_request", "request": id}), Some(&bob.token)).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.says("password", json!({"email": "bob@example.com", "password": PASSWORD})).await.is(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("login_required")));
    scene.agent.is_refused(&request, "authorization_pending").await;
    assert_eq!(world.logged("approval.denied").await, 0);
    scene.ana.approves().await;
    scene.agent.is_given(&request).await;
    // What was answered, is unknown or is no id at all is answered alike.
    for gone in [path.as_str(), "/account/requests/01936f5e-7c2a-7def-8a1b-2c3d4e5f6071"] {
        scene.ana.get(gone).await.refused(404, "not_found");
    }
    let body = json!({"kind": "approve_request", "session": "token", "request": id});
    let answer = world.http.post(world.public("/flows")).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 404);
}

async fn an_answer_is_given_once_in_whatever_way(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.waits_for(ANA, &[]).await;
    let path = scene.ana.newest_request().await;
    let begin = json!({"kind": "approve_request", "request": path.rsplit('/').next()});
    let (one, mut other) = (
        world.flow_as(begin.clone(), Some(&scene.ana.token)).await,
        world.flow_as(begin, Some(&scene.ana.token)).await,
    );
    assert_eq!((one.stage(), other.stage()), ("consent", "consent"));
    scene.ana.post(&format!("{path}/deny"), Value::Null).await.is(204);
    scene.ana.post(&format!("{path}/approve"), json!({})).await.refused(404, "not_found");
    other.says("consent", json!({"allow": true})).await.is(200);
    assert_eq!(other.stage(), "refused", "it does not wait any more");
    scene.agent.is_refused(&request, "access_denied").await;
    assert_eq!(world.logged("grant.given").await, 0);
}

async fn it_is_answered_in_the_organization_it_is_for_and_in_no_other(world: &World) {
    let scene = scene(world).await;
    let second = world.tenant("second").await;
    crate::stories::authorize::joins(world, scene.ana.account, &second, "member").await;
    let named = scene.agent.waits_for(ANA, &[("organization", "books"), ("scope", "openid")]).await;
    scene.ana.approves().await;
    let tokens = scene.agent.is_given(&named).await;
    assert_eq!(world.said(tokens["id_token"].as_str().unwrap(), JwtType::Id)["sub"], json!(scene.clerk));
    // Where nothing says it, the person chooses.
    let unnamed = scene.agent.waits_for(ANA, &[("scope", "openid")]).await;
    let path = scene.ana.newest_request().await;
    assert_eq!(
        scene.ana.get(&path).await.is(200).body["next"],
        "answer",
        "the session gave this client something there before"
    );
    let other = world.agent(ClientOrigin::Operator, json!({})).await;
    // Of two that were asked in the same moment, neither is the newest.
    world.clock.pass(sinete_core::time::Lifetime::from_seconds(1));
    let fresh = other.waits_for(ANA, &[("scope", "openid")]).await;
    let path_of_other = scene.ana.newest_request().await;
    assert_eq!(scene.ana.get(&path_of_other).await.is(200).body["next"], "choose_organization");
    scene.ana.post(&format!("{path_of_other}/approve"), json!({})).await.refused(422, "unprocessable");
    scene.ana.post(&format!("{path_of_other}/approve"), json!({"organization": second.id})).await.is(204);
    let tokens = other.is_given(&fresh).await;
    assert_ne!(world.said(tokens["id_token"].as_str().unwrap(), JwtType::Id)["sub"], json!(scene.clerk));
    scene.ana.post(&format!("{path}/deny"), Value::Null).await.is(204);
    scene.agent.is_refused(&unnamed, "access_denied").await;
}

async fn an_organization_switches_it_off_and_what_somebody_lacks_is_not_theirs_to_give(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.waits_for(ANA, &[]).await;
    scene.books.change_settings(json!({"refused_grants": ["backchannel"]})).await;
    let path = scene.ana.newest_request().await;
    scene.ana.post(&format!("{path}/approve"), json!({})).await.refused(403, "forbidden");
    scene.agent.is_refused(&request, "access_denied").await;
    // While it is off nobody there is asked, and the client is told nothing of it.
    let silent = scene.agent.waits_for(ANA, &[]).await;
    assert!(scene.ana.requests().await.is_empty());
    scene.agent.is_refused(&silent, "authorization_pending").await;
    scene.books.change_settings(json!({"refused_grants": []})).await;
    let request = scene.agent.waits_for(ANA, &[("scope", "openid invoices:void")]).await;
    let path = scene.ana.newest_request().await;
    assert_eq!(scene.ana.get(&path).await.is(200).body["next"], "deny");
    // Who merely opens it is told, and it still waits.
    let id = path.rsplit('/').next();
    let walk = world.flow_as(json!({"kind": "approve_request", "request": id}), Some(&scene.ana.token)).await;
    assert_eq!(walk.stage(), "refused");
    scene.agent.is_refused(&request, "authorization_pending").await;
    assert_eq!(world.logged("approval.denied").await, 1);
    scene.ana.post(&format!("{path}/approve"), json!({})).await.refused(403, "forbidden");
    scene.agent.is_refused(&request, "access_denied").await;
}

async fn whoever_was_talked_into_it_takes_it_back_with_one_button(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.waits_for(ANA, &[("scope", SCOPE.split(" invoices").next().unwrap())]).await;
    scene.ana.approves().await;
    let tokens = scene.agent.is_given(&request).await;
    let letter = world.newest_mail(ANA).await;
    let token = letter.split("/not-me?token=").nth(1).unwrap().split_whitespace().next().unwrap();
    let sent = world.http.post(world.public("/links/not-me")).form(&[("token", token)]).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    assert_eq!(
        scene.agent.refresh(tokens["refresh_token"].as_str().unwrap()).await.0,
        400,
        "although it was to outlive the session"
    );
}
