//! Requests of the management client, and how it reads responses.

use crate::mock_issuer::{MockIssuer, MockResponse, RecordedCall};
use serde_json::{Value, json};
use sinete_client::management::{
    CreateRoleRequest, FieldError, ManagementClient, ManagementClientSettings, ManagementCredential,
    RolePatch,
};
use sinete_client::{ClientAuthentication, TokenClient, TokenClientSettings};
use std::sync::Arc;

const ISSUER: &str = "http://localhost:8080";

struct Fixture {
    mock: MockIssuer,
    client: ManagementClient,
}

async fn set_up(credential: impl FnOnce(&MockIssuer) -> ManagementCredential) -> Fixture {
    let mock = MockIssuer::start(ISSUER, &json!({"keys": []})).await;
    let credential = credential(&mock);
    let settings = ManagementClientSettings {
        issuer: ISSUER.to_owned(),
        credential,
        http_client: Some(mock.http_client()),
    };
    Fixture { client: ManagementClient::new(settings).unwrap(), mock }
}

async fn set_up_with_api_key() -> Fixture {
    set_up(|_| ManagementCredential::ApiKey("k".to_owned())).await
}

impl Fixture {
    fn respond(&self, status: u16, json: &Value, headers: &[(&str, &str)]) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let response = MockResponse { status, json: Some(json.clone()), headers, is_too_long: false };
        self.mock.script.lock().unwrap().management.push_back(response);
    }

    fn calls(&self) -> Vec<RecordedCall> {
        std::mem::take(&mut self.mock.script.lock().unwrap().calls)
    }
}

fn role(name: &str) -> Value {
    json!({"id": name, "name": name, "description": "", "permissions": [], "built_in": false, "version": 1, "more": "later"})
}

