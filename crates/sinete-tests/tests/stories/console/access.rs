//! Which users reach the console, and of which organization.

use super::{console_path, role_field};
use crate::both_engines;
use crate::harness::flow_client::TestUser;
use crate::harness::second_factors::enroll_totp;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

both_engines!(
    console_of_another_organization_is_not_found_on_any_page,
    console_of_a_suspended_organization_is_read_only,
    console_access_ends_at_once_with_membership_or_session,
    console_form_without_a_csrf_token_of_the_session_changes_nothing,
    console_applies_the_token_policy_of_the_organization,
    console_lists_organizations_of_a_manager_of_several_and_opens_the_only_one
);

async fn console_of_another_organization_is_not_found_on_any_page(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let own_page = bia.reader.open_page(&console_path(&other, &format!("/members/{}", bia.membership))).await;
    let csrf = own_page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let admin = role_field(world.find_role(&acme, "admin").await);
    // A page contains its own URL only in the language links.
    let strip_footer = |page: String| page.split("<footer").next().unwrap().to_owned();
    let missing = strip_footer(bia.reader.open_url("/console/nobody/members").await.1);
    for organization in [acme.slug.clone(), acme.id.to_string(), "nobody".to_owned()] {
        for below in ["".to_owned(), "/members".into(), format!("/members/{bruno}"), "/invitations".into()] {
            let path = format!("/console/{organization}{below}");
            let (status, page) = bia.reader.open_url(&path).await;
            assert_eq!((status, strip_footer(page)), (404, missing.clone()), "{path}");
            if below == "/members" {
                continue;
            }
            let fields = [("csrf", csrf.as_str()), ("action", "set_roles"), ("version", "1"), (&admin, "on")];
            assert_eq!(bia.reader.forge_post(&path, &world.origin(), &fields).await.0, 404, "{path}");
        }
    }
    // A member of another organization is not found through the own organization either.
    let through = console_path(&other, &format!("/members/{bruno}"));
    assert_eq!(bia.reader.open_url(&through).await.0, 404);
    let fields = [("csrf", csrf.as_str()), ("action", "remove")];
    let (status, after) = bia.reader.forge_post(&through, &world.origin(), &fields).await;
    assert!(status == 404 || after.contains("This no longer exists"), "{status} {after}");
    let member = owner.get(&acme.path(&format!("/members/{bruno}"))).await.assert_status(200);
    assert_eq!((member.version(), &member.body["roles"][0]["name"]), (1, &json!("member")));
    // A role of another organization cannot be assigned in the own one.
    let carla = world.create_member(&other, &["member"]).await;
    let one = bia.reader.open_page(&console_path(&other, &format!("/members/{carla}"))).await;
    let (_, after) =
        bia.reader.submit_form(&one, "id=\"save-roles\"", &[("action", "set_roles"), (&admin, "on")]).await;
    assert!(after.contains("A selected role no longer exists"), "{after}");
    let (_, after) = bia.reader.submit_form(&one, "id=\"save-roles\"", &[("action", "set_roles")]).await;
    assert!(after.contains("Select at least one role."), "{after}");
}

async fn console_of_a_suspended_organization_is_read_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let page = console_path(&acme, &format!("/members/{bruno}"));
    let before = ana.reader.open_page(&page).await;
    let invite = ana.reader.open_page(&console_path(&acme, "/invitations")).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid since March"})).await.assert_status(200);
    for below in ["", "/members", "/invitations"] {
        let html = ana.reader.open_page(&console_path(&acme, below)).await;
        assert!(html.contains("This organization is suspended"), "{below}: {html}");
        assert!(!html.contains("id=\"send-invitation\""), "{below}");
    }
    let html = ana.reader.open_page(&page).await;
    assert!(!html.contains("<form"), "the page has no form: {html}");
    // Forms of pages that were opened before are still sent.
    let admin = role_field(world.find_role(&acme, "admin").await);
    for (within, fields) in [
        ("id=\"save-roles\"", vec![("action", "set_roles"), (admin.as_str(), "on")]),
        ("id=\"switch-off\"", vec![("action", "disable")]),
        ("id=\"remove-now\"", vec![("action", "remove")]),
    ] {
        let (_, after) = ana.reader.submit_form(&before, within, &fields).await;
        assert!(after.contains("The organization is suspended and cannot be changed"), "{within}: {after}");
    }
    let fields = [("action", "invite"), ("email", "eve@example.com"), (&admin, "on")];
    let (_, after) = ana.reader.submit_form(&invite, "id=\"send-invitation\"", &fields).await;
    assert!(after.contains("The organization is suspended and cannot be changed"), "{after}");
    operator.post(&acme.path("/restore"), json!({"reason": "Paid"})).await.assert_status(200);
    let member = ana.reader.open_page(&page).await;
    assert!(member.contains("id=\"switch-off\"") && !member.contains("is suspended"), "{member}");
}

