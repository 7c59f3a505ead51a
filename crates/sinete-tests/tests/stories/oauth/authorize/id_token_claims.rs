//! The claims of ID tokens about the user: by the client's setting, and the same ones after a refresh.

use super::code_flow::claims;
use super::create_trusted_application;
use super::flows::{EMAIL, ana, browser};
use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use crate::stories::accounts::picture::png;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::id::AccountId;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::{JsonDocument, accounts};

const BY_NAME: &str = r#"{"id_token":{"nickname":null,"email":{"essential":true}}}"#;

both_engines!(
    id_token_contains_scope_claims_by_the_clients_setting_only,
    id_token_contains_the_url_of_the_picture_that_the_user_set,
    refreshed_id_token_contains_the_scope_claims_with_current_values,
    refreshed_id_token_contains_the_claims_requested_by_name,
    client_registration_can_request_claims_in_id_tokens_and_defaults_to_none
);

async fn set_profile(world: &World, account: AccountId, profile: Value) {
    let account_row = accounts::find_account(world.server.engine().store(), account).await.unwrap().unwrap();
    let document = JsonDocument::from_value(&profile).unwrap();
    world.apply_statements([accounts::change_account_profile(&account_row, &document, None)]).await;
}

/// The claims of the refreshed ID token, and the next refresh token.
async fn refresh(app: &OAuthApplication<'_>, refresh_token: &Value) -> (Value, Value) {
    let (status, tokens) = app.refresh_tokens(refresh_token.as_str().unwrap()).await;
    assert_eq!(status, 200, "{tokens}");
    (claims(&tokens["id_token"]), tokens["refresh_token"].clone())
}

async fn id_token_contains_scope_claims_by_the_clients_setting_only(world: &World) {
    let (_, ana) = ana(world).await;
    set_profile(world, ana.account, json!({"given_name": "Ana", "family_name": "Souza"})).await;
    let (browser, params) = (browser(&ana), [("scope", Some("openid profile email"))]);
    let plain = create_trusted_application(world, json!({})).await;
    let tokens = plain.redeem_code(&plain.obtain_code(&browser, &params).await).await.1;
    let id_token = claims(&tokens["id_token"]);
    for claim in ["name", "given_name", "email", "org", "role"] {
        assert!(id_token.get(claim).is_none(), "{claim}: {id_token}");
    }
    let app = create_trusted_application(world, json!({"include_claims_in_id_token": true})).await;
    let tokens = app.redeem_code(&app.obtain_code(&browser, &params).await).await.1;
    let id_token = claims(&tokens["id_token"]);
    assert_eq!((&id_token["name"], &id_token["given_name"]), (&json!("Ana Souza"), &json!("Ana")));
    assert_eq!((&id_token["email"], &id_token["email_verified"]), (&json!(EMAIL), &json!(true)));
    // The setting adds the claims of granted scopes, and nothing else.
    for claim in ["org", "role", "phone_number", "address", "groups", "roles"] {
        assert!(id_token.get(claim).is_none(), "{claim}: {id_token}");
    }
    let narrow = app.redeem_code(&app.obtain_code(&browser, &[]).await).await.1;
    assert!(["name", "email"].iter().all(|claim| claims(&narrow["id_token"]).get(*claim).is_none()));
}

async fn id_token_contains_the_url_of_the_picture_that_the_user_set(world: &World) {
    let (_, ana) = ana(world).await;
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let version = user.get("/account").await.assert_status(200).version();
    let body = Some(json!({"data": STANDARD.encode(png(8, 8, 100))}));
    let request = ApiRequest { body, if_match: Some(version), ..ApiRequest::default() };
    user.send_request(Method::PUT, "/account/picture", request).await.assert_status(200);
    let app = create_trusted_application(world, json!({"include_claims_in_id_token": true})).await;
    let params = [("scope", Some("openid profile"))];
    let tokens = app.redeem_code(&app.obtain_code(&browser(&ana), &params).await).await.1;
    let url = claims(&tokens["id_token"])["picture"].as_str().unwrap().to_owned();
    assert_eq!(world.http.get(&url).send().await.unwrap().status(), 200, "{url}");
}

