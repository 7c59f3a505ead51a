//! Relationships on the console: listed, added and removed as by the API, and a test of access that names the
//! relationships that decide.

use super::console_path;
use super::webhooks::csrf_of;
use crate::both_engines;
use crate::harness::drive_api::DriveApi;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    console_relationships_are_added_filtered_and_removed_as_by_the_api,
    console_access_test_answers_as_the_api_and_names_the_relationships,
    console_relationships_are_only_read_without_the_permission_to_change_them,
    instance_console_relationships_of_an_organization_are_changed_and_tested_by_operators
);

/// The page of the API's relationships.
fn page_of(drive: &DriveApi<'_>) -> String {
    let api = drive.api.rsplit('/').next().unwrap();
    console_path(drive.tenant(), &format!("/apis/{api}/relationships"))
}

/// How many relationships the API lists.
async fn count(drive: &DriveApi<'_>) -> usize {
    let body = drive.books.owner.get(&drive.relationships_path()).await.assert_status(200).body;
    body["items"].as_array().unwrap().len()
}

async fn console_relationships_are_added_filtered_and_removed_as_by_the_api(world: &World) {
    let drive = world.create_drive_api().await;
    let mut ana = world.create_console_user(drive.tenant(), "ana@example.com", "owner").await;
    let page_path = page_of(&drive);
    let api_page = ana.reader.open_page(page_path.trim_end_matches("/relationships")).await;
    assert!(api_page.contains(&format!("href=\"{page_path}\"")), "{api_page}");
    let page = ana.reader.open_page(&page_path).await;
    // The model in words.
    assert!(page.contains("Given to: member, client, role, team#member."), "{page}");
    assert!(page.contains("Everyone with viewer on the folder."), "{page}");
    let fields = [
        ("action", "add"),
        ("object_type", "folder"),
        ("object_id", "plans"),
        ("relation", "viewer"),
        ("subject_type", "team"),
        ("subject_id", "design"),
        ("subject_relation", "member"),
    ];
    let (_, added) = ana.reader.submit_form(&page, "id=\"add-now\"", &fields).await;
    assert!(added.contains("folder:plans") && added.contains("team:design#member"), "{added}");
    assert_eq!(count(&drive).await, 1);
    let results_page = ana.reader.open_page(&format!("{page_path}?object_type=folder&object_id=plans")).await;
    assert!(results_page.contains("team:design#member"), "{results_page}");
    let other = ana.reader.open_page(&format!("{page_path}?object_type=folder&object_id=other")).await;
    assert!(!other.contains("<td role=\"cell\" data-label=\"Subject\"><span>team:design#member"), "{other}");
    // What the model does not allow is reported beside its field, and what was typed stays.
    for (field, wrong, error_id) in
        [("relation", "nothing", "add-relation-error"), ("subject_id", "a b", "add-subject_id-error")]
    {
        let fields = fields.map(|(name, value)| if name == field { (name, wrong) } else { (name, value) });
        let (_, refused) = ana.reader.submit_form(&added, "id=\"add-now\"", &fields).await;
        assert!(refused.contains(&format!("id=\"{error_id}\"")), "{field}: {refused}");
        assert!(refused.contains("value=\"plans\""), "{refused}");
    }
    assert_eq!(count(&drive).await, 1);
    let (_, removed) = ana.reader.submit_form(&added, "value=\"remove\"", &[("action", "remove")]).await;
    assert!(removed.contains("There are no relationships yet."), "{removed}");
    assert_eq!(count(&drive).await, 0);
}

