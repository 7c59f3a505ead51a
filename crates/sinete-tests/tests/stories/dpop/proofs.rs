//! Which proofs count: for one request, for a moment, and once.

use crate::both_engines;
use crate::harness::token_endpoint::signed;
use crate::harness::world::World;
use crate::stories::manage::conventions::join_all;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::limits::{KEY_PROOF_AGE_MAX, REPLAYS_SWEPT_AFTER};
use sinete_core::signing::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_core::token::key_proof::hash_of;

const FOR_ITSELF: [(&str, &str); 1] = [("grant_type", "client_credentials")];

both_engines!(
    a_proof_of_every_algorithm_binds_and_counts_once,
    of_sixteen_who_show_one_proof_at_once_one_is_answered,
    what_was_seen_is_forgotten_soon_and_counts_no_more_for_that,
    a_proof_beside_what_nothing_can_come_of_is_not_remembered,
    a_proof_that_is_anything_else_is_refused_and_spends_nothing,
    a_proof_beside_a_token_is_for_that_token_and_that_request
);

async fn a_proof_of_every_algorithm_binds_and_counts_once(world: &World) {
    let books = world.books().await;
    let service = books.service("clerk", "invoices:read").await;
    for algorithm in SigningAlgorithm::ALL {
        let holder = world.key_holder_of(algorithm);
        let proof = [holder.proof("POST", "/connect/token")];
        service.ask_beside(&proof, &FOR_ITSELF).await.bound_to(&holder);
        service.ask_beside(&proof, &FOR_ITSELF).await.refused("invalid_dpop_proof");
    }
    // Two keys may have the same idea of an id.
    let (one, other) = (world.key_holder(), world.key_holder());
    for holder in [&one, &other] {
        let proof = holder.strange_proof(&json!({}), &json!({"jti": "same"}));
        service.ask_beside(&[proof], &FOR_ITSELF).await.bound_to(holder);
    }
    // Without a proof nothing is bound, and nothing says that it is.
    let free = service.ask(&FOR_ITSELF).await.granted();
    assert_eq!(world.bound_to(&free.access_token()), Value::Null);
}

async fn of_sixteen_who_show_one_proof_at_once_one_is_answered(world: &World) {
    let books = world.books().await;
    let service = books.service("clerk", "invoices:read").await;
    let holder = world.key_holder();
    let proof = [holder.proof("POST", "/connect/token")];
    let racers = (0..16).map(|_| service.ask_beside(&proof, &FOR_ITSELF)).collect();
    let replies = join_all(racers).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    for reply in replies.into_iter().filter(|reply| reply.status != 200) {
        reply.refused("invalid_dpop_proof");
    }
}

async fn what_was_seen_is_forgotten_soon_and_counts_no_more_for_that(world: &World) {
    let books = world.books().await;
    let service = books.service("clerk", "invoices:read").await;
    let holder = world.key_holder();
    let proof = [holder.proof("POST", "/connect/token")];
    service.ask_beside(&proof, &FOR_ITSELF).await.bound_to(&holder);
    let kept = async || {
        let engine = world.server.engine();
        sinete_engine::sweep::sweep(engine).await.unwrap();
        let later = engine.now().plus(Lifetime::from_days(1));
        sinete_store::assertion_replays::is_any_forgotten(engine.store(), later).await.unwrap()
    };
    world.clock.pass(KEY_PROOF_AGE_MAX);
    assert!(kept().await);
    service.ask_beside(&proof, &FOR_ITSELF).await.refused("invalid_dpop_proof");
    world.clock.pass(REPLAYS_SWEPT_AFTER.plus(Lifetime::from_seconds(1)));
    assert!(!kept().await);
    service.ask_beside(&proof, &FOR_ITSELF).await.refused("invalid_dpop_proof");
}

async fn a_proof_beside_what_nothing_can_come_of_is_not_remembered(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({"token_endpoint_auth_method": "none"})).await;
    let holder = world.key_holder();
    let device = [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "made-up")];
    for asked in [
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
        let reply = app.ask_beside(&[holder.proof("POST", "/connect/token")], &asked).await;
        assert_eq!(reply.status, 400, "{asked:?}");
    }
    let engine = world.server.engine();
    let later = engine.now().plus(Lifetime::from_days(1));
    assert!(!sinete_store::assertion_replays::is_any_forgotten(engine.store(), later).await.unwrap());
}

