//! E-mail with the operator's branding and templates.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::json;
use std::fs;
use tempfile::TempDir;

/// A server with a broken template for every message of the instance, and working ones for one organization.
async fn with_templates(on: TestEngine) -> World {
    let folder = TempDir::new().unwrap();
    let templates = folder.path().join("mail");
    let organization_folder = templates.join("organizations/acme");
    fs::create_dir_all(&organization_folder).unwrap();
    for (path, text) in [
        (templates.join("message.html"), "{{ unknown_variable }}"),
        (templates.join("message.txt"), "a text without link and code"),
        (templates.join("sign_in.subject"), "Your code is {{ code }}"),
        (templates.join("sign_up.html"), "{% if %}"),
        (organization_folder.join("invitation.subject"), "Bread for {{ organization }}"),
        (
            organization_folder.join("invitation.html"),
            "<b>{{ service }}</b> {{ lead }} <a href=\"{{ link }}\">{{ link_label }}</a>",
        ),
    ] {
        fs::write(path, text).unwrap();
    }
    let path = templates.display().to_string();
    let extra_config = [("SINETE_MAIL_TEMPLATES", path.as_str()), ("SINETE_SCREENS_NAME", "Padaria")];
    World::start_in_folder(folder, on, &extra_config).await
}

both_engines!(
    super::with_templates,
    [
        broken_email_template_does_not_stop_a_sign_in,
        email_template_of_an_organization_is_used_for_its_invitations_only
    ]
);

async fn broken_email_template_does_not_stop_a_sign_in(world: &World) {
    world.create_user("ana@example.com").await;
    let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    let message = world.newest_email_to("ana@example.com").await.unwrap();
    assert_eq!(message.subject, "Sign in to Padaria");
    assert!(message.html.contains("<h1") && message.text.contains("/link?token="), "{}", message.html);
    let code = world.emailed_code("ana@example.com").await;
    let response = walk.submit("code", json!({"code": code})).await.assert_status(200);
    assert_eq!(response.body["stage"], "signed_in");
}

async fn email_template_of_an_organization_is_used_for_its_invitations_only(world: &World) {
    for (slug, is_own) in [("acme", true), ("globex", false)] {
        let tenant = world.create_organization(slug).await;
        let owner = world.create_owner(&tenant).await;
        let roles = owner.get(&tenant.path("/roles")).await.assert_status(200);
        let role = roles.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "member").unwrap();
        let email = format!("ana@{slug}.example");
        let invitation = json!({"email": email, "roles": [role["id"]], "language": "es"});
        owner.post(&tenant.path("/invitations"), invitation).await.assert_status(201);
        let message = world.newest_email_to(&email).await.unwrap();
        assert_eq!(message.subject.starts_with("Bread for "), is_own, "{}", message.subject);
        assert_eq!(message.html.starts_with("<b>"), is_own, "{}", message.html);
        assert!(message.html.contains("Aceptar invitación") && message.text.contains("en Padaria."));
    }
}