async fn console_access_test_answers_as_the_api_and_names_the_relationships(world: &World) {
    let drive = world.create_drive_api().await;
    let mut ana = world.create_console_user(drive.tenant(), "ana@example.com", "owner").await;
    let joined = format!("team:design member member:{}", ana.membership);
    drive
        .add_relationships(&[
            "document:plan folder folder:plans",
            "folder:plans viewer team:design#member",
            joined.as_str(),
        ])
        .await;
    let page_path = page_of(&drive);
    let test = |subject: String, action: &str, object: &str| {
        format!(
            "{page_path}?test_subject_type=member&test_subject_id={subject}&test_action={action}\
             &test_object_type=document&test_object_id={object}"
        )
    };
    let (subject, subject_ref) = (ana.membership.to_string(), format!("member:{}", ana.membership));
    let allowed = ana.reader.open_page(&test(subject.clone(), "read", "plan")).await;
    let result = allowed.split("id=\"access-test\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(result.contains("Allowed. These relationships give the access"), "{result}");
    let steps = ["document:plan", "folder:plans", "team:design#member", "the tested subject"];
    let places: Vec<usize> = steps.iter().map(|step| result.find(step).unwrap()).collect();
    assert!(places.is_sorted(), "{result}");
    assert!(drive.is_allowed(&subject_ref, "read", "document:plan").await);
    for (subject, action, object, text) in [
        (subject.clone(), "write", "plan", "Not allowed. No relationships lead"),
        (subject.clone(), "read", "other", "Not allowed. No relationships lead"),
        ("nobody".to_owned(), "read", "plan", "Not allowed. No relationships lead"),
        (subject.clone(), "burn", "plan", "objects of this type have no such action"),
    ] {
        let page = ana.reader.open_page(&test(subject.clone(), action, object)).await;
        let subject = format!("member:{subject}");
        let result = page.split("id=\"access-test\"").nth(1).unwrap().split("</section>").next().unwrap();
        assert!(result.contains(text) && !result.contains("<tbody"), "{action}: {result}");
        assert!(!drive.is_allowed(&subject, action, &format!("document:{object}")).await);
    }
}

async fn console_relationships_are_only_read_without_the_permission_to_change_them(world: &World) {
    let drive = world.create_drive_api().await;
    drive.add_relationships(&["document:plan folder folder:plans"]).await;
    let role = json!({"name": "looker", "permissions": ["organization:read", "apis:read"]});
    drive.books.owner.post(&drive.tenant().path("/roles"), role).await.assert_status(201);
    let mut bruno = world.create_console_user(drive.tenant(), "bruno@example.com", "looker").await;
    let page_path = page_of(&drive);
    let page = bruno.reader.open_page(&page_path).await;
    assert!(page.contains("document:plan"), "{page}");
    assert!(!page.contains("id=\"add-now\"") && !page.contains("value=\"remove\""), "{page}");
    let account_page = bruno.reader.open_page("/my-account").await;
    let (csrf, membership_id) = (csrf_of(&account_page), bruno.membership.to_string());
    let forged = [
        ("csrf", csrf.as_str()),
        ("action", "add"),
        ("object_type", "document"),
        ("object_id", "plan"),
        ("relation", "viewer"),
        ("subject_type", "member"),
        ("subject_id", membership_id.as_str()),
    ];
    bruno.reader.forge_post(&page_path, &world.origin(), &forged).await;
    assert_eq!(count(&drive).await, 1);
    // Without the permission to read them there is no page.
    let mut carla = world.create_console_user(drive.tenant(), "carla@example.com", "member").await;
    assert_ne!(carla.reader.open_url(&page_path).await.0, 200);
    let globex = world.create_organization("globex").await;
    let mut bia = world.create_console_user(&globex, "bia@example.com", "owner").await;
    assert_eq!(bia.reader.open_url(&page_path).await.0, 404);
}

async fn instance_console_relationships_of_an_organization_are_changed_and_tested_by_operators(
    world: &World,
) {
    let (operator, api) = world.create_instance_drive_api().await;
    let acme = world.create_organization("acme").await;
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
    let id = api.rsplit('/').next().unwrap();
    let page = ana.reader.open_page(&format!("/instance/apis/{id}")).await;
    assert!(page.contains(&format!("href=\"/instance/apis/{id}/relationships\"")), "{page}");
    let chooser = ana.reader.open_page(&format!("/instance/apis/{id}/relationships?search=acme")).await;
    let page_path = format!("/instance/apis/{id}/organizations/{}/relationships", acme.id);
    assert!(chooser.contains(&format!("href=\"{page_path}\"")), "{chooser}");
    let relationships_path = format!("{api}/organizations/{}/relationships", acme.id);
    let subject = bia.membership.to_string();
    let fields = [
        ("action", "add"),
        ("object_type", "document"),
        ("object_id", "plan"),
        ("relation", "editor"),
        ("subject_type", "member"),
        ("subject_id", subject.as_str()),
    ];
    let page = ana.reader.open_page(&page_path).await;
    let (_, added) = ana.reader.submit_form(&page, "id=\"add-now\"", &fields).await;
    assert!(added.contains("document:plan") && added.contains(&subject), "{added}");
    let body = operator.get(&relationships_path).await.assert_status(200).body;
    assert_eq!(body["items"].as_array().unwrap().len(), 1, "{body}");
    // What the model does not allow is marked beside its field.
    let wrong =
        fields.map(|(name, value)| if name == "relation" { (name, "nothing") } else { (name, value) });
    let (_, refused) = ana.reader.submit_form(&added, "id=\"add-now\"", &wrong).await;
    assert!(refused.contains("id=\"add-relation-error\""), "{refused}");
    let test = format!(
        "{page_path}?test_subject_type=member&test_subject_id={subject}&test_action=share\
         &test_object_type=document&test_object_id="
    );
    let allowed = ana.reader.open_page(&format!("{test}plan")).await;
    assert!(allowed.contains("Allowed. These relationships give the access"), "{allowed}");
    let other = ana.reader.open_page(&format!("{test}other")).await;
    assert!(other.contains("Not allowed. No relationships lead"), "{other}");
    // The organization sees them and changes nothing; the page of the instance does not exist for its members.
    let organization_page =
        bia.reader.open_page(&console_path(&acme, &format!("/apis/{id}/relationships"))).await;
    assert!(
        organization_page.contains("document:plan") && !organization_page.contains("id=\"add-now\""),
        "{organization_page}"
    );
    assert_eq!(bia.reader.open_url(&page_path).await.0, 404);
    let mut owner = world.create_console_user(&operators, "carla@example.com", "owner").await;
    assert_eq!(owner.reader.open_url(&page_path).await.0, 404);
    // An organization that does not exist has no page.
    let nowhere = page_path.replace(&acme.id.to_string(), "nowhere");
    assert_eq!(ana.reader.open_url(&nowhere).await.0, 404);
    let (_, removed) = ana.reader.submit_form(&added, "value=\"remove\"", &[("action", "remove")]).await;
    assert!(removed.contains("There are no relationships yet."), "{removed}");
    let body = operator.get(&relationships_path).await.assert_status(200).body;
    assert_eq!(body["items"].as_array().unwrap().len(), 0, "{body}");
}
