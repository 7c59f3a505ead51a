//! The arrays `groups` and `roles`: by scope or by the client's setting, in every token and response.

use super::code_flow::claims;
use super::create_trusted_application;
use crate::both_engines;
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    groups_and_roles_scopes_list_the_role_names_in_every_token,
    role_claims_setting_adds_the_arrays_without_their_scopes,
    groups_scope_is_listed_on_the_consent_page_and_refused_beyond_the_registered_scope
);

async fn admin(world: &World) -> (TestOrganization, BrowserSession) {
    let acme = world.create_organization("acme").await;
    let membership = world.create_member(&acme, &["admin", "member"]).await;
    let browser = world.create_member_browser(&acme, membership).await;
    (acme, browser)
}

/// The claims of the ID token, the access token, userinfo, and the introspection of both tokens.
async fn everywhere(app: &OAuthApplication<'_>, tokens: &Value) -> [Value; 5] {
    let (access, refresh) =
        (tokens["access_token"].as_str().unwrap(), tokens["refresh_token"].as_str().unwrap());
    let address = app.world.public_url("/connect/userinfo");
    let userinfo =
        app.world.http.get(address).bearer_auth(access).send().await.unwrap().json().await.unwrap();
    let introspected = async |token: &str| {
        app.post_form("/connect/introspect", &[("token".to_owned(), token.to_owned())]).await.1
    };
    [
        claims(&tokens["id_token"]),
        claims(&tokens["access_token"]),
        userinfo,
        introspected(access).await,
        introspected(refresh).await,
    ]
}

async fn tokens(app: &OAuthApplication<'_>, browser: &BrowserSession, scope: &str) -> Value {
    let (status, tokens) = app.redeem_code(&app.obtain_code(browser, &[("scope", Some(scope))]).await).await;
    assert_eq!(status, 200, "{tokens}");
    tokens
}

async fn groups_and_roles_scopes_list_the_role_names_in_every_token(world: &World) {
    let (_, browser) = admin(world).await;
    let app = create_trusted_application(world, json!({})).await;
    let names = json!(["admin", "member"]);
    for (scope, groups, roles) in [
        ("openid groups roles", Some(&names), Some(&names)),
        ("openid groups", Some(&names), None),
        ("openid roles", None, Some(&names)),
        ("openid", None, None),
    ] {
        let issued = tokens(&app, &browser, scope).await;
        let renewed = app.refresh_tokens(issued["refresh_token"].as_str().unwrap()).await.1;
        for body in [claims(&issued["id_token"])].iter().chain(&everywhere(&app, &renewed).await) {
            assert_eq!((body.get("groups"), body.get("roles")), (groups, roles), "{scope}: {body}");
        }
        assert_eq!(claims(&issued["access_token"])["role"], "admin member", "the string `role` is unchanged");
    }
}

async fn role_claims_setting_adds_the_arrays_without_their_scopes(world: &World) {
    let (acme, browser) = admin(world).await;
    let app = create_trusted_application(world, json!({"role_claims": ["groups"]})).await;
    let issued = tokens(&app, &browser, "openid").await;
    for body in everywhere(&app, &issued).await {
        assert_eq!(
            (body.get("groups"), body.get("roles")),
            (Some(&json!(["admin", "member"])), None),
            "{body}"
        );
    }
    // Introspection lists the roles held now.
    let owner = world.create_owner(&acme).await;
    let roles = owner.get(&acme.path("/roles")).await.assert_status(200).body["items"].clone();
    let role = roles.as_array().unwrap().iter().find(|role| role["name"] == "member").unwrap()["id"].clone();
    let subject = claims(&issued["id_token"])["sub"].as_str().unwrap().to_owned();
    let path = acme.path(&format!("/members/{subject}"));
    let version = owner.get(&path).await.assert_status(200).version();
    owner.put(&format!("{path}/roles"), version, json!({"roles": [role]})).await.assert_status(200);
    let [_, _, userinfo, access, refresh] = everywhere(&app, &issued).await;
    for body in [userinfo, access, refresh] {
        assert_eq!(body["groups"], json!(["member"]), "{body}");
    }
}

async fn groups_scope_is_listed_on_the_consent_page_and_refused_beyond_the_registered_scope(world: &World) {
    let (_, browser) = admin(world).await;
    let app = world.create_application(ClientOrigin::Operator, json!({})).await;
    let response = app.authorize_as_json(Some(&browser), &[("scope", Some("openid groups"))]).await;
    let body: Value = serde_json::from_str(&response.text).unwrap();
    let (id, token) = (body["flow"]["id"].as_str().unwrap(), body["flow"]["token"].as_str().unwrap());
    let walk = world.continue_flow(id, token).await;
    assert_eq!(walk.stage(), "consent");
    let consent_text = walk.last.body["consent"].to_string();
    assert!(consent_text.contains("See your groups in the organization"), "{consent_text}");
    let narrow = create_trusted_application(world, json!({"scope": "openid roles"})).await;
    let refused = narrow.authorize(Some(&browser), &[("scope", Some("openid groups"))]).await;
    refused.assert_error_redirect("invalid_scope");
    narrow.obtain_code(&browser, &[("scope", Some("openid roles"))]).await;
}
