//! What is deliberately not supported: no type has a value for it, no document names it, and a request for it is
//! refused.

use crate::both_engines;
use crate::harness::oauth_application::VERIFIER;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::oauth::authorize::redirectable_request::ResponseMode;
use sinete_core::oauth::client_metadata::{ClientAuthMethod, GrantType, ResponseType};
use sinete_core::oauth::mtls::ClientCertificatePolicy;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_store::oauth::clients::ClientOrigin;

/// Values that no document contains, whole or in part.
const NEVER: [&str; 9] = [
    "implicit",
    "hybrid",
    "password",
    "plain",
    "fragment",
    "token",
    "id_token",
    "HS256",
    "client_secret_jwt",
];

/// Every value of a document that names a method, grant or algorithm.
fn ways(document: &Value) -> Vec<String> {
    let lists = document.as_object().unwrap().iter().filter(|(member, _)| member.ends_with("_supported"));
    let words = lists.filter(|(member, _)| !member.starts_with("claims")).flat_map(|(_, value)| {
        value
            .as_array()
            .cloned()
            .unwrap_or_default()
            .into_iter()
            .filter_map(|it| it.as_str().map(str::to_owned))
    });
    words.flat_map(|word| word.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect()
}

both_engines!(
    unsupported_features_are_in_no_enumeration_and_no_document,
    unsupported_grants_and_response_types_are_refused
);

async fn unsupported_features_are_in_no_enumeration_and_no_document(world: &World) {
    let sets: Vec<&str> = GrantType::ALL
        .map(GrantType::as_str)
        .into_iter()
        .chain(ResponseType::ALL.map(ResponseType::as_str))
        .chain(ResponseMode::ALL.map(ResponseMode::as_str))
        .chain(ClientAuthMethod::ALL.map(ClientAuthMethod::as_str))
        .chain(SigningAlgorithm::ALL.map(SigningAlgorithm::as_str))
        .collect();
    assert!(sets.len() > 10);
    assert!(sets.iter().all(|word| word.split(' ').all(|word| !NEVER.contains(&word))), "{sets:?}");
    assert_eq!((ResponseType::ALL.map(ResponseType::as_str), ResponseMode::ALL.len()), (["code"], 2));
    for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
        let document: Value = world.get(path).await.json().await.unwrap();
        let listed_values = ways(&document);
        assert!(listed_values.len() > 30, "{listed_values:?}");
        assert!(listed_values.iter().all(|way| !NEVER.contains(&way.as_str())), "{path}: {listed_values:?}");
        assert_eq!(document["response_types_supported"], json!(["code"]));
        assert_eq!(document["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(document["grant_types_supported"], json!(GrantType::ALL.map(GrantType::as_str)));
        for (member, set) in [
            ("response_modes_supported", ResponseMode::ALL.map(ResponseMode::as_str).to_vec()),
            (
                "token_endpoint_auth_methods_supported",
                ClientAuthMethod::ALL
                    .into_iter()
                    .filter(|it| it.is_available(ClientCertificatePolicy::None))
                    .map(ClientAuthMethod::as_str)
                    .collect(),
            ),
            (
                "request_object_signing_alg_values_supported",
                SigningAlgorithm::ALL.map(SigningAlgorithm::as_str).to_vec(),
            ),
        ] {
            assert_eq!(document[member], json!(set), "{member}");
        }
    }
}

async fn unsupported_grants_and_response_types_are_refused(world: &World) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_member(&acme, &["member"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    let app = world.create_application(ClientOrigin::Operator, json!({"consent": "implied"})).await;
    for kind in
        ["token", "id_token", "id_token token", "code token", "code id_token", "code id_token token", "none"]
    {
        app.authorize(Some(&browser), &[("response_type", Some(kind))])
            .await
            .assert_error_redirect("unsupported_response_type");
    }
    for mode in ["fragment", "web_message", "form_post.jwt", "query.jwt"] {
        app.authorize(Some(&browser), &[("response_mode", Some(mode))])
            .await
            .assert_error_redirect("invalid_request");
    }
    for method in [Some("plain"), Some("s256"), Some("S512"), None] {
        let params = [("code_challenge_method", method), ("code_challenge", Some(VERIFIER))];
        app.authorize(Some(&browser), &params).await.assert_error_redirect("invalid_request");
    }
    for grant in ["password", "implicit", "hybrid", "urn:ietf:params:oauth:grant-type:jwt-bearer"] {
        let form = [
            ("grant_type", grant),
            ("username", "ana@example.com"),
            ("password", "secret"),
            ("scope", "openid"),
        ];
        let (status, refused) = app
            .post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned())))
            .await;
        assert_eq!((status, &refused["error"]), (400, &json!("unsupported_grant_type")), "{grant}");
    }
    for body in [
        json!({"grant_types": ["password"]}),
        json!({"grant_types": ["implicit"]}),
        json!({"response_types": ["token"]}),
        json!({"response_types": ["code id_token"]}),
        json!({"token_endpoint_auth_method": "client_secret_jwt"}),
        json!({"id_token_signed_response_alg": "HS256"}),
        json!({"id_token_signed_response_alg": "none"}),
        json!({"request_object_signing_alg": "none"}),
    ] {
        let mut document = json!({"client_name": "x", "redirect_uris": ["https://a.example/cb"]});
        document.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let answer =
            world.http.post(world.public_url("/connect/register")).json(&document).send().await.unwrap();
        let (status, response_body) = (answer.status().as_u16(), answer.json::<Value>().await.unwrap());
        assert_eq!((status, &response_body["error"]), (400, &json!("invalid_client_metadata")), "{body}");
    }
    assert_eq!(world.count_events("grant.given").await, 0);
}
