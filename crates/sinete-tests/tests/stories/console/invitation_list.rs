//! Inviting a list of people on the console, and sending an invitation again.

use super::console_path;
use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    console_invitation_list_is_sent_only_when_every_line_is_valid,
    console_invitation_list_needs_the_permission,
    console_invitation_is_sent_again_with_a_new_link,
    invitation_resend_is_refused_for_ended_ones_and_without_permission
);

async fn limited(on: TestEngine) -> World {
    let limits = [("SINETE_RATE_LIMITS_ENABLED", "true"), ("SINETE_RATE_LIMITS_INVITATIONS", "2")];
    World::start_with_config(on, &limits).await
}

mod with_limits {
    use crate::both_engines;
    both_engines!(super::limited, [console_invitation_list_stops_at_the_rate_limit_and_continues]);
    use super::{console_invitation_list_stops_at_the_rate_limit_and_continues, limited};
}

async fn console_invitation_list_is_sent_only_when_every_line_is_valid(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/invitations");
    let page = ana.reader.open_page(&page_path).await;
    let before = world.mailbox.email_count();
    let wrong = "email,roles,language\nbruno@example.com,admin\nnobody,boss,xx\nBRUNO@example.com\n";
    let fields = [("action", "invite_list"), ("list", wrong), ("days", "3")];
    let (_, after) = ana.reader.submit_form(&page, "id=\"send-list\"", &fields).await;
    for sentence in [
        "Nothing was sent.",
        "Line 3:</strong> “nobody” is not an e-mail address.",
        "There is no role “boss” that you can assign.",
        "“xx” is not a language of this service.",
        "Line 4:</strong> The address is already on line 2.",
    ] {
        assert!(after.contains(sentence), "{sentence}: {after}");
    }
    assert!(after.contains("nobody,boss,xx") && after.contains("id=\"invite-list\" open"), "{after}");
    let invitations = owner.get(&acme.path("/invitations")).await.assert_status(200).body;
    assert_eq!(invitations["items"], json!([]));
    let valid_lines = "bruno@example.com,admin member\ncarla@example.com,,pt-BR\n\n李@example.com\n";
    let valid_lines = valid_lines.replace("李@example.com", "li@例え.jp");
    let fields = [("action", "invite_list"), ("list", &valid_lines), ("days", "3")];
    let (_, after) = ana.reader.submit_form(&after, "id=\"send-list\"", &fields).await;
    assert!(after.contains("3 invitations sent.") && !after.contains("already"), "{after}");
    world.deliver_messages().await;
    assert_eq!(world.mailbox.email_count(), before + 3);
    assert!(world.newest_email_text("carla@example.com").await.contains("convite"));
    // The same list again sends nothing.
    let (_, repeated_page) = ana.reader.submit_form(&page, "id=\"send-list\"", &fields).await;
    assert!(repeated_page.contains("0 invitations sent. 3 people were invited already."), "{repeated_page}");
    world.deliver_messages().await;
    assert_eq!(world.mailbox.email_count(), before + 3);
    let (_, empty) = ana
        .reader
        .submit_form(&page, "id=\"send-list\"", &[("action", "invite_list"), ("list", " \n")])
        .await;
    assert!(empty.contains("The list is empty."), "{empty}");
    let audit_log = owner.get(&acme.path("/audit?kind=invitation.sent")).await.assert_status(200).body;
    assert_eq!(audit_log["items"].as_array().unwrap().len(), 3);
}

async fn console_invitation_list_stops_at_the_rate_limit_and_continues(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/invitations")).await;
    let people = "a@example.com\nb@example.com\nc@example.com\n";
    let fields = [("action", "invite_list"), ("list", people), ("days", "1")];
    let (_, after) = ana.reader.submit_form(&page, "id=\"send-list\"", &fields).await;
    assert!(after.contains("2 invitations sent.") && after.contains("It stopped at line 3"), "{after}");
    assert!(after.contains("c@example.com"), "the list is kept: {after}");
    world.clock.advance(Lifetime::from_minutes(2));
    let (_, after) = ana.reader.submit_form(&after, "id=\"send-list\"", &fields).await;
    assert!(after.contains("1 invitation sent. 2 people were invited already."), "{after}");
}

