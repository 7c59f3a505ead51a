//! The external dependencies of the server: the clock, randomness, the network and message delivery.

use crate::os::{OsEntropy, SystemClock};
use sinete_core::entropy::Entropy;
use sinete_engine::ports::{Clock, DnsResolver, EmailSender, GeoIpLookup, OutboundHttp, SmsSender};
use std::sync::Arc;

/// External dependencies, which tests can replace.
#[derive(Clone)]
pub struct ServerPorts {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The HTTP client; by default the configured one with SSRF protection.
    pub outbound_http: Option<Arc<dyn OutboundHttp>>,
    /// The DNS resolver; by default the configured servers or those of the system.
    pub dns: Option<Arc<dyn DnsResolver>>,
    /// The e-mail sender; by default the configured server or the development mailbox.
    pub email_sender: Option<Arc<dyn EmailSender>>,
    /// The SMS sender; by default the configured gateway or the development mailbox.
    pub sms_sender: Option<Arc<dyn SmsSender>>,
    /// The GeoIP lookup; by default the configured file.
    pub geoip: Option<Arc<dyn GeoIpLookup>>,
}

impl ServerPorts {
    /// The clock and randomness of the operating system, and defaults for the rest.
    pub fn from_system() -> Self {
        let (clock, entropy) = (Arc::new(SystemClock), Arc::new(OsEntropy));
        Self {
            clock,
            entropy,
            outbound_http: None,
            dns: None,
            email_sender: None,
            sms_sender: None,
            geoip: None,
        }
    }
}
