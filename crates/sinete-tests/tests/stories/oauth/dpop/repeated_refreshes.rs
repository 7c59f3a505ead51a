//! A refresh token that is bound to a key gets the same successor again while that is unused; every other token does
//! not.

use crate::both_engines;
use crate::harness::client_certificates::{CertificateIssuer, TestCertificate};
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::json;

both_engines!(
    crate::harness::world::World::start_behind_proxy,
    [
        refresh_token_repeated_by_its_dpop_key_gets_the_same_successor_while_that_is_unused,
        refresh_token_raced_by_its_dpop_key_has_one_successor_and_a_used_one_revokes,
        refresh_token_repeated_with_its_certificate_gets_the_same_successor,
        refresh_token_without_a_key_has_no_second_use
    ]
);

const USERINFO: &str = "/connect/userinfo";

async fn refresh_token_repeated_by_its_dpop_key_gets_the_same_successor_while_that_is_unused(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let (client, thief) = (world.create_dpop_client(), world.create_dpop_client());
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let first = app.redeem_code_with_dpop(&client, &code).await.assert_bound_to(&client).refresh_token();
    let second = app.refresh_with_dpop(&client, &first).await.assert_bound_to(&client).refresh_token();
    for _ in 0..3 {
        let repeated_response = app.refresh_with_dpop(&client, &first).await.assert_bound_to(&client);
        assert_eq!(repeated_response.refresh_token(), second);
        assert_eq!(client.call_with_token(USERINFO, &repeated_response.access_token()).await.status, 200);
        app.refresh_with_dpop(&thief, &first).await.assert_oauth_error("invalid_grant");
        app.refresh_tokens(&first, &[]).await.assert_oauth_error("invalid_grant");
    }
    assert_eq!(world.count_events("refresh_token.reused").await, 0);
    assert_eq!(world.count_events("refresh_token.used").await, 3);
    // Once the successor is used, the old one is reused as ever.
    let third = app.refresh_with_dpop(&client, &second).await.assert_bound_to(&client);
    assert_ne!(third.refresh_token(), second);
    let refused = app.refresh_with_dpop(&client, &first).await.assert_oauth_error("invalid_grant");
    let text = refused.text_member("error_description");
    assert_eq!(world.count_events("refresh_token.reused").await, 1);
    client.call_with_token(USERINFO, &third.access_token()).await.assert_dpop_challenge("invalid_token");
    // The text is that of every other invalid grant.
    for token in [third.refresh_token(), "sn_rt_unknown".to_owned()] {
        let other = app.refresh_with_dpop(&client, &token).await.assert_oauth_error("invalid_grant");
        assert_eq!(other.text_member("error_description"), text);
    }
}

async fn refresh_token_raced_by_its_dpop_key_has_one_successor_and_a_used_one_revokes(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let client = world.create_dpop_client();
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let mut newest = app.redeem_code_with_dpop(&client, &code).await.assert_bound_to(&client).refresh_token();
    for _ in 0..3 {
        let racers: Vec<_> = (0..8).map(|_| app.refresh_with_dpop(&client, &newest)).collect();
        let replies = join_all(racers).await;
        let successors: std::collections::BTreeSet<_> =
            replies.into_iter().map(|reply| reply.assert_bound_to(&client).refresh_token()).collect();
        assert_eq!(successors.len(), 1);
        newest = successors.into_iter().next().unwrap();
    }
    assert_eq!(world.count_events("refresh_token.reused").await, 0);
    // An old and the newest token at the same moment: whichever comes first, the old one never gets another token.
    let next = app.refresh_with_dpop(&client, &newest).await.assert_bound_to(&client).refresh_token();
    let refresh = async |is_old: bool| {
        (is_old, app.refresh_with_dpop(&client, if is_old { &newest } else { &next }).await)
    };
    let replies = join_all(vec![refresh(true), refresh(false)]).await;
    let repeated = replies.into_iter().find_map(|(is_old, reply)| is_old.then_some(reply)).unwrap();
    if repeated.body.get("error").is_none() {
        assert_eq!(repeated.refresh_token(), next);
    } else {
        assert_eq!(world.count_events("refresh_token.reused").await, 1);
    }
}

async fn refresh_token_repeated_with_its_certificate_gets_the_same_successor(world: &World) {
    let books = world.create_token_fixture().await;
    let bound =
        json!({"token_endpoint_auth_method": "none", "tls_client_certificate_bound_access_tokens": true});
    let app = books.create_app_client(bound).await;
    let [certificate, other] = [(); 2].map(|()| TestCertificate::issue("app", CertificateIssuer::SelfSigned));
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let client_connection = world.proxied_connection_with(&certificate);
    let first = app.redeem_code_over(&client_connection, &code).await.assert_granted().refresh_token();
    let second = app.refresh_over(&client_connection, &first).await.assert_granted().refresh_token();
    assert_eq!(app.refresh_over(&client_connection, &first).await.assert_granted().refresh_token(), second);
    let foreign = world.proxied_connection_with(&other);
    app.refresh_over(&foreign, &first).await.assert_oauth_error("invalid_grant");
    app.refresh_over(&client_connection, &second).await.assert_granted();
    app.refresh_over(&client_connection, &first).await.assert_oauth_error("invalid_grant");
    assert_eq!(world.count_events("refresh_token.reused").await, 1);
}

async fn refresh_token_without_a_key_has_no_second_use(world: &World) {
    let books = world.create_token_fixture().await;
    let public = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let confidential = books.create_app_client(json!({})).await;
    for (app, reused) in [(&public, 1), (&confidential, 2)] {
        let (_, tokens) = books.issue_tokens(app, "openid invoices:read").await;
        let next = app.refresh_tokens(&tokens.refresh_token(), &[]).await.assert_granted();
        app.refresh_tokens(&tokens.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
        app.refresh_tokens(&next.refresh_token(), &[]).await.assert_oauth_error("invalid_grant");
        assert!(world.count_events("refresh_token.reused").await >= reused);
    }
}
