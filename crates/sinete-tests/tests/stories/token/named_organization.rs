//! The organization that a token request names: its own, or none.

use crate::both_engines;
use crate::harness::approvals::CIBA_GRANT;
use crate::harness::devices::DEVICE_GRANT;
use crate::harness::token_endpoint::{TokenClient, TokenEndpointResponse};
use crate::harness::world::World;
use serde_json::json;
use sinete_store::clients::ClientOrigin;

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const API_KEY: &str = "urn:sinete:params:oauth:token-type:api-key";

async fn key_exchanged(
    client: &TokenClient<'_>,
    key: &str,
    parameters: &[(&str, &str)],
) -> TokenEndpointResponse {
    let exchange = [("grant_type", EXCHANGE), ("subject_token", key), ("subject_token_type", API_KEY)];
    client.ask(&[&exchange, parameters].concat()).await
}

both_engines!(
    organization_at_the_token_endpoint_is_the_grants_own_or_refused,
    organization_at_device_and_ciba_redemption_is_the_grants_own_or_refused
);

async fn organization_at_the_token_endpoint_is_the_grants_own_or_refused(world: &World) {
    let books = world.books().await;
    let (other, own) = (world.tenant("other").await, books.tenant.id.to_string());
    // Somebody who belongs to both, so that only the token says which one is meant.
    let person = world.somebody("ana@example.com").await;
    let ana = crate::stories::authorize::joins(world, person.account, &books.tenant, "owner").await;
    crate::stories::authorize::joins(world, person.account, &other, "owner").await;
    let (app, service) = (books.app(json!({})).await, books.service("manager", "invoices:*").await);
    let agent = books.agent("openid invoices:*").await;
    let scope = "openid invoices:read";
    let key = world.key(&books.tenant, ana, "invoices:*").await.secret;
    let code = books.granted(ana, &app, scope).await.code;
    let tokens = app.redeem(&books.granted(ana, &app, scope).await.code, &[]).await.granted();
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
        let named = [("organization", wrong)];
        app.redeem(&code, &named).await.refused("invalid_target");
        app.refresh(&renewed, &named).await.refused("invalid_target");
        app.exchange(&subject, &named).await.refused("invalid_target");
        agent.exchange(&subject, &named).await.refused("invalid_target");
        key_exchanged(&service, &key, &[named[0], ("scope", "invoices:read")])
            .await
            .refused("invalid_target");
        service.for_itself(&[named[0], ("scope", "invoices:read")]).await.refused("invalid_target");
    }
    for right in ["books", own.as_str()] {
        let named = [("organization", right)];
        renewed = app.refresh(&renewed, &named).await.granted().refresh_token();
        for client in [&app, &agent] {
            let exchanged = client.exchange(&subject, &named).await.granted().access_token();
            assert_eq!(world.said(&exchanged, sinete_crypto::jwt::JwtType::Access)["org"], json!(own));
        }
        key_exchanged(&service, &key, &[named[0], ("scope", "invoices:read")]).await.granted();
        service.for_itself(&[named[0], ("scope", "invoices:read")]).await.granted();
    }
    app.redeem(&code, &[("organization", "books")]).await.granted();
}

async fn organization_at_device_and_ciba_redemption_is_the_grants_own_or_refused(world: &World) {
    let books = world.books().await;
    let other = world.tenant("other").await;
    let person = world.somebody("ana@example.com").await;
    crate::stories::authorize::joins(world, person.account, &books.tenant, "clerk").await;
    let ana = world.signs_in_strongly(person.account).await;
    let scope = json!({"scope": "openid invoices:read"});
    let (tv, agent) = (
        world.device(ClientOrigin::Operator, scope.clone()).await,
        world.agent(ClientOrigin::Operator, scope).await,
    );
    let device_code = tv.allowed_by(&ana.token, &[("scope", "openid invoices:read")]).await.device_code;
    let request = agent.waits_for("ana@example.com", &[("scope", "openid invoices:read")]).await;
    ana.approves().await;
    for (client, asked) in [
        (&tv, [("grant_type", DEVICE_GRANT), ("device_code", device_code.as_str())]),
        (&agent, [("grant_type", CIBA_GRANT), ("auth_req_id", request.as_str())]),
    ] {
        let ask = async |organization: &str| {
            let whole = asked
                .iter()
                .chain(&[("organization", organization)])
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect::<Vec<_>>();
            client.post("/connect/token", &whole).await
        };
        for wrong in [other.slug.as_str(), "nowhere"] {
            let (status, told) = ask(wrong).await;
            assert_eq!((status, &told["error"]), (400, &json!("invalid_target")), "{told}");
        }
        let (status, told) = ask("books").await;
        assert_eq!(status, 200, "{told}");
    }
}
