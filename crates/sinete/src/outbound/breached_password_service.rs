//! A service that knows breached passwords. It is told the first five digits of a fingerprint, which many passwords
//! share, and answers with the rest of every fingerprint it knows among them: it learns of no password.

use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::sign_in::credentials::breached_password::PasswordFingerprint;
use sinete_engine::ports::{BreachedLookupError, BreachedPasswords, OutboundHttp};
use std::pin::Pin;
use std::sync::Arc;
use url::Url;

/// A service that knows breached passwords.
pub struct BreachedPasswordService {
    web: Arc<dyn OutboundHttp>,
    address: String,
}

impl BreachedPasswordService {
    /// The service at this address, below which the digits are asked for.
    pub fn new(address: &Url, web: Arc<dyn OutboundHttp>) -> Self {
        Self { web, address: address.as_str().trim_end_matches('/').to_owned() }
    }
}

impl BreachedPasswords for BreachedPasswordService {
    /// A service that does not answer knows of no breach: nobody is kept from choosing a password by it.
    fn contains<'a>(
        &'a self,
        fingerprint: &'a PasswordFingerprint,
    ) -> Pin<Box<dyn Future<Output = Result<bool, BreachedLookupError>> + Send + 'a>> {
        Box::pin(async move {
            let asked = format!("{}/{}", self.address, fingerprint.prefix());
            let (purpose, owner) = (OutboundPurpose::BreachedPasswords, OutboundOwner::Instance);
            match self.web.get(&OutboundTarget { purpose, owner, url: &asked }).await {
                Ok(answer) => Ok(fingerprint.matches_range_response(&String::from_utf8_lossy(&answer))),
                Err(not_reached) => {
                    tracing::warn!(
                        why = not_reached.reason(),
                        "the service that knows breached passwords did not answer: a new password was not held against it"
                    );
                    Ok(false)
                }
            }
        })
    }
}
