//! Passkeys, authenticator apps and recovery codes over the JSON API. The authenticators share no code with the server.

mod enrollment;
mod expiry;
mod freshness;
mod passkeys;
mod races;
mod second_factors;
mod totp_attempts;
mod webauthn;

use crate::harness::flow_client::{FlowClient, TestUser};
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::second_factors::{enroll_recovery_codes, enroll_totp};
use crate::harness::world::World;
use serde_json::{Value, json};

/// The WebAuthn options of an action.
pub fn options(walk: &FlowClient<'_>, action: &str) -> Value {
    let actions = walk.last.body["actions"].as_array().unwrap();
    let action_entry = actions.iter().find(|it| it["name"] == action);
    action_entry.unwrap_or_else(|| panic!("{action} is not offered in {}", walk.last.text))["options"].clone()
}

/// Enrolls a passkey in the user's session.
pub async fn gets_passkey(world: &World, user: &TestUser<'_>, device: &mut PasskeyDevice) {
    let mut walk = world
        .start_flow_in_session(json!({"kind": "enroll", "credential": "passkey"}), Some(&user.session))
        .await;
    let created = device.create(&options(&walk, "passkey_registration"), &world.origin()).unwrap();
    let response = walk
        .submit("passkey_registration", json!({"credential": created, "name": "my phone"}))
        .await
        .assert_status(200);
    assert_eq!(response.body["stage"], "enrolled");
    assert!(response.body["session_token"].is_null());
}

pub fn seconds(world: &World) -> i64 {
    world.server.engine().now().seconds()
}

/// The session of this token, as the account API shows it.
async fn worth(world: &World, token: &str) -> Value {
    let user = crate::harness::signed_in_user::SignedInUser {
        world,
        account: world.user_with_session(token).await.account,
        token: token.to_owned(),
    };
    user.get("/account").await.assert_status(200).body["session"].clone()
}
