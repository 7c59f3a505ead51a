//! Invitations on the console: sent once they are right and the sender proved who they are, and withdrawn.

use super::{page, ticks};
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    an_invitation_is_sent_from_the_console_and_withdrawn_there,
    what_is_not_right_is_said_beside_its_field_and_nothing_is_typed_twice,
    what_could_not_be_withdrawn_unticks_no_role,
    whoever_proved_it_long_ago_proves_it_again_and_what_they_asked_for_is_done
);

async fn an_invitation_is_sent_from_the_console_and_withdrawn_there(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let here = page(&acme, "/invitations");
    let shown = ana.reader.reads(&here).await;
    let member = ticks(world.role_of(&acme, "member").await);
    let fields = [
        ("action", "invite"),
        ("email", "Bruno@Example.com"),
        (&member, "on"),
        ("language", "pt-BR"),
        ("days", "7"),
    ];
    let (_, after) = ana.reader.presses(&shown, "id=\"send-invitation\"", &fields).await;
    assert!(
        after.contains("The invitation is on its way.") && after.contains("bruno@example.com"),
        "{after}"
    );
    assert!(!after.contains("value=\"Bruno@Example.com\""), "what was done is not typed again");
    assert!(world.newest_mail("Bruno@Example.com").await.contains("convite"), "it is written in Portuguese");
    let listed = owner.get(&acme.path("/invitations")).await.is(200);
    let sent = &listed.body["items"][0];
    assert_eq!((&sent["email"], &sent["revoked_at"]), (&json!("bruno@example.com"), &json!(null)));
    // Until it is accepted, the place is known by the address.
    let members = ana.reader.reads(&page(&acme, "/members")).await;
    assert!(members.contains("bruno@example.com") && members.contains("waits to be claimed"), "{members}");
    let (_, after) = ana.reader.presses(&after, "id=\"send-invitation\"", &fields).await;
    assert!(after.contains("waits already") && after.contains("value=\"Bruno@Example.com\""), "{after}");
    let id = sent["id"].as_str().unwrap();
    world.clock.pass(Lifetime::from_micros(1_000));
    let (_, after) = ana.reader.presses(&after, "name=\"withdraw\"", &[("withdraw", id)]).await;
    assert!(after.contains("The invitation is withdrawn.") && after.contains("Withdrawn on"), "{after}");
    assert!(
        owner.get(&acme.path(&format!("/invitations/{id}"))).await.is(200).body["revoked_at"].is_string()
    );
    let trail = owner.get(&acme.path("/audit")).await.is(200);
    let told = trail.body["items"].as_array().unwrap().iter().filter(|it| it["subject"]["id"] == *id);
    let told: Vec<_> = told.map(|it| (it["kind"].clone(), it["actor"]["id"].clone())).collect();
    let by = json!(ana.membership.to_string());
    assert_eq!(told, [(json!("invitation.sent"), by.clone()), (json!("invitation.revoked"), by)]);
}

async fn what_is_not_right_is_said_beside_its_field_and_nothing_is_typed_twice(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let shown = ana.reader.reads(&page(&acme, "/invitations")).await;
    let admin = ticks(world.role_of(&acme, "admin").await);
    let fields = [("action", "invite"), ("email", "no \"address"), (&admin, "on"), ("days", "3")];
    let (_, after) = ana.reader.presses(&shown, "id=\"send-invitation\"", &fields).await;
    let field = after.split("id=\"email\"").nth(1).unwrap().split("</div>").next().unwrap();
    assert!(
        field.contains("aria-invalid=\"true\"") && field.contains("This is no e-mail address."),
        "{field}"
    );
    assert!(after.contains("value=\"no &#34;address\"") && after.contains("value=\"3\" selected"), "{after}");
    assert!(after.contains(&format!("name=\"{admin}\" value=\"on\" checked")), "{after}");
    let (_, after) = ana
        .reader
        .presses(&after, "id=\"send-invitation\"", &[("action", "invite"), ("email", "eve@example.com")])
        .await;
    for days in ["0", "8", "soon"] {
        let fields = [("action", "invite"), ("email", "eve@example.com"), (&admin, "on"), ("days", days)];
        let (_, after) = ana.reader.presses(&shown, "id=\"send-invitation\"", &fields).await;
        assert!(after.contains("works for one to seven days"), "{days}: {after}");
    }
    let roles = after.split("<fieldset").nth(1).unwrap().split("</fieldset>").next().unwrap();
    assert!(
        roles.contains("Choose at least one role.") && after.contains("value=\"eve@example.com\""),
        "{after}"
    );
    assert_eq!(owner.get(&acme.path("/invitations")).await.is(200).body["items"], json!([]));
}

async fn what_could_not_be_withdrawn_unticks_no_role(world: &World) {
    let acme = world.tenant("acme").await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let member = ticks(world.role_of(&acme, "member").await);
    let shown = ana.reader.reads(&page(&acme, "/invitations")).await;
    let usual = format!("name=\"{member}\" value=\"on\" checked");
    assert!(shown.contains(&usual), "{shown}");
    let gone = ana.membership.to_string();
    let (_, after) = ana.reader.presses(&shown, "id=\"send-invitation\"", &[("withdraw", &gone)]).await;
    assert!(after.contains("not there any more") && after.contains(&usual), "{after}");
}

async fn whoever_proved_it_long_ago_proves_it_again_and_what_they_asked_for_is_done(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    world.clock.pass(Lifetime::from_hours(2));
    let shown = ana.reader.reads(&page(&acme, "/invitations")).await;
    let member = ticks(world.role_of(&acme, "member").await);
    let fields = [("action", "invite"), ("email", "bruno@example.com"), (&member, "on")];
    let (_, proving) = ana.reader.presses(&shown, "id=\"send-invitation\"", &fields).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    assert_eq!(
        owner.get(&acme.path("/invitations")).await.is(200).body["items"],
        json!([]),
        "nothing was done yet"
    );
    // Whoever found the browser open does not know it.
    let (_, proving) =
        ana.reader.sends(&proving, &[("password", "not the password of ana"), ("action", "password")]).await;
    assert!(proving.contains("id=\"trouble\""), "{proving}");
    let (_, after) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        after.contains("The invitation is on its way.") && after.contains("bruno@example.com"),
        "{after}"
    );
    // It was done once, and for some minutes nobody is asked again.
    let (_, after) = ana
        .reader
        .presses(
            &after,
            "id=\"send-invitation\"",
            &[("action", "invite"), ("email", "carla@example.com"), (&member, "on")],
        )
        .await;
    assert!(
        after.contains("carla@example.com") && after.contains("The invitation is on its way."),
        "{after}"
    );
    let listed = owner.get(&acme.path("/invitations")).await.is(200);
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 2);
    // What takes something away does not wait for a proof.
    world.clock.pass(Lifetime::from_hours(2));
    let id = listed.body["items"][0]["id"].as_str().unwrap();
    let shown = ana.reader.reads(&page(&acme, "/invitations")).await;
    let (_, after) = ana.reader.presses(&shown, "name=\"withdraw\"", &[("withdraw", id)]).await;
    assert!(after.contains("The invitation is withdrawn."), "{after}");
}
