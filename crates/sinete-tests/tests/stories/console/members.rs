//! Members on the console: seen, given roles, switched off and on, removed.

use super::{page, ticks};
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::people::invitation::{UnclaimedMembership, check_offered_roles};
use sinete_core::time::Lifetime;
use sinete_store::{invitations, memberships};

both_engines!(
    a_member_is_given_roles_switched_off_and_on_and_removed_as_by_the_api,
    a_member_is_found_on_the_console_as_by_the_api,
    of_two_who_change_the_same_member_the_second_is_told_and_loses_nothing,
    a_member_is_known_by_the_address_that_was_accepted_and_by_no_other,
    fifty_roles_are_given_after_a_proof_and_kept_where_somebody_was_faster,
    what_could_not_be_done_to_a_member_unticks_no_role,
    what_somebody_may_not_do_is_not_offered_and_refused_when_it_is_sent_all_the_same,
    nobody_gives_what_they_do_not_hold_and_owners_alone_decide_about_owners,
    a_long_list_is_read_page_by_page_and_a_place_counts_in_its_own_list_only
);

async fn a_member_is_given_roles_switched_off_and_on_and_removed_as_by_the_api(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let bruno = world.member(&acme, &["member"]).await;
    let (shown, path) = (page(&acme, &format!("/members/{bruno}")), acme.path(&format!("/members/{bruno}")));
    let list = ana.reader.reads(&page(&acme, "/members")).await;
    assert!(list.contains(&format!("href=\"{shown}\"")) && list.contains(">you<"), "{list}");
    let one = ana.reader.reads(&shown).await;
    let admin = ticks(world.role_of(&acme, "admin").await);
    let (_, after) =
        ana.reader.presses(&one, "id=\"save-roles\"", &[("action", "set_roles"), (&admin, "on")]).await;
    assert!(after.contains("The roles are changed."), "{after}");
    assert_eq!(owner.get(&path).await.is(200).body["roles"][0]["name"], "admin");
    world.clock.pass(Lifetime::from_micros(1_000));
    let (_, after) = ana.reader.presses(&after, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(after.contains("The member is switched off.") && after.contains("id=\"switch-on\""), "{after}");
    assert_eq!(owner.get(&path).await.is(200).body["condition"], "suspended");
    world.clock.pass(Lifetime::from_micros(1_000));
    let (_, after) = ana.reader.presses(&after, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert_eq!(owner.get(&path).await.is(200).body["condition"], "enabled");
    // What was said is said once.
    assert!(
        after.contains("switched on again.") && !ana.reader.reads(&shown).await.contains("role=\"status\"")
    );
    world.clock.pass(Lifetime::from_micros(1_000));
    let (_, after) = ana.reader.presses(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(after.contains("The member is removed.") && !after.contains(&shown), "{after}");
    owner.get(&path).await.refused(404, "not_found");
    // The trail tells it as it would of a token of theirs.
    let trail = owner.get(&acme.path("/audit")).await.is(200);
    let told: Vec<_> = trail.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["subject"]["id"] == bruno.to_string())
        .collect();
    let kinds: Vec<&str> = told.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["membership.roles_changed", "membership.disabled", "membership.enabled", "membership.ended"]
    );
    for entry in told {
        assert_eq!(entry["actor"], json!({"kind": "membership", "id": ana.membership.to_string()}));
    }
}

async fn a_member_is_found_on_the_console_as_by_the_api(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "admin").await;
    let mut all = Vec::new();
    for number in 0..52 {
        let member = world.member(&acme, &["member"]).await;
        let profile = json!({"profile": {"name": format!("João N{number:02} <b>")}});
        owner.patch(&acme.path(&format!("/members/{member}")), 1, profile).await.is(200);
        all.push(page(&acme, &format!("/members/{member}")));
    }
    let list = page(&acme, "/members");
    let one = ana.reader.reads(&format!("{list}?search=joao+n07")).await;
    assert!(one.contains(&all[7]) && !one.contains(&all[8]) && one.contains("Found: 1<"), "{one}");
    assert!(
        one.contains("value=\"joao n07\"") && one.contains("id=\"everybody\""),
        "the words stay in the field: {one}"
    );
    // Pages keep what is looked for.
    let first = ana.reader.reads(&format!("{list}?search=JO%C3%83O")).await;
    let on = |text: &str| all.iter().filter(|link| text.contains(link.as_str())).cloned().collect::<Vec<_>>();
    assert!(first.contains("More than 50 were found.") && on(&first).len() == 50, "{first}");
    let next = first.split("id=\"next-page\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let next = next.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
    assert!(next.contains("search=JO%C3%83O"), "{next}");
    let last = ana.reader.reads(&next).await;
    assert!(on(&last).len() == 2 && on(&last).iter().all(|link| !first.contains(link)), "{last}");
    // Nobody, and what cannot be looked for.
    let nobody = ana.reader.reads(&format!("{list}?search=%25%22%3E%3Cscript%3E")).await;
    assert!(
        nobody.contains("Nobody was found.")
            && !nobody.contains("<script>")
            && !nobody.contains("class=\"lines\""),
        "{nobody}"
    );
    let trouble = ana.reader.reads(&format!("{list}?search=a+b+c+d+e+f+g+h+i")).await;
    assert!(
        trouble.contains("These are too many words") && trouble.contains("value=\"a b c d e f g h i\""),
        "{trouble}"
    );
    for empty in ["?search=", "?search=+"] {
        assert!(
            ana.reader.reads(&format!("{list}{empty}")).await.contains(&all[0]),
            "{empty} asks for everybody"
        );
    }
    let portuguese = ana.reader.reads(&format!("{list}?search=zz&ui_locales=pt")).await;
    assert!(
        portuguese.contains("Ninguém foi encontrado.")
            && portuguese.contains("name=\"ui_locales\" value=\"pt"),
        "{portuguese}"
    );
}

async fn of_two_who_change_the_same_member_the_second_is_told_and_loses_nothing(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let bruno = world.member(&acme, &["member"]).await;
    let one = ana.reader.reads(&page(&acme, &format!("/members/{bruno}"))).await;
    let path = acme.path(&format!("/members/{bruno}"));
    owner.patch(&path, 1, json!({"profile": {"name": "Bruno"}})).await.is(200);
    let admin = ticks(world.role_of(&acme, "admin").await);
    let (_, after) =
        ana.reader.presses(&one, "id=\"save-roles\"", &[("action", "set_roles"), (&admin, "on")]).await;
    assert!(
        after.contains("Somebody changed this in the meantime.") && after.contains("<h1>Bruno</h1>"),
        "{after}"
    );
    assert!(
        after.contains(&format!("name=\"{admin}\" value=\"on\" checked")),
        "what was chosen is still chosen: {after}"
    );
    assert_eq!(owner.get(&path).await.is(200).body["roles"][0]["name"], "member", "nothing was changed");
    let (_, after) =
        ana.reader.presses(&after, "id=\"save-roles\"", &[("action", "set_roles"), (&admin, "on")]).await;
    assert!(after.contains("The roles are changed."), "{after}");
    assert_eq!(owner.get(&path).await.is(200).body["roles"][0]["name"], "admin");
}

async fn a_member_is_known_by_the_address_that_was_accepted_and_by_no_other(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let role = world.role_of(&acme, "member").await.to_string();
    let first = json!({"email": "right@example.com", "roles": [role]});
    let first = owner.post(&acme.path("/invitations"), first).await.is(201);
    world.clock.pass(Lifetime::from_micros(1_000));
    let second = json!({"email": "wrong@example.com", "member": first.text_of("membership")});
    let second = owner.post(&acme.path("/invitations"), second).await.is(201);
    let list = page(&acme, "/members");
    let seen = ana.reader.reads(&list).await;
    assert!(seen.contains("wrong@example.com"), "the newest that waits: {seen}");
    let engine = world.server.engine();
    let withdrawn = invitations::revoke(acme.id, second.text_of("id").parse().unwrap(), engine.now());
    world.happens([withdrawn]).await;
    let seen = ana.reader.reads(&list).await;
    assert!(seen.contains("right@example.com") && !seen.contains("wrong@example.com"), "withdrawn: {seen}");
    // Two wait, and one is accepted.
    world.clock.pass(Lifetime::from_micros(1_000));
    let third = json!({"email": "other@example.com", "member": first.text_of("membership")});
    owner.post(&acme.path("/invitations"), third).await.is(201);
    let id = first.text_of("id").parse().unwrap();
    let accepted = invitations::show(engine.store(), acme.id, id).await.unwrap().unwrap();
    let bruno = world.somebody("bruno@example.com").await.account;
    let waiting = memberships::find(engine.store(), acme.id, accepted.membership).await.unwrap().unwrap();
    let waiting = UnclaimedMembership { id: waiting.id, version: waiting.version, roles: &accepted.roles };
    let offered = check_offered_roles(&accepted.roles, &waiting).unwrap();
    world.happens(invitations::accept(accepted.id, offered, bruno, engine.now())).await;
    let one = ana.reader.reads(&page(&acme, &format!("/members/{}", first.text_of("membership")))).await;
    for seen in [ana.reader.reads(&list).await, one] {
        assert!(seen.contains("right@example.com") && !seen.contains("other@example.com"), "{seen}");
    }
}

async fn fifty_roles_are_given_after_a_proof_and_kept_where_somebody_was_faster(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let bruno = world.member(&acme, &["member"]).await;
    let (shown, path) = (page(&acme, &format!("/members/{bruno}")), acme.path(&format!("/members/{bruno}")));
    let mut boxes = Vec::new();
    for number in 0..50 {
        let role = json!({"name": format!("role-{number}"), "permissions": ["members:read"]});
        boxes.push(format!("role.{}", owner.post(&acme.path("/roles"), role).await.is(201).text_of("id")));
    }
    let fields: Vec<(&str, &str)> =
        [("action", "set_roles")].into_iter().chain(boxes.iter().map(|it| (it.as_str(), "on"))).collect();
    let before = ana.reader.reads(&shown).await;
    owner.patch(&path, 1, json!({"profile": {"name": "Bruno"}})).await.is(200);
    let (_, after) = ana.reader.presses(&before, "id=\"save-roles\"", &fields).await;
    assert!(after.contains("Somebody changed this in the meantime."), "{after}");
    for role in &boxes {
        assert!(after.contains(&format!("name=\"{role}\" value=\"on\" checked")), "{role}: {after}");
    }
    world.clock.pass(Lifetime::from_hours(2));
    let (_, proving) = ana.reader.presses(&after, "id=\"save-roles\"", &fields).await;
    let (_, after) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("The roles are changed."), "{after}");
    assert_eq!(owner.get(&path).await.is(200).body["roles"].as_array().unwrap().len(), 50);
    // What no form of ours holds is said, and nothing is changed.
    let more: Vec<String> = (0..110).map(|it| format!("role.{it}")).collect();
    let more: Vec<(&str, &str)> =
        [("action", "set_roles")].into_iter().chain(more.iter().map(|it| (it.as_str(), "on"))).collect();
    let (status, after) = ana.reader.presses(&after, "id=\"save-roles\"", &more).await;
    assert!(status == 200 && after.contains("more than one form can hold"), "{after}");
    assert_eq!(ana.reader.forges(&shown, "https://evil.example", &more).await.0, 400);
    assert_eq!(owner.get(&path).await.is(200).body["roles"].as_array().unwrap().len(), 50);
}

