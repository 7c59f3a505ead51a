//! Scopes of an authorization request. An invalid scope is refused as a whole, before any interaction.

use super::create_trusted_application;
use crate::both_engines;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::{OWNER_SCOPE, TestOrganization};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

const API: &str = "https://invoices.example";

/// An organization with an API, a member who may read its invoices, and a client that may request that.
async fn office(world: &World) -> (TestOrganization, BrowserSession, OAuthApplication<'_>) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let owner =
        world.create_api_key_caller(&acme, owner.membership, &format!("{OWNER_SCOPE} invoices:*")).await;
    let text = |permission: &str, irreversible: bool| json!({"permission": permission, "english": permission, "irreversible": irreversible});
    let api = json!({
        "identifier": API, "name": "Invoices", "default_scope": "invoices:read",
        "permissions": [text("invoices:read", false), text("invoices:write", false), text("invoices:delete", true)],
        "detail_types": {"payment": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}}},
    });
    owner.create_api(api).await.assert_status(201);
    let role = json!({"name": "reader", "permissions": ["invoices:read", "invoices:delete"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let ana = world.create_member(&acme, &["reader"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    let app = create_trusted_application(world, json!({"scope": "openid email invoices:*"})).await;
    (acme, browser, app)
}

/// The result of an authorization request with these parameters.
async fn asks(
    app: &OAuthApplication<'_>,
    browser: &BrowserSession,
    changes: &[(&str, Option<&str>)],
) -> Result<(), String> {
    match app.authorize(Some(browser), changes).await.redirect_params().get("error") {
        None => Ok(()),
        Some(error) => Err(error.clone()),
    }
}

fn refused(error: &str) -> Result<(), String> {
    Err(error.to_owned())
}

both_engines!(
    scope_is_limited_by_client_api_and_user,
    token_is_for_exactly_one_api,
    resource_of_another_organization_is_invalid_target,
    scope_omitted_is_the_registered_default_or_invalid_scope,
    authorization_details_must_match_the_schema_of_the_api,
    json_with_a_duplicate_member_is_refused_in_parameters_and_bodies,
    self_registered_client_is_not_granted_irreversible_permissions
);

async fn scope_is_limited_by_client_api_and_user(world: &World) {
    let (_, browser, app) = office(world).await;
    for (scope, expected) in [
        ("openid invoices:read", Ok(())),
        ("invoices:read", Ok(())),
        ("openid profile", refused("invalid_scope")),
        ("openid files:read", refused("invalid_scope")),
        ("invoices:write", refused("invalid_scope")),
        ("invoices:read invoices:write", refused("invalid_scope")),
        ("invoices:*", refused("invalid_scope")),
        ("invoices:fly", refused("invalid_scope")),
        ("everything", refused("invalid_scope")),
    ] {
        assert_eq!(asks(&app, &browser, &[("scope", Some(scope))]).await, expected, "{scope}");
    }
}

async fn token_is_for_exactly_one_api(world: &World) {
    let (_, browser, _) = office(world).await;
    let app =
        create_trusted_application(world, json!({"scope": "openid organization:read invoices:*"})).await;
    let issuer = world.server.engine().settings().issuer.clone();
    for (scope, resource, expected) in [
        (Some("invoices:read"), Some(API), Ok(())),
        (None, Some(API), Ok(())),
        (Some("openid"), Some(API), Ok(())),
        (Some("invoices:read"), Some("HTTPS://INVOICES.example"), Ok(())),
        (Some("openid"), Some(issuer.as_str()), Ok(())),
        (Some("invoices:read"), Some("https://nowhere.example"), refused("invalid_target")),
        (Some("invoices:read"), Some("not a uri"), refused("invalid_target")),
        (Some("invoices:read"), Some(issuer.as_str()), refused("invalid_scope")),
        (Some("invoices:read organization:read"), None, refused("invalid_target")),
    ] {
        let result = asks(&app, &browser, &[("scope", scope), ("resource", resource)]).await;
        assert_eq!(result, expected, "{scope:?} at {resource:?}");
    }
}

async fn resource_of_another_organization_is_invalid_target(world: &World) {
    let (_, _, app) = office(world).await;
    let globex = world.create_organization("globex").await;
    let hank = world.create_member(&globex, &["owner"]).await;
    let browser = world.create_member_browser(&globex, hank).await;
    assert_eq!(
        asks(&app, &browser, &[("scope", Some("invoices:read")), ("resource", Some(API))]).await,
        refused("invalid_target")
    );
    assert_eq!(asks(&app, &browser, &[("scope", Some("invoices:read"))]).await, refused("invalid_scope"));
}

async fn scope_omitted_is_the_registered_default_or_invalid_scope(world: &World) {
    let (_, browser, app) = office(world).await;
    let silent = create_trusted_application(world, json!({})).await;
    assert_eq!(asks(&silent, &browser, &[("scope", None)]).await, refused("invalid_scope"));
    assert_eq!(
        asks(&app, &browser, &[("scope", None)]).await,
        refused("invalid_scope"),
        "the user does not hold all of it"
    );
    let modest = create_trusted_application(world, json!({"scope": "openid invoices:read"})).await;
    assert_eq!(asks(&modest, &browser, &[("scope", None)]).await, Ok(()));
}

async fn authorization_details_must_match_the_schema_of_the_api(world: &World) {
    let (_, browser, app) = office(world).await;
    let payment = |amount: Value| json!([{"type": "payment", "amount": amount}]).to_string();
    for (details, resource, expected) in [
        (payment(json!(5)), Some(API), Ok(())),
        (payment(json!("five")), Some(API), refused("invalid_authorization_details")),
        (json!([{"type": "planet"}]).to_string(), Some(API), refused("invalid_authorization_details")),
        (json!({"type": "payment"}).to_string(), Some(API), refused("invalid_authorization_details")),
        ("[".to_owned(), Some(API), refused("invalid_authorization_details")),
    ] {
        let changes = [
            ("scope", Some("invoices:read")),
            ("resource", resource),
            ("authorization_details", Some(details.as_str())),
        ];
        // A valid request needs consent, and gets `consent_required` with `prompt=none`.
        let silent = [&changes[..], &[("prompt", Some("none"))]].concat();
        let silently = expected.clone().and(refused("consent_required"));
        assert_eq!(asks(&app, &browser, &silent).await, silently, "{details}");
        if expected.is_ok() {
            app.obtain_code_with_consent(&browser, &changes).await;
        }
    }
    let payment = payment(json!(5));
    let changes = [("scope", Some("openid")), ("authorization_details", Some(payment.as_str()))];
    assert_eq!(
        asks(&app, &browser, &changes).await,
        refused("invalid_authorization_details"),
        "no `resource` names the API"
    );
}

async fn json_with_a_duplicate_member_is_refused_in_parameters_and_bodies(world: &World) {
    let (acme, browser, app) = office(world).await;
    for (details, is_right) in [
        (r#"[{"type":"payment","amount":5}]"#, true),
        (r#"[{"type":"payment","amount":5,"amount":5}]"#, false),
        (r#"[{"type":"payment","amount":5,"amo\u0075nt":5000}]"#, false),
        (r#"[{"type":"payment","type":"payment","amount":5}]"#, false),
        (r#"[{"type":"payment","amount":5,"to":{"iban":"1","iban":"2"}}]"#, false),
    ] {
        let changes = [
            ("scope", Some("invoices:read")),
            ("resource", Some(API)),
            ("authorization_details", Some(details)),
        ];
        let (status, body) = app.push_request(&changes).await;
        assert_eq!(status, if is_right { 201 } else { 400 }, "{details}: {body}");
        let result = asks(&app, &browser, &[&changes[..], &[("prompt", Some("none"))]].concat()).await;
        let error = if is_right { "consent_required" } else { "invalid_authorization_details" };
        assert_eq!((result, is_right || body["error"] == error), (refused(error), true), "{details}: {body}");
    }
    for (claims, status) in [
        (r#"{"userinfo":{"email":null}}"#, 201),
        (r#"{"userinfo":{"email":null,"email":{"essential":true}}}"#, 400),
        (r#"{"userinfo":{"email":null},"userinfo":{}}"#, 400),
    ] {
        assert_eq!(app.push_request(&[("claims", Some(claims))]).await.0, status, "{claims}");
    }
    let owner = world.create_owner(&acme).await;
    let (roles, scim) = (acme.path("/roles"), "/scim/v2/Users");
    for (path, body, status) in [
        (roles.as_str(), r#"{"name":"clerk","permissions":[],"permissions":["members:manage"]}"#, 400),
        (&roles, r#"{"name":"clerk","permissions":["members:read"]}"#, 201),
        (scim, r#"{"userName":"rui","active":false,"active":true}"#, 400),
        (scim, r#"{"userName":"rui","name":{"givenName":"Rui","givenName":"Ana"}}"#, 400),
        (scim, r#"{"userName":"rui","active":true}"#, 201),
        ("/flows", r#"{"kind":"sign_in","session":"token","kind":"sign_up"}"#, 400),
        ("/flows", r#"{"kind":"sign_in","session":"token"}"#, 201),
    ] {
        let kind = if path == scim { "application/scim+json" } else { "application/json" };
        let mut request = world.http.post(world.public_url(path)).header("content-type", kind).body(body);
        if path != "/flows" {
            request = request.bearer_auth(&owner.secret);
        }
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{body}: {}", answer.text().await.unwrap());
    }
}

async fn self_registered_client_is_not_granted_irreversible_permissions(world: &World) {
    let (_, browser, _) = office(world).await;
    let auth_application = world
        .create_application(
            ClientOrigin::DynamicRegistration,
            json!({"scope": "openid invoices:* organization:read"}),
        )
        .await;
    let request_scope = async |scope: &str| {
        asks(&auth_application, &browser, &[("scope", Some(scope)), ("prompt", Some("none"))]).await
    };
    assert_eq!(request_scope("openid invoices:read").await, refused("consent_required"));
    assert_eq!(request_scope("openid invoices:delete").await, refused("access_denied"));
    assert_eq!(request_scope("openid organization:read").await, refused("access_denied"));
}
