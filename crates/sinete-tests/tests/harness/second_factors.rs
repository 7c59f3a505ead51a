//! Users who enroll a second factor.

use super::flow_client::TestUser;
use super::totp_app::TotpApp;
use super::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

impl TotpApp {
    /// Reads the secret that users type if they cannot scan the QR code.
    pub fn from_secret(key: &str) -> Self {
        let key = key.replace(' ', "");
        Self::from_uri(&format!("otpauth://totp/x?secret={key}&algorithm=SHA1&digits=6&period=30"))
    }

    /// The code at the time of the test clock.
    pub fn current_code(&self, world: &World) -> String {
        self.code_at(world.server.engine().now().seconds())
    }
}

/// Enrolls an authenticator app in the user's session.
pub async fn enroll_totp(world: &World, user: &TestUser<'_>) -> TotpApp {
    let mut walk = world
        .start_flow_in_session(json!({"kind": "enroll", "credential": "totp"}), Some(&user.session))
        .await;
    let app = TotpApp::from_uri(walk.last.body["totp"]["uri"].as_str().unwrap());
    let response =
        walk.submit("totp_confirmation", json!({"code": app.current_code(world)})).await.assert_status(200);
    assert_eq!(response.body["stage"], "enrolled");
    // The code that confirmed the enrollment cannot be used again.
    world.clock.advance(Lifetime::from_seconds(30));
    app
}

/// Enrolls recovery codes in the user's session.
pub async fn enroll_recovery_codes(world: &World, user: &TestUser<'_>) -> Vec<String> {
    let enroll = json!({"kind": "enroll", "credential": "recovery_codes"});
    let mut walk = world.start_flow_in_session(enroll, Some(&user.session)).await;
    let response = walk.submit("recovery_codes", json!({})).await.assert_status(200);
    let codes = response.body["recovery_codes"].as_array().unwrap();
    codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}
