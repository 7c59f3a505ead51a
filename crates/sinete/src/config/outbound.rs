//! The settings of outbound requests.

use crate::config::values::ConfiguredMode;
use crate::config::{ConfigSources, keys};
use ipnet::IpNet;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

/// The settings of outbound requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboundConfig {
    /// Private networks that client-supplied URLs may lead to.
    pub own_networks: Vec<IpNet>,
    /// The DNS servers; if empty, those of the system.
    pub dns_servers: Vec<SocketAddr>,
    /// A file with additional trusted CAs.
    pub ca_file: Option<PathBuf>,
}

impl OutboundConfig {
    pub(super) fn from_origins(origins: &ConfigSources, mode: ConfiguredMode) -> Self {
        Self {
            own_networks: origins.get(&keys::OUTBOUND_OWN_NETWORKS).unwrap_or_else(|| match mode {
                ConfiguredMode::Development => loopback_networks(),
                ConfiguredMode::Production => Vec::new(),
            }),
            dns_servers: origins.get(&keys::OUTBOUND_DNS_SERVERS).unwrap_or_default(),
            ca_file: origins.get(&keys::OUTBOUND_CA_FILE),
        }
    }
}

/// All loopback networks.
fn loopback_networks() -> Vec<IpNet> {
    [IpNet::new(Ipv4Addr::LOCALHOST.into(), 8), IpNet::new(Ipv6Addr::LOCALHOST.into(), 128)]
        .into_iter()
        .flatten()
        .collect()
}
