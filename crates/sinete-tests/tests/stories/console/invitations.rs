//! Invitations on the console: sent after a step-up, and withdrawn.

use super::{console_path, role_field};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    console_invitation_is_sent_and_revoked,
    console_invitation_errors_are_displayed_beside_their_field_and_input_is_preserved,
    console_invitation_that_could_not_be_revoked_keeps_the_selected_roles,
    console_invitation_resumes_after_step_up,
    console_invitation_email_is_previewed_with_the_branding_of_the_organization
);

async fn console_invitation_email_is_previewed_with_the_branding_of_the_organization(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    let branding = json!({"settings": {"branding": {"name": "Padaria da Esquina", "accent": "#12594a"}}});
    owner.patch(&acme.path(""), version, branding).await.assert_status(200);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let before = world.mailbox.email_count();
    let page = ana.reader.open_page(&console_path(&acme, "/invitations")).await;
    assert!(page.contains("/console/acme/emails/invitation"), "{page}");
    let preview = ana.reader.open_page(&console_path(&acme, "/emails/invitation?ui_locales=es")).await;
    assert!(preview.contains("lang=\"es\"") && preview.contains("Aceptar invitación"), "{preview}");
    assert!(preview.contains("Padaria da Esquina") && preview.contains("background:#12594a"), "{preview}");
    world.deliver_messages().await;
    assert_eq!(world.mailbox.email_count(), before, "no message is sent");
    // Messages of the instance are not previewed here, and other organizations not at all.
    for message in ["sign_in", "no_such_message"] {
        assert_eq!(ana.reader.open_url(&console_path(&acme, &format!("/emails/{message}"))).await.0, 404);
    }
    let globex = world.create_organization("globex").await;
    assert_eq!(ana.reader.open_url(&console_path(&globex, "/emails/invitation")).await.0, 404);
}

async fn console_invitation_is_sent_and_revoked(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/invitations");
    let page = ana.reader.open_page(&page_path).await;
    let member = role_field(world.find_role(&acme, "member").await);
    let fields = [
        ("action", "invite"),
        ("email", "Bruno@Example.com"),
        (&member, "on"),
        ("language", "pt-BR"),
        ("days", "7"),
    ];
    let (_, after) = ana.reader.submit_form(&page, "id=\"send-invitation\"", &fields).await;
    assert!(after.contains("Invitation sent.") && after.contains("bruno@example.com"), "{after}");
    assert!(!after.contains("value=\"Bruno@Example.com\""), "the form is empty again");
    assert!(after.contains("<span class=\"aside\">member · "), "the offered role is listed: {after}");
    assert!(
        world.newest_email_text("Bruno@Example.com").await.contains("convite"),
        "the message is in Portuguese"
    );
    let response = owner.get(&acme.path("/invitations")).await.assert_status(200);
    let invitation = &response.body["items"][0];
    assert_eq!(
        (&invitation["email"], &invitation["revoked_at"]),
        (&json!("bruno@example.com"), &json!(null))
    );
    // Until it is accepted, the pending membership shows the e-mail address.
    let members = ana.reader.open_page(&console_path(&acme, "/members")).await;
    assert!(members.contains("bruno@example.com") && members.contains("has not signed in yet"), "{members}");
    let (_, after) = ana.reader.submit_form(&after, "id=\"send-invitation\"", &fields).await;
    assert!(
        after.contains("There is already a pending invitation to this address")
            && after.contains("value=\"Bruno@Example.com\""),
        "{after}"
    );
    let id = invitation["id"].as_str().unwrap();
    world.clock.advance(Lifetime::from_micros(1_000));
    let (_, after) = ana.reader.submit_form(&after, "name=\"withdraw\"", &[("withdraw", id)]).await;
    assert!(after.contains("Invitation revoked.") && after.contains("Revoked on"), "{after}");
    assert!(
        owner.get(&acme.path(&format!("/invitations/{id}"))).await.assert_status(200).body["revoked_at"]
            .is_string()
    );
    let audit_log = owner.get(&acme.path("/audit")).await.assert_status(200);
    let audit_entries =
        audit_log.body["items"].as_array().unwrap().iter().filter(|it| it["subject"]["id"] == *id);
    let audit_entries: Vec<_> =
        audit_entries.map(|it| (it["kind"].clone(), it["actor"]["id"].clone())).collect();
    let by = json!(ana.membership.to_string());
    assert_eq!(audit_entries, [(json!("invitation.sent"), by.clone()), (json!("invitation.revoked"), by)]);
}

