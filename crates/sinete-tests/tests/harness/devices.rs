//! Devices that show a code, and people who answer for them.

use super::application::OAuthApplication;
use super::person::FlowClient;
use super::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_store::clients::ClientOrigin;

/// The grant by which devices get their tokens.
pub const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// What a device was told.
#[derive(Clone, Debug)]
pub struct DeviceAuthorizationReply {
    /// What it asks with.
    pub device_code: String,
    /// What it shows.
    pub user_code: String,
    /// Everything it was told.
    pub told: Value,
}

impl World {
    /// An application on a device, which says this about itself.
    pub async fn device(&self, origin: ClientOrigin, more: Value) -> OAuthApplication<'_> {
        let mut metadata = json!({"client_name": "TV", "grant_types": [DEVICE_GRANT, "refresh_token"]});
        metadata.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.application(origin, metadata).await
    }

    /// Somebody who is signed in begins to answer for a device.
    pub async fn at_a_device(&self, session: &str) -> FlowClient<'_> {
        let walk = self.flow_as(json!({"kind": "confirm_device"}), Some(session)).await;
        assert_eq!(walk.stage(), "user_code");
        walk
    }
}

impl OAuthApplication<'_> {
    /// Asks for somebody's authorization, and is answered whatever it is.
    pub async fn asks_as_device(&self, more: &[(&str, &str)]) -> (u16, Value) {
        let mut form = vec![("client_id".to_owned(), self.id.to_string())];
        form.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.post("/connect/device", &form).await
    }

    /// The same, and is told a code to show.
    pub async fn waits(&self, more: &[(&str, &str)]) -> DeviceAuthorizationReply {
        let (status, told) = self.asks_as_device(more).await;
        assert_eq!(status, 200, "{told}");
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        DeviceAuthorizationReply { device_code: text("device_code"), user_code: text("user_code"), told }
    }

    /// Asks whether somebody has answered.
    pub async fn polls(&self, device_code: &str) -> (u16, Value) {
        let form =
            [("grant_type", DEVICE_GRANT), ("device_code", device_code), ("client_id", self.id.as_str())];
        self.post("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned()))).await
    }

    /// Asks, and is told no for this reason. Time passes, so that nothing is asked too soon.
    pub async fn is_told(&self, waiting: &DeviceAuthorizationReply, error: &str) {
        self.world.clock.pass(Lifetime::from_seconds(60));
        let (status, told) = self.polls(&waiting.device_code).await;
        assert_eq!((status, &told["error"]), (400, &json!(error)), "{told}");
    }

    /// Asks, and is handed the tokens.
    pub async fn is_handed(&self, waiting: &DeviceAuthorizationReply) -> Value {
        let (status, told) = self.polls(&waiting.device_code).await;
        assert_eq!(status, 200, "{told}");
        told
    }

    /// A device that somebody allowed what it asked for.
    pub async fn allowed_by(&self, session: &str, more: &[(&str, &str)]) -> DeviceAuthorizationReply {
        let waiting = self.waits(more).await;
        let mut walk = self.world.at_a_device(session).await;
        walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
        assert_eq!(walk.stage(), "consent", "{}", walk.last.text);
        walk.says("consent", json!({"allow": true})).await.is(200);
        assert_eq!(walk.stage(), "device_allowed");
        waiting
    }
}
