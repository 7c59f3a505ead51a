//! A breached password service with k-anonymity: it receives the first five digits of a fingerprint, which
//! many passwords share, and returns the rest of all matching fingerprints, so it learns no password.

use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::sign_in::credentials::breached_password::PasswordFingerprint;
use sinete_engine::ports::{BreachedLookupError, BreachedPasswords, OutboundHttp};
use std::pin::Pin;
use std::sync::Arc;
use url::Url;

/// A breached password service.
pub struct BreachedPasswordService {
    outbound_http: Arc<dyn OutboundHttp>,
    address: String,
}

impl BreachedPasswordService {
    /// Creates a client for the service at this base URL.
    pub fn new(address: &Url, outbound_http: Arc<dyn OutboundHttp>) -> Self {
        Self { outbound_http, address: address.as_str().trim_end_matches('/').to_owned() }
    }
}

impl BreachedPasswords for BreachedPasswordService {
    /// If the service does not respond, the password is accepted, so that an outage does not block users.
    fn contains<'a>(
        &'a self,
        fingerprint: &'a PasswordFingerprint,
    ) -> Pin<Box<dyn Future<Output = Result<bool, BreachedLookupError>> + Send + 'a>> {
        Box::pin(async move {
            let url = format!("{}/{}", self.address, fingerprint.prefix());
            let (purpose, owner) = (OutboundPurpose::BreachedPasswords, OutboundOwner::Instance);
            match self.outbound_http.get(&OutboundTarget { purpose, owner, url: &url }).await {
                Ok(answer) => Ok(fingerprint.matches_range_response(&String::from_utf8_lossy(&answer))),
                Err(not_reached) => {
                    tracing::warn!(
                        why = not_reached.reason(),
                        "the service of breached passwords did not respond: a new password was accepted unchecked"
                    );
                    Ok(false)
                }
            }
        })
    }
}
