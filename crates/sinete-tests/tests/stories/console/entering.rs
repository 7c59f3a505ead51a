//! Who gets to work on the console, in which organization, and who is out.

use super::{page, ticks};
use crate::both_engines;
use crate::harness::oneself::SignedInUser;
use crate::harness::person::TestUser;
use crate::harness::second_factors::gets_app;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

both_engines!(
    an_organization_of_others_is_not_there_on_any_page,
    a_suspended_organization_is_seen_and_takes_no_change,
    whoever_loses_their_place_or_their_session_is_out_at_once,
    a_form_that_no_page_of_this_session_made_changes_nothing,
    what_an_organization_asks_before_a_token_it_asks_before_the_console,
    whoever_manages_several_chooses_and_whoever_manages_one_is_there
);

async fn an_organization_of_others_is_not_there_on_any_page(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let owner = world.owner(&acme).await;
    let mut bia = world.worker(&other, "bia@example.com", "owner").await;
    let bruno = world.member(&acme, &["member"]).await;
    let own = bia.reader.reads(&page(&other, &format!("/members/{}", bia.membership))).await;
    let csrf = own.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let admin = ticks(world.role_of(&acme, "admin").await);
    // Pages name their address nowhere but in the links to another language.
    let told = |page: String| page.split("<footer").next().unwrap().to_owned();
    let missing = told(bia.reader.opens("/console/nobody/members").await.1);
    for organization in [acme.slug.clone(), acme.id.to_string(), "nobody".to_owned()] {
        for below in ["".to_owned(), "/members".into(), format!("/members/{bruno}"), "/invitations".into()] {
            let path = format!("/console/{organization}{below}");
            let (status, shown) = bia.reader.opens(&path).await;
            assert_eq!((status, told(shown)), (404, missing.clone()), "{path}");
            if below == "/members" {
                continue;
            }
            let fields = [("csrf", csrf.as_str()), ("action", "set_roles"), ("version", "1"), (&admin, "on")];
            assert_eq!(bia.reader.forges(&path, &world.origin(), &fields).await.0, 404, "{path}");
        }
    }
    // Nor is a member of theirs found through one's own organization.
    let through = page(&other, &format!("/members/{bruno}"));
    assert_eq!(bia.reader.opens(&through).await.0, 404);
    let fields = [("csrf", csrf.as_str()), ("action", "remove")];
    let (status, after) = bia.reader.forges(&through, &world.origin(), &fields).await;
    assert!(status == 404 || after.contains("not there any more"), "{status} {after}");
    let member = owner.get(&acme.path(&format!("/members/{bruno}"))).await.is(200);
    assert_eq!((member.version(), &member.body["roles"][0]["name"]), (1, &json!("member")));
    // A role of theirs cannot be given at home either.
    let carla = world.member(&other, &["member"]).await;
    let one = bia.reader.reads(&page(&other, &format!("/members/{carla}"))).await;
    let (_, after) =
        bia.reader.presses(&one, "id=\"save-roles\"", &[("action", "set_roles"), (&admin, "on")]).await;
    assert!(after.contains("does not exist here any more"), "{after}");
    let (_, after) = bia.reader.presses(&one, "id=\"save-roles\"", &[("action", "set_roles")]).await;
    assert!(after.contains("Choose at least one role."), "{after}");
}

