//! Requests to the management API. Every response is checked against the OpenAPI document of the same server: its
//! status must be described there, and its body must match the schema for that status.

use super::organizations::TestOrganization;
use super::world::World;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;
use sinete_core::id::MembershipId;
use sinete_http::schema;
use tokio::sync::OnceCell;

/// A caller that authenticates with a bearer token.
#[derive(Clone)]
pub struct ApiCaller<'w> {
    pub world: &'w World,
    /// The organization whose paths the caller uses.
    pub tenant: TestOrganization,
    /// The membership that the bearer token belongs to.
    pub membership: MembershipId,
    /// The bearer token: an API key or an access token.
    pub secret: String,
}

/// The response to an [`ApiRequest`].
#[derive(Clone, Debug)]
pub struct ApiResponse {
    pub status: u16,
    pub headers: HeaderMap,
    /// The body; null if it is not JSON.
    pub body: Value,
    /// The body as text.
    pub text: String,
    /// Method and path, for assertion messages.
    request: String,
}

/// What a request carries besides its method and path.
#[derive(Clone, Debug, Default)]
pub struct ApiRequest<'a> {
    /// The JSON body.
    pub body: Option<Value>,
    /// The version in the `If-Match` header.
    pub if_match: Option<i64>,
    /// Further headers.
    pub headers: Vec<(&'a str, String)>,
}

impl ApiCaller<'_> {
    pub async fn get(&self, path: &str) -> ApiResponse {
        self.send_request(Method::GET, path, ApiRequest::default()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        let body = (!body.is_null()).then_some(body);
        self.send_request(Method::POST, path, ApiRequest { body, ..ApiRequest::default() }).await
    }

    /// Adds an API to the organization after verifying the domain of its host.
    pub async fn create_api(&self, api: Value) -> ApiResponse {
        let identifier = api["identifier"].as_str().and_then(|text| text.parse::<url::Url>().ok());
        if let Some(host) = identifier.as_ref().and_then(url::Url::host_str) {
            self.world.verify_domain(&self.tenant, host).await;
        }
        self.post(&self.tenant.path("/apis"), api).await
    }

    /// Sends `POST` with an `Idempotency-Key` header.
    pub async fn post_with_idempotency_key(&self, path: &str, key: &str, body: Value) -> ApiResponse {
        let headers = vec![("idempotency-key", key.to_owned())];
        self.send_request(
            Method::POST,
            path,
            ApiRequest { body: Some(body), headers, ..ApiRequest::default() },
        )
        .await
    }

    /// Sends `PATCH` with this version in `If-Match`.
    pub async fn patch(&self, path: &str, version: i64, body: Value) -> ApiResponse {
        let request = ApiRequest { body: Some(body), if_match: Some(version), ..ApiRequest::default() };
        self.send_request(Method::PATCH, path, request).await
    }

    /// Sends `PUT` with this version in `If-Match`.
    pub async fn put(&self, path: &str, version: i64, body: Value) -> ApiResponse {
        self.send_request(
            Method::PUT,
            path,
            ApiRequest { body: Some(body), if_match: Some(version), ..ApiRequest::default() },
        )
        .await
    }

    /// Sends `DELETE`, with `If-Match` if a version is given.
    pub async fn delete(&self, path: &str, version: Option<i64>) -> ApiResponse {
        self.send_request(Method::DELETE, path, ApiRequest { if_match: version, ..ApiRequest::default() })
            .await
    }

    /// Sends any request with the caller's bearer token.
    pub async fn send_request(&self, method: Method, path: &str, mut request: ApiRequest<'_>) -> ApiResponse {
        request.headers.push(("authorization", format!("Bearer {}", self.secret)));
        self.world.send_request(method, path, request).await
    }
}

impl World {
    /// Sends any request; the given headers authenticate it.
    pub async fn send_request(&self, method: Method, path: &str, api_request: ApiRequest<'_>) -> ApiResponse {
        let mut request = self.http.request(method.clone(), self.public_url(path));
        if let Some(body) = &api_request.body {
            let kind = match method {
                _ if path.starts_with("/scim/") => "application/scim+json",
                Method::PATCH => "application/merge-patch+json",
                _ => "application/json",
            };
            request = request.header("content-type", kind).body(body.to_string());
        }
        if let Some(version) = api_request.if_match {
            request = request.header("if-match", format!("\"{version}\""));
        }
        for (name, value) in &api_request.headers {
            request = request.header(*name, value);
        }
        let answer = request.send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or_default();
        let reply = ApiResponse { status, headers, body, text, request: format!("{method} {path}") };
        reply.assert_matches_openapi(&method, path, self.described_routes().await);
        reply
    }
}

