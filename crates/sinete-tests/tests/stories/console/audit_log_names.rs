//! The audit log names what it refers to: applications, domains, API keys and members, on the page and in the files.

use super::audit_log_filters::sign_in;
use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    console_audit_log_names_applications_domains_and_api_keys,
    audit_log_hides_member_names_without_permission_and_names_no_foreign_api_keys,
);

async fn console_audit_log_names_applications_domains_and_api_keys(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let origin = ClientOrigin::Organization(acme.id);
    let app = world.create_application(origin, json!({"client_name": "Intranet"})).await;
    sign_in(world, &acme, bruno, app.id.as_str(), "192.0.2.7").await;
    owner.post(&acme.path("/domains"), json!({"domain": "acme.example"})).await.assert_status(201);
    let role = async |name| json!([world.find_role(&acme, name).await.to_string()]);
    let invitation = json!({"email": "dora@example.com", "roles": role("member").await});
    let invitation = owner.post(&acme.path("/invitations"), invitation).await.assert_status(201).body;
    let dora = format!("/members/{}", invitation["membership"].as_str().unwrap());
    let admin = json!({"roles": role("admin").await});
    owner.put(&acme.path(&format!("{dora}/roles")), 1, admin).await.assert_status(200);
    let audit_log = ana.reader.open_page(&console_path(&acme, "/audit-log")).await;
    let invited = "Invitation sent: dora@example.com";
    for name in ["Access granted to an application: Intranet", "Domain added: acme.example", invited] {
        assert!(audit_log.contains(name), "{name}: {audit_log}");
    }
    // The API key by which the domain was added.
    assert!(audit_log.contains("an API key: a story&#39;s"), "{audit_log}");
    // The file has the names beside the ids, and the columns before them are as they were.
    let file = owner.get(&acme.path("/audit?format=csv&sign_ins=include")).await.assert_status(200).text;
    assert!(file.starts_with("id,at,kind,actor_kind,actor_id,subject_kind,subject_id,reason,"), "{file}");
    let header = file.lines().next().unwrap();
    assert!(header.ends_with(",user_agent,actor_name,subject_name"), "{header}");
    let signed = file.lines().find(|line| line.contains("grant.given")).unwrap();
    assert!(signed.ends_with(",Intranet") && signed.contains(app.id.as_str()), "{signed}");
    let added = file.lines().find(|line| line.contains("domain.added")).unwrap();
    assert!(added.ends_with(",a story's,acme.example"), "{added}");
    let lines = owner.get(&acme.path("/audit?format=jsonl&sign_ins=include")).await.assert_status(200).text;
    let name = |kind: &str| -> Value {
        let line = lines.lines().find(|line| line.contains(kind)).unwrap();
        let read: Value = serde_json::from_str(line).unwrap();
        json!([read["actor_name"], read["subject_name"]])
    };
    assert_eq!(name("domain.added"), json!(["a story's", "acme.example"]));
    assert_eq!(name("grant.given")[1], "Intranet");
    // Who has no name yet is called by the address.
    assert_eq!(name("invitation.sent")[1], "dora@example.com");
    assert_eq!(name("membership.roles_changed")[1], "dora@example.com");
}

async fn audit_log_hides_member_names_without_permission_and_names_no_foreign_api_keys(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let path = acme.path(&format!("/members/{bruno}"));
    owner.patch(&path, 1, json!({"profile": {"name": "Bruno Lima"}})).await.assert_status(200);
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "a ticket").await;
    operator.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    let roles = [world.find_role(&acme, "member").await.to_string()];
    let invitation = json!({"email": "dora@example.com", "roles": roles});
    owner.post(&acme.path("/invitations"), invitation).await.assert_status(201);
    let role = json!({"name": "auditor", "permissions": ["organization:read", "audit:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let file = owner.get(&acme.path("/audit?format=csv")).await.assert_status(200).text;
    assert!(file.contains(",Bruno Lima"), "{file}");
    // The operator is a stranger: the reason is that of the assignment, and the key has no name here.
    let by_operator =
        file.lines().find(|line| line.contains("role.created") && line.contains("clerk")).unwrap();
    assert!(by_operator.contains("a ticket") && by_operator.ends_with(",,clerk"), "{by_operator}");
    let carol = world.create_member(&acme, &["auditor"]).await;
    let auditor = world.create_api_key_caller(&acme, carol, "audit:read").await;
    let file = auditor.get(&acme.path("/audit?format=csv")).await.assert_status(200).text;
    assert!(file.contains("member") && !file.contains(",Bruno Lima"), "{file}");
    assert!(file.contains("invitation.sent") && !file.contains("dora@example.com"), "{file}");
    let name = "_name\":\"Bruno Lima\"";
    let lines = owner.get(&acme.path("/audit?format=jsonl")).await.assert_status(200).text;
    assert!(lines.contains(name), "{lines}");
    let lines = auditor.get(&acme.path("/audit?format=jsonl")).await.assert_status(200).text;
    assert!(lines.contains("\"actor_name\":null") && !lines.contains(name), "{lines}");
}
