//! A SCIM client of an organization's directory.

use super::api_caller::{ApiCaller, ApiRequest, ApiResponse};
use super::organizations::TestOrganization;
use super::world::World;
use reqwest::Method;
use serde_json::{Value, json};

pub const USERS: &str = "/scim/v2/Users";
/// The path of users in a bulk request.
pub const USER: &str = "/Users";
pub const GROUPS: &str = "/scim/v2/Groups";

impl World {
    /// A SCIM client whose API key belongs to an owner and has the provisioning permission only.
    pub async fn create_scim_client(&self, tenant: &TestOrganization) -> ApiCaller<'_> {
        self.create_scim_client_with_scope(tenant, "scim:provision").await
    }

    /// A SCIM client whose API key has this scope.
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
    pub async fn create_scim_user(&self, user_name: &str) -> ApiResponse {
        let user = json!({"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": user_name});
        self.post(USERS, user).await.assert_status(201)
    }

    /// Sends `PATCH` without `If-Match`.
    pub async fn scim_patch(&self, path: &str, operations: Value) -> ApiResponse {
        let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
        let body = json!({"schemas": [schema], "Operations": operations});
        self.send_request(Method::PATCH, path, ApiRequest { body: Some(body), ..ApiRequest::default() }).await
    }

    /// Sends `PUT` without `If-Match`.
    pub async fn scim_put(&self, path: &str, body: Value) -> ApiResponse {
        self.send_request(Method::PUT, path, ApiRequest { body: Some(body), ..ApiRequest::default() }).await
    }

    /// Sends `GET` with this filter.
    pub async fn scim_filter(&self, path: &str, filter: &str) -> ApiResponse {
        let encoded: String = filter.bytes().map(|byte| format!("%{byte:02X}")).collect();
        self.get(&format!("{path}?filter={encoded}")).await
    }
}

impl ApiResponse {
    /// Asserts a SCIM error with this status and `scimType`.
    #[track_caller]
    pub fn assert_scim_error(self, status: u16, word: &str) -> Self {
        let reply = self.assert_status(status);
        assert_eq!(reply.body["schemas"], json!(["urn:ietf:params:scim:api:messages:2.0:Error"]));
        assert_eq!(reply.body["status"], status.to_string(), "{}", reply.text);
        assert_eq!(reply.body["scimType"].as_str().unwrap_or_default(), word, "{}", reply.text);
        assert_eq!(reply.headers["content-type"], "application/scim+json");
        reply
    }

    /// The ids in a list response, in order.
    #[track_caller]
    pub fn listed_ids(&self) -> Vec<String> {
        let resources = self.body["Resources"].as_array().unwrap_or_else(|| panic!("{}", self.text));
        resources.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    }
}