#[tokio::test]
async fn management_call_sends_path_version_body_and_credentials() {
    let fixture = set_up_with_api_key().await;
    fixture.respond(200, &role("r"), &[]);
    let patch = RolePatch { name: Some("x".to_owned()), ..RolePatch::default() };
    let changed = fixture.client.update_role("acme", "r/1 ?", 7, &patch).await.unwrap();
    assert_eq!(changed.name, "r");
    let [recorded_call] = &fixture.calls()[..] else { panic!("one call") };
    assert_eq!(
        (recorded_call.method.as_str(), recorded_call.path.as_str()),
        ("PATCH", "/manage/organizations/acme/roles/r%2F1%20%3F")
    );
    assert_eq!(recorded_call.body, r#"{"name":"x"}"#);
    assert_eq!(recorded_call.header("if-match"), Some("\"7\""));
    assert_eq!(recorded_call.header("content-type"), Some("application/merge-patch+json"));
    assert_eq!(
        (recorded_call.header("authorization"), recorded_call.header("idempotency-key")),
        (Some("Bearer k"), None)
    );
}

#[tokio::test]
async fn management_path_parameter_that_would_change_the_path_is_rejected() {
    let fixture = set_up_with_api_key().await;
    for name in ["..", ".", ""] {
        assert_eq!(fixture.client.get_role("acme", name).await.unwrap_err().problem_type, "no_response");
        assert_eq!(fixture.client.get_role(name, "r").await.unwrap_err().problem_type, "no_response");
    }
    assert!(fixture.calls().is_empty());
}

#[tokio::test]
async fn paged_list_fetches_further_pages_on_demand_only() {
    let fixture = set_up_with_api_key().await;
    let list = fixture.client.list_roles("acme").limit(2);
    assert!(fixture.calls().is_empty());
    fixture.respond(200, &json!({"items": [role("a"), role("b")], "next": "a b"}), &[]);
    fixture.respond(200, &json!({"items": [], "next": "c"}), &[]);
    fixture.respond(200, &json!({"items": [role("c")], "next": null}), &[]);
    let names: Vec<_> = list.collect_all().await.unwrap().into_iter().map(|role| role.name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let paths: Vec<_> = fixture.calls().into_iter().map(|recorded_call| recorded_call.path).collect();
    let path = "/manage/organizations/acme/roles";
    assert_eq!(
        paths,
        [format!("{path}?limit=2"), format!("{path}?after=a+b&limit=2"), format!("{path}?after=c&limit=2")]
    );
    fixture.respond(200, &json!({"items": [role("a"), role("b")], "next": "x"}), &[]);
    let mut list = fixture.client.list_roles("acme");
    assert_eq!(list.next().await.unwrap().unwrap().name, "a");
    assert_eq!(list.next().await.unwrap().unwrap().name, "b");
    assert_eq!(fixture.calls().len(), 1);
}

#[tokio::test]
async fn idempotency_key_is_sent_only_with_calls_that_create_something() {
    let fixture = set_up_with_api_key().await;
    let new_role = CreateRoleRequest { name: "a".to_owned(), ..CreateRoleRequest::default() };
    fixture.respond(201, &role("a"), &[]);
    fixture.respond(201, &role("a"), &[]);
    fixture.client.with_idempotency_key("key").create_role("acme", &new_role).await.unwrap();
    fixture.client.create_role("acme", &new_role).await.unwrap();
    let calls = fixture.calls();
    assert_eq!(calls[0].header("idempotency-key"), Some("key"));
    assert_eq!(calls[1].header("idempotency-key"), None);
    assert!(fixture.client.with_idempotency_key("key").get_role("acme", "r").await.is_err());
    assert!(fixture.calls().is_empty());
}

#[tokio::test]
async fn management_api_error_is_built_from_the_error_response() {
    let fixture = set_up_with_api_key().await;
    let document = json!({
        "type": "urn:sinete:problem:unprocessable", "status": 422, "detail": "no", "id": "x",
        "errors": [{"pointer": "/name", "detail": "missing"}],
    });
    fixture.respond(422, &document, &[("x-request-id", "q"), ("retry-after", "7")]);
    let error = fixture.client.get_role("acme", "r").await.unwrap_err();
    assert_eq!(
        (error.status, error.problem_type.as_str(), error.detail.as_str()),
        (Some(422), "unprocessable", "no")
    );
    assert_eq!(
        (error.request_id.as_deref(), error.id.as_deref(), error.retry_after),
        (Some("q"), Some("x"), Some(7))
    );
    assert_eq!(error.errors, [FieldError { pointer: "/name".to_owned(), detail: "missing".to_owned() }]);
    for (status, strange) in [(502, json!("<html>")), (200, json!([])), (200, json!({"id": 1}))] {
        fixture.respond(status, &strange, &[]);
        assert_eq!(fixture.client.get_role("acme", "r").await.unwrap_err().problem_type, "no_response");
    }
}

#[tokio::test]
async fn dpop_nonce_is_repeated_and_a_rejected_token_is_requested_again() {
    let bound = |mock: &MockIssuer| {
        let default_settings = TokenClientSettings::new(ISSUER, ClientAuthentication::none("a"));
        let token_client = TokenClient::new(TokenClientSettings {
            use_dpop: true,
            http_client: Some(mock.http_client()),
            ..default_settings
        })
        .unwrap();
        ManagementCredential::TokenClient {
            token_client: Arc::new(token_client),
            scope: Some("roles:read".to_owned()),
        }
    };
    let fixture = set_up(bound).await;
    for token in ["t1", "t2"] {
        let json = json!({"access_token": token, "token_type": "DPoP", "expires_in": 600});
        let response = MockResponse { status: 200, json: Some(json), headers: [].into(), is_too_long: false };
        fixture.mock.script.lock().unwrap().tokens.push_back(response);
    }
    fixture.respond(401, &json!({}), &[("dpop-nonce", "n")]);
    fixture.respond(200, &role("r"), &[]);
    assert_eq!(fixture.client.get_role("acme", "r").await.unwrap().name, "r");
    fixture.respond(401, &json!({}), &[]);
    assert_eq!(fixture.client.get_role("acme", "r").await.unwrap_err().status, Some(401));
    fixture.respond(200, &role("r"), &[]);
    fixture.client.get_role("acme", "r").await.unwrap();
    let calls = fixture.calls();
    let authorizations: Vec<_> =
        calls.iter().map(|recorded_call| recorded_call.header("authorization").unwrap()).collect();
    assert_eq!(authorizations, ["DPoP t1", "DPoP t1", "DPoP t1", "DPoP t2"]);
    let proofs: Vec<_> = calls.iter().map(|recorded_call| recorded_call.header("dpop").unwrap()).collect();
    assert_eq!(proofs.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
}
