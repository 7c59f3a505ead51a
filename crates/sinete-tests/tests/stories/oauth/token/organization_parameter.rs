//! The `organization` parameter of a token request: the organization of the grant, or none.

use crate::both_engines;
use crate::harness::ciba::CIBA_GRANT;
use crate::harness::device_authorization::DEVICE_GRANT;
use crate::harness::token_endpoint::{TokenClient, TokenEndpointResponse};
use crate::harness::world::World;
use serde_json::json;
use sinete_store::oauth::clients::ClientOrigin;

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const API_KEY: &str = "urn:sinete:params:oauth:token-type:api-key";

async fn key_exchanged(
    client: &TokenClient<'_>,
    key: &str,
    parameters: &[(&str, &str)],
) -> TokenEndpointResponse {
    let exchange = [("grant_type", EXCHANGE), ("subject_token", key), ("subject_token_type", API_KEY)];
    client.request_token(&[&exchange, parameters].concat()).await
}

both_engines!(
    organization_parameter_at_the_token_endpoint_must_match_the_grant,
    organization_parameter_at_device_and_ciba_redemption_must_match_the_grant
);

async fn organization_parameter_at_the_token_endpoint_must_match_the_grant(world: &World) {
    let books = world.create_token_fixture().await;
    let (other, organization_id) = (world.create_organization("other").await, books.tenant.id.to_string());
    // A member of both organizations, so that only the token decides.
    let user = world.create_user("ana@example.com").await;
    let ana = crate::stories::oauth::authorize::add_member(world, user.account, &books.tenant, "owner").await;
    crate::stories::oauth::authorize::add_member(world, user.account, &other, "owner").await;
    let (app, service) =
        (books.create_app_client(json!({})).await, books.create_service("manager", "invoices:*").await);
    let agent = books.create_agent("openid invoices:*").await;
    let scope = "openid invoices:read";
    let key = world.create_api_key_caller(&books.tenant, ana, "invoices:*").await.secret;
    let code = books.create_grant(ana, &app, scope).await.code;
    let tokens =
        app.redeem_code(&books.create_grant(ana, &app, scope).await.code, &[]).await.assert_granted();
    let (subject, mut renewed) = (tokens.access_token(), tokens.refresh_token());
    let other_id = other.id.to_string();
    for wrong in [
        "other",
        other_id.as_str(),
        "nowhere",
        "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
        "BOOKS",
        "not a slug!",
    ] {
        let params = [("organization", wrong)];
        app.redeem_code(&code, &params).await.assert_oauth_error("invalid_target");
        app.refresh_tokens(&renewed, &params).await.assert_oauth_error("invalid_target");
        app.exchange_token(&subject, &params).await.assert_oauth_error("invalid_target");
        agent.exchange_token(&subject, &params).await.assert_oauth_error("invalid_target");
        key_exchanged(&service, &key, &[params[0], ("scope", "invoices:read")])
            .await
            .assert_oauth_error("invalid_target");
        service
            .request_client_credentials(&[params[0], ("scope", "invoices:read")])
            .await
            .assert_oauth_error("invalid_target");
    }
    for organization in ["books", organization_id.as_str()] {
        let params = [("organization", organization)];
        renewed = app.refresh_tokens(&renewed, &params).await.assert_granted().refresh_token();
        for client in [&app, &agent] {
            let exchanged = client.exchange_token(&subject, &params).await.assert_granted().access_token();
            assert_eq!(
                world.token_claims(&exchanged, sinete_crypto::platform::jwt::JwtType::Access)["org"],
                json!(organization_id)
            );
        }
        key_exchanged(&service, &key, &[params[0], ("scope", "invoices:read")]).await.assert_granted();
        service.request_client_credentials(&[params[0], ("scope", "invoices:read")]).await.assert_granted();
    }
    app.redeem_code(&code, &[("organization", "books")]).await.assert_granted();
}

async fn organization_parameter_at_device_and_ciba_redemption_must_match_the_grant(world: &World) {
    let books = world.create_token_fixture().await;
    let other = world.create_organization("other").await;
    let user = world.create_user("ana@example.com").await;
    crate::stories::oauth::authorize::add_member(world, user.account, &books.tenant, "clerk").await;
    let ana = world.sign_in_at_aal2(user.account).await;
    let scope = json!({"scope": "openid invoices:read"});
    let (tv, agent) = (
        world.create_device_client(ClientOrigin::Operator, scope.clone()).await,
        world.create_ciba_client(ClientOrigin::Operator, scope).await,
    );
    let device_code = tv
        .start_allowed_device_authorization(&ana.token, &[("scope", "openid invoices:read")])
        .await
        .device_code;
    let request = agent.start_ciba("ana@example.com", &[("scope", "openid invoices:read")]).await;
    ana.approve_ciba_request().await;
    for (client, grant_params) in [
        (&tv, [("grant_type", DEVICE_GRANT), ("device_code", device_code.as_str())]),
        (&agent, [("grant_type", CIBA_GRANT), ("auth_req_id", request.as_str())]),
    ] {
        let ask = async |organization: &str| {
            let form = grant_params
                .iter()
                .chain(&[("organization", organization)])
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect::<Vec<_>>();
            client.post_form("/connect/token", &form).await
        };
        for wrong in [other.slug.as_str(), "nowhere"] {
            let (status, body) = ask(wrong).await;
            assert_eq!((status, &body["error"]), (400, &json!("invalid_target")), "{body}");
        }
        let (status, body) = ask("books").await;
        assert_eq!(status, 200, "{body}");
    }
}
