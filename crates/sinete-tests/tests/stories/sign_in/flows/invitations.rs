//! Accepting an invitation, and creating the first operator.

use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::EMAIL_CODE_INTERVAL;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::administration::bootstrap;
use sinete_engine::organizations;
use sinete_store::organizations::memberships;

async fn refused(world: &World, kind: &str, token: &str) {
    let body = json!({"kind": kind, "token": token, "session": "token"});
    world
        .send_request(Method::POST, "/flows", ApiRequest { body: Some(body), ..ApiRequest::default() })
        .await
        .assert_problem(404, "not_found");
}

both_engines!(
    invitation_is_accepted_by_signing_up,
    invitation_is_accepted_by_signing_in,
    invitation_of_an_email_only_account_is_accepted_with_an_email_code,
    invitation_accepted_by_email_still_needs_the_second_factor_and_can_be_restarted,
    invitation_revoked_during_the_flow_is_refused,
    bootstrap_link_signs_up_the_first_operator_once
);

async fn invitation_is_accepted_by_signing_up(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.invite("ana@example.com").await;
    let token = world.emailed_invitation("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "accept_invitation", "token": token})).await;
    assert_eq!(walk.stage(), "details");
    let response =
        walk.try_submit("details", json!({"email": "bia@example.com", "password": PASSWORD})).await;
    assert_eq!(response.assert_problem(422, "unprocessable").fault_pointers(), ["/email"]);
    let response =
        walk.submit("details", json!({"password": PASSWORD, "name": "Ana"})).await.assert_status(200);
    let ana = world.user_with_session(&response.text_member("session_token")).await;
    let member =
        memberships::list_account_memberships(world.server.engine().store(), ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [acme.id]);
    refused(world, "accept_invitation", &token).await;
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
}

async fn invitation_is_accepted_by_signing_in(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let ana = world.create_user("ana@example.com").await;
    world.create_user("bia@example.com").await;
    owner.invite("ana@example.com").await;
    let token = world.emailed_invitation("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "accept_invitation", "token": token})).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.try_submit("password", json!({"email": "bia@example.com", "password": PASSWORD}))
        .await
        .assert_problem(422, "unprocessable");
    let response = walk.try_submit("email", json!({"email": "bia@example.com"})).await;
    assert_eq!(
        response.assert_problem(422, "unprocessable").fault_pointers(),
        ["/email"],
        "the invitation sets the address"
    );
    walk.try_submit("details", json!({"password": PASSWORD})).await.assert_problem(409, "conflict");
    walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    let member =
        memberships::list_account_memberships(world.server.engine().store(), ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [acme.id]);
}

async fn invitation_of_an_email_only_account_is_accepted_with_an_email_code(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    walk.submit("details", json!({"email": "ana@example.com"})).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    let ana = world.user_with_session(&response.text_member("session_token")).await;
    world.clock.advance(EMAIL_CODE_INTERVAL);
    owner.invite("ana@example.com").await;
    let token = world.emailed_invitation("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "accept_invitation", "token": token})).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.submit("email", json!({})).await.assert_status(200);
    let is_member = async || {
        let all =
            memberships::list_account_memberships(world.server.engine().store(), ana.account).await.unwrap();
        all.iter().any(|it| it.organization == acme.id)
    };
    walk.try_submit("code", json!({"code": "00000000"})).await.assert_problem(422, "unprocessable");
    assert!(!is_member().await, "the link alone is not enough");
    let code = world.emailed_code("ana@example.com").await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(world.user_with_session(&response.text_member("session_token")).await.account, ana.account);
    assert!(is_member().await);
    refused(world, "accept_invitation", &token).await;
}

async fn invitation_accepted_by_email_still_needs_the_second_factor_and_can_be_restarted(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let ana = world.create_user("ana@example.com").await;
    world.add_totp(&ana).await;
    owner.invite("ana@example.com").await;
    let token = world.emailed_invitation("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "accept_invitation", "token": token})).await;
    walk.submit("email", json!({})).await.assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(walk.stage(), "second_factor");
    // After a restart it is still for the invited address only.
    walk.submit("restart", json!({})).await.assert_status(200);
    assert_eq!(walk.stage(), "sign_in");
    walk.try_submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_problem(422, "unprocessable");
    walk.submit("password", json!({"password": PASSWORD})).await.assert_status(200);
    assert_eq!(walk.stage(), "second_factor");
    let all =
        memberships::list_account_memberships(world.server.engine().store(), ana.account).await.unwrap();
    assert!(!all.iter().any(|it| it.organization == acme.id));
}

async fn invitation_revoked_during_the_flow_is_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.invite("ana@example.com").await;
    let token = world.emailed_invitation("ana@example.com").await;
    let walk = world.start_flow(json!({"kind": "accept_invitation", "token": token})).await;
    let response = owner.get(&acme.path("/invitations")).await.assert_status(200);
    let id = response.body["items"][0]["id"].as_str().unwrap().to_owned();
    owner.delete(&acme.path(&format!("/invitations/{id}")), None).await.assert_status(204);
    walk.try_submit("details", json!({"password": PASSWORD})).await.assert_problem(404, "not_found");
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(422, "unprocessable");
    refused(world, "accept_invitation", &token).await;
}

async fn bootstrap_link_signs_up_the_first_operator_once(world: &World) {
    let engine = world.server.engine();
    let command_line = organizations::load_command_line_caller(engine).await.unwrap();
    let link = bootstrap::invite_operator(engine, &InstanceAdmin::new(engine, &command_line)).await.unwrap();
    let token = link.token;
    let walk = world.start_flow(json!({"kind": "first_operator", "token": token})).await;
    let mut other = world.start_flow(json!({"kind": "first_operator", "token": token})).await;
    let response = walk
        .try_submit("details", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .assert_status(200);
    let ana = world.user_with_session(&response.text_member("session_token")).await;
    let house = world.find_organization("operator").await;
    let member = memberships::list_account_memberships(engine.store(), ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [house.id]);
    assert_eq!(memberships::list_membership_roles(engine.store(), member[0].id).await.unwrap().len(), 2);
    other
        .submit("details", json!({"email": "bia@example.com", "password": PASSWORD}))
        .await
        .assert_problem(404, "not_found");
    refused(world, "first_operator", &token).await;
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    // E-mails are sent to verified addresses only.
    let mut reset = world.start_flow(json!({"kind": "reset_password"})).await;
    reset.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    assert_eq!(world.count_emails_to("ana@example.com").await, 0);
}
