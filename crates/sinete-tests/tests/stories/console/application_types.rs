//! Applications registered on the console by what they are: the settings follow from the type, as in the management API.

use super::applications::within;
use super::{console_path, role_field};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    console_application_is_registered_by_its_type,
    console_application_type_decides_which_fields_are_used,
    console_application_type_needs_the_permission_of_its_kind
);

async fn console_application_is_registered_by_its_type(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let applications_path = console_path(&acme, "/applications");
    for (name, method) in [("web", "client_secret_basic"), ("spa", "none"), ("native", "none")] {
        let form = ana.reader.open_page(&applications_path).await;
        assert!(form.contains("For members of "), "{form}");
        let fields = [
            ("action", "register"),
            ("type", name),
            ("name", name),
            ("redirects", "http://127.0.0.1/callback"),
        ];
        let (status, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &fields).await;
        assert_eq!(
            (status, created_page.contains("id=\"secret\"")),
            (200, method != "none"),
            "{created_page}"
        );
    }
    let client_list = owner.get(&acme.path("/clients")).await.assert_status(200).body;
    for client in client_list["items"].as_array().unwrap() {
        let metadata = &client["metadata"];
        assert_eq!(metadata["consent"], "ask_for_permissions", "{client}");
        assert_eq!(metadata["scope"], "openid profile email");
        let is_public = metadata["token_endpoint_auth_method"] == "none";
        assert_eq!(is_public, metadata["client_name"] != "web", "{client}");
    }
    assert_eq!(client_list["items"].as_array().unwrap().len(), 3);
}

async fn console_application_type_decides_which_fields_are_used(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let applications_path = console_path(&acme, "/applications");
    let member = role_field(world.find_role(&acme, "member").await);
    let form = ana.reader.open_page(&applications_path).await;
    // What the form hides for a web application is ignored.
    let hidden = [("proof", "none"), ("grant.own", "on"), ("scope", ""), (member.as_str(), "on")];
    let web = [("action", "register"), ("type", "web"), ("name", "Shop")];
    let without: Vec<(&str, &str)> = web.into_iter().chain(hidden).collect();
    let (_, refused) = ana.reader.submit_form(&form, "id=\"register-now\"", &without).await;
    assert!(refused.contains("needs 1 to 20 redirect URIs"), "{refused}");
    assert!(refused.contains("value=\"web\" checked") && refused.contains("value=\"Shop\""), "{refused}");
    let complete_fields: Vec<(&str, &str)> =
        without.into_iter().chain([("redirects", "https://a.example/cb")]).collect();
    let (_, created_page) = ana.reader.submit_form(&refused, "id=\"register-now\"", &complete_fields).await;
    let client = async |id: &str| -> Value {
        owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).body
    };
    let shop = client(within(&created_page, "client-id")).await;
    assert_eq!(shop["metadata"]["grant_types"], json!(["authorization_code", "refresh_token"]));
    assert_eq!(shop["metadata"]["token_endpoint_auth_method"], "client_secret_basic");
    // A service gets its role, and no redirect URI.
    let form = ana.reader.open_page(&applications_path).await;
    let service = [
        ("action", "register"),
        ("type", "service"),
        ("name", "Sync"),
        ("redirects", "https://a.example/cb"),
        (member.as_str(), "on"),
    ];
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &service).await;
    let sync = client(within(&created_page, "client-id")).await;
    assert_eq!(
        (&sync["kind"], &sync["metadata"]["grant_types"]),
        (&json!("service"), &json!(["client_credentials"]))
    );
    assert!(sync["metadata"].get("redirect_uris").is_none(), "{sync}");
    let (_, refused) = ana
        .reader
        .submit_form(
            &form,
            "id=\"register-now\"",
            &[("action", "register"), ("type", "robot"), ("name", "x")],
        )
        .await;
    assert!(refused.contains("role=\"alert\""), "{refused}");
}

async fn console_application_type_needs_the_permission_of_its_kind(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let permissions = json!(["organization:read", "clients:read", "agents:manage"]);
    let role = json!({"name": "helper", "permissions": permissions});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut hugo = world.create_console_user(&acme, "hugo@example.com", "helper").await;
    let form = hugo.reader.open_page(&console_path(&acme, "/applications")).await;
    assert!(form.contains("value=\"agent\"") && !form.contains("value=\"web\""), "{form}");
    let web =
        [("action", "register"), ("type", "web"), ("name", "Shop"), ("redirects", "https://a.example/cb")];
    hugo.reader.submit_form(&form, "id=\"register-now\"", &web).await;
    let client_list = owner.get(&acme.path("/clients")).await.assert_status(200).body;
    assert_eq!(client_list["items"], json!([]));
}