impl ApiResponse {
    /// Asserts the status.
    #[track_caller]
    pub fn assert_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}: {}", self.request, self.text);
        self
    }

    /// Asserts that the body is a problem (RFC 9457) with this status and type.
    #[track_caller]
    pub fn assert_problem(self, status: u16, code: &str) -> Self {
        let reply = self.assert_status(status);
        assert_eq!(reply.body["code"], code, "{}", reply.request);
        let problem_type = reply.body["type"].as_str().unwrap_or_default();
        assert!(problem_type.starts_with("urn:sinete:problem:"), "{}: {problem_type}", reply.request);
        reply
    }

    /// The version in the body, which the `ETag` header must repeat.
    #[track_caller]
    pub fn version(&self) -> i64 {
        let version = self.body["version"].as_i64().unwrap();
        assert_eq!(self.headers["etag"].to_str().unwrap(), format!("\"{version}\""), "{}", self.request);
        version
    }

    /// A string member of the body.
    #[track_caller]
    pub fn text_member(&self, member: &str) -> String {
        let text = self.body[member].as_str();
        text.unwrap_or_else(|| panic!("{}: no {member} in {}", self.request, self.text)).to_owned()
    }

    /// The JSON pointers of the errors that the problem lists.
    pub fn fault_pointers(&self) -> Vec<String> {
        let errors = self.body["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|error| error["pointer"].as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    fn assert_matches_openapi(&self, method: &Method, path: &str, description: &Value) {
        let Some(operation) = find_operation(description, method, path) else { return };
        let response = &operation["responses"][self.status.to_string()];
        assert!(response.is_object(), "{} answered {}, which is not described", self.request, self.status);
        let response = match response["$ref"].as_str() {
            Some(reference) => description.pointer(reference.strip_prefix('#').unwrap()).unwrap(),
            None => response,
        };
        let kind = self.headers.get("content-type").map(|kind| kind.to_str().unwrap());
        let kind = kind.map(|kind| kind.split(';').next().unwrap().trim());
        let content = &response["content"];
        assert_eq!(kind.is_some(), content.is_object(), "{}: {kind:?} with {content}", self.request);
        let Some(kind) = kind else { return };
        let schema = &content[kind]["schema"];
        assert!(schema.is_object(), "{} answered {kind}, which is not described", self.request);
        if let Some(items) = schema.pointer("/properties/items/items") {
            for item in self.body["items"].as_array().unwrap() {
                self.assert_matches_schema(items, item);
            }
            assert!(self.body["next"].is_string() || self.body["next"].is_null());
            assert_eq!(self.body.as_object().unwrap().len(), 2, "{}", self.text);
        } else if schema.get("$ref").is_some() {
            self.assert_matches_schema(schema, &self.body);
        }
    }

    #[track_caller]
    fn assert_matches_schema(&self, reference: &Value, value: &Value) {
        let name = reference["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let errors = schema::SCHEMA_REGISTRY.check(schema::find_schema(name).unwrap(), value);
        assert!(errors.is_empty(), "{}: {value} does not fit {name}: {errors:?}", self.request);
    }
}

/// The operation in the OpenAPI document that describes a request, if the document has its path.
fn find_operation<'a>(description: &'a Value, method: &Method, path: &str) -> Option<&'a Value> {
    let path: Vec<&str> = path.split('?').next()?.split('/').collect();
    let fits = |template: &str| {
        let template: Vec<&str> = template.split('/').collect();
        template.len() == path.len()
            && template.iter().zip(&path).all(|(template_segment, path_segment)| {
                template_segment.starts_with('{') || template_segment == path_segment
            })
    };
    let path_item = description["paths"].as_object()?.iter().find(|(template, _)| fits(template));
    path_item.and_then(|(_, operations)| operations.get(method.as_str().to_ascii_lowercase()))
}

impl World {
    /// The OpenAPI document of this server.
    pub async fn openapi(&self) -> &Value {
        self.description.get_or_init(|| self.fetch_description()).await
    }

    /// The OpenAPI document of the first server that was started. Servers differ in their URL only, and generating the
    /// document takes longer than most stories.
    async fn described_routes(&self) -> &'static Value {
        static DESCRIPTION: OnceCell<Value> = OnceCell::const_new();
        DESCRIPTION.get_or_init(|| self.fetch_description()).await
    }

    async fn fetch_description(&self) -> Value {
        self.get("/openapi.json").await.json().await.unwrap()
    }
}
