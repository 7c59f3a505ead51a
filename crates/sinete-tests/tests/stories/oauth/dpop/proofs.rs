//! Which proofs are valid: for one request, for a short time, and once.

use crate::both_engines;
use crate::harness::dpop_client::DpopClient;
use crate::harness::token_endpoint::sign_jws;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::limits::{DPOP_PROOF_AGE_MAX, REPLAY_CLEANUP_AFTER};
use sinete_core::oauth::dpop::compute_ath;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Lifetime;

const FOR_ITSELF: [(&str, &str); 1] = [("grant_type", "client_credentials")];

both_engines!(
    dpop_proof_of_every_algorithm_binds_and_is_accepted_once,
    dpop_proof_raced_by_sixteen_requests_is_accepted_once,
    dpop_replay_entries_are_cleaned_up_and_old_proofs_stay_rejected,
    dpop_proof_of_a_failing_request_is_not_stored,
    dpop_proof_that_is_invalid_is_refused_and_consumes_nothing,
    dpop_proof_with_a_token_is_valid_for_that_token_and_request_only
);

async fn dpop_proof_of_every_algorithm_binds_and_is_accepted_once(world: &World) {
    let books = world.create_token_fixture().await;
    let service = books.create_service("clerk", "invoices:read").await;
    for algorithm in SigningAlgorithm::ALL {
        let holder = world.create_dpop_client_with(algorithm);
        let proof = [holder.proof("POST", "/connect/token")];
        service.request_token_with_proofs(&proof, &FOR_ITSELF).await.assert_bound_to(&holder);
        service.request_token_with_proofs(&proof, &FOR_ITSELF).await.assert_oauth_error("invalid_dpop_proof");
    }
    // Two keys may use the same `jti`.
    let (one, other) = (world.create_dpop_client(), world.create_dpop_client());
    for holder in [&one, &other] {
        let proof = holder.custom_proof(&json!({}), &json!({"jti": "same"}));
        service.request_token_with_proofs(&[proof], &FOR_ITSELF).await.assert_bound_to(holder);
    }
    // Without a proof, the token has no `cnf`.
    let free = service.request_token(&FOR_ITSELF).await.assert_granted();
    assert_eq!(world.token_confirmation(&free.access_token()), Value::Null);
}

async fn dpop_proof_raced_by_sixteen_requests_is_accepted_once(world: &World) {
    let books = world.create_token_fixture().await;
    let service = books.create_service("clerk", "invoices:read").await;
    let holder = world.create_dpop_client();
    let proof = [holder.proof("POST", "/connect/token")];
    let racers = (0..16).map(|_| service.request_token_with_proofs(&proof, &FOR_ITSELF)).collect();
    let replies = join_all(racers).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    for reply in replies.into_iter().filter(|reply| reply.status != 200) {
        reply.assert_oauth_error("invalid_dpop_proof");
    }
}

async fn dpop_replay_entries_are_cleaned_up_and_old_proofs_stay_rejected(world: &World) {
    let books = world.create_token_fixture().await;
    let service = books.create_service("clerk", "invoices:read").await;
    let holder = world.create_dpop_client();
    let proof = [holder.proof("POST", "/connect/token")];
    service.request_token_with_proofs(&proof, &FOR_ITSELF).await.assert_bound_to(&holder);
    let has_replay_entry = async || {
        let engine = world.server.engine();
        sinete_engine::administration::cleanup::delete_expired(engine).await.unwrap();
        let later = engine.now().plus(Lifetime::from_days(1));
        sinete_store::oauth::assertion_replays::has_expired_replays(engine.store(), later).await.unwrap()
    };
    world.clock.advance(DPOP_PROOF_AGE_MAX);
    assert!(has_replay_entry().await);
    service.request_token_with_proofs(&proof, &FOR_ITSELF).await.assert_oauth_error("invalid_dpop_proof");
    world.clock.advance(REPLAY_CLEANUP_AFTER.plus(Lifetime::from_seconds(1)));
    assert!(!has_replay_entry().await);
    service.request_token_with_proofs(&proof, &FOR_ITSELF).await.assert_oauth_error("invalid_dpop_proof");
}

