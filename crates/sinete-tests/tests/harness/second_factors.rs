//! People who set up what they prove themselves with after a password.

use super::flow_client::TestUser;
use super::totp_app::TotpApp;
use super::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

impl TotpApp {
    /// Reads the key that people type where they cannot scan.
    pub fn from_secret(key: &str) -> Self {
        let key = key.replace(' ', "");
        Self::from_uri(&format!("otpauth://totp/x?secret={key}&algorithm=SHA1&digits=6&period=30"))
    }

    /// What it shows in this world now.
    pub fn current_code(&self, world: &World) -> String {
        self.code_at(world.server.engine().now().seconds())
    }
}

/// Sets an authenticator application up in the person's session.
pub async fn enroll_totp(world: &World, person: &TestUser<'_>) -> TotpApp {
    let mut walk = world
        .start_flow_in_session(json!({"kind": "enroll", "credential": "totp"}), Some(&person.session))
        .await;
    let app = TotpApp::from_uri(walk.last.body["totp"]["uri"].as_str().unwrap());
    let done =
        walk.submit("totp_confirmation", json!({"code": app.current_code(world)})).await.assert_status(200);
    assert_eq!(done.body["stage"], "enrolled");
    // The digits that set it up are used.
    world.clock.advance(Lifetime::from_seconds(30));
    app
}

/// Sets recovery codes up in the person's session.
pub async fn enroll_recovery_codes(world: &World, person: &TestUser<'_>) -> Vec<String> {
    let enroll = json!({"kind": "enroll", "credential": "recovery_codes"});
    let mut walk = world.start_flow_in_session(enroll, Some(&person.session)).await;
    let done = walk.submit("recovery_codes", json!({})).await.assert_status(200);
    let codes = done.body["recovery_codes"].as_array().unwrap();
    codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}
