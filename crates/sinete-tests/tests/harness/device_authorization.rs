//! Devices that request authorization (RFC 8628), and the users who confirm it.

use super::flow_client::FlowClient;
use super::oauth_application::OAuthApplication;
use super::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

pub const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// The response of the device authorization endpoint.
#[derive(Clone, Debug)]
pub struct DeviceAuthorizationReply {
    pub device_code: String,
    pub user_code: String,
    /// The whole response.
    pub response: Value,
}

impl World {
    /// A client that may use the device authorization grant, with this further client metadata.
    pub async fn create_device_client(
        &self,
        origin: ClientOrigin,
        extra_metadata: Value,
    ) -> OAuthApplication<'_> {
        let mut metadata = json!({"client_name": "TV", "grant_types": [DEVICE_GRANT, "refresh_token"]});
        metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
        self.create_application(origin, metadata).await
    }

    /// Starts the flow in which a signed-in user confirms a device.
    pub async fn start_device_flow(&self, session: &str) -> FlowClient<'_> {
        let walk = self.start_flow_in_session(json!({"kind": "confirm_device"}), Some(session)).await;
        assert_eq!(walk.stage(), "user_code");
        walk
    }
}

impl OAuthApplication<'_> {
    /// Sends a device authorization request and returns the response, whatever it is.
    pub async fn request_device_authorization(&self, extra_params: &[(&str, &str)]) -> (u16, Value) {
        let mut form = vec![("client_id".to_owned(), self.id.to_string())];
        form.extend(extra_params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.post_form("/connect/device", &form).await
    }

    /// Sends a device authorization request and returns its codes.
    pub async fn start_device_authorization(
        &self,
        extra_params: &[(&str, &str)],
    ) -> DeviceAuthorizationReply {
        let (status, body) = self.request_device_authorization(extra_params).await;
        assert_eq!(status, 200, "{body}");
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        DeviceAuthorizationReply {
            device_code: text("device_code"),
            user_code: text("user_code"),
            response: body,
        }
    }

    /// Polls the token endpoint once.
    pub async fn poll_device_code(&self, device_code: &str) -> (u16, Value) {
        let form =
            [("grant_type", DEVICE_GRANT), ("device_code", device_code), ("client_id", self.id.as_str())];
        self.post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned()))).await
    }

    /// Polls and asserts this error. The clock advances first, so that the device never polls too fast.
    pub async fn assert_device_poll_error(&self, reply: &DeviceAuthorizationReply, error: &str) {
        self.world.clock.advance(Lifetime::from_seconds(60));
        let (status, body) = self.poll_device_code(&reply.device_code).await;
        assert_eq!((status, &body["error"]), (400, &json!(error)), "{body}");
    }

    /// Polls and returns the tokens.
    pub async fn redeem_device_code(&self, reply: &DeviceAuthorizationReply) -> Value {
        let (status, body) = self.poll_device_code(&reply.device_code).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// A device authorization that a user has allowed.
    pub async fn start_allowed_device_authorization(
        &self,
        session: &str,
        extra_params: &[(&str, &str)],
    ) -> DeviceAuthorizationReply {
        let reply = self.start_device_authorization(extra_params).await;
        let mut walk = self.world.start_device_flow(session).await;
        walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
        assert_eq!(walk.stage(), "consent", "{}", walk.last.text);
        walk.submit("consent", json!({"allow": true})).await.assert_status(200);
        assert_eq!(walk.stage(), "device_allowed");
        reply
    }
}
