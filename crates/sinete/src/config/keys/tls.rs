//! The keys of TLS.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use std::path::PathBuf;

/// The TLS certificate chain file.
pub static TLS_CERTIFICATE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "tls.certificate",
        "A PEM file with the certificate chain, own certificate first. With it and `tls.key` Sinete \
         terminates TLS itself; SIGHUP reads both again.",
        "the path of a file",
        "\"/etc/sinete/tls/chain.pem\"",
    )
    .with_unset_meaning("plain HTTP, for a proxy that terminates TLS"),
    parse::path,
);

/// The TLS private key file.
pub static TLS_KEY: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "tls.key",
        "A PEM file with the certificate's private key.",
        "the path of a file",
        "\"/etc/sinete/tls/key.pem\"",
    )
    .with_unset_meaning("plain HTTP, for a proxy that terminates TLS"),
    parse::path,
);
