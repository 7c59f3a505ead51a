//! Clients that ask people for their approval, and people who answer them.

use super::application::OAuthApplication;
use super::oneself::SignedInUser;
use super::world::World;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::AccountId;
use sinete_core::time::Lifetime;
use sinete_store::clients::ClientOrigin;
use std::collections::BTreeMap;

/// The grant by which clients get what was approved.
pub const CIBA_GRANT: &str = "urn:openid:params:grant-type:ciba";

impl World {
    /// An agent that asks for approval, which says this about itself.
    pub async fn agent(&self, origin: ClientOrigin, more: Value) -> OAuthApplication<'_> {
        let mut metadata =
            json!({"client_name": "Ledger agent", "grant_types": [CIBA_GRANT, "refresh_token"]});
        metadata.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.application(origin, metadata).await
    }

    /// A new session of the person, of the level that approving takes.
    pub async fn signs_in_strongly(&self, account: AccountId) -> SignedInUser<'_> {
        let passkey = AuthenticationProof::Passkey { user_verified: true, device_bound: false };
        self.signs_in(account, &AuthenticationEvidence::of(passkey)).await
    }
}

impl OAuthApplication<'_> {
    /// Asks for somebody's approval, and is answered whatever it is. What it leaves out is usual; what is empty is left out.
    pub async fn asks_approval(&self, more: &[(&str, &str)]) -> (u16, Value) {
        let usual = [("scope", "openid"), ("binding_message", "Pay 12.00 EUR to Moinho")];
        let form: BTreeMap<&str, &str> = usual.iter().chain(more).copied().collect();
        let form: Vec<_> =
            form.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.post("/connect/backchannel", &form).await
    }

    /// The same of whom this address belongs to, and is told what to wait with.
    pub async fn waits_for(&self, email: &str, more: &[(&str, &str)]) -> String {
        let form: Vec<_> = [("login_hint", email)].iter().chain(more).copied().collect();
        let (status, told) = self.asks_approval(&form).await;
        assert_eq!(status, 200, "{told}");
        told["auth_req_id"].as_str().unwrap().to_owned()
    }

    /// Asks whether somebody has answered.
    pub async fn fetches(&self, auth_req_id: &str) -> (u16, Value) {
        let form = [("grant_type", CIBA_GRANT), ("auth_req_id", auth_req_id)];
        self.post("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned()))).await
    }

    /// Asks, and is told no for this reason. Time passes, so that nothing is asked too soon.
    pub async fn is_refused(&self, auth_req_id: &str, error: &str) {
        self.world.clock.pass(Lifetime::from_seconds(60));
        let (status, told) = self.fetches(auth_req_id).await;
        assert_eq!((status, &told["error"]), (400, &json!(error)), "{told}");
    }

    /// Asks, and is handed the tokens.
    pub async fn is_given(&self, auth_req_id: &str) -> Value {
        let (status, told) = self.fetches(auth_req_id).await;
        assert_eq!(status, 200, "{told}");
        told
    }
}

impl SignedInUser<'_> {
    /// The requests that wait for this person.
    pub async fn requests(&self) -> Vec<Value> {
        self.get("/account/requests").await.is(200).body["items"].as_array().unwrap().clone()
    }

    /// The path of the newest of them.
    pub async fn newest_request(&self) -> String {
        let newest = self.requests().await.pop().unwrap();
        format!("/account/requests/{}", newest["id"].as_str().unwrap())
    }

    /// Approves the newest of them.
    pub async fn approves(&self) {
        let path = self.newest_request().await;
        // The letter that asks leaves before the one that says what was answered.
        self.world.deliver().await;
        self.post(&format!("{path}/approve"), json!({})).await.is(204);
    }
}
