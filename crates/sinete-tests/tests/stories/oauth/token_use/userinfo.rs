//! Userinfo: the claims with consent, for an active access token with `openid`.

use crate::both_engines;
use crate::harness::grants::{GrantRequest, OAuthResponse};
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::{AccountId, ContactId, MembershipId};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::organizations::memberships;
use sinete_store::{JsonDocument, accounts};

/// Every claim that an account can have.
fn said() -> Value {
    json!({
        "name": "Ana Souza", "given_name": "Ana", "family_name": "Souza", "middle_name": "Maria",
        "nickname": "Aninha", "preferred_username": "ana", "profile": "https://ana.example/about",
        "picture": "https://ana.example/face.png", "website": "https://ana.example", "gender": "female",
        "birthdate": "1990-02-28", "zoneinfo": "America/Sao_Paulo", "locale": "pt-BR", "updated_at": 1_794_700_800,
        "address": {"formatted": "Rua A, 1\nSão Paulo", "country": "Brasil"},
    })
}

struct Ana {
    tenant: TestOrganization,
    membership: MembershipId,
    browser: BrowserSession,
}

async fn ana(world: &World) -> Ana {
    let tenant = world.create_organization("acme").await;
    let membership = world.create_member(&tenant, &["admin", "member"]).await;
    let account = world.account_of_member(&tenant, membership).await;
    let engine = world.server.engine();
    let account_row = accounts::find_account(engine.store(), account).await.unwrap().unwrap();
    world
        .apply_statements([accounts::change_account_profile(
            &account_row,
            &JsonDocument::from_value(&said()).unwrap(),
            None,
        )])
        .await;
    contact(world, account, ContactKind::Email, "old@ana.example", false).await;
    contact(world, account, ContactKind::Email, "Ana@ana.example", true).await;
    contact(world, account, ContactKind::Phone, "+5511999990000", false).await;
    let browser = world.create_member_browser(&tenant, membership).await;
    Ana { tenant, membership, browser }
}

async fn contact(world: &World, account: AccountId, kind: ContactKind, address: &str, is_proven: bool) {
    let engine = world.server.engine();
    let (now, lookup) = (engine.now(), address.to_ascii_lowercase());
    let id = ContactId::mint(now, engine.entropy());
    let added =
        NewContact { id, account, kind, address, lookup: &lookup, is_primary: is_proven, created_at: now };
    world.apply_statements([contacts::add_contact(&added)]).await;
    if is_proven {
        world.apply_statements([contacts::verify_contact(account, id, now)]).await;
    }
}

async fn app<'w>(world: &'w World, extra_metadata: Value) -> OAuthApplication<'w> {
    let mut metadata = json!({"consent": "implied"});
    metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
    world.create_application(ClientOrigin::Operator, metadata).await
}

async fn tokens(app: &OAuthApplication<'_>, ana: &Ana, changes: &[(&str, Option<&str>)]) -> Value {
    let code = app.obtain_code(&ana.browser, changes).await;
    let (status, tokens) = app.redeem_code(&code).await;
    assert_eq!(status, 200, "{tokens}");
    tokens
}

async fn asked(world: &World, token: &str) -> OAuthResponse {
    let request = world.http.get(world.public_url("/connect/userinfo")).bearer_auth(token);
    OAuthResponse::of(request.send().await.unwrap()).await
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

both_engines!(
    userinfo_scopes_release_all_their_claims,
    userinfo_claims_can_be_requested_by_name,
    userinfo_is_signed_when_registered,
    userinfo_accepts_the_token_in_header_or_form_but_not_both,
    userinfo_echoes_x_fapi_interaction_id,
    userinfo_without_openid_scope_is_insufficient_scope,
    userinfo_rejects_tokens_after_authorization_code_reuse,
    userinfo_uses_the_organizations_profile_for_missing_claims
);

async fn userinfo_scopes_release_all_their_claims(world: &World) {
    let ana = ana(world).await;
    let app = app(world, json!({})).await;
    let scope = "openid profile email address phone";
    let all = tokens(&app, &ana, &[("scope", Some(scope))]).await;
    let response = asked(world, text(&all["access_token"])).await.is(200);
    assert_eq!(response.headers["content-type"], "application/json");
    let mut expected = said();
    expected.as_object_mut().unwrap().extend(
        json!({
            "sub": ana.membership, "org": ana.tenant.id, "role": "admin member",
            "email": "Ana@ana.example", "email_verified": true,
            "phone_number": "+5511999990000", "phone_number_verified": false,
        })
        .as_object()
        .unwrap()
        .clone(),
    );
    assert_eq!(response.body, expected);
    let plain = tokens(&app, &ana, &[("scope", Some("openid"))]).await;
    let body = asked(world, text(&plain["access_token"])).await.is(200).body;
    assert_eq!(body, json!({"sub": ana.membership, "org": ana.tenant.id, "role": "admin member"}));
    let some = tokens(&app, &ana, &[("scope", Some("openid email"))]).await;
    let body = asked(world, text(&some["access_token"])).await.is(200).body;
    let names: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["email", "email_verified", "org", "role", "sub"]);
    let account = world.account_of_member(&ana.tenant, ana.membership).await.to_string();
    assert!(!body.to_string().contains(&account));
}

