//! Which claims the tokens of an application contain, chosen in its form.

use super::application_conflicts::{changed, filled, registered};
use super::applications::{WEB, with};
use super::role_field;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    console_application_claims_in_tokens_are_chosen_in_its_form,
    console_application_form_without_the_choice_of_claims_changes_none,
    console_application_type_sets_the_claims_of_its_form,
    console_application_page_of_a_service_has_no_settings_of_sign_ins
);

/// The two settings as the API shows them.
fn claims(client: &Value) -> (&Value, &Value) {
    (&client["metadata"]["include_claims_in_id_token"], &client["metadata"]["role_claims"])
}

async fn console_application_claims_in_tokens_are_chosen_in_its_form(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let fields = with(&[("claims", "id_token"), ("role_claims", "groups")]);
    let (id, application_path) = registered(&mut ana, &acme, &fields).await;
    let load = async || owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).body;
    assert_eq!(claims(&load().await), (&json!(true), &json!(["groups"])));
    let one = ana.reader.open_page(&application_path).await;
    for selected_option in ["value=\"id_token\" selected", "value=\"groups\" selected"] {
        assert!(one.contains(selected_option), "{selected_option}: {one}");
    }
    let form_fields = filled(&one);
    let both = [("claims", "id_token"), ("role_claims", "groups roles")];
    let (_, after) = ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &both)).await;
    assert!(after.contains("Application saved."), "{after}");
    assert_eq!(claims(&load().await), (&json!(true), &json!(["groups", "roles"])));
    // What is not one of the choices is refused and changes nothing.
    let (_, refused) = ana
        .reader
        .submit_form(&after, "id=\"save\"", &changed(&form_fields, &[("role_claims", "admin")]))
        .await;
    assert!(!refused.contains("Application saved."), "{refused}");
    assert_eq!(claims(&load().await), (&json!(true), &json!(["groups", "roles"])));
    let none = [("claims", ""), ("role_claims", "")];
    let one = ana.reader.open_page(&application_path).await;
    let (_, after) = ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &none)).await;
    assert!(after.contains("Application saved."), "{after}");
    let client = load().await;
    assert!(!claims(&client).0.as_bool().unwrap_or_default(), "{client}");
    assert!(claims(&client).1.as_array().is_none_or(Vec::is_empty), "{client}");
}

async fn console_application_form_without_the_choice_of_claims_changes_none(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (id, application_path) = registered(&mut ana, &acme, &WEB).await;
    let path = acme.path(&format!("/clients/{id}"));
    let client = owner.get(&path).await.assert_status(200).body;
    assert!(!claims(&client).0.as_bool().unwrap_or_default(), "off by default: {client}");
    let body = json!({"metadata": {"include_claims_in_id_token": true, "role_claims": ["roles"]}});
    owner.patch(&path, 1, body).await.assert_status(200);
    let one = ana.reader.open_page(&application_path).await;
    let form_fields = filled(&one);
    let (_, after) =
        ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &[("name", "New")])).await;
    assert!(after.contains("Application saved."), "{after}");
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!(claims(&client), (&json!(true), &json!(["roles"])));
}

async fn console_application_type_sets_the_claims_of_its_form(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let claim_fields = [("action", "register"), ("claims", "id_token"), ("role_claims", "groups")];
    let web = [("type", "web"), ("name", "Shop"), ("redirects", "https://a.example/cb")];
    let web: Vec<(&str, &str)> = claim_fields.into_iter().chain(web).collect();
    let (id, _) = registered(&mut ana, &acme, &web).await;
    let shop = owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).body;
    assert_eq!(claims(&shop), (&json!(true), &json!(["groups"])));
    // The form of a service does not show the claims of ID tokens, which it never gets.
    let member = role_field(world.find_role(&acme, "member").await);
    let service = [("type", "service"), ("name", "Sync"), (member.as_str(), "on")];
    let service: Vec<(&str, &str)> = claim_fields.into_iter().chain(service).collect();
    let (id, _) = registered(&mut ana, &acme, &service).await;
    let sync = owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).body;
    assert!(!claims(&sync).0.as_bool().unwrap_or_default(), "{sync}");
    assert_eq!(claims(&sync).1, &json!(["groups"]));
}

async fn console_application_page_of_a_service_has_no_settings_of_sign_ins(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let member = role_field(world.find_role(&acme, "member").await);
    let service = [("action", "register"), ("type", "service"), ("name", "Sync"), (member.as_str(), "on")];
    let (_, sync) = registered(&mut ana, &acme, &service).await;
    let (_, ledger) = registered(&mut ana, &acme, &WEB).await;
    // The style sheet hides the fields that the ticked grant types do not need.
    let page = ana.reader.open_page(&sync).await;
    assert!(page.contains("class=\"by-grant\""), "{page}");
    assert!(page.contains("class=\"field of-id-token\"") && page.contains("class=\"field of-redirects\""));
    // Users who may only read see no values of them either.
    let role = json!({"name": "reader", "permissions": ["organization:read", "clients:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut hugo = world.create_console_user(&acme, "hugo@example.com", "reader").await;
    for (path, is_shown) in [(&sync, false), (&ledger, true)] {
        let page = hugo.reader.open_page(path).await;
        for label in ["<dt>Redirect URIs</dt>", "<dt>Claims in the ID token</dt>"] {
            assert_eq!(page.contains(label), is_shown, "{label}: {page}");
        }
        assert!(!page.contains("id=\"save\""), "{page}");
    }
}
