//! Accepting an invitation, and becoming the first operator.

use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::limits::MAILED_CODE_PAUSE;
use sinete_engine::{bootstrap, caller, operating::InstanceAdmin};
use sinete_store::memberships;

async fn refused(world: &World, kind: &str, token: &str) {
    let body = json!({"kind": kind, "token": token, "session": "token"});
    world
        .ask(Method::POST, "/flows", ApiRequest { body: Some(body), ..ApiRequest::default() })
        .await
        .refused(404, "not_found");
}

both_engines!(
    somebody_new_accepts_an_invitation_by_making_an_account,
    whoever_has_an_account_signs_in_to_accept,
    mail_only_account_accepts_an_invitation_with_a_mailed_code,
    invitation_accepted_by_mail_still_asks_for_the_second_factor_and_can_begin_anew,
    an_invitation_taken_back_on_the_way_is_worth_nothing,
    the_first_operator_signs_up_with_the_link_once
);

async fn somebody_new_accepts_an_invitation_by_making_an_account(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    owner.invites("ana@example.com").await;
    let token = world.mailed_invitation("ana@example.com").await;
    let mut walk = world.flow(json!({"kind": "accept_invitation", "token": token})).await;
    assert_eq!(walk.stage(), "details");
    let told = walk.tries("details", json!({"email": "bia@example.com", "password": PASSWORD})).await;
    assert_eq!(told.refused(422, "unprocessable").faults(), ["/email"]);
    let done = walk.says("details", json!({"password": PASSWORD, "name": "Ana"})).await.is(200);
    let ana = world.holding(&done.text_of("session_token")).await;
    let member = memberships::of_account(world.server.engine().store(), ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [acme.id]);
    refused(world, "accept_invitation", &token).await;
    world.sign_in("ana@example.com", PASSWORD).await.is(200);
}

async fn whoever_has_an_account_signs_in_to_accept(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let ana = world.somebody("ana@example.com").await;
    world.somebody("bia@example.com").await;
    owner.invites("ana@example.com").await;
    let token = world.mailed_invitation("ana@example.com").await;
    let mut walk = world.flow(json!({"kind": "accept_invitation", "token": token})).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.tries("password", json!({"email": "bia@example.com", "password": PASSWORD}))
        .await
        .refused(422, "unprocessable");
    let told = walk.tries("email", json!({"email": "bia@example.com"})).await;
    assert_eq!(
        told.refused(422, "unprocessable").faults(),
        ["/email"],
        "the invitation says for which address it is"
    );
    walk.tries("details", json!({"password": PASSWORD})).await.refused(409, "conflict");
    walk.says("password", json!({"password": PASSWORD})).await.is(200);
    let member = memberships::of_account(world.server.engine().store(), ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [acme.id]);
}

async fn mail_only_account_accepts_an_invitation_with_a_mailed_code(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut walk = world.flow(json!({"kind": "sign_up"})).await;
    walk.says("details", json!({"email": "ana@example.com"})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    let done = walk.says("code", json!({"code": code})).await.is(200);
    let ana = world.holding(&done.text_of("session_token")).await;
    world.clock.pass(MAILED_CODE_PAUSE);
    owner.invites("ana@example.com").await;
    let token = world.mailed_invitation("ana@example.com").await;
    let mut walk = world.flow(json!({"kind": "accept_invitation", "token": token})).await;
    assert_eq!(walk.stage(), "sign_in");
    walk.says("email", json!({})).await.is(200);
    let is_member = async || {
        let all = memberships::of_account(world.server.engine().store(), ana.account).await.unwrap();
        all.iter().any(|it| it.organization == acme.id)
    };
    walk.tries("code", json!({"code": "00000000"})).await.refused(422, "unprocessable");
    assert!(!is_member().await, "the link alone is not enough");
    let code = world.mailed_code("ana@example.com").await;
    let done = walk.says("code", json!({"code": code})).await.is(200);
    assert_eq!(world.holding(&done.text_of("session_token")).await.account, ana.account);
    assert!(is_member().await);
    refused(world, "accept_invitation", &token).await;
}

async fn invitation_accepted_by_mail_still_asks_for_the_second_factor_and_can_begin_anew(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let ana = world.somebody("ana@example.com").await;
    world.has_totp(&ana).await;
    owner.invites("ana@example.com").await;
    let token = world.mailed_invitation("ana@example.com").await;
    let mut walk = world.flow(json!({"kind": "accept_invitation", "token": token})).await;
    walk.says("email", json!({})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    walk.says("code", json!({"code": code})).await.is(200);
    assert_eq!(walk.stage(), "second_factor");
    // Begun anew it is still meant for her, and for nobody who says another address.
    walk.says("restart", json!({})).await.is(200);
    assert_eq!(walk.stage(), "sign_in");
    walk.tries("password", json!({"email": "ana@example.com", "password": PASSWORD}))
        .await
        .refused(422, "unprocessable");
    walk.says("password", json!({"password": PASSWORD})).await.is(200);
    assert_eq!(walk.stage(), "second_factor");
    let all = memberships::of_account(world.server.engine().store(), ana.account).await.unwrap();
    assert!(!all.iter().any(|it| it.organization == acme.id));
}

async fn an_invitation_taken_back_on_the_way_is_worth_nothing(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    owner.invites("ana@example.com").await;
    let token = world.mailed_invitation("ana@example.com").await;
    let walk = world.flow(json!({"kind": "accept_invitation", "token": token})).await;
    let listed = owner.get(&acme.path("/invitations")).await.is(200);
    let id = listed.body["items"][0]["id"].as_str().unwrap().to_owned();
    owner.delete(&acme.path(&format!("/invitations/{id}")), None).await.is(204);
    walk.tries("details", json!({"password": PASSWORD})).await.refused(404, "not_found");
    world.sign_in("ana@example.com", PASSWORD).await.refused(422, "unprocessable");
    refused(world, "accept_invitation", &token).await;
}

async fn the_first_operator_signs_up_with_the_link_once(world: &World) {
    let engine = world.server.engine();
    let command_line = caller::at_the_command_line(engine).await.unwrap();
    let link = bootstrap::invite_operator(engine, &InstanceAdmin::new(engine, &command_line))
        .await
        .unwrap()
        .unwrap();
    let token = link.token;
    let walk = world.flow(json!({"kind": "first_operator", "token": token})).await;
    let mut other = world.flow(json!({"kind": "first_operator", "token": token})).await;
    let done = walk.tries("details", json!({"email": "ana@example.com", "password": PASSWORD})).await.is(200);
    let ana = world.holding(&done.text_of("session_token")).await;
    let house = world.tenant_of("operator").await;
    let member = memberships::of_account(engine.store(), ana.account).await.unwrap();
    assert_eq!(member.iter().map(|it| it.organization).collect::<Vec<_>>(), [house.id]);
    assert_eq!(memberships::roles_of(engine.store(), member[0].id).await.unwrap().len(), 2);
    other
        .says("details", json!({"email": "bia@example.com", "password": PASSWORD}))
        .await
        .refused(404, "not_found");
    refused(world, "first_operator", &token).await;
    world.sign_in("ana@example.com", PASSWORD).await.is(200);
    // What is mailed goes only to an address that is proven.
    let mut reset = world.flow(json!({"kind": "reset_password"})).await;
    reset.says("email", json!({"email": "ana@example.com"})).await.is(200);
    assert_eq!(world.mails_to("ana@example.com").await, 0);
}
