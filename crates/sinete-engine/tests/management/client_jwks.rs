//! Published keys of a client: fetched when needed, cached, and rate limited.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, refusal_code};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::RefusalCode;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::EventCause;
use sinete_engine::oauth::client_authentication;
use sinete_engine::oauth::client_authentication::{ClientAuthRequest, ClientCredential, TOKEN_ENDPOINT};
use sinete_store::JsonDocument;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::{ClientOrigin, NewClient};

const ADDRESS: &str = "https://robot.example/keys";

/// Whether the client authenticates with an assertion signed by this key.
async fn proves(world: &World, key: &SigningKey, jti: &str) -> Result<(), RefusalCode> {
    let now = world.now().seconds();
    let header = json!({"alg": "ES256", "kid": key.kid()});
    let claims = json!({
        "iss": "robot", "sub": "robot", "aud": crate::fixture::ISSUER, "jti": jti, "iat": now, "exp": now + 60,
    });
    let encoded = |part: serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
    let signed = format!("{}.{}", encoded(header), encoded(claims));
    let signature = URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes()).unwrap());
    let auth_request = ClientAuthRequest {
        client: None,
        credential: ClientCredential::Assertion(format!("{signed}.{signature}")),
        endpoint: TOKEN_ENDPOINT,
        certificate: None,
        dpop: None,
    };
    let result =
        client_authentication::authenticate_client(&world.engine, &auth_request, &EventCause::system()).await;
    result.map(drop).map_err(refusal_code)
}

fn page(keys: &[&SigningKey]) -> String {
    let keys: Vec<_> = keys.iter().map(|key| key.public_jwk()).collect();
    json!({"keys": keys}).to_string()
}

/// A client that publishes its keys.
async fn robot(database: Database) -> World {
    let world = World::new(database).await;
    let id: ClientId = "robot".parse().unwrap();
    let metadata = json!({
        "client_name": "Robot", "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": ADDRESS,
    });
    let new = NewClient {
        id: &id,
        kind: ClientKind::Service,
        origin: ClientOrigin::Operator,
        name: "Robot",
        purpose: "",
        owner: None,
        scope: &ScopeSet::default(),
        metadata: &JsonDocument::from_value(&metadata).unwrap(),
        created_at: world.now(),
    };
    world.happens([clients::create_client(&new)]).await;
    world
}

async fn client_jwks_is_fetched_once_for_concurrent_requests_and_survives_disconnects(database: Database) {
    let world = robot(database).await;
    let [first, second, key] = [(); 3].map(|()| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
    world.web.publish(ADDRESS, &page(&[&first]));
    world.web.hold_back(true);
    // Concurrent requests wait for one fetch.
    let all = async {
        tokio::join!(proves(&world, &first, "1"), proves(&world, &first, "2"), async {
            while world.web.asked() == 0 {
                tokio::task::yield_now().await;
            }
            world.web.hold_back(false);
        })
    };
    let (one, other, ()) = all.await;
    assert_eq!((one, other), (Ok(()), Ok(())));
    assert_eq!(world.web.asked(), 1);

    // A request with an unknown key disconnects during the fetch: the fetched keys are cached anyway.
    world.web.publish(ADDRESS, &page(&[&first, &second]));
    world.pass(Lifetime::from_minutes(1));
    world.web.hold_back(true);
    let hangs_up = async {
        while world.web.asked() == 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        () = hangs_up => {}
        _ = proves(&world, &key, "s") => panic!("no request was answered yet"),
    }
    world.web.hold_back(false);
    assert_eq!(proves(&world, &second, "3").await, Ok(()));
    assert_eq!(world.web.asked(), 2);
}

async fn client_jwks_is_refetched_for_an_unknown_kid_at_most_once_a_minute(database: Database) {
    let world = robot(database).await;
    let [first, second, key] = [(); 3].map(|()| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
    let refused = Err(RefusalCode::InvalidClient);

    assert_eq!(proves(&world, &first, "1").await, refused, "nothing is published yet");
    world.web.publish(ADDRESS, &page(&[&first]));
    assert_eq!(proves(&world, &first, "2").await, refused, "the URL was requested a moment ago");
    world.pass(Lifetime::from_minutes(1));
    assert_eq!(proves(&world, &first, "3").await, Ok(()));
    assert_eq!(proves(&world, &first, "3").await, refused, "an assertion is accepted once");
    assert_eq!(world.web.asked(), 2);

    world.web.publish(ADDRESS, &page(&[&first, &second]));
    world.pass(Lifetime::from_minutes(1));
    assert_eq!(proves(&world, &second, "4").await, Ok(()), "a new key is fetched");
    for number in 0..5 {
        assert_eq!(proves(&world, &key, &format!("s{number}")).await, refused);
    }
    assert_eq!(world.web.asked(), 3, "unknown keys cause no further requests");
    assert_eq!(proves(&world, &first, "5").await, Ok(()));
    assert_eq!(world.web.asked(), 3);

    world.web.publish(ADDRESS, &page(&[&second]));
    world.pass(Lifetime::from_minutes(10));
    assert_eq!(proves(&world, &first, "6").await, refused, "a key that was withdrawn is forgotten");
    assert_eq!(proves(&world, &second, "7").await, Ok(()));
    world.web.publish(ADDRESS, "not a set of keys");
    world.pass(Lifetime::from_hours(23));
    assert_eq!(proves(&world, &second, "8").await, Ok(()), "an unavailable URL locks no client out");
    world.pass(Lifetime::from_hours(2));
    assert_eq!(proves(&world, &second, "9").await, refused, "but not permanently");
}

both_engines!(
    client_jwks_is_fetched_once_for_concurrent_requests_and_survives_disconnects,
    client_jwks_is_refetched_for_an_unknown_kid_at_most_once_a_minute
);