async fn dpop_proof_of_a_failing_request_is_not_stored(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let holder = world.create_dpop_client();
    let device = [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "made-up")];
    for params in [
        vec![("grant_type", "made-up")],
        vec![("grant_type", "client_credentials")],
        device.to_vec(),
        vec![
            ("grant_type", "authorization_code"),
            ("code", "made-up"),
            ("code_verifier", crate::harness::token_endpoint::VERIFIER),
        ],
        vec![("grant_type", "refresh_token"), ("refresh_token", "made-up")],
    ] {
        let reply = app.request_token_with_proofs(&[holder.proof("POST", "/connect/token")], &params).await;
        assert_eq!(reply.status, 400, "{params:?}");
    }
    let engine = world.server.engine();
    let later = engine.now().plus(Lifetime::from_days(1));
    assert!(
        !sinete_store::oauth::assertion_replays::has_expired_replays(engine.store(), later).await.unwrap()
    );
}

async fn dpop_proof_that_is_invalid_is_refused_and_consumes_nothing(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let redeem = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", crate::harness::token_endpoint::VERIFIER),
    ];
    let (holder, issuer) = (world.create_dpop_client(), world.issuer());
    let now = world.server.engine().now().seconds();
    let claims = |claims: Value| holder.custom_proof(&json!({}), &claims);
    let good = claims(json!({}));
    let (unsigned, _) = good.rsplit_once('.').unwrap();
    for (case, proof) in unsigned_or_badly_signed_proofs(&holder, unsigned)
        .into_iter()
        .chain(proofs_with_invalid_header(&holder))
        .chain(proofs_with_invalid_claims(&holder))
    {
        let refused = app.request_token_with_proofs(&[proof], &redeem).await;
        assert_eq!(
            (refused.status, &refused.body["error"]),
            (400, &json!("invalid_dpop_proof")),
            "{case}: {}",
            refused.text
        );
        refused.assert_oauth_error("invalid_dpop_proof");
    }
    let two = [holder.proof("POST", "/connect/token"), holder.proof("POST", "/connect/token")];
    app.request_token_with_proofs(&two, &redeem).await.assert_oauth_error("invalid_dpop_proof");
    // Clock skew within the tolerance and another spelling of the same URI are accepted.
    let spelt = format!("{}/connect/%74oken?x=1", issuer.replacen("http", "HTTP", 1));
    for fine in [json!({"iat": now - 10}), json!({"iat": now + 10}), json!({"htu": spelt})] {
        app.request_token_with_proofs(
            &[claims(fine)],
            &[("grant_type", "refresh_token"), ("refresh_token", "x")],
        )
        .await
        .assert_oauth_error("invalid_grant");
    }
    app.request_token_with_proofs(&[good], &redeem).await.assert_bound_to(&holder);
}

fn unsigned_or_badly_signed_proofs(holder: &DpopClient<'_>, unsigned: &str) -> Vec<(&'static str, String)> {
    let none = json!({"typ": "dpop+jwt", "alg": "none", "jwk": holder.proof_header()["jwk"]});
    let none =
        format!("{}.{}.", URL_SAFE_NO_PAD.encode(none.to_string()), unsigned.split_once('.').unwrap().1);
    let foreign = sign_jws(
        &holder.world.create_dpop_client().key,
        &holder.proof_header(),
        &holder.proof_claims("POST", "/connect/token"),
    );
    vec![("no signature", format!("{unsigned}.")), ("alg none", none), ("another's signature", foreign)]
}