async fn a_suspended_organization_is_seen_and_takes_no_change(world: &World) {
    let acme = world.tenant("acme").await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let bruno = world.member(&acme, &["member"]).await;
    let shown = page(&acme, &format!("/members/{bruno}"));
    let before = ana.reader.reads(&shown).await;
    let invite = ana.reader.reads(&page(&acme, "/invitations")).await;
    let operator = world.operator().await;
    world.assign(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid since March"})).await.is(200);
    for below in ["", "/members", "/invitations"] {
        let seen = ana.reader.reads(&page(&acme, below)).await;
        assert!(seen.contains("This organization is suspended"), "{below}: {seen}");
        assert!(!seen.contains("id=\"send-invitation\""), "{below}");
    }
    let seen = ana.reader.reads(&shown).await;
    assert!(!seen.contains("<form"), "nothing is offered: {seen}");
    // Pages from before still have their forms.
    let admin = ticks(world.role_of(&acme, "admin").await);
    for (within, fields) in [
        ("id=\"save-roles\"", vec![("action", "set_roles"), (admin.as_str(), "on")]),
        ("id=\"switch-off\"", vec![("action", "disable")]),
        ("id=\"remove-now\"", vec![("action", "remove")]),
    ] {
        let (_, after) = ana.reader.presses(&before, within, &fields).await;
        assert!(after.contains("suspended and accepts no change"), "{within}: {after}");
    }
    let fields = [("action", "invite"), ("email", "eve@example.com"), (&admin, "on")];
    let (_, after) = ana.reader.presses(&invite, "id=\"send-invitation\"", &fields).await;
    assert!(after.contains("suspended and accepts no change"), "{after}");
    operator.post(&acme.path("/restore"), json!({"reason": "Paid"})).await.is(200);
    let member = ana.reader.reads(&shown).await;
    assert!(member.contains("id=\"switch-off\"") && !member.contains("is suspended"), "{member}");
}

async fn whoever_loses_their_place_or_their_session_is_out_at_once(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let front = page(&acme, "/members");
    let mut ada = world.worker(&acme, "ada@example.com", "admin").await;
    let path = acme.path(&format!("/members/{}", ada.membership));
    ada.reader.reads(&front).await;
    let member = world.role_of(&acme, "member").await.to_string();
    let admin = world.role_of(&acme, "admin").await.to_string();
    owner.put(&format!("{path}/roles"), 1, json!({"roles": [member]})).await.is(200);
    assert_eq!(ada.reader.opens(&front).await.0, 404, "the role is gone");
    owner.put(&format!("{path}/roles"), 2, json!({"roles": [admin]})).await.is(200);
    ada.reader.reads(&front).await;
    owner.post(&format!("{path}/disable"), json!(null)).await.is(200);
    assert_eq!(ada.reader.opens(&front).await.0, 404, "switched off");
    owner.post(&format!("{path}/enable"), json!(null)).await.is(200);
    ada.reader.reads(&front).await;
    // Whoever is signed out is led to sign in, and back to where they were.
    let oneself = SignedInUser { world, account: ada.account, token: ada.session.clone() };
    let sessions = oneself.get("/account/sessions").await.is(200);
    let id = sessions.body["items"][0]["id"].as_str().unwrap().to_owned();
    oneself.delete(&format!("/account/sessions/{id}")).await.is(204);
    let signing_in = ada.reader.reads(&front).await;
    assert!(signing_in.contains("id=\"sign-in-submit\""), "{signing_in}");
    let fields = [
        ("identifier", "ada@example.com"),
        ("password", crate::harness::person::PASSWORD),
        ("action", "password"),
    ];
    let (_, next) = ada.reader.sends(&signing_in, &fields).await;
    let back = if next.contains("id=\"members\"") { next } else { ada.reader.reads("/my-account").await };
    assert!(back.contains("id=\"members\""), "{back}");
    assert!(ada.reader.reads("/my-account").await.contains("id=\"sessions\""), "and only once");
    owner.delete(&path, None).await.is(204);
    assert_eq!(ada.reader.opens(&front).await.0, 404, "removed");
    // Whose account is disabled is nobody, on every page and in every form.
    let mut eva = world.worker(&acme, "eva@example.com", "owner").await;
    let bruno = world.member(&acme, &["member"]).await;
    let one = eva.reader.reads(&page(&acme, &format!("/members/{bruno}"))).await;
    let operator = world.operator().await;
    operator.post(&format!("/manage/accounts/{}/disable", eva.account), json!(null)).await.is(200);
    let (_, after) = eva.reader.presses(&one, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(after.contains("id=\"sign-in-submit\""), "{after}");
    assert!(eva.reader.reads(&front).await.contains("id=\"sign-in-submit\""));
    owner.get(&acme.path(&format!("/members/{bruno}"))).await.is(200);
}

async fn a_form_that_no_page_of_this_session_made_changes_nothing(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let bruno = world.member(&acme, &["member"]).await;
    let shown = page(&acme, &format!("/members/{bruno}"));
    let one = ana.reader.reads(&shown).await;
    let csrf = one.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let ours = world.origin();
    for (origin, csrf) in
        [(ours.as_str(), "AAAA"), (&ours, ""), ("https://evil.example", &csrf), ("null", &csrf)]
    {
        let (status, after) =
            ana.reader.forges(&shown, origin, &[("csrf", csrf), ("action", "remove")]).await;
        assert_eq!(status, 403, "{origin} {csrf}: {after}");
    }
    owner.get(&acme.path(&format!("/members/{bruno}"))).await.is(200);
    // Another session of the same person has a token of its own, and so has another person.
    let second =
        world.begin_session(ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await;
    let mut second = world.reader("en").holding(&second);
    second.reads(&shown).await;
    let (status, _) = second.forges(&shown, &ours, &[("csrf", &csrf), ("action", "remove")]).await;
    assert_eq!(status, 403);
    let other = world.somebody("other@example.com").await;
    let mut other = world.reader("en").holding(&other.session);
    let (status, _) = other.forges(&shown, &ours, &[("csrf", &csrf), ("action", "remove")]).await;
    assert_eq!(status, 403);
    let (status, _) = ana.reader.forges(&shown, &ours, &[("csrf", &csrf), ("action", "remove")]).await;
    assert_eq!(status, 200);
    owner.get(&acme.path(&format!("/members/{bruno}"))).await.refused(404, "not_found");
}

async fn what_an_organization_asks_before_a_token_it_asks_before_the_console(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let settle = async |settings: serde_json::Value| {
        let seen = owner.get(&acme.path("")).await.is(200).version();
        owner.patch(&acme.path(""), seen, json!({"settings": settings})).await.is(200);
    };
    let front = page(&acme, "/members");
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    ana.reader.reads(&front).await;
    settle(json!({"least_assurance": "aal2"})).await;
    let stopped = ana.reader.reads(&front).await;
    assert!(stopped.contains("Set up a passkey") && !stopped.contains("id=\"members\""), "{stopped}");
    let person = TestUser { world, session: ana.session.clone(), account: ana.account };
    let app = gets_app(world, &person).await;
    let mut ana = world.reader("en").holding(
        &world.begin_session(ana.account, &AuthenticationEvidence::of(AuthenticationProof::Password)).await,
    );
    let stopped = ana.reads(&front).await;
    let (_, proving) = ana.presses(&stopped, "id=\"prove\"", &[("action", "prove")]).await;
    let (_, after) = ana.sends(&proving, &[("code", &app.digits(world)), ("action", "totp")]).await;
    assert!(after.contains("<h1>acme</h1>") || after.contains("id=\"about-title\""), "{after}");
    ana.reads(&front).await;
    // A form that was on its way is proven too, and then done.
    let evidence = AuthenticationEvidence::of(AuthenticationProof::Password);
    let mut late = world.reader("en").holding(&world.begin_session(person.account, &evidence).await);
    settle(json!({"least_assurance": "aal1"})).await;
    let invite = late.reads(&page(&acme, "/invitations")).await;
    settle(json!({"least_assurance": "aal2"})).await;
    let member = ticks(world.role_of(&acme, "member").await);
    let fields = [("action", "invite"), ("email", "bruno@example.com"), (&member, "on")];
    let (_, proving) = late.presses(&invite, "id=\"send-invitation\"", &fields).await;
    world.clock.pass(Lifetime::from_seconds(60));
    let (_, after) = late.sends(&proving, &[("code", &app.digits(world)), ("action", "totp")]).await;
    assert!(after.contains("The invitation is on its way."), "{after}");
    // What counts for nothing here is not asked for, however well it is proven.
    settle(json!({"least_assurance": "aal2", "allowed_credentials": ["password", "passkey"]})).await;
    let stopped = ana.reads(&front).await;
    assert!(stopped.contains("Set up a passkey") && !stopped.contains("id=\"prove\""), "{stopped}");
    settle(json!({"least_assurance": "aal1", "allowed_credentials": ["passkey"]})).await;
    let stopped = ana.reads(&front).await;
    assert!(stopped.contains("Sign in another way") && !stopped.contains("<form"), "{stopped}");
    settle(json!({"allowed_credentials": null, "single_sign_on": "required"})).await;
    assert!(ana.reads(&front).await.contains("Sign in another way"));
    settle(json!({"single_sign_on": "optional"})).await;
    assert!(ana.reads(&front).await.contains("id=\"members\""));
}

async fn whoever_manages_several_chooses_and_whoever_manages_one_is_there(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    assert!(ana.reader.reads("/console").await.contains("id=\"about-title\""));
    let oneself = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    oneself.joins(&other, "admin").await;
    let plain = world.tenant("plain").await;
    oneself.joins(&plain, "member").await;
    let chosen = ana.reader.reads("/console?ui_locales=pt").await;
    assert!(
        chosen.contains("href=\"/console/acme?ui_locales=pt-BR\"") && chosen.contains("administrador"),
        "{chosen}"
    );
    assert!(chosen.contains("/console/other") && !chosen.contains("/console/plain"), "{chosen}");
    let acme = ana.reader.reads("/console/acme?ui_locales=pt-BR").await;
    assert!(acme.contains("Convidar, alterar e remover membros"), "{acme}");
    assert!(acme.contains("href=\"/console/acme/members?ui_locales=pt-BR\""), "{acme}");
    let nobody = world.somebody("nobody@example.com").await;
    let page = world.reader("en").holding(&nobody.session).reads("/console").await;
    assert!(page.contains("no organization in which you manage"), "{page}");
    let mut stranger = world.reader("en");
    assert!(stranger.reads("/console").await.contains("id=\"sign-in-submit\""));
}
