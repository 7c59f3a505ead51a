//! A directory of an organization's, as it speaks SCIM.

use super::api_caller::{ApiCaller, ApiRequest, ApiResponse};
use super::organizations::TestOrganization;
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
    pub async fn create_scim_client(&self, tenant: &TestOrganization) -> ApiCaller<'_> {
        self.create_scim_client_with_scope(tenant, "scim:provision").await
    }

    /// The same, with this scope.
    pub async fn create_scim_client_with_scope(
        &self,
        tenant: &TestOrganization,
        scope: &str,
    ) -> ApiCaller<'_> {
        let membership = self.create_member(tenant, &["owner"]).await;
        self.create_api_key_caller(tenant, membership, scope).await
    }
}

impl ApiCaller<'_> {
    /// Makes a user of this name.
    pub async fn create_scim_user(&self, user_name: &str) -> ApiResponse {
        let user = json!({"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": user_name});
        self.post(USERS, user).await.assert_status(201)
    }

    /// Changes parts of something, whatever its version.
    pub async fn scim_patch(&self, path: &str, operations: Value) -> ApiResponse {
        let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
        let body = json!({"schemas": [schema], "Operations": operations});
        self.send_request(Method::PATCH, path, ApiRequest { body: Some(body), ..ApiRequest::default() }).await
    }

    /// Puts something in its place, whatever its version.
    pub async fn scim_put(&self, path: &str, body: Value) -> ApiResponse {
        self.send_request(Method::PUT, path, ApiRequest { body: Some(body), ..ApiRequest::default() }).await
    }

    /// A list that is filtered like this.
    pub async fn scim_filter(&self, path: &str, filter: &str) -> ApiResponse {
        let encoded: String = filter.bytes().map(|byte| format!("%{byte:02X}")).collect();
        self.get(&format!("{path}?filter={encoded}")).await
    }
}

impl ApiResponse {
    /// It must be turned down like this, in the words that directories know.
    #[track_caller]
    pub fn assert_scim_error(self, status: u16, word: &str) -> Self {
        let reply = self.assert_status(status);
        assert_eq!(reply.body["schemas"], json!(["urn:ietf:params:scim:api:messages:2.0:Error"]));
        assert_eq!(reply.body["status"], status.to_string(), "{}", reply.text);
        assert_eq!(reply.body["scimType"].as_str().unwrap_or_default(), word, "{}", reply.text);
        assert_eq!(reply.headers["content-type"], "application/scim+json");
        reply
    }

    /// The ids of what a list shows, in its order.
    #[track_caller]
    pub fn listed_ids(&self) -> Vec<String> {
        let resources = self.body["Resources"].as_array().unwrap_or_else(|| panic!("{}", self.text));
        resources.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    }
}
