//! Clients that use CIBA, and the users who approve or deny their requests.

use super::oauth_application::OAuthApplication;
use super::signed_in_user::SignedInUser;
use super::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::AccountId;
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;
use std::collections::BTreeMap;

pub const CIBA_GRANT: &str = "urn:openid:params:grant-type:ciba";

impl World {
    /// An agent that may use CIBA, with this further client metadata.
    pub async fn create_ciba_client(
        &self,
        origin: ClientOrigin,
        extra_metadata: Value,
    ) -> OAuthApplication<'_> {
        let mut metadata =
            json!({"client_name": "Ledger agent", "grant_types": [CIBA_GRANT, "refresh_token"]});
        metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
        self.create_application(origin, metadata).await
    }

    /// Signs the user in with two factors, as approving a request requires.
    pub async fn sign_in_at_aal2(&self, account: AccountId) -> SignedInUser<'_> {
        let passkey = AuthenticationProof::Passkey { user_verified: true, device_bound: false };
        self.sign_in_account(account, &AuthenticationEvidence::from_proof(passkey)).await
    }
}

impl OAuthApplication<'_> {
    /// Sends a CIBA request and returns the response, whatever it is. Parameters not given have a default; an empty one
    /// is left out.
    pub async fn request_ciba(&self, extra_params: &[(&str, &str)]) -> (u16, Value) {
        let default_params = [("scope", "openid"), ("binding_message", "Pay 12.00 EUR to Moinho")];
        let form: BTreeMap<&str, &str> = default_params.iter().chain(extra_params).copied().collect();
        let form: Vec<_> =
            form.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.post_form("/connect/backchannel", &form).await
    }

    /// Sends a CIBA request for the user with this e-mail address and returns the `auth_req_id`.
    pub async fn start_ciba(&self, email: &str, extra_params: &[(&str, &str)]) -> String {
        let form: Vec<_> = [("login_hint", email)].iter().chain(extra_params).copied().collect();
        let (status, body) = self.request_ciba(&form).await;
        assert_eq!(status, 200, "{body}");
        body["auth_req_id"].as_str().unwrap().to_owned()
    }

    /// Polls the token endpoint once.
    pub async fn poll_ciba(&self, auth_req_id: &str) -> (u16, Value) {
        let form = [("grant_type", CIBA_GRANT), ("auth_req_id", auth_req_id)];
        self.post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned()))).await
    }

    /// Polls and asserts this error. The clock advances first, so that the client never polls too fast.
    pub async fn assert_ciba_poll_error(&self, auth_req_id: &str, error: &str) {
        self.world.clock.advance(Lifetime::from_seconds(60));
        let (status, body) = self.poll_ciba(auth_req_id).await;
        assert_eq!((status, &body["error"]), (400, &json!(error)), "{body}");
    }

    /// Polls and returns the tokens.
    pub async fn redeem_ciba(&self, auth_req_id: &str) -> Value {
        let (status, body) = self.poll_ciba(auth_req_id).await;
        assert_eq!(status, 200, "{body}");
        body
    }
}

impl SignedInUser<'_> {
    /// The CIBA requests that wait for this user.
    pub async fn pending_ciba_requests(&self) -> Vec<Value> {
        self.get("/account/requests").await.assert_status(200).body["items"].as_array().unwrap().clone()
    }

    /// The path of the newest waiting request.
    pub async fn newest_ciba_request(&self) -> String {
        let newest = self.pending_ciba_requests().await.pop().unwrap();
        format!("/account/requests/{}", newest["id"].as_str().unwrap())
    }

    /// Approves the newest waiting request.
    pub async fn approve_ciba_request(&self) {
        let path = self.newest_ciba_request().await;
        // The e-mail about the request is sent before the one about the answer.
        self.world.deliver_messages().await;
        self.post(&format!("{path}/approve"), json!({})).await.assert_status(204);
    }
}