async fn what_could_not_be_done_to_a_member_unticks_no_role(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ada = world.worker(&acme, "ada@example.com", "admin").await;
    let owners = owner.membership;
    let shown = page(&acme, &format!("/members/{owners}"));
    let one = ada.reader.reads(&shown).await;
    let role = ticks(world.role_of(&acme, "owner").await);
    let admin = ticks(world.role_of(&acme, "admin").await);
    owner
        .put(
            &acme.path(&format!("/members/{owners}/roles")),
            1,
            json!({"roles": [
                world.role_of(&acme, "owner").await.to_string(),
                world.role_of(&acme, "admin").await.to_string(),
            ]}),
        )
        .await
        .is(200);
    for (within, action) in [("id=\"switch-off\"", "disable"), ("id=\"remove-now\"", "remove")] {
        let (_, after) = ada.reader.presses(&one, within, &[("action", action)]).await;
        assert!(after.contains("only owners decide about owners"), "{after}");
        for role in [&role, &admin] {
            let ticked = after.split(&format!("name=\"{role}\"")).nth(1).unwrap().split('>').next().unwrap();
            assert!(ticked.contains("checked"), "{action} {role}: {after}");
        }
    }
}

async fn what_somebody_may_not_do_is_not_offered_and_refused_when_it_is_sent_all_the_same(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.is(201);
    let bruno = world.member(&acme, &["member"]).await;
    let (shown, path) = (page(&acme, &format!("/members/{bruno}")), acme.path(&format!("/members/{bruno}")));
    let mut rita = world.worker(&acme, "rita@example.com", "reader").await;
    let one = rita.reader.reads(&shown).await;
    assert!(!one.contains("<form"), "{one}");
    let invitations = rita.reader.reads(&page(&acme, "/invitations")).await;
    assert!(!invitations.contains("id=\"send-invitation\""), "{invitations}");
    // Her own page has a form: leaving takes no permission.
    let own = rita.reader.reads(&page(&acme, &format!("/members/{}", rita.membership))).await;
    let csrf = own.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let (admin, origin) = (ticks(world.role_of(&acme, "admin").await), world.origin());
    for action in ["set_roles", "disable", "enable", "remove"] {
        let fields = [("csrf", csrf.as_str()), ("action", action), ("version", "1"), (&admin, "on")];
        let (_, after) = rita.reader.forges(&shown, &origin, &fields).await;
        assert!(after.contains("You may not do this here."), "{action}: {after}");
    }
    let invite =
        [("csrf", csrf.as_str()), ("action", "invite"), ("email", "eve@example.com"), (&admin, "on")];
    let (_, after) = rita.reader.forges(&page(&acme, "/invitations"), &origin, &invite).await;
    assert!(after.contains("You may not do this here."), "{after}");
    let member = owner.get(&path).await.is(200);
    assert_eq!((member.version(), &member.body["roles"][0]["name"]), (1, &json!("member")));
    assert_eq!(owner.get(&acme.path("/invitations")).await.is(200).body["items"], json!([]));
    // Whoever has nothing to manage finds nothing, not even the front page.
    let mut plain = world.worker(&acme, "plain@example.com", "member").await;
    for below in ["", "/members", "/invitations"] {
        assert_eq!(plain.reader.opens(&page(&acme, below)).await.0, 404, "{below}");
    }
    assert!(!plain.reader.reads("/my-account").await.contains("id=\"open-console\""));
    assert!(rita.reader.reads("/my-account").await.contains("id=\"open-console\""));
}

