//! Forms that the sender may no longer use: the page says that they were refused, and why.

use super::{ConsoleUser, console_path};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::json;

/// Assigns this role to the member, and no other.
async fn becomes(owner: &ApiCaller<'_>, worker: &ConsoleUser<'_>, role: &str, version: i64) {
    let role = owner.world.find_role(&owner.tenant, role).await;
    let path = owner.tenant.path(&format!("/members/{}/roles", worker.membership));
    owner.put(&path, version, json!({"roles": [role.to_string()]})).await.assert_status(200);
}

both_engines!(
    console_form_refused_after_losing_permission_reports_why,
    console_form_refused_for_a_non_owner_or_a_suspended_organization_reports_why
);

async fn console_form_refused_after_losing_permission_reports_why(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let reader = json!({"name": "reader", "permissions": ["organization:read", "roles:read", "members:read", "clients:read"]});
    owner.post(&acme.path("/roles"), reader).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "admin").await;
    let long = "x".repeat(3000);
    let forms = [
        (
            "/roles",
            "id=\"make-now\"",
            vec![("action", "make"), ("name", long.as_str())],
            "Use 1 to 64 lower-case letters",
        ),
        (
            "/applications",
            "id=\"register-now\"",
            vec![("action", "register"), ("kind", "application"), ("name", "")],
            "Enter a name of at most 200 visible characters",
        ),
        (
            "/invitations",
            "id=\"send-invitation\"",
            vec![("action", "invite"), ("email", "nobody")],
            "Enter a valid e-mail address.",
        ),
    ];
    let mut version = 1;
    for (below, button, fields, field_error) in &forms {
        let page_path = console_path(&acme, below);
        let form = ana.reader.open_page(&page_path).await;
        // With the permission, the error is shown beside its field.
        let (_, result_page) = ana.reader.submit_form(&form, button, fields).await;
        assert!(
            result_page.contains(button)
                && !result_page.contains("You do not have the permission to do this."),
            "{below}: {result_page}"
        );
        assert_eq!(
            (result_page.matches("id=\"trouble\"").count(), result_page.contains(field_error)),
            (1, true),
            "{below}: {result_page}"
        );
        becomes(&owner, &ana, "reader", version).await;
        let (status, result_page) = ana.reader.submit_form(&form, button, fields).await;
        assert!(
            status == 200 && !result_page.contains(button) && !result_page.contains(field_error),
            "{below}: {result_page}"
        );
        assert!(
            result_page.contains("You do not have the permission to do this.")
                && result_page.matches("id=\"trouble\"").count() == 1,
            "{below}: {result_page}"
        );
        assert!(!result_page.contains("id=\"lost\""), "there is no form with saved values: {result_page}");
        assert!(
            !ana.reader.open_page(&page_path).await.contains("id=\"trouble\""),
            "the error is displayed once"
        );
        becomes(&owner, &ana, "admin", version + 1).await;
        version += 2;
    }
}

async fn console_form_refused_for_a_non_owner_or_a_suspended_organization_reports_why(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let created = world.create_saml_provider().create_connection(&owner, "acme.example").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (list, one) = (
        console_path(&acme, "/connections"),
        console_path(&acme, &format!("/connections/{}", created["id"].as_str().unwrap())),
    );
    let (form, change) = (ana.reader.open_page(&list).await, ana.reader.open_page(&one).await);
    becomes(&owner, &ana, "admin", 1).await;
    let theirs = "Only owners can connect an identity provider or change its trust settings.";
    let long = "x".repeat(2000);
    let saml =
        [("action", "saml"), ("name", "Acme"), ("metadata", ""), ("subject", "NameID"), ("domains", "")];
    let wrong = [
        ("action", "change"),
        ("name", "Acme"),
        ("metadata", ""),
        ("subject", long.as_str()),
        ("email", "mail"),
        ("full_name", "displayName"),
        ("domains", "acme.example"),
    ];
    let (_, result_page) = ana.reader.submit_form(&form, "id=\"connect-saml-now\"", &saml).await;
    assert!(
        result_page.contains(theirs)
            && !result_page.contains("id=\"connect-saml\"")
            && result_page.matches("id=\"trouble\"").count() == 1,
        "{result_page}"
    );
    let (_, result_page) = ana.reader.submit_form(&change, "id=\"save\"", &wrong).await;
    assert!(
        result_page.contains(theirs)
            && !result_page.contains("change-subject")
            && result_page.matches("id=\"trouble\"").count() == 1,
        "{result_page}"
    );
    // Connecting over OpenID Connect needs an owner too.
    let (_, result_page) = ana
        .reader
        .submit_form(&form, "id=\"connect-open-id-now\"", &[("action", "open_id"), ("name", "")])
        .await;
    assert!(
        result_page.contains(theirs)
            && !result_page.contains("id=\"connect-open-id\"")
            && result_page.matches("id=\"trouble\"").count() == 1,
        "{result_page}"
    );
    error_in_a_field_that_an_admin_may_change_is_shown_beside_it(&mut ana.reader, &change, theirs).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let (_, result_page) = ana
        .reader
        .submit_form(&form, "id=\"connect-open-id-now\"", &[("action", "open_id"), ("name", "")])
        .await;
    assert!(
        result_page.contains("The organization is suspended and cannot be changed")
            && result_page.matches("id=\"trouble\"").count() == 1,
        "{result_page}"
    );
    assert_eq!(
        owner.get(&acme.path("/connections")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

async fn error_in_a_field_that_an_admin_may_change_is_shown_beside_it(
    ana: &mut PageBrowser<'_>,
    change: &str,
    theirs: &str,
) {
    let nameless = [("action", "change"), ("name", ""), ("domains", "acme.example")];
    let (_, result_page) = ana.submit_form(change, "id=\"save\"", &nameless).await;
    assert!(
        !result_page.contains(&format!("<span>{theirs}"))
            && result_page.contains("Enter a name of at most 200 visible characters")
            && result_page.matches("id=\"trouble\"").count() == 1,
        "{result_page}"
    );
}