async fn refreshed_id_token_contains_the_scope_claims_with_current_values(world: &World) {
    let (_, ana) = ana(world).await;
    set_profile(world, ana.account, json!({"name": "Ana Souza"})).await;
    let app = create_trusted_application(world, json!({"include_claims_in_id_token": true})).await;
    let params = [("scope", Some("openid profile email")), ("nonce", Some("n-0S6_WzA2Mj"))];
    let tokens = app.redeem_code(&app.obtain_code(&browser(&ana), &params).await).await.1;
    let first = claims(&tokens["id_token"]);
    assert_eq!((&first["name"], &first["nonce"]), (&json!("Ana Souza"), &json!("n-0S6_WzA2Mj")));
    let (second, token) = refresh(&app, &tokens["refresh_token"]).await;
    assert_eq!((&second["name"], &second["email"]), (&json!("Ana Souza"), &json!(EMAIL)));
    assert!(second.get("nonce").is_none(), "{second}");
    // The node cached the grant; the values are read at each refresh all the same.
    set_profile(world, ana.account, json!({"name": "Ana Reis"})).await;
    let (third, token) = refresh(&app, &token).await;
    assert_eq!((&third["name"], third.get("nonce")), (&json!("Ana Reis"), None));
    // A narrower scope releases less.
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", token.as_str().unwrap()),
        ("scope", "openid email"),
    ];
    let form = form.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let narrowed = app.post_form("/connect/token", &form).await.1;
    let narrowed = claims(&narrowed["id_token"]);
    assert_eq!((&narrowed["email"], narrowed.get("name")), (&json!(EMAIL), None));
}

async fn refreshed_id_token_contains_the_claims_requested_by_name(world: &World) {
    let (_, ana) = ana(world).await;
    set_profile(world, ana.account, json!({"nickname": "Aninha", "birthdate": "1990-02-28"})).await;
    let app = world.create_application(ClientOrigin::Operator, json!({})).await;
    let params = [("claims", Some(BY_NAME)), ("nonce", Some("n-0S6_WzA2Mj"))];
    let code = app.obtain_code_with_consent(&browser(&ana), &params).await;
    let tokens = app.redeem_code(&code).await.1;
    let mut token = tokens["refresh_token"].clone();
    assert_eq!(claims(&tokens["id_token"])["nickname"], "Aninha");
    for nickname in ["Aninha", "Nana"] {
        set_profile(world, ana.account, json!({"nickname": nickname, "birthdate": "1990-02-28"})).await;
        let (renewed, next) = refresh(&app, &token).await;
        assert_eq!((&renewed["nickname"], &renewed["email"]), (&json!(nickname), &json!(EMAIL)));
        assert!(
            ["nonce", "birthdate", "role"].iter().all(|claim| renewed.get(*claim).is_none()),
            "{renewed}"
        );
        token = next;
    }
}

async fn client_registration_can_request_claims_in_id_tokens_and_defaults_to_none(world: &World) {
    let (_, ana) = ana(world).await;
    set_profile(world, ana.account, json!({"name": "Ana Souza"})).await;
    for (extra_metadata, name) in
        [(json!({}), None), (json!({"include_claims_in_id_token": true}), Some("Ana Souza"))]
    {
        let mut four = json!({
            "client_name": "Notes", "redirect_uris": ["https://notes.example/callback"],
            "token_endpoint_auth_method": "none", "scope": "openid profile",
        });
        four.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
        let registered =
            world.http.post(world.public_url("/connect/register")).json(&four).send().await.unwrap();
        assert_eq!(registered.status(), 201);
        let registered: Value = registered.json().await.unwrap();
        assert_eq!(
            registered.get("include_claims_in_id_token"),
            extra_metadata.get("include_claims_in_id_token")
        );
        let app = OAuthApplication {
            world,
            id: registered["client_id"].as_str().unwrap().parse().unwrap(),
            secret: None,
            callback: "https://notes.example/callback".to_owned(),
        };
        let code = app.obtain_code_with_consent(&browser(&ana), &[("scope", Some("openid profile"))]).await;
        let id_token = claims(&app.redeem_code(&code).await.1["id_token"]);
        assert_eq!(id_token.get("name").and_then(Value::as_str), name, "{id_token}");
    }
}