async fn nobody_gives_what_they_do_not_hold_and_owners_alone_decide_about_owners(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ada = world.worker(&acme, "ada@example.com", "admin").await;
    let bruno = world.member(&acme, &["member"]).await;
    let shown = page(&acme, &format!("/members/{bruno}"));
    let one = ada.reader.reads(&shown).await;
    let owners = ticks(world.role_of(&acme, "owner").await);
    assert!(one.contains(&format!("name=\"{owners}\" value=\"on\" disabled")), "{one}");
    let (_, after) =
        ada.reader.presses(&one, "id=\"save-roles\"", &[("action", "set_roles"), (&owners, "on")]).await;
    assert!(after.contains("only owners decide about owners"), "{after}");
    // An owner's role cannot be taken by her either: it is sent along, and the page says so.
    let own = page(&acme, &format!("/members/{}", owner.membership));
    let one = ada.reader.reads(&own).await;
    let (_, after) = ada.reader.presses(&one, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(after.contains("only owners decide about owners"), "{after}");
    // And the last owner stays.
    let path = acme.path(&format!("/members/{}", owner.membership));
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let one = ana.reader.reads(&own).await;
    ana.reader.presses(&one, "id=\"remove-now\"", &[("action", "remove")]).await;
    let mine = ana.reader.reads(&page(&acme, &format!("/members/{}", ana.membership))).await;
    let (_, after) = ana.reader.presses(&mine, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(after.contains("An organization keeps at least one owner."), "{after}");
    owner.get(&path).await.is(401);
}

async fn a_long_list_is_read_page_by_page_and_a_place_counts_in_its_own_list_only(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let mut all = vec![ana.membership.to_string()];
    for _ in 0..60 {
        world.clock.pass(Lifetime::from_micros(1_000));
        all.push(world.member(&acme, &["member"]).await.to_string());
    }
    let first = ana.reader.reads(&page(&acme, "/members")).await;
    let next = first.split("id=\"next-page\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let next = next.split('"').next().unwrap().to_owned();
    let second = ana.reader.reads(&next).await;
    for (place, id) in all.iter().enumerate() {
        let here = format!("{}\"", page(&acme, &format!("/members/{id}")));
        assert_eq!((first.contains(&here), second.contains(&here)), (place < 50, place >= 50), "{place}");
    }
    assert!(!first.contains("id=\"first-page\"") && second.contains("id=\"first-page\""));
    assert!(!second.contains("id=\"next-page\""));
    // By its id the organization has the same list.
    let by_id = ana.reader.reads(&format!("/console/{}/members", acme.id)).await;
    let on = by_id.split("id=\"next-page\"").next().unwrap().rsplit("href=\"").next().unwrap();
    let on = ana.reader.reads(on.split('"').next().unwrap()).await;
    assert!(on.contains("id=\"first-page\"") && on.contains(&all[50]), "{on}");
    // A place in one list is none in another.
    let mut bia = world.worker(&other, "bia@example.com", "owner").await;
    let cursor = next.split("after=").nth(1).unwrap();
    assert_eq!(bia.reader.opens(&page(&other, &format!("/members?after={cursor}"))).await.0, 400);
    assert_eq!(ana.reader.opens(&page(&acme, &format!("/invitations?after={cursor}"))).await.0, 400);
}
