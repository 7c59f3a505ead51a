//! The keys of outbound requests.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use ipnet::IpNet;
use std::net::SocketAddr;

/// The private networks that client-supplied URLs may lead to.
pub static OUTBOUND_OWN_NETWORKS: ConfigKey<Vec<IpNet>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "outbound.own_networks",
        "Networks of your own that addresses named by clients (`jwks_uri` and the like) may lead into, also over \
         plain http. Everything else that is not a public address is never reached.",
        "IP addresses or networks",
        "[\"10.20.0.0/16\"]",
    )
    .with_derived_default("loopback in development, none in production", |config| {
        let networks = &config.outbound.own_networks;
        networks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }),
    parse::networks,
);

/// The DNS servers for domain verification.
pub static OUTBOUND_DNS_SERVERS: ConfigKey<Vec<SocketAddr>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "outbound.dns_servers",
        "The DNS servers that are asked for the records by which organizations prove their domains.",
        "addresses with a port",
        "[\"10.20.0.53:53\"]",
    )
    .with_derived_default("those of the system", |config| {
        let servers = &config.outbound.dns_servers;
        servers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }),
    parse::socket_addresses,
);
