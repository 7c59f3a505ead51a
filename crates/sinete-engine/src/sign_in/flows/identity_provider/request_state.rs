//! The state of a request to a provider, derived from the flow and its step.

use crate::Engine;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::id::FlowId;
use sinete_core::identity_providers::oidc::authorization_request::OidcAuthorizationRequest;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::stage::IdentityProviderRedirect;
use sinete_crypto::platform::mac::{MAC_BYTES, MacPurpose};

/// The state of a request to a provider.
pub(super) struct ProviderRequestState {
    pub(super) state: String,
    nonce: String,
    verifier: String,
}

impl ProviderRequestState {
    pub(super) fn from_flow(engine: &Engine, flow: &AuthenticationFlow) -> Self {
        let stamp = |name: &[u8]| derive_state(engine, flow, name);
        Self {
            state: URL_SAFE_NO_PAD.encode([*flow.id().as_bytes(), stamp(b"state")].concat()),
            nonce: URL_SAFE_NO_PAD.encode(stamp(b"nonce")),
            verifier: URL_SAFE_NO_PAD.encode([stamp(b"verifier"), stamp(b"verifier, more")].concat()),
        }
    }

    pub(super) fn authorization_request<'a>(
        &'a self,
        scopes: &'a [String],
        at: &'a IdentityProviderRedirect,
    ) -> OidcAuthorizationRequest<'a> {
        OidcAuthorizationRequest {
            state: &self.state,
            nonce: &self.nonce,
            verifier: &self.verifier,
            scopes,
            requires_reauthentication: super::requires_fresh_sign_in(at),
            login_hint: at.hint.as_deref(),
        }
    }
}

pub(super) fn derive_state(engine: &Engine, flow: &AuthenticationFlow, name: &[u8]) -> [u8; MAC_BYTES] {
    let (id, step) = (flow.id(), flow.step_count().to_be_bytes());
    let parts: [&[u8]; 3] = [id.as_bytes(), &step, name];
    engine.instance_keys().compute_mac(MacPurpose::ProviderState, &parts)
}

/// The unverified flow id in a `state`.
pub(super) fn parse_flow_id(state: &str) -> Option<FlowId> {
    let bytes = URL_SAFE_NO_PAD.decode(state).ok()?;
    if bytes.len() != 16 + MAC_BYTES {
        return None;
    }
    bytes.first_chunk().map(|id| FlowId::from_bytes(*id))
}

/// Whether the `state` was issued at this step of the flow.
pub(super) fn is_state_valid(engine: &Engine, flow: &AuthenticationFlow, state: &str) -> bool {
    let Some(bytes) = URL_SAFE_NO_PAD.decode(state).ok().filter(|bytes| bytes.len() == 16 + MAC_BYTES) else {
        return false;
    };
    let (id, step) = (flow.id(), flow.step_count().to_be_bytes());
    let parts: [&[u8]; 3] = [id.as_bytes(), &step, b"state"];
    let stamp = bytes.last_chunk::<MAC_BYTES>();
    bytes.starts_with(flow.id().as_bytes())
        && stamp
            .is_some_and(|stamp| engine.instance_keys().verify_mac(MacPurpose::ProviderState, &parts, stamp))
}
