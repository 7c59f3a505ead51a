//! *Try it now* on the console: a test sign-in whose tokens are shown decoded, once, to the administrator who began it.

use super::{ConsoleUser, console_path};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use reqwest::header::LOCATION;
use serde_json::{Value, json};

both_engines!(
    console_test_sign_in_displays_decoded_tokens_and_removes_its_client,
    console_test_sign_in_shows_the_error_of_the_authorization_endpoint,
    console_test_sign_in_of_another_administrator_changes_nothing,
    console_test_sign_in_needs_permission_to_create_and_change_applications,
    console_test_client_that_was_abandoned_is_removed_by_the_next_test
);

async fn create_application(owner: &ApiCaller<'_>, acme: &TestOrganization, extra_metadata: Value) -> String {
    let mut metadata = json!({"client_name": "Ledger", "redirect_uris": ["https://ledger.example/cb"]});
    metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
    let body = json!({"type": "web", "metadata": metadata});
    owner.post(&acme.path("/clients"), body).await.assert_status(201).text_member("id")
}

async fn list_clients(owner: &ApiCaller<'_>, acme: &TestOrganization) -> Vec<Value> {
    let response = owner.get(&acme.path("/clients")).await.assert_status(200);
    response.body["items"].as_array().unwrap().clone()
}

impl ConsoleUser<'_> {
    /// Where a response to this request redirects to.
    async fn redirected(&self, request: reqwest::RequestBuilder) -> String {
        let cookie = format!("sinete_session={}", self.session);
        let answer = request.header("cookie", cookie).header("accept", "text/html").send().await.unwrap();
        let location = answer.headers().get(LOCATION).map(|it| it.to_str().unwrap().to_owned());
        location.unwrap_or_else(|| panic!("{}", answer.status()))
    }

    /// Presses the button of the application's page, and returns the authorization request.
    async fn starts_test(&mut self, page: &str) -> String {
        let html = self.reader.open_page(page).await;
        let form = html.split("id=\"test\"").nth(1).unwrap_or_else(|| panic!("no test: {html}"));
        let csrf = form.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let world = self.reader.world;
        let request = world.http.post(world.public_url(page)).form(&[("csrf", csrf), ("action", "test")]);
        self.redirected(request.header("origin", world.origin())).await
    }

    /// Sends the authorization request, and returns the redirect URI with the response.
    async fn authorizes(&self, request: &str) -> String {
        let world = self.reader.world;
        let path = request.strip_prefix(&world.origin()).unwrap();
        self.redirected(world.http.get(world.public_url(path))).await
    }
}

async fn console_test_sign_in_displays_decoded_tokens_and_removes_its_client(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let extra_metadata = json!({"include_claims_in_id_token": true, "scope": "openid email offline_access"});
    let id = create_application(&owner, &acme, extra_metadata).await;
    let page = console_path(&acme, &format!("/applications/{id}"));
    let request = ana.starts_test(&page).await;
    assert!(
        request.contains("code_challenge_method=S256") && !request.contains("offline_access"),
        "{request}"
    );
    let clients = list_clients(&owner, &acme).await;
    let test = clients.iter().find(|it| it["id"] != id.as_str()).unwrap();
    assert_eq!(
        test["metadata"]["redirect_uris"],
        json!([format!("{}{page}/test", world.origin())]),
        "one exact redirect URI"
    );
    assert_eq!(test["metadata"]["token_endpoint_auth_method"], "none");
    assert_eq!(test["metadata"]["grant_types"], json!(["authorization_code"]));
    let back = ana.authorizes(&request).await;
    assert!(back.contains("code=") && back.contains("/test?"), "{back}");
    let page = ana.reader.open_page(&back).await;
    let claims = page.split("id=\"id-token-claims\">").nth(1).unwrap().split('<').next().unwrap();
    let claims: Value = serde_json::from_str(&claims.replace("&#34;", "\"")).unwrap();
    assert_eq!((&claims["aud"], &claims["email"]), (&test["id"], &json!("ana@example.com")));
    assert!(page.contains("id=\"access-token-claims\""), "{page}");
    // A JWT would begin with these letters.
    assert!(!page.contains("eyJ"), "{page}");
    assert_eq!(list_clients(&owner, &acme).await.len(), 1, "the test client was deleted");
    // It is shown once.
    let reloaded_page = ana.reader.open_page(&back).await;
    assert!(
        reloaded_page.contains("id=\"test-over\"") && !reloaded_page.contains("ana@example.com\""),
        "{reloaded_page}"
    );
    let kinds = super::list_event_kinds(&owner, ana.membership).await;
    assert_eq!(kinds, ["client.created", "client.removed"]);
}

