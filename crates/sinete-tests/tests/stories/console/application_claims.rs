//! Which claims the tokens of an application contain, chosen in its form.

use super::application_conflicts::{changed, filled, registered};
use super::applications::{WEB, with};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};

both_engines!(
    console_application_claims_in_tokens_are_chosen_in_its_form,
    console_application_form_without_the_choice_of_claims_changes_none
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
    let (id, here) = registered(&mut ana, &acme, &fields).await;
    let load = async || owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).body;
    assert_eq!(claims(&load().await), (&json!(true), &json!(["groups"])));
    let one = ana.reader.open_page(&here).await;
    for chosen in ["value=\"id_token\" selected", "value=\"groups\" selected"] {
        assert!(one.contains(chosen), "{chosen}: {one}");
    }
    let shown = filled(&one);
    let both = [("claims", "id_token"), ("role_claims", "groups roles")];
    let (_, after) = ana.reader.submit_form(&one, "id=\"save\"", &changed(&shown, &both)).await;
    assert!(after.contains("Application saved."), "{after}");
    assert_eq!(claims(&load().await), (&json!(true), &json!(["groups", "roles"])));
    // What is not one of the choices is refused and changes nothing.
    let (_, refused) =
        ana.reader.submit_form(&after, "id=\"save\"", &changed(&shown, &[("role_claims", "admin")])).await;
    assert!(!refused.contains("Application saved."), "{refused}");
    assert_eq!(claims(&load().await), (&json!(true), &json!(["groups", "roles"])));
    let none = [("claims", ""), ("role_claims", "")];
    let one = ana.reader.open_page(&here).await;
    let (_, after) = ana.reader.submit_form(&one, "id=\"save\"", &changed(&shown, &none)).await;
    assert!(after.contains("Application saved."), "{after}");
    let client = load().await;
    assert!(!claims(&client).0.as_bool().unwrap_or_default(), "{client}");
    assert!(claims(&client).1.as_array().is_none_or(Vec::is_empty), "{client}");
}

async fn console_application_form_without_the_choice_of_claims_changes_none(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (id, here) = registered(&mut ana, &acme, &WEB).await;
    let path = acme.path(&format!("/clients/{id}"));
    let client = owner.get(&path).await.assert_status(200).body;
    assert!(!claims(&client).0.as_bool().unwrap_or_default(), "off by default: {client}");
    let wanted = json!({"metadata": {"include_claims_in_id_token": true, "role_claims": ["roles"]}});
    owner.patch(&path, 1, wanted).await.assert_status(200);
    let one = ana.reader.open_page(&here).await;
    let shown = filled(&one);
    let (_, after) = ana.reader.submit_form(&one, "id=\"save\"", &changed(&shown, &[("name", "New")])).await;
    assert!(after.contains("Application saved."), "{after}");
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!(claims(&client), (&json!(true), &json!(["roles"])));
}
