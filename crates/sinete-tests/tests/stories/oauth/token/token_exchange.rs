//! Token exchange (RFC 8693).

mod actors;
mod api_keys;
mod removal;

use crate::both_engines;
use crate::harness::token_endpoint::{FILES, INVOICES, TokenClient, TokenFixture};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::grants;

const LONG_NAME: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const API_KEY: &str = "urn:sinete:params:oauth:token-type:api-key";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

/// A client of the operator that belongs to no organization and may receive `invoices` scopes.
async fn of_operators<'w>(books: &TokenFixture<'w>) -> TokenClient<'w> {
    let operator = books.world.create_operator().await;
    let metadata = json!({"client_name": "Portal", "redirect_uris": ["https://portal.example/callback"], "scope": "openid invoices:*"});
    let response = operator
        .post("/manage/clients", json!({"kind": "application", "metadata": metadata}))
        .await
        .assert_status(201);
    let proof = crate::harness::token_endpoint::TestClientAuth::Basic(response.text_member("client_secret"));
    TokenClient { world: books.world, id: response.text_member("id"), auth: proof }
}

both_engines!(
    token_exchange_by_an_agent_narrows_and_names_the_actor,
    token_exchange_beyond_the_subject_or_client_scope_is_refused,
    token_exchange_needs_more_than_possession_of_the_token,
    token_exchange_of_an_invalid_token_is_refused,
    token_exchange_is_refused_while_a_party_is_suspended,
    token_exchange_never_crosses_to_another_api
);

async fn token_exchange_by_an_agent_narrows_and_names_the_actor(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, agent) =
        (books.create_app_client(json!({})).await, books.create_agent("openid invoices:*").await);
    let (granted, tokens) = books.issue_tokens(&app, "openid invoices:read invoices:send").await;
    let subject = tokens.access_token();
    world.clock.advance(Lifetime::from_minutes(4));
    let reply = agent
        .exchange_token(&subject, &[("scope", "invoices:read"), ("resource", INVOICES)])
        .await
        .assert_granted();
    assert_eq!(
        (&reply.body["issued_token_type"], &reply.body["scope"]),
        (&json!(ACCESS_TOKEN), &json!("invoices:read"))
    );
    assert!(reply.body.get("refresh_token").is_none() && reply.body.get("id_token").is_none());
    let expires_in = reply.body["expires_in"].as_i64().unwrap();
    assert!((359..=360).contains(&expires_in), "it expires no later than the subject token: {expires_in}");
    let (before, after) = (
        world.token_claims(&subject, JwtType::Access),
        world.token_claims(&reply.access_token(), JwtType::Access),
    );
    for claim in ["iss", "sub", "org", "role", "aud", "auth_time", "acr", "sid", "exp"] {
        assert_eq!(before[claim], after[claim], "{claim}");
    }
    assert_eq!((&after["client_id"], &after["scope"]), (&json!(agent.id), &json!("invoices:read")));
    assert_eq!(after["act"], json!({"sub": agent.id, "sub_profile": "ai_agent"}));
    assert_eq!(after["sub"], json!(granted.membership));
    assert!(after["jti"].as_str().unwrap().starts_with(&format!("{}.", granted.grant)));
    assert!(agent.is_token_active(&reply.access_token()).await);

    let params = [
        ("grant_type", LONG_NAME),
        ("subject_token", subject.as_str()),
        ("subject_token_type", ACCESS_TOKEN),
        ("audience", INVOICES),
    ];
    let full_response = agent.request_token(&params).await.assert_granted();
    assert_eq!(full_response.body["scope"], "openid invoices:read invoices:send");
    assert!(world.count_events("token.exchanged").await >= 2);
}