async fn console_invitation_errors_are_displayed_beside_their_field_and_input_is_preserved(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/invitations")).await;
    let admin = role_field(world.find_role(&acme, "admin").await);
    let fields = [("action", "invite"), ("email", "no \"address"), (&admin, "on"), ("days", "3")];
    let (_, after) = ana.reader.submit_form(&page, "id=\"send-invitation\"", &fields).await;
    let field = after.split("id=\"email\"").nth(1).unwrap().split("</div>").next().unwrap();
    assert!(
        field.contains("aria-invalid=\"true\"") && field.contains("Enter a valid e-mail address."),
        "{field}"
    );
    assert!(after.contains("value=\"no &#34;address\"") && after.contains("value=\"3\" selected"), "{after}");
    assert!(after.contains(&format!("name=\"{admin}\" value=\"on\" checked")), "{after}");
    let (_, after) = ana
        .reader
        .submit_form(&after, "id=\"send-invitation\"", &[("action", "invite"), ("email", "eve@example.com")])
        .await;
    for days in ["0", "8", "soon"] {
        let fields = [("action", "invite"), ("email", "eve@example.com"), (&admin, "on"), ("days", days)];
        let (_, after) = ana.reader.submit_form(&page, "id=\"send-invitation\"", &fields).await;
        assert!(after.contains("An invitation can be valid for 1 to 7 days"), "{days}: {after}");
    }
    let roles = after.split("<fieldset").nth(1).unwrap().split("</fieldset>").next().unwrap();
    assert!(
        roles.contains("Select at least one role.") && after.contains("value=\"eve@example.com\""),
        "{after}"
    );
    assert_eq!(owner.get(&acme.path("/invitations")).await.assert_status(200).body["items"], json!([]));
}

async fn console_invitation_that_could_not_be_revoked_keeps_the_selected_roles(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let member = role_field(world.find_role(&acme, "member").await);
    let page = ana.reader.open_page(&console_path(&acme, "/invitations")).await;
    let checked_box = format!("name=\"{member}\" value=\"on\" checked");
    assert!(page.contains(&checked_box), "{page}");
    let gone = ana.membership.to_string();
    let (_, after) = ana.reader.submit_form(&page, "id=\"send-invitation\"", &[("withdraw", &gone)]).await;
    assert!(after.contains("This no longer exists") && after.contains(&checked_box), "{after}");
}

async fn console_invitation_resumes_after_step_up(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    world.clock.advance(Lifetime::from_hours(2));
    let page = ana.reader.open_page(&console_path(&acme, "/invitations")).await;
    let member = role_field(world.find_role(&acme, "member").await);
    let fields = [("action", "invite"), ("email", "bruno@example.com"), (&member, "on")];
    let (_, proving) = ana.reader.submit_form(&page, "id=\"send-invitation\"", &fields).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    assert_eq!(
        owner.get(&acme.path("/invitations")).await.assert_status(200).body["items"],
        json!([]),
        "nothing is sent before the step-up"
    );
    // An attacker at an unattended browser does not know the password.
    let (_, proving) = ana
        .reader
        .submit_first_form(&proving, &[("password", "not the password of ana"), ("action", "password")])
        .await;
    assert!(proving.contains("id=\"trouble\""), "{proving}");
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("Invitation sent.") && after.contains("bruno@example.com"), "{after}");
    // It was done once, and no further step-up is needed for some minutes.
    let (_, after) = ana
        .reader
        .submit_form(
            &after,
            "id=\"send-invitation\"",
            &[("action", "invite"), ("email", "carla@example.com"), (&member, "on")],
        )
        .await;
    assert!(after.contains("carla@example.com") && after.contains("Invitation sent."), "{after}");
    let response = owner.get(&acme.path("/invitations")).await.assert_status(200);
    assert_eq!(response.body["items"].as_array().unwrap().len(), 2);
    // Withdrawing needs no step-up.
    world.clock.advance(Lifetime::from_hours(2));
    let id = response.body["items"][0]["id"].as_str().unwrap();
    let page = ana.reader.open_page(&console_path(&acme, "/invitations")).await;
    let (_, after) = ana.reader.submit_form(&page, "name=\"withdraw\"", &[("withdraw", id)]).await;
    assert!(after.contains("Invitation revoked."), "{after}");
}
