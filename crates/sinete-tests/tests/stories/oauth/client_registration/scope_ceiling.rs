//! The most that a self-registered client may request: no limit of its own without a `scope`, its `scope` otherwise,
//! and what the errors say.

use super::{minimal_metadata_with, register_client};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::database::TestEngine;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::OWNER_SCOPE;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_crypto::platform::jwt::JwtType;

const API: &str = "https://notes.example";
const CALLBACK: &str = "http://127.0.0.1/callback";

/// An organization with an API, and a member who may read and write its notes.
struct Office<'w> {
    world: &'w World,
    owner: ApiCaller<'w>,
    browser: BrowserSession,
}

async fn office(world: &World) -> Office<'_> {
    let acme = world.create_organization("acme").await;
    let owner = world.create_member(&acme, &["owner"]).await;
    let owner = world.create_api_key_caller(&acme, owner, &format!("{OWNER_SCOPE} notes:*")).await;
    let text = |permission: &str| json!({"permission": permission, "english": permission});
    let api = json!({
        "identifier": API, "name": "Notes", "default_scope": "notes:read",
        "permissions": [text("notes:read"), text("notes:write"), text("notes:share")],
    });
    owner.create_api(api).await.assert_status(201);
    let role = json!({"name": "author", "permissions": ["notes:read", "notes:write"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let ana = world.create_member(&acme, &["author"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    Office { world, owner, browser }
}

impl<'w> Office<'w> {
    /// A client that registered itself with this `scope`.
    async fn register(&self, scope: Option<&str>) -> OAuthApplication<'w> {
        let registered = register_client(self.world, &minimal_metadata_with(json!({"scope": scope}))).await;
        let registered = registered.assert_status(201);
        assert_eq!(
            registered.body.get("scope").and_then(Value::as_str),
            scope,
            "the scope is echoed or absent"
        );
        OAuthApplication {
            world: self.world,
            id: registered.text_member("client_id").parse().unwrap(),
            secret: None,
            callback: CALLBACK.to_owned(),
        }
    }

    /// Requests the scope at the API: the granted scope, or the description of `invalid_scope`.
    async fn request(&self, app: &OAuthApplication<'_>, scope: Option<&str>) -> Result<String, String> {
        let params = [("resource", Some(API)), ("scope", scope)];
        let response = app.authorize_as_json(Some(&self.browser), &params).await;
        let code = match response.status {
            401 => app.obtain_code_with_consent(&self.browser, &params).await,
            _ => {
                let redirect_params = response.redirect_params();
                let Some(code) = redirect_params.get("code") else {
                    assert_eq!(redirect_params["error"], "invalid_scope", "{redirect_params:?}");
                    return Err(redirect_params["error_description"].clone());
                };
                code.clone()
            }
        };
        let (status, tokens) = app.redeem_code(&code).await;
        assert_eq!(status, 200, "{tokens}");
        let renewed = app.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
        assert_eq!(renewed.0, 200, "{}", renewed.1);
        let claims = self.world.token_claims(tokens["access_token"].as_str().unwrap(), JwtType::Access);
        Ok(claims["scope"].as_str().unwrap().to_owned())
    }

    async fn set_ceiling(&self, value: Value) {
        let path = self.owner.tenant.path("");
        let version = self.owner.get(&path).await.assert_status(200).version();
        let change = json!({"settings": {"registration": {"scope_ceiling": value}}});
        self.owner.patch(&path, version, change).await.assert_status(200);
    }
}

async fn with_consent_ceiling(on: TestEngine) -> World {
    World::start_with_config(on, &[("SINETE_REGISTRATION__SCOPE_CEILING", "consent")]).await
}

both_engines!(
    client_registration_without_scope_has_no_scope_ceiling,
    client_registration_scope_is_a_ceiling_that_organizations_cannot_raise,
    scope_errors_name_the_scope_and_the_accepted_scopes,
    client_that_is_unverified_never_gets_built_in_permissions
);

mod lifted {
    crate::both_engines!(
        crate::stories::oauth::client_registration::scope_ceiling::with_consent_ceiling,
        [client_registration_scope_ceiling_is_raised_by_the_instance_and_restored_by_an_organization]
    );

    use super::client_registration_scope_ceiling_is_raised_by_the_instance_and_restored_by_an_organization;
}

async fn client_registration_without_scope_has_no_scope_ceiling(world: &World) {
    let office = office(world).await;
    let app = office.register(None).await;
    assert_eq!(office.request(&app, None).await.as_deref(), Ok("notes:read"), "the API's default scope");
    for scope in ["openid notes:write", "openid groups roles", "offline_access notes:read"] {
        assert_eq!(office.request(&app, Some(scope)).await.as_deref(), Ok(scope));
    }
    // What the user holds and what the API defines still limit it.
    for scope in ["notes:share", "notes:*", "notes:fly", "files:read"] {
        let error_description = office.request(&app, Some(scope)).await.unwrap_err();
        assert!(error_description.contains(scope), "{error_description}");
    }
}

async fn client_registration_scope_is_a_ceiling_that_organizations_cannot_raise(world: &World) {
    let office = office(world).await;
    let app = office.register(Some("openid notes:read")).await;
    assert_eq!(office.request(&app, Some("openid notes:read")).await.as_deref(), Ok("openid notes:read"));
    let lasting = "openid offline_access notes:read";
    assert_eq!(
        office.request(&app, Some(lasting)).await.as_deref(),
        Ok(lasting),
        "offline_access is always allowed"
    );
    for ceiling in [json!(null), json!("registered"), json!("consent")] {
        office.set_ceiling(ceiling).await;
        for scope in ["notes:read notes:write", "openid email"] {
            assert!(office.request(&app, Some(scope)).await.is_err(), "{scope}");
        }
    }
    // A client that registered no refresh tokens may not ask for offline access.
    let document =
        minimal_metadata_with(json!({"scope": "notes:read", "grant_types": ["authorization_code"]}));
    let registered = register_client(world, &document).await.assert_status(201);
    let id = registered.text_member("client_id").parse().unwrap();
    let brief = OAuthApplication { id, ..app };
    assert!(office.request(&brief, Some("offline_access notes:read")).await.is_err());
}

async fn client_registration_scope_ceiling_is_raised_by_the_instance_and_restored_by_an_organization(
    world: &World,
) {
    let office = office(world).await;
    let app = office.register(Some("openid notes:read")).await;
    let wider_scope = "openid notes:read notes:write";
    assert_eq!(
        office.request(&app, Some(wider_scope)).await.as_deref(),
        Ok(wider_scope),
        "step-up to a further scope"
    );
    assert!(office.request(&app, Some("openid notes:share")).await.is_err(), "the user does not hold it");
    office.set_ceiling(json!("registered")).await;
    let error_description = office.request(&app, Some(wider_scope)).await.unwrap_err();
    assert!(
        error_description.contains("notes:write")
            && error_description.contains("Accepted: openid notes:read."),
        "{error_description}"
    );
    office.set_ceiling(json!(null)).await;
    office.request(&app, Some(wider_scope)).await.unwrap();
    // A client of an organization keeps its ceiling, unlike one that registered itself.
    let client_body = json!({
        "kind": "application",
        "metadata": {"client_name": "Own", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none", "scope": "openid"},
    });
    let created =
        office.owner.post(&office.owner.tenant.path("/clients"), client_body).await.assert_status(201);
    let id = created.text_member("id").parse().unwrap();
    assert!(office.request(&OAuthApplication { id, ..app }, Some("notes:read")).await.is_err());
}

async fn scope_errors_name_the_scope_and_the_accepted_scopes(world: &World) {
    let office = office(world).await;
    let (auth_application, free) =
        (office.register(Some("openid notes:*")).await, office.register(None).await);
    let error_description = office.request(&auth_application, Some("openid email")).await.unwrap_err();
    assert_eq!(
        error_description,
        "The scope email exceeds what the client registered. Accepted: openid notes:*."
    );
    let error_description = office.request(&free, Some("openid mcp")).await.unwrap_err();
    assert!(
        error_description
            .starts_with("The scope contains mcp, which is not known. Accepted: openid profile email"),
        "{error_description}"
    );
    let error_description = office.request(&free, Some("notes:fly")).await.unwrap_err();
    assert!(
        error_description.contains("notes:fly") && error_description.ends_with("by default notes:read."),
        "{error_description}"
    );
    // What the user lacks is named, what the user holds is not.
    let error_description = office.request(&free, Some("notes:read notes:share")).await.unwrap_err();
    assert!(
        error_description.contains("notes:share")
            && !error_description.contains("notes:read")
            && !error_description.contains("notes:write"),
        "{error_description}"
    );
    // Text that is no scope is not repeated.
    let error_description =
        office.request(&free, Some("openid <script>alert(1)</script>")).await.unwrap_err();
    assert!(
        error_description.starts_with("The scope contains a word, which is not known")
            && !error_description.contains("script"),
        "{error_description}"
    );
    let document = minimal_metadata_with(json!({"scope": "openid everything"}));
    let refused = register_client(world, &document).await.assert_oauth_error(400, "invalid_client_metadata");
    assert!(refused.text.contains("everything"), "{}", refused.text);
}

async fn client_that_is_unverified_never_gets_built_in_permissions(world: &World) {
    let office = office(world).await;
    let owner = world.create_member_browser(&office.owner.tenant, office.owner.membership).await;
    let office = Office { browser: owner, ..office };
    let app = office.register(None).await;
    for scope in ["members:read", "organization:read", "instance:read", "openid clients:*"] {
        let params = [("scope", Some(scope))];
        let redirect_params = app.authorize(Some(&office.browser), &params).await.redirect_params();
        assert_eq!(redirect_params["error"], "invalid_scope", "{scope}");
        assert!(
            redirect_params["error_description"].contains("permission of this service"),
            "{redirect_params:?}"
        );
        let document = minimal_metadata_with(json!({"scope": scope}));
        register_client(world, &document).await.assert_oauth_error(400, "invalid_client_metadata");
    }
}