async fn a_proof_that_is_anything_else_is_refused_and_spends_nothing(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let redeem = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", crate::harness::token_endpoint::VERIFIER),
    ];
    let (holder, issuer) = (world.key_holder(), world.issuer());
    let now = world.server.engine().now().seconds();
    let mut private = holder.header()["jwk"].clone();
    private["d"] = json!("AQAB");
    let shared = json!({"kty": "oct", "k": "AQAB"});
    let header = |header: Value| holder.strange_proof(&header, &json!({}));
    let claims = |claims: Value| holder.strange_proof(&json!({}), &claims);
    let good = claims(json!({}));
    let (unsigned, _) = good.rsplit_once('.').unwrap();
    let none = json!({"typ": "dpop+jwt", "alg": "none", "jwk": holder.header()["jwk"]});
    let none =
        format!("{}.{}.", URL_SAFE_NO_PAD.encode(none.to_string()), unsigned.split_once('.').unwrap().1);
    // With a key of small order anybody makes a signature that verifies, of any message.
    let small = |point: &str| json!({"alg": "EdDSA", "jwk": {"kty": "OKP", "crv": "Ed25519", "x": point}});
    let forged = |point: &str| {
        let signature = [&[1][..], &[0; 63]].concat();
        let unsigned = header(small(point));
        format!("{}.{}", unsigned.rsplit_once('.').unwrap().0, URL_SAFE_NO_PAD.encode(signature))
    };
    let foreign = signed(&world.key_holder().key, &holder.header(), &holder.claims("POST", "/connect/token"));
    for (what, proof) in [
        ("no signature", format!("{unsigned}.")),
        ("alg none", none),
        ("another's signature", foreign),
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
    ] {
        let refused = app.ask_beside(&[proof], &redeem).await;
        assert_eq!(
            (refused.status, &refused.body["error"]),
            (400, &json!("invalid_dpop_proof")),
            "{what}: {}",
            refused.text
        );
        refused.refused("invalid_dpop_proof");
    }
    let two = [holder.proof("POST", "/connect/token"), holder.proof("POST", "/connect/token")];
    app.ask_beside(&two, &redeem).await.refused("invalid_dpop_proof");
    // As far as clocks may be apart, and however the address is spelt.
    let spelt = format!("{}/connect/%74oken?x=1", issuer.replacen("http", "HTTP", 1));
    for fine in [json!({"iat": now - 10}), json!({"iat": now + 10}), json!({"htu": spelt})] {
        app.ask_beside(&[claims(fine)], &[("grant_type", "refresh_token"), ("refresh_token", "x")])
            .await
            .refused("invalid_grant");
    }
    app.ask_beside(&[good], &redeem).await.bound_to(&holder);
}

async fn a_proof_beside_a_token_is_for_that_token_and_that_request(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let holder = world.key_holder();
    let token = app.redeem_holding(&holder, &code).await.bound_to(&holder).access_token();
    let (path, now) = ("/connect/userinfo", world.server.engine().now().seconds());
    assert_eq!(holder.shows(path, &token).await.status, 200);
    for wrong in [
        json!({"ath": null}),
        json!({"ath": hash_of("another")}),
        json!({"htm": "POST"}),
        json!({"htu": format!("{}/connect/token", world.issuer())}),
        json!({"iat": now - 3_600}),
        json!({"iat": now + 3_600}),
    ] {
        holder.shows_saying(path, &token, &wrong).await.refused("invalid_dpop_proof");
    }
    let proof = holder.proof_saying("GET", path, &json!({"ath": hash_of(&token)}));
    assert_eq!(world.shown(path, &token, std::slice::from_ref(&proof)).await.status, 200);
    world.shown(path, &token, std::slice::from_ref(&proof)).await.refused("invalid_dpop_proof");
    let other = holder.proof_saying("GET", path, &json!({"ath": hash_of(&token)}));
    world.shown(path, &token, &[proof, other]).await.refused("invalid_dpop_proof");
    world.shown(path, &token, &[]).await.refused("invalid_dpop_proof");
    // The query belongs to no address that is proven.
    assert_eq!(holder.shows("/connect/userinfo?x=1", &token).await.status, 200);
    // A body is answered like a header: with the word for what is wrong.
    let asked = world.http.get(world.public(path)).header("authorization", format!("DPoP {token}"));
    let told: Value = asked.send().await.unwrap().json().await.unwrap();
    assert_eq!(told["error"], "invalid_dpop_proof");
}