async fn console_invitation_list_needs_the_permission(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let page_path = console_path(&acme, "/invitations");
    let page = rita.reader.open_page(&page_path).await;
    assert!(!page.contains("invite_list") && !page.contains("name=\"resend\""), "{page}");
    let account_page = rita.reader.open_page("/my-account").await;
    let csrf =
        account_page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let fields = [("csrf", csrf.as_str()), ("action", "invite_list"), ("list", "eve@example.com")];
    rita.reader.forge_post(&page_path, &world.origin(), &fields).await;
    // An administrator cannot give away what they may not assign.
    let mut adam = world.create_console_user(&acme, "adam@example.com", "admin").await;
    let page = adam.reader.open_page(&page_path).await;
    let fields = [("action", "invite_list"), ("list", "eve@example.com,owner")];
    let (_, after) = adam.reader.submit_form(&page, "id=\"send-list\"", &fields).await;
    assert!(after.contains("There is no role “owner” that you can assign."), "{after}");
    let invitations = owner.get(&acme.path("/invitations")).await.assert_status(200).body;
    assert_eq!(invitations["items"], json!([]));
}

async fn console_invitation_is_sent_again_with_a_new_link(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = world.find_role(&acme, "member").await.to_string();
    let invitation = json!({"email": "bruno@example.com", "roles": [role]});
    let response = owner.post(&acme.path("/invitations"), invitation).await.assert_status(201);
    let (old, membership) = (response.text_member("id"), response.text_member("membership"));
    world.deliver_messages().await;
    let before = world.mailbox.emails_to("bruno@example.com").len();
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, "/invitations")).await;
    world.clock.advance(Lifetime::from_seconds(1));
    let (_, after) = ana.reader.submit_form(&page, "name=\"resend\"", &[("resend", &old)]).await;
    assert!(after.contains("Invitation sent.") && after.contains("Revoked on"), "{after}");
    world.deliver_messages().await;
    assert_eq!(world.mailbox.emails_to("bruno@example.com").len(), before + 1);
    let invitations = owner.get(&acme.path("/invitations")).await.assert_status(200).body;
    let items = invitations["items"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!((&items[1]["membership"], &items[1]["revoked_at"]), (&json!(membership), &json!(null)));
    assert!(items[0]["revoked_at"].is_string());
    // An expired one can be sent again too.
    world.clock.advance(Lifetime::from_days(2));
    let new = items[1]["id"].as_str().unwrap();
    let resend_response = owner.post(&acme.path(&format!("/invitations/{new}/resend")), json!(null)).await;
    assert_eq!(resend_response.assert_status(200).body["membership"], json!(membership));
}

async fn invitation_resend_is_refused_for_ended_ones_and_without_permission(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = world.find_role(&acme, "member").await.to_string();
    let invitation = json!({"email": "bruno@example.com", "roles": [role]});
    let id = owner.post(&acme.path("/invitations"), invitation).await.assert_status(201).text_member("id");
    let path = acme.path(&format!("/invitations/{id}/resend"));
    let reader = world.create_member(&acme, &["member"]).await;
    let reader = world.create_api_key_caller(&acme, reader, "organization:read").await;
    reader.post(&path, json!(null)).await.assert_problem(403, "insufficient_scope");
    let globex = world.create_organization("globex").await;
    let api_caller = world.create_owner(&globex).await;
    let theirs = globex.path(&format!("/invitations/{id}/resend"));
    api_caller.post(&theirs, json!(null)).await.assert_problem(404, "not_found");
    owner.delete(&acme.path(&format!("/invitations/{id}")), None).await.assert_status(204);
    owner.post(&path, json!(null)).await.assert_problem(404, "not_found");
}