async fn userinfo_claims_can_be_requested_by_name(world: &World) {
    let ana = ana(world).await;
    let app = app(world, json!({})).await;
    let claims = r#"{"userinfo":{"name":{"essential":true},"email":null,"shoe_size":null},"id_token":{"nickname":null,"role":null,"sub":null}}"#;
    let code = app
        .obtain_code_with_consent(&ana.browser, &[("scope", Some("openid")), ("claims", Some(claims))])
        .await;
    let tokens = app.redeem_code(&code).await.1;
    let body = asked(world, text(&tokens["access_token"])).await.is(200).body;
    let names: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["email", "name", "org", "role", "sub"]);
    let id_token = world.verify_token(JwtType::Id, text(&tokens["id_token"]));
    assert_eq!((&id_token["nickname"], &id_token["role"]), (&json!("Aninha"), &json!("admin member")));
    assert_eq!(
        (&id_token["sub"], id_token.get("email"), id_token.get("org")),
        (&json!(ana.membership), None, None)
    );
    // A client that may not request a scope may not request its claims either.
    let narrow = world
        .create_application(ClientOrigin::Operator, json!({"consent": "implied", "scope": "openid"}))
        .await;
    let code = narrow.obtain_code(&ana.browser, &[("scope", Some("openid")), ("claims", Some(claims))]).await;
    let narrow = narrow.redeem_code(&code).await.1;
    let body = asked(world, text(&narrow["access_token"])).await.is(200).body;
    assert_eq!(body.get("email").or_else(|| body.get("name")), None);
}

async fn userinfo_is_signed_when_registered(world: &World) {
    let ana = ana(world).await;
    let engine = world.server.engine();
    let algorithms = engine.key_ring().algorithms(engine.now());
    assert!(algorithms.contains(&SigningAlgorithm::Rs256) && algorithms.contains(&SigningAlgorithm::Es256));
    for algorithm in algorithms {
        let app = app(world, json!({"userinfo_signed_response_alg": algorithm.as_str()})).await;
        let tokens = tokens(&app, &ana, &[("scope", Some("openid email"))]).await;
        let response = asked(world, text(&tokens["access_token"])).await.is(200);
        assert_eq!(response.headers["content-type"], "application/jwt", "{algorithm:?}");
        let read = world.verify_signed(&response.text, algorithm);
        assert_eq!((&read["iss"], &read["aud"]), (&json!(world.issuer()), &json!(app.id)));
        assert_eq!((&read["sub"], &read["email_verified"]), (&json!(ana.membership), &json!(true)));
        // A signed userinfo response is neither an access token nor an ID token.
        asked(world, &response.text).await.refused(401, "invalid_token");
    }
}

async fn userinfo_accepts_the_token_in_header_or_form_but_not_both(world: &World) {
    let ana = ana(world).await;
    let app = app(world, json!({})).await;
    let tokens = tokens(&app, &ana, &[]).await;
    let token = text(&tokens["access_token"]);
    let address = world.public_url("/connect/userinfo");
    let post = || world.http.post(&address);
    for (request, status) in [
        (post().bearer_auth(token), 200),
        (post().header("authorization", format!("bearer {token}")), 200),
        (post().bearer_auth(token).form(&[("x", "y")]), 200),
        (post().form(&[("access_token", token)]), 200),
        (post().bearer_auth(token).form(&[("access_token", token)]), 400),
        (post().form(&[("access_token", token), ("access_token", token)]), 400),
        (post().form(&[("access_token", "x")]), 401),
        (post().form(&[("x", "y")]), 401),
        (post(), 401),
        (post().bearer_auth(token).body("access_token"), 415),
        (world.http.post(format!("{address}?access_token={token}")), 400),
        (world.http.get(format!("{address}?access_token={token}")), 400),
        (world.http.get(&address), 401),
    ] {
        let request_text = format!("{request:?}");
        let response =
            OAuthResponse::of(request.header("origin", "https://app.example").send().await.unwrap()).await;
        assert_eq!(response.status, status, "{request_text}: {}", response.text);
        assert_eq!(response.headers["access-control-allow-origin"], "*");
        if status == 401 {
            assert!(response.headers["www-authenticate"].to_str().unwrap().starts_with("Bearer "));
        }
    }
}

