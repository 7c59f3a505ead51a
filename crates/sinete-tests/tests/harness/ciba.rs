//! Clients that ask people for their approval, and people who answer them.

use super::oauth_application::OAuthApplication;
use super::signed_in_user::SignedInUser;
use super::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::AccountId;
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;
use std::collections::BTreeMap;

/// The grant by which clients get what was approved.
pub const CIBA_GRANT: &str = "urn:openid:params:grant-type:ciba";

impl World {
    /// An agent that asks for approval, which says this about itself.
    pub async fn create_ciba_client(&self, origin: ClientOrigin, more: Value) -> OAuthApplication<'_> {
        let mut metadata =
            json!({"client_name": "Ledger agent", "grant_types": [CIBA_GRANT, "refresh_token"]});
        metadata.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.create_application(origin, metadata).await
    }

    /// A new session of the person, of the level that approving takes.
    pub async fn sign_in_at_aal2(&self, account: AccountId) -> SignedInUser<'_> {
        let passkey = AuthenticationProof::Passkey { user_verified: true, device_bound: false };
        self.sign_in_account(account, &AuthenticationEvidence::from_proof(passkey)).await
    }
}

impl OAuthApplication<'_> {
    /// Asks for somebody's approval, and is answered whatever it is. What it leaves out is usual; what is empty is left out.
    pub async fn request_ciba(&self, more: &[(&str, &str)]) -> (u16, Value) {
        let usual = [("scope", "openid"), ("binding_message", "Pay 12.00 EUR to Moinho")];
        let form: BTreeMap<&str, &str> = usual.iter().chain(more).copied().collect();
        let form: Vec<_> =
            form.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.post_form("/connect/backchannel", &form).await
    }

    /// The same of whom this address belongs to, and is told what to wait with.
    pub async fn start_ciba(&self, email: &str, more: &[(&str, &str)]) -> String {
        let form: Vec<_> = [("login_hint", email)].iter().chain(more).copied().collect();
        let (status, told) = self.request_ciba(&form).await;
        assert_eq!(status, 200, "{told}");
        told["auth_req_id"].as_str().unwrap().to_owned()
    }

    /// Asks whether somebody has answered.
    pub async fn poll_ciba(&self, auth_req_id: &str) -> (u16, Value) {
        let form = [("grant_type", CIBA_GRANT), ("auth_req_id", auth_req_id)];
        self.post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned()))).await
    }

    /// Asks, and is told no for this reason. Time passes, so that nothing is asked too soon.
    pub async fn assert_ciba_poll_error(&self, auth_req_id: &str, error: &str) {
        self.world.clock.advance(Lifetime::from_seconds(60));
        let (status, told) = self.poll_ciba(auth_req_id).await;
        assert_eq!((status, &told["error"]), (400, &json!(error)), "{told}");
    }

    /// Asks, and is handed the tokens.
    pub async fn redeem_ciba(&self, auth_req_id: &str) -> Value {
        let (status, told) = self.poll_ciba(auth_req_id).await;
        assert_eq!(status, 200, "{told}");
        told
    }
}

impl SignedInUser<'_> {
    /// The requests that wait for this person.
    pub async fn pending_ciba_requests(&self) -> Vec<Value> {
        self.get("/account/requests").await.assert_status(200).body["items"].as_array().unwrap().clone()
    }

    /// The path of the newest of them.
    pub async fn newest_ciba_request(&self) -> String {
        let newest = self.pending_ciba_requests().await.pop().unwrap();
        format!("/account/requests/{}", newest["id"].as_str().unwrap())
    }

    /// Approves the newest of them.
    pub async fn approve_ciba_request(&self) {
        let path = self.newest_ciba_request().await;
        // The letter that asks leaves before the one that says what was answered.
        self.world.deliver_messages().await;
        self.post(&format!("{path}/approve"), json!({})).await.assert_status(204);
    }
}