fn proofs_with_invalid_header(holder: &DpopClient<'_>) -> Vec<(&'static str, String)> {
    let mut private = holder.proof_header()["jwk"].clone();
    private["d"] = json!("AQAB");
    let shared = json!({"kty": "oct", "k": "AQAB"});
    let header = |header: Value| holder.custom_proof(&header, &json!({}));
    // For a public key of small order, a signature that verifies for any message can be computed without a private key.
    let small = |point: &str| json!({"alg": "EdDSA", "jwk": {"kty": "OKP", "crv": "Ed25519", "x": point}});
    let forged = |point: &str| {
        let signature = [&[1][..], &[0; 63]].concat();
        let unsigned = header(small(point));
        format!("{}.{}", unsigned.rsplit_once('.').unwrap().0, URL_SAFE_NO_PAD.encode(signature))
    };
    vec![
        ("another type", header(json!({"typ": "JWT"}))),
        ("no type", header(json!({"typ": null}))),
        ("a shared key", header(json!({"alg": "HS256", "jwk": shared}))),
        ("another algorithm", header(json!({"alg": "RS256"}))),
        ("a private key", header(json!({"jwk": private}))),
        ("the neutral element as a key", forged("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
        ("the same with the other sign", forged("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA")),
        ("the same, not reduced", forged("7v_______________________________________38")),
        ("no key", header(json!({"jwk": null}))),
        ("a key elsewhere", header(json!({"jku": "https://keys.example"}))),
        ("an extension", header(json!({"crit": ["exp"]}))),
    ]
}

fn proofs_with_invalid_claims(holder: &DpopClient<'_>) -> Vec<(&'static str, String)> {
    let issuer = holder.world.issuer();
    let now = holder.world.server.engine().now().seconds();
    let claims = |claims: Value| holder.custom_proof(&json!({}), &claims);
    vec![
        ("another method", claims(json!({"htm": "GET"}))),
        ("no method", claims(json!({"htm": null}))),
        ("another path", claims(json!({"htu": format!("{issuer}/connect/par")}))),
        ("another host", claims(json!({"htu": "https://evil.example/connect/token"}))),
        ("no address", claims(json!({"htu": null}))),
        ("an hour ago", claims(json!({"iat": now - 3_600}))),
        ("in an hour", claims(json!({"iat": now + 3_600}))),
        ("no time", claims(json!({"iat": null}))),
        ("no id", claims(json!({"jti": null}))),
        ("an empty id", claims(json!({"jti": ""}))),
        ("a long id", claims(json!({"jti": "x".repeat(257)}))),
        ("no token", "proof".to_owned()),
        ("nothing", String::new()),
    ]
}

async fn dpop_proof_with_a_token_is_valid_for_that_token_and_request_only(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let holder = world.create_dpop_client();
    let token = app.redeem_code_with_dpop(&holder, &code).await.assert_bound_to(&holder).access_token();
    let (path, now) = ("/connect/userinfo", world.server.engine().now().seconds());
    assert_eq!(holder.call_with_token(path, &token).await.status, 200);
    for wrong in [
        json!({"ath": null}),
        json!({"ath": compute_ath("another")}),
        json!({"htm": "POST"}),
        json!({"htu": format!("{}/connect/token", world.issuer())}),
        json!({"iat": now - 3_600}),
        json!({"iat": now + 3_600}),
    ] {
        holder
            .call_with_token_and_claims(path, &token, &wrong)
            .await
            .assert_dpop_challenge("invalid_dpop_proof");
    }
    let proof = holder.proof_with_claims("GET", path, &json!({"ath": compute_ath(&token)}));
    assert_eq!(world.call_with_dpop(path, &token, std::slice::from_ref(&proof)).await.status, 200);
    world
        .call_with_dpop(path, &token, std::slice::from_ref(&proof))
        .await
        .assert_dpop_challenge("invalid_dpop_proof");
    let other = holder.proof_with_claims("GET", path, &json!({"ath": compute_ath(&token)}));
    world.call_with_dpop(path, &token, &[proof, other]).await.assert_dpop_challenge("invalid_dpop_proof");
    world.call_with_dpop(path, &token, &[]).await.assert_dpop_challenge("invalid_dpop_proof");
    // `htu` does not include the query.
    assert_eq!(holder.call_with_token("/connect/userinfo?x=1", &token).await.status, 200);
    // The error is in the body as well as in the challenge.
    let request_builder =
        world.http.get(world.public_url(path)).header("authorization", format!("DPoP {token}"));
    let body: Value = request_builder.send().await.unwrap().json().await.unwrap();
    assert_eq!(body["error"], "invalid_dpop_proof");
}
