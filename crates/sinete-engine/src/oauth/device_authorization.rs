//! The device authorization endpoint (RFC 8628): issues a device code and a user code. The user is not known
//! yet.

use crate::oauth::authorize::deferred::StoredDeferredRequest;
use crate::oauth::authorize::{ActiveClient, check_client_request};
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::oauth::par::authorization_refusal;
use crate::sign_in::flows::InteractionTarget;
use crate::sign_in::sign_in_alerts;
use crate::{ATTEMPTS_MAX, Engine, Error, EventCause, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::limits::{DEVICE_AUTHORIZATION_LIFETIME, DEVICE_POLL_INTERVAL};
use sinete_core::oauth::authorize::cross_device::check_cross_device_risk;
use sinete_core::oauth::authorize::params::AuthorizationParams;
use sinete_core::oauth::authorize::pending_authorization::{AuthorizationChannel, PendingAuthorization};
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_core::oauth::client_metadata::GrantType;
use sinete_core::oauth::grants::deferred::DeferredGrantKind;
use sinete_core::oauth::grants::unsupported_grant_type;
use sinete_core::oauth::user_code::UserCode;
use sinete_core::secret::{DeviceCode, Digest, Secret};
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::mac::MacPurpose;
use sinete_store::oauth::device_authorizations;
use sinete_store::oauth::device_authorizations::NewDeviceAuthorization;
use sinete_store::{JsonDocument, WriteBatch};

/// The path of the user code page, below the issuer.
pub const DEVICE_PATH: &str = "/device";

/// The device authorization response.
pub struct DeviceAuthorizationResponse {
    /// `device_code`.
    pub device_code: Secret<DeviceCode>,
    /// `user_code`.
    pub user_code: UserCode,
    /// `verification_uri`.
    pub verification_uri: String,
    /// `verification_uri_complete`, for a QR code.
    pub verification_uri_complete: String,
    /// The lifetime.
    pub lifetime: Lifetime,
    /// The polling interval.
    pub interval: Lifetime,
}

/// Stores the request, if everything that does not depend on the user is valid.
pub async fn start_device_authorization(
    engine: &Engine,
    client: &AuthenticatedClient,
    parameters: RawAuthorizationParams,
    cause: &EventCause,
) -> Result<DeviceAuthorizationResponse, Error> {
    let requesting_client = ActiveClient::from_client(client.client.clone());
    let Some(entrance) = verification_uri(engine, &requesting_client.interaction(engine)) else {
        return Err(unsupported_grant_type("there is no interface for users").into());
    };
    let params =
        AuthorizationParams::parse_deferred_request(DeferredGrantKind::DeviceAuthorization, &parameters)
            .map_err(authorization_refusal)?;
    let requested_scopes =
        check_client_request(engine, &requesting_client, &params, GrantType::DeviceCode).await?;
    let target = requested_scopes.audience.as_ref().map(|audience| audience.target());
    check_cross_device_risk(requesting_client.trust, &requested_scopes.scopes, &params.details, target)
        .map_err(authorization_refusal)?;
    let (device_code, user_code) = store_request(engine, client, &parameters, cause).await?;
    let sign = if entrance.contains('?') { '&' } else { '?' };
    Ok(DeviceAuthorizationResponse {
        device_code,
        user_code,
        verification_uri_complete: format!("{entrance}{sign}user_code={user_code}"),
        verification_uri: entrance,
        lifetime: DEVICE_AUTHORIZATION_LIFETIME,
        interval: DEVICE_POLL_INTERVAL,
    })
}

/// Stores the request with new codes. A user code that is already in use is drawn again.
async fn store_request(
    engine: &Engine,
    client: &AuthenticatedClient,
    parameters: &RawAuthorizationParams,
    cause: &EventCause,
) -> Result<(Secret<DeviceCode>, UserCode), Failure> {
    let (now, cause) = (engine.now(), client.event_cause(cause));
    let from = DeviceDescription {
        location: sign_in_alerts::locate_origin(engine, &cause),
        ..DeviceDescription::from_origin(&cause.origin)
    };
    for _ in 0..ATTEMPTS_MAX {
        let (secret, code) = (Secret::<DeviceCode>::mint(engine.entropy()), UserCode::mint(engine.entropy()));
        let digest = secret.digest();
        let pending = PendingAuthorization::new(
            client.id().clone(),
            parameters,
            AuthorizationChannel::Device(*digest.as_bytes()),
        );
        let new = NewDeviceAuthorization {
            digest: &digest,
            user_code: &user_code_digest(engine, &code),
            client: client.id(),
            request: &JsonDocument::from_value(&StoredDeferredRequest {
                authorization: pending,
                from: from.clone(),
                message: None,
            })?,
            poll_interval: DEVICE_POLL_INTERVAL,
            created_at: now,
            expires_at: now.plus(DEVICE_AUTHORIZATION_LIFETIME),
        };
        let event = engine.event(EventKind::DeviceRequested, &cause, now).with_client(client.id().clone());
        let batch = WriteBatch::new()
            .with_statement(device_authorizations::create_device_authorization(&new))
            .with_event(&event);
        if engine.store().commit(batch).await?.is_committed() {
            return Ok((secret, code));
        }
    }
    Err(Failure::Contended)
}

/// The stored MAC of a user code, so that a reader of the database cannot find codes by trying all.
pub(crate) fn user_code_digest(engine: &Engine, code: &UserCode) -> Digest<UserCode> {
    let stamp =
        engine.instance_keys().compute_mac(MacPurpose::UserEnteredCode, &[b"device", code.as_bytes()]);
    Digest::from_parts(&[&stamp])
}

/// The verification URI, if there is an interface.
fn verification_uri(engine: &Engine, interaction: &InteractionTarget) -> Option<String> {
    match interaction {
        InteractionTarget::Hosted => Some(format!("{}{DEVICE_PATH}", engine.settings().issuer)),
        InteractionTarget::External(address) => {
            let sign = if address.contains('?') { '&' } else { '?' };
            Some(format!("{address}{sign}start=confirm_device"))
        }
        InteractionTarget::Headless => None,
    }
}