async fn console_test_sign_in_shows_the_error_of_the_authorization_endpoint(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let id = create_application(&owner, &acme, json!({})).await;
    let page = console_path(&acme, &format!("/applications/{id}"));
    let request = ana.starts_test(&page).await;
    let back = ana.authorizes(&format!("{request}&resource=https%3A%2F%2Fno.example")).await;
    let page = ana.reader.open_page(&back).await;
    assert!(page.contains("id=\"test-error\"") && page.contains("invalid_target"), "{page}");
    assert_eq!(list_clients(&owner, &acme).await.len(), 1);
}

async fn console_test_sign_in_of_another_administrator_changes_nothing(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
    let id = create_application(&owner, &acme, json!({})).await;
    let other = create_application(&owner, &acme, json!({"client_name": "Other"})).await;
    let page = console_path(&acme, &format!("/applications/{id}"));
    let request = ana.starts_test(&page).await;
    let back = ana.authorizes(&request).await;
    // Another administrator, another application, another state or issuer.
    let elsewhere = back.replace(&id, &other);
    for address in [elsewhere, back.replace("state=", "state=A"), back.replace("iss=", "iss=x")] {
        let page = ana.reader.open_page(&address).await;
        assert!(page.contains("id=\"test-over\""), "{address}: {page}");
    }
    let page = bia.reader.open_page(&back).await;
    assert!(page.contains("id=\"test-over\""), "{page}");
    assert_eq!(list_clients(&owner, &acme).await.len(), 3, "no client was deleted");
    // A code of another user's sign-in cannot be redeemed: the verifier is not theirs.
    let foreign = bia.authorizes(&request).await;
    let code = |address: &str| address.split("code=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    let injected = ana.reader.open_page(&back.replace(&code(&back), &code(&foreign))).await;
    assert!(!injected.contains("bia@example.com"), "{injected}");
}

async fn console_test_sign_in_needs_permission_to_create_and_change_applications(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let id = create_application(&owner, &acme, json!({})).await;
    let page = console_path(&acme, &format!("/applications/{id}"));
    for (name, permissions) in [
        ("reader", json!(["organization:read", "clients:read"])),
        ("creator", json!(["organization:read", "clients:read", "clients:create"])),
        ("manager", json!(["organization:read", "clients:read", "clients:manage"])),
    ] {
        let role = json!({"name": name, "permissions": permissions});
        owner.post(&acme.path("/roles"), role).await.assert_status(201);
        let mut user = world.create_console_user(&acme, &format!("{name}@example.com"), name).await;
        let html = user.reader.open_page(&page).await;
        assert!(!html.contains("id=\"test\""), "{name}: {html}");
        let csrf = html.split("name=\"csrf\" value=\"").nth(1).map(|it| it.split('"').next().unwrap());
        let fields = [("csrf", csrf.unwrap_or_default()), ("action", "test")];
        user.reader.forge_post(&page, &world.origin(), &fields).await;
        assert_eq!(list_clients(&owner, &acme).await.len(), 1, "{name}");
    }
    // A service has no users.
    let role = world.find_role(&acme, "member").await;
    let service = json!({"type": "service", "roles": [role], "metadata": {"client_name": "Sync"}});
    let service = owner.post(&acme.path("/clients"), service).await.assert_status(201).text_member("id");
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, &format!("/applications/{service}"))).await;
    assert!(!page.contains("id=\"test\""), "{page}");
}

async fn console_test_client_that_was_abandoned_is_removed_by_the_next_test(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let id = create_application(&owner, &acme, json!({})).await;
    let page = console_path(&acme, &format!("/applications/{id}"));
    let first = ana.starts_test(&page).await;
    let second = ana.starts_test(&page).await;
    let (first_client, second_client) = (parameter(&first, "client_id"), parameter(&second, "client_id"));
    assert_ne!(first_client, second_client);
    let clients = list_clients(&owner, &acme).await;
    assert_eq!(clients.len(), 2);
    assert!(clients.iter().any(|it| it["id"] == second_client.as_str()), "{clients:?}");
}

fn parameter(address: &str, name: &str) -> String {
    let after = address.split(&format!("{name}=")).nth(1).unwrap();
    after.split('&').next().unwrap().to_owned()
}