async fn token_exchange_beyond_the_subject_or_client_scope_is_refused(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, agent) = (
        books.create_app_client(json!({})).await,
        books.create_agent("invoices:read invoices:void files:read").await,
    );
    let member = books.create_member("manager").await;
    let code = books.create_grant(member, &app, "openid invoices:read invoices:send").await.code;
    let subject = app.redeem_code(&code, &[]).await.assert_granted().access_token();
    for scope in [
        "invoices:void",
        "invoices:*",
        "files:read",
        "invoices:read files:read",
        "email",
        "organizations:administer",
        "members:read",
        "*:*",
    ] {
        agent.exchange_token(&subject, &[("scope", scope)]).await.assert_oauth_error("invalid_scope");
    }
    agent.exchange_token(&subject, &[("scope", "invoices:send")]).await.assert_oauth_error("invalid_scope");
    agent.exchange_token(&subject, &[]).await.assert_oauth_error("invalid_scope");
    agent
        .exchange_token(&subject, &[("scope", "invoices:read"), ("resource", FILES)])
        .await
        .assert_oauth_error("invalid_scope");
    for resource in ["https://unknown.example", "x"] {
        agent
            .exchange_token(&subject, &[("scope", "invoices:read"), ("resource", resource)])
            .await
            .assert_oauth_error("invalid_target");
    }
    agent
        .exchange_token(
            &subject,
            &[("scope", "invoices:read"), ("authorization_details", r#"[{"type":"payment"}]"#)],
        )
        .await
        .assert_oauth_error("invalid_authorization_details");
    agent.exchange_token(&subject, &[("scope", "invoices:read")]).await.assert_granted();
}

async fn token_exchange_needs_more_than_possession_of_the_token(world: &World) {
    let books = world.create_token_fixture().await;
    let public = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let (granted, tokens) = books.issue_tokens(&public, "openid invoices:read").await;
    let subject = tokens.access_token();
    // The client that the token was issued to may narrow it, also a public one.
    let response = public.exchange_token(&subject, &[("scope", "invoices:read")]).await.assert_granted();
    assert_eq!(
        world.token_claims(&response.access_token(), JwtType::Access)["act"],
        json!({"sub": public.id})
    );

    let (neighbour, portal) = (books.create_app_client(json!({})).await, of_operators(&books).await);
    for client in [&neighbour, &portal] {
        client
            .exchange_token(&subject, &[("scope", "invoices:read")])
            .await
            .assert_oauth_error("unauthorized_client");
    }
    books.create_grant(granted.membership, &portal, "invoices:read").await;
    portal.exchange_token(&subject, &[("scope", "invoices:read")]).await.assert_granted();
    portal.exchange_token(&subject, &[]).await.assert_oauth_error("unauthorized_client");

    let agent = books.create_agent("invoices:*").await;
    agent.exchange_token(&subject, &[("scope", "invoices:read")]).await.assert_granted();
    books.change_settings(json!({"delegation": {"own_agents": false}})).await;
    agent
        .exchange_token(&subject, &[("scope", "invoices:read")])
        .await
        .assert_oauth_error("unauthorized_client");
    let api = books.create_service("clerk", "invoices:read").await;
    api.exchange_token(&subject, &[("scope", "invoices:read")]).await.assert_granted();
    books.change_settings(json!({"refused_grants": ["token_exchange"]})).await;
    public
        .exchange_token(&subject, &[("scope", "invoices:read")])
        .await
        .assert_oauth_error("unauthorized_client");
}

async fn token_exchange_of_an_invalid_token_is_refused(world: &World) {
    let books = world.create_token_fixture().await;
    let (app, agent) =
        (books.create_app_client(json!({})).await, books.create_agent("openid invoices:*").await);
    let (granted, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    let subject = tokens.access_token();
    for parameters in [
        vec![],
        vec![("subject_token", subject.as_str())],
        vec![("subject_token_type", ACCESS_TOKEN)],
        vec![("subject_token", ""), ("subject_token_type", ACCESS_TOKEN)],
        vec![
            ("subject_token", subject.as_str()),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ],
        vec![("subject_token", subject.as_str()), ("subject_token_type", "x")],
        vec![
            ("subject_token", subject.as_str()),
            ("subject_token_type", ACCESS_TOKEN),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:refresh_token"),
        ],
    ] {
        agent
            .request_token(&[&[("grant_type", "token-exchange")], &parameters[..]].concat())
            .await
            .assert_oauth_error("invalid_request");
    }
    let mut forged: Value = world.token_claims(&subject, JwtType::Access);
    forged["iss"] = json!("https://other.example");
    for text in [
        tokens.text_member("id_token"),
        tokens.refresh_token(),
        subject[..subject.len() - 2].to_owned(),
        format!("{subject}x"),
        books.owner.secret.clone(),
        world.sign_jwt(JwtType::Access, &forged),
        "x".to_owned(),
        "a.b.c".to_owned(),
    ] {
        agent.exchange_token(&text, &[]).await.assert_oauth_error("invalid_grant");
    }
    let api_key_type = [
        ("grant_type", "token-exchange"),
        ("subject_token", subject.as_str()),
        ("subject_token_type", API_KEY),
    ];
    agent.request_token(&api_key_type).await.assert_oauth_error("invalid_grant");
    let exchanged = agent.exchange_token(&subject, &[]).await.assert_granted().access_token();
    let now = world.server.engine().now();
    world.apply_statements([grants::revoke_grant(granted.grant, "over", now)]).await;
    agent.exchange_token(&subject, &[]).await.assert_oauth_error("invalid_grant");
    agent.exchange_token(&exchanged, &[]).await.assert_oauth_error("invalid_grant");
    assert!(!agent.is_token_active(&exchanged).await, "it is revoked with the subject token");

    let (_, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    world.clock.advance(Lifetime::from_minutes(10));
    agent.exchange_token(&tokens.access_token(), &[]).await.assert_oauth_error("invalid_grant");
}

async fn token_exchange_is_refused_while_a_party_is_suspended(world: &World) {
    let (books, operator) = (world.create_token_fixture().await, world.create_operator().await);
    let (app, agent) =
        (books.create_app_client(json!({})).await, books.create_agent("openid invoices:*").await);
    let (granted, tokens) = books.issue_tokens(&app, "openid invoices:read").await;
    let subject = tokens.access_token();
    let path = |below: &str| books.tenant.path(below);
    for party_path in [app.id.as_str(), agent.id.as_str()]
        .map(|id| path(&format!("/clients/{id}")))
        .into_iter()
        .chain([path(&format!("/members/{}", granted.membership))])
    {
        books.owner.post(&format!("{party_path}/disable"), Value::Null).await.assert_status(200);
        agent.exchange_token(&subject, &[]).await.assert_oauth_error("invalid_grant");
        books.owner.post(&format!("{party_path}/enable"), Value::Null).await.assert_status(200);
    }
    books.change_settings(json!({"least_assurance": "aal2"})).await;
    agent.exchange_token(&subject, &[]).await.assert_oauth_error("invalid_grant");
    books.change_settings(json!({"least_assurance": "aal1"})).await;
    books.change_role("clerk", &["invoices:send"]).await;
    agent.exchange_token(&subject, &[]).await.assert_oauth_error("invalid_grant");
    agent.exchange_token(&subject, &[("scope", "invoices:read")]).await.assert_oauth_error("invalid_scope");
    books.change_role("clerk", &["invoices:read"]).await;
    world.create_assignment(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    agent.exchange_token(&subject, &[]).await.assert_oauth_error("invalid_grant");
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.assert_status(200);
    agent.exchange_token(&subject, &[]).await.assert_granted();
}

async fn token_exchange_never_crosses_to_another_api(world: &World) {
    let books = world.create_token_fixture().await;
    // Two APIs that use the same type of authorization details for different things.
    let payment = |name: &str| {
        json!({
            "identifier": format!("https://{name}.example"), "name": name,
            "permissions": [{"permission": format!("{name}:read"), "english": name}],
            "detail_types": {"payment": {"type": "object", "properties": {"amount": {"type": "integer"}}}},
        })
    };
    for name in ["games", "bank"] {
        books.owner.create_api(payment(name)).await.assert_status(201);
    }
    let metadata = json!({"consent": "implied", "scope": "openid email games:read"});
    let app = world.create_application(sinete_store::oauth::clients::ClientOrigin::Operator, metadata).await;
    let browser = world.create_member_browser(&books.tenant, books.create_member("clerk").await).await;
    let details = json!([{"type": "payment", "amount": 500}]).to_string();
    let authorization_params = [
        ("scope", Some("openid email")),
        ("resource", Some("https://games.example")),
        ("authorization_details", Some(details.as_str())),
    ];
    let (_, tokens) =
        app.redeem_code(&app.obtain_code_with_consent(&browser, &authorization_params).await).await;
    let subject = tokens["access_token"].as_str().unwrap();
    let exchanged = async |extra_params: &[(&str, &str)]| {
        let base_params =
            [("grant_type", LONG_NAME), ("subject_token", subject), ("subject_token_type", ACCESS_TOKEN)];
        let form: Vec<_> = base_params
            .iter()
            .chain(extra_params)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        app.post_form("/connect/token", &form).await
    };
    // At the API they were granted for, the details can be passed on, whole or in part.
    let (status, same) = exchanged(&[("scope", "openid")]).await;
    assert_eq!(
        (status, &same["authorization_details"]),
        (200, &json!([{"type": "payment", "amount": 500}])),
        "{same}"
    );
    let other_details = json!([{"type": "payment", "amount": 501}]).to_string();
    let (status, refused) =
        exchanged(&[("scope", "openid"), ("authorization_details", &other_details)]).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_authorization_details")));
    // At another API the details would mean something without consent, and identity scopes alone give no access there.
    for scope in ["openid", "openid email"] {
        for extra_params in [&[][..], &[("authorization_details", details.as_str())]] {
            let exchange_params =
                [&[("scope", scope), ("resource", "https://bank.example")], extra_params].concat();
            let (status, refused) = exchanged(&exchange_params).await;
            assert_eq!((status, &refused["error"]), (400, &json!("invalid_target")), "{exchange_params:?}");
        }
    }
    let ours = world.server.issuer.as_str();
    let (status, refused) = exchanged(&[("scope", "openid"), ("resource", ours)]).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_authorization_details")));
    // Without details, `openid` can be exchanged for a token with the issuer as its audience.
    let plain = app.obtain_code(&browser, &authorization_params[..2]).await;
    let (_, tokens) = app.redeem_code(&plain).await;
    let subject = tokens["access_token"].as_str().unwrap();
    let form = [
        ("grant_type", LONG_NAME),
        ("subject_token", subject),
        ("subject_token_type", ACCESS_TOKEN),
        ("scope", "openid"),
        ("resource", ours),
    ];
    let (status, body) =
        app.post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned()))).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(world.token_claims(body["access_token"].as_str().unwrap(), JwtType::Access)["aud"], ours);
}