async fn console_access_ends_at_once_with_membership_or_session(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let front = console_path(&acme, "/members");
    let mut ada = world.create_console_user(&acme, "ada@example.com", "admin").await;
    let path = acme.path(&format!("/members/{}", ada.membership));
    ada.reader.open_page(&front).await;
    let member = world.find_role(&acme, "member").await.to_string();
    let admin = world.find_role(&acme, "admin").await.to_string();
    owner.put(&format!("{path}/roles"), 1, json!({"roles": [member]})).await.assert_status(200);
    assert_eq!(ada.reader.open_url(&front).await.0, 404, "the member has another role");
    owner.put(&format!("{path}/roles"), 2, json!({"roles": [admin]})).await.assert_status(200);
    ada.reader.open_page(&front).await;
    owner.post(&format!("{path}/disable"), json!(null)).await.assert_status(200);
    assert_eq!(ada.reader.open_url(&front).await.0, 404, "the member is disabled");
    owner.post(&format!("{path}/enable"), json!(null)).await.assert_status(200);
    ada.reader.open_page(&front).await;
    // A signed-out user is redirected to sign in, and then back to the page.
    let user = SignedInUser { world, account: ada.account, token: ada.session.clone() };
    let sessions = user.get("/account/sessions").await.assert_status(200);
    let id = sessions.body["items"][0]["id"].as_str().unwrap().to_owned();
    user.delete(&format!("/account/sessions/{id}")).await.assert_status(204);
    let signing_in = ada.reader.open_page(&front).await;
    assert!(signing_in.contains("id=\"sign-in-submit\""), "{signing_in}");
    let fields = [
        ("identifier", "ada@example.com"),
        ("password", crate::harness::flow_client::PASSWORD),
        ("action", "password"),
    ];
    let (_, next) = ada.reader.submit_first_form(&signing_in, &fields).await;
    let back = if next.contains("id=\"members\"") { next } else { ada.reader.open_page("/my-account").await };
    assert!(back.contains("id=\"members\""), "{back}");
    assert!(
        ada.reader.open_page("/my-account").await.contains("id=\"sessions\""),
        "the redirect back happens once"
    );
    owner.delete(&path, None).await.assert_status(204);
    assert_eq!(ada.reader.open_url(&front).await.0, 404, "removed");
    // A disabled account is signed out on every page and in every form.
    let mut eva = world.create_console_user(&acme, "eva@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let one = eva.reader.open_page(&console_path(&acme, &format!("/members/{bruno}"))).await;
    let operator = world.create_operator().await;
    operator.post(&format!("/manage/accounts/{}/disable", eva.account), json!(null)).await.assert_status(200);
    let (_, after) = eva.reader.submit_form(&one, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(after.contains("id=\"sign-in-submit\""), "{after}");
    assert!(eva.reader.open_page(&front).await.contains("id=\"sign-in-submit\""));
    owner.get(&acme.path(&format!("/members/{bruno}"))).await.assert_status(200);
}

async fn console_form_without_a_csrf_token_of_the_session_changes_nothing(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let page = console_path(&acme, &format!("/members/{bruno}"));
    let one = ana.reader.open_page(&page).await;
    let csrf = one.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let ours = world.origin();
    for (origin, csrf) in
        [(ours.as_str(), "AAAA"), (&ours, ""), ("https://evil.example", &csrf), ("null", &csrf)]
    {
        let (status, after) =
            ana.reader.forge_post(&page, origin, &[("csrf", csrf), ("action", "remove")]).await;
        assert_eq!(status, 403, "{origin} {csrf}: {after}");
    }
    owner.get(&acme.path(&format!("/members/{bruno}"))).await.assert_status(200);
    // Every session has its own CSRF token, also of the same account.
    let second = world
        .create_session_token(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    let mut second = world.create_page_browser("en").with_session(&second);
    second.open_page(&page).await;
    let (status, _) = second.forge_post(&page, &ours, &[("csrf", &csrf), ("action", "remove")]).await;
    assert_eq!(status, 403);
    let other = world.create_user("other@example.com").await;
    let mut other = world.create_page_browser("en").with_session(&other.session);
    let (status, _) = other.forge_post(&page, &ours, &[("csrf", &csrf), ("action", "remove")]).await;
    assert_eq!(status, 403);
    let (status, _) = ana.reader.forge_post(&page, &ours, &[("csrf", &csrf), ("action", "remove")]).await;
    assert_eq!(status, 200);
    owner.get(&acme.path(&format!("/members/{bruno}"))).await.assert_problem(404, "not_found");
}

async fn console_applies_the_token_policy_of_the_organization(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let settle = async |settings: serde_json::Value| {
        let version = owner.get(&acme.path("")).await.assert_status(200).version();
        owner.patch(&acme.path(""), version, json!({"settings": settings})).await.assert_status(200);
    };
    let front = console_path(&acme, "/members");
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    ana.reader.open_page(&front).await;
    settle(json!({"least_assurance": "aal2"})).await;
    let stopped = ana.reader.open_page(&front).await;
    assert!(stopped.contains("Set up a passkey") && !stopped.contains("id=\"members\""), "{stopped}");
    let user = TestUser { world, session: ana.session.clone(), account: ana.account };
    let app = enroll_totp(world, &user).await;
    let mut ana = world.create_page_browser("en").with_session(
        &world
            .create_session_token(
                ana.account,
                &AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            )
            .await,
    );
    let stopped = ana.open_page(&front).await;
    let (_, proving) = ana.submit_form(&stopped, "id=\"prove\"", &[("action", "prove")]).await;
    let (_, after) =
        ana.submit_first_form(&proving, &[("code", &app.current_code(world)), ("action", "totp")]).await;
    assert!(after.contains("<h1>acme</h1>") || after.contains("id=\"about-title\""), "{after}");
    ana.open_page(&front).await;
    // A form that was sent meanwhile waits for the step-up and is then done.
    let evidence = AuthenticationEvidence::from_proof(AuthenticationProof::Password);
    let mut late = world
        .create_page_browser("en")
        .with_session(&world.create_session_token(user.account, &evidence).await);
    settle(json!({"least_assurance": "aal1"})).await;
    let invite = late.open_page(&console_path(&acme, "/invitations")).await;
    settle(json!({"least_assurance": "aal2"})).await;
    let member = role_field(world.find_role(&acme, "member").await);
    let fields = [("action", "invite"), ("email", "bruno@example.com"), (&member, "on")];
    let (_, proving) = late.submit_form(&invite, "id=\"send-invitation\"", &fields).await;
    world.clock.advance(Lifetime::from_seconds(60));
    let (_, after) =
        late.submit_first_form(&proving, &[("code", &app.current_code(world)), ("action", "totp")]).await;
    assert!(after.contains("Invitation sent."), "{after}");
    // A credential that the organization does not allow is not asked for, even if the account has it.
    settle(json!({"least_assurance": "aal2", "allowed_credentials": ["password", "passkey"]})).await;
    let stopped = ana.open_page(&front).await;
    assert!(stopped.contains("Set up a passkey") && !stopped.contains("id=\"prove\""), "{stopped}");
    settle(json!({"least_assurance": "aal1", "allowed_credentials": ["passkey"]})).await;
    let stopped = ana.open_page(&front).await;
    assert!(stopped.contains("Sign in another way") && !stopped.contains("<form"), "{stopped}");
    settle(json!({"allowed_credentials": null, "single_sign_on": "required"})).await;
    assert!(ana.open_page(&front).await.contains("Sign in another way"));
    settle(json!({"single_sign_on": "optional"})).await;
    assert!(ana.open_page(&front).await.contains("id=\"members\""));
}

async fn console_lists_organizations_of_a_manager_of_several_and_opens_the_only_one(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    assert!(ana.reader.open_page("/console").await.contains("id=\"about-title\""));
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    user.join_organization(&other, "admin").await;
    let plain = world.create_organization("plain").await;
    user.join_organization(&plain, "member").await;
    let selection_page = ana.reader.open_page("/console?ui_locales=pt").await;
    assert!(
        selection_page.contains("href=\"/console/acme?ui_locales=pt-BR\"")
            && selection_page.contains("administrador"),
        "{selection_page}"
    );
    assert!(
        selection_page.contains("/console/other") && !selection_page.contains("/console/plain"),
        "{selection_page}"
    );
    let acme = ana.reader.open_page("/console/acme?ui_locales=pt-BR").await;
    assert!(acme.contains("Convidar, alterar e remover membros"), "{acme}");
    assert!(acme.contains("href=\"/console/acme/members?ui_locales=pt-BR\""), "{acme}");
    let user = world.create_user("nobody@example.com").await;
    let page = world.create_page_browser("en").with_session(&user.session).open_page("/console").await;
    assert!(page.contains("There is no organization that you can manage"), "{page}");
    let mut page_browser = world.create_page_browser("en");
    assert!(page_browser.open_page("/console").await.contains("id=\"sign-in-submit\""));
}
