//! A directory of an organization's, as it speaks SCIM.

use super::api::{ApiCaller, ApiRequest, ApiResponse};
use super::tenants::TestOrganization;
use super::world::World;
use reqwest::Method;
use serde_json::{Value, json};

/// Where users are.
pub const USERS: &str = "/scim/v2/Users";
/// The same, among many requests at once.
pub const USER: &str = "/Users";
/// Where groups are.
pub const GROUPS: &str = "/scim/v2/Groups";

impl World {
    /// A directory that may provision and nothing else: its key is an owner's and carries no more.
    pub async fn directory(&self, tenant: &TestOrganization) -> ApiCaller<'_> {
        self.directory_with(tenant, "scim:provision").await
    }

    /// The same, with this scope.
    pub async fn directory_with(&self, tenant: &TestOrganization, scope: &str) -> ApiCaller<'_> {
        let membership = self.member(tenant, &["owner"]).await;
        self.key(tenant, membership, scope).await
    }
}

impl ApiCaller<'_> {
    /// Makes a user of this name.
    pub async fn provisions(&self, user_name: &str) -> ApiResponse {
        let user = json!({"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": user_name});
        self.post(USERS, user).await.is(201)
    }

    /// Changes parts of something, whatever its version.
    pub async fn changes(&self, path: &str, operations: Value) -> ApiResponse {
        let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
        let body = json!({"schemas": [schema], "Operations": operations});
        self.ask(Method::PATCH, path, ApiRequest { body: Some(body), ..ApiRequest::default() }).await
    }

    /// Puts something in its place, whatever its version.
    pub async fn puts(&self, path: &str, body: Value) -> ApiResponse {
        self.ask(Method::PUT, path, ApiRequest { body: Some(body), ..ApiRequest::default() }).await
    }

    /// A list that is filtered like this.
    pub async fn filters(&self, path: &str, filter: &str) -> ApiResponse {
        let encoded: String = filter.bytes().map(|byte| format!("%{byte:02X}")).collect();
        self.get(&format!("{path}?filter={encoded}")).await
    }
}

impl ApiResponse {
    /// It must be turned down like this, in the words that directories know.
    #[track_caller]
    pub fn turned_down(self, status: u16, word: &str) -> Self {
        let reply = self.is(status);
        assert_eq!(reply.body["schemas"], json!(["urn:ietf:params:scim:api:messages:2.0:Error"]));
        assert_eq!(reply.body["status"], status.to_string(), "{}", reply.text);
        assert_eq!(reply.body["scimType"].as_str().unwrap_or_default(), word, "{}", reply.text);
        assert_eq!(reply.headers["content-type"], "application/scim+json");
        reply
    }

    /// The ids of what a list shows, in its order.
    #[track_caller]
    pub fn listed(&self) -> Vec<String> {
        let resources = self.body["Resources"].as_array().unwrap_or_else(|| panic!("{}", self.text));
        resources.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    }
}
