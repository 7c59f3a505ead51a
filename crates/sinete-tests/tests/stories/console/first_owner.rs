//! The page of an organization for operators: its first owner is invited, and invited again, until a user joins.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    instance_console_invites_the_first_owner_until_a_user_joins,
    instance_console_explains_the_built_in_organizations
);

async fn instance_console_invites_the_first_owner_until_a_user_joins(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let acme = world.create_organization("acme").await;
    let path = format!("/instance/organizations/{}", acme.id);
    let page = ana.reader.open_page(&path).await;
    assert!(page.contains("No owner is invited yet.") && page.contains("sinete admin assign"), "{page}");
    let fields = [("action", "invite_owner"), ("email", "joao@example.com")];
    let (_, first_page) = ana.reader.submit_form(&page, "id=\"invite_owner-now\"", &fields).await;
    assert!(
        first_page.contains("Invitation sent.") && first_page.contains("was sent to joao@example.com"),
        "{first_page}"
    );
    assert!(first_page.contains("Pending"), "{first_page}");
    // A wrong address is replaced.
    let fields = [("action", "invite_owner"), ("email", "bia@example.com")];
    let (_, second_page) = ana.reader.submit_form(&first_page, "id=\"invite_owner-now\"", &fields).await;
    assert!(
        second_page.contains("was sent to bia@example.com") && !second_page.contains("joao@example.com"),
        "{second_page}"
    );
    world.create_owner(&acme).await;
    let joined = ana.reader.open_page(&path).await;
    assert!(!joined.contains("id=\"invite_owner-now\"") && !joined.contains("bia@example.com"), "{joined}");
    let (_, refused) = ana.reader.submit_form(&second_page, "id=\"invite_owner-now\"", &fields).await;
    assert!(refused.contains("A user has joined this organization."), "{refused}");
    assert_eq!(world.count_events("invitation.sent").await, 2);
}

async fn instance_console_explains_the_built_in_organizations(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let home = world.find_organization("home").await;
    let page = ana.reader.open_page(&format!("/instance/organizations/{}", home.id)).await;
    assert!(page.contains("Home is built in") && !page.contains("id=\"invite_owner-now\""), "{page}");
    let page = ana.reader.open_page(&format!("/instance/organizations/{}", operators.id)).await;
    assert!(page.contains("administer the instance") && !page.contains("id=\"invite_owner-now\""), "{page}");
    let operator = world.create_operator().await;
    operator
        .post("/manage/first-owners/home", json!({"email": "eva@example.com"}))
        .await
        .assert_problem(404, "not_found");
}
