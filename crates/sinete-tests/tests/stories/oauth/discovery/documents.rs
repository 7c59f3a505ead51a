//! The discovery documents.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::Value;

const OPENID: &str = "/.well-known/openid-configuration";
const OAUTH: &str = "/.well-known/oauth-authorization-server";

both_engines!(
    discovery_documents_of_oidc_and_oauth_are_equal_and_cors_enabled,
    discovery_issuer_is_configured_and_not_derived_from_headers,
    discovery_names_no_deprecated_feature,
    discovery_below_a_root_issuer_is_not_found
);

async fn discovery_documents_of_oidc_and_oauth_are_equal_and_cors_enabled(world: &World) {
    let (one, other) = (world.get(OPENID).await, world.get(OAUTH).await);
    for answer in [&one, &other] {
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "application/json");
        assert_eq!(answer.headers()["cache-control"], "public, max-age=300");
        assert_eq!(answer.headers()["access-control-allow-origin"], "*");
        assert_eq!(answer.headers()["x-frame-options"], "DENY");
    }
    let tag = one.headers()["etag"].clone();
    assert_eq!(one.bytes().await.unwrap(), other.bytes().await.unwrap());
    let conditional_response =
        world.http.get(world.public_url(OPENID)).header("if-none-match", tag).send().await.unwrap();
    assert_eq!(conditional_response.status(), 304);
}

async fn discovery_issuer_is_configured_and_not_derived_from_headers(world: &World) {
    let plain = world.get(OPENID).await.bytes().await.unwrap();
    for (name, value) in [
        ("host", "evil.example"),
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-port", "444"),
        ("forwarded", "host=evil.example;proto=https"),
        ("x-original-host", "evil.example"),
    ] {
        for path in [OPENID, OAUTH, "/.well-known/oauth-protected-resource"] {
            let answer = world.http.get(world.public_url(path)).header(name, value).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{name}");
            let body = answer.bytes().await.unwrap();
            assert!(!String::from_utf8_lossy(&body).contains("evil"), "{name}");
            assert!(path == "/.well-known/oauth-protected-resource" || body == plain, "{name}");
        }
    }
    let document: Value = serde_json::from_slice(&plain).unwrap();
    assert_eq!(document["issuer"], world.server.issuer.as_str());
}

async fn discovery_names_no_deprecated_feature(world: &World) {
    let text = world.get(OPENID).await.text().await.unwrap();
    for word in ["implicit", "\"password\"", "id_token token", "fragment", "\"plain\"", "HS256", "pairwise"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

async fn discovery_below_a_root_issuer_is_not_found(world: &World) {
    for name in [OPENID, OAUTH] {
        assert_eq!(world.get(&format!("{name}/elsewhere")).await.status(), 404);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn discovery_of_an_issuer_with_a_path_is_found_in_every_form() {
    let base = [("SINETE_BASE_URL", "https://example.org/id/one")];
    let world = World::start_with_config(TestEngine::Sqlite, &base).await;
    let plain = world.get(OPENID).await.bytes().await.unwrap();
    let document: Value = serde_json::from_slice(&plain).unwrap();
    assert_eq!(document["issuer"], "https://example.org/id/one");
    assert_eq!(document["token_endpoint"], "https://example.org/id/one/connect/token");
    for path in [OAUTH.to_owned(), format!("{OPENID}/id/one"), format!("{OAUTH}/id/one")] {
        let answer = world.get(&path).await;
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(answer.bytes().await.unwrap(), plain, "{path}");
    }
    for path in [format!("{OPENID}/id"), format!("{OAUTH}/id/two"), format!("{OAUTH}/id/one/x")] {
        assert_eq!(world.get(&path).await.status(), 404, "{path}");
    }
    let resource = world.get("/.well-known/oauth-protected-resource/id/one").await;
    let resource: Value = resource.json().await.unwrap();
    assert_eq!(resource["resource"], "https://example.org/id/one");
    let challenge = world.get("/manage/organizations").await.headers()["www-authenticate"].clone();
    let metadata_url = "https://example.org/.well-known/oauth-protected-resource/id/one";
    assert_eq!(challenge, format!("Bearer resource_metadata=\"{metadata_url}\""));
    world.stop().await;
}
