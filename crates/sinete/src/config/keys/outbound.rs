//! The keys of outbound requests.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use ipnet::IpNet;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The private networks that client-supplied URLs may lead to.
pub static OUTBOUND_OWN_NETWORKS: ConfigKey<Vec<IpNet>> = ConfigKey::list(
    ConfigKeyEntry::new(
        "outbound.own_networks",
        "Private networks that URLs of clients (`jwks_uri`, webhooks and others) may lead to, also over plain HTTP. \
         Any other address that is not public is never requested.",
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
        "The DNS servers for the verification of domains.",
        "addresses with a port",
        "[\"10.20.0.53:53\"]",
    )
    .with_derived_default("those of the system", |config| {
        let servers = &config.outbound.dns_servers;
        servers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }),
    parse::socket_addresses,
);

/// Additional CAs for outbound TLS connections.
pub static OUTBOUND_CA_FILE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "outbound.ca_file",
        "A PEM file with certificates of your own certificate authorities. They are trusted, beside those of the \
         operating system, for outbound TLS connections: identity providers, `jwks_uri` and other client \
         metadata, webhooks and back-channel logout.",
        "the path of a file",
        "\"/etc/sinete/ca.pem\"",
    )
    .with_unset_meaning("only the authorities of the operating system are trusted"),
    parse::path,
);
