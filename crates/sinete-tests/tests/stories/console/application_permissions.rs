//! Applications on the console while permissions are removed.

use super::application_conflicts::{changed, filled, registered};
use super::applications::{WEB, within};
use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::client_id::ClientId;
use sinete_core::limits::CLIENT_SECRETS_MAX;
use sinete_store::WriteBatch;
use sinete_store::oauth::clients;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

both_engines!(
    console_application_form_after_losing_permission_has_current_values,
    console_application_secret_is_displayed_to_a_manager_without_read_permission,
    console_application_secret_during_a_concurrent_change_reports_the_conflict
);

async fn console_application_form_after_losing_permission_has_current_values(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (_, application_path) = registered(&mut ana, &acme, &WEB).await;
    let one = ana.reader.open_page(&application_path).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let form_fields = filled(&one);
    let changes =
        [("redirects", "https://typed.example/cb"), ("scope", "openid phone"), ("grant.device", "on")];
    let (_, after) = ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &changes)).await;
    assert!(
        after.contains("The organization is suspended and cannot be changed")
            && !after.contains("id=\"save\""),
        "{after}"
    );
    assert!(after.contains("https://ledger.example/cb") && after.contains("openid email"), "{after}");
    for unsaved_value in ["https://typed.example/cb", "phone", "a code that a device shows"] {
        assert!(!after.contains(unsaved_value), "{unsaved_value}: {after}");
    }
}

async fn console_application_secret_is_displayed_to_a_manager_without_read_permission(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let keeper =
        json!({"name": "keeper", "permissions": ["organization:read", "members:read", "clients:manage"]});
    owner.post(&acme.path("/roles"), keeper).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (id, application_path) = registered(&mut ana, &acme, &WEB).await;
    let mut kai = world.create_console_user(&acme, "kai@example.com", "keeper").await;
    let list = kai.reader.open_page(&console_path(&acme, &format!("/members/{}", kai.membership))).await;
    let csrf = list.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(kai.reader.open_url(&application_path).await.0, 403);
    let fields = [("csrf", csrf), ("once", "abcdefghijklmnop"), ("action", "add_secret"), ("overlap", "0")];
    let (status, page) = kai.reader.forge_post(&application_path, &world.origin(), &fields).await;
    assert!(status == 200 && page.contains("Ledger"), "{page}");
    let secret = within(&page, "secret");
    let request_builder = world
        .http
        .post(world.public_url("/connect/introspect"))
        .basic_auth(&id, Some(secret))
        .form(&[("token", "x")]);
    assert_eq!(
        request_builder.send().await.unwrap().status().as_u16(),
        200,
        "the displayed secret is the valid one"
    );
}

async fn console_application_secret_during_a_concurrent_change_reports_the_conflict(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let form = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &WEB).await;
    let id = within(&created_page, "client-id").to_owned();
    let (path, store) = (acme.path(&format!("/clients/{id}/secrets")), world.server.engine().store().clone());
    // The client's verification changes between reading its secrets and storing the new one.
    let (is_next, client) = (Arc::new(AtomicBool::new(false)), id.parse::<ClientId>().unwrap());
    let (turn, meddler) = (Arc::clone(&is_next), store.clone());
    store.set_query_observer(move |statement| {
        if statement == "client_secrets.of_client" && turn.swap(false, Ordering::SeqCst) {
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(async {
                    let client_row = clients::find_client(&meddler, &client).await.unwrap().unwrap();
                    let vouched = WriteBatch::new().with_statement(clients::set_client_verified(
                        &client,
                        client_row.version,
                        None,
                    ));
                    meddler.commit(vouched).await.unwrap().into_result().unwrap();
                })
            });
        }
    });
    is_next.store(true, Ordering::SeqCst);
    owner.post(&path, json!({})).await.assert_problem(412, "precondition_failed");
    let one = ana.reader.open_page(&console_path(&acme, &format!("/applications/{id}"))).await;
    is_next.store(true, Ordering::SeqCst);
    let (_, after) = ana.reader.submit_form(&one, "id=\"add-secret\"", &[("action", "add_secret")]).await;
    assert!(
        after.contains("This was changed in the meantime.")
            && !after.contains("reached the limit of secrets"),
        "{after}"
    );
    // If there really are too many secrets, the error says that.
    for _ in 1..CLIENT_SECRETS_MAX {
        owner.post(&path, json!({})).await.assert_status(201);
    }
    owner.post(&path, json!({})).await.assert_problem(409, "conflict");
    let (_, after) = ana.reader.submit_form(&after, "id=\"add-secret\"", &[("action", "add_secret")]).await;
    assert!(after.contains("reached the limit of secrets"), "{after}");
}