async fn userinfo_echoes_x_fapi_interaction_id(world: &World) {
    let ana = ana(world).await;
    let app = app(world, json!({})).await;
    let tokens = tokens(&app, &ana, &[]).await;
    let asks = async |called: Option<&str>| {
        let request =
            world.http.get(world.public_url("/connect/userinfo")).bearer_auth(text(&tokens["access_token"]));
        let request = called.into_iter().fold(request, |it, id| it.header("x-fapi-interaction-id", id));
        let headers = OAuthResponse::of(request.send().await.unwrap()).await.headers;
        [headers["x-fapi-interaction-id"].clone(), headers["x-request-id"].clone()]
    };
    let interaction_id = "c770aef3-6784-41f7-8e0e-ff5f97bddb3a";
    assert_eq!(asks(Some(interaction_id)).await[0], interaction_id);
    for other in [None, Some("not an id")] {
        let [called, ours] = asks(other).await;
        assert_eq!(called, ours);
    }
    // Other endpoints repeat the value and create none.
    let response = world
        .http
        .get(world.public_url("/healthz"))
        .header("x-fapi-interaction-id", interaction_id)
        .send()
        .await
        .unwrap();
    assert_eq!(response.headers()["x-fapi-interaction-id"], interaction_id);
    assert!(!world.get("/healthz").await.headers().contains_key("x-fapi-interaction-id"));
}

async fn userinfo_without_openid_scope_is_insufficient_scope(world: &World) {
    let ana = ana(world).await;
    let client = world.create_confidential_client().await;
    let request = GrantRequest::for_scope("organization:read");
    let token =
        world.create_grant(&ana.tenant, ana.membership, &client.id, request).await.issue_access_token().await;
    let refused = asked(world, &token).await.refused(403, "insufficient_scope");
    let expected =
        format!("Bearer error=\"insufficient_scope\", scope=\"openid\", {}", world.resource_metadata());
    assert_eq!(refused.headers["www-authenticate"], expected);
    for token in ["x", "sn_ak_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", &ana.browser.token] {
        asked(world, token).await.refused(401, "invalid_token");
    }
}

async fn userinfo_rejects_tokens_after_authorization_code_reuse(world: &World) {
    let ana = ana(world).await;
    let app = app(world, json!({})).await;
    for wait in [0, 30] {
        let code = app.obtain_code(&ana.browser, &[]).await;
        let (status, tokens) = app.redeem_code(&code).await;
        assert_eq!(status, 200, "{tokens}");
        asked(world, text(&tokens["access_token"])).await.is(200);
        world.clock.advance(Lifetime::from_seconds(wait));
        let (status, refused) = app.redeem_code(&code).await;
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")));
        asked(world, text(&tokens["access_token"])).await.refused(401, "invalid_token");
        assert_eq!(app.refresh_tokens(text(&tokens["refresh_token"])).await.0, 400);
    }
}

async fn userinfo_uses_the_organizations_profile_for_missing_claims(world: &World) {
    let ana = ana(world).await;
    let other = world.create_member(&ana.tenant, &["member"]).await;
    let store = world.server.engine().store();
    let membership = memberships::find_membership(store, ana.tenant.id, other).await.unwrap().unwrap();
    let profile = JsonDocument::from_value(&json!({"name": "Rui Lima", "title": "Contador"})).unwrap();
    world
        .apply_statements([memberships::change_membership_profile(
            &membership,
            &profile,
            world.server.engine().now(),
        )])
        .await;
    let client = world.create_confidential_client().await;
    let request = GrantRequest::for_scope("openid profile email");
    let token = world.create_grant(&ana.tenant, other, &client.id, request).await.issue_access_token().await;
    let body = asked(world, &token).await.is(200).body;
    assert_eq!(body, json!({"sub": other, "org": ana.tenant.id, "role": "member", "name": "Rui Lima"}));
}
