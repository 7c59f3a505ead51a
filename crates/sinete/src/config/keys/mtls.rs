//! The keys of mTLS.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use crate::config::values::{BaseUrl, MaskedText};
use std::path::PathBuf;

/// The base URL at which client certificates are requested.
pub static MUTUAL_TLS_BASE_URL: ConfigKey<BaseUrl> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mutual_tls.base_url",
        "The base URL for clients with certificates (mTLS, RFC 8705). Where Sinete terminates TLS, only connections with \
         this host name are asked for a certificate; use a host name of its own, so that browsers are not asked. \
         Clients find it as `mtls_endpoint_aliases`.",
        "an `https` URL with the path of `base_url`",
        "\"https://mtls.id.example.com\"",
    )
    .with_unset_meaning("mTLS is not offered"),
    parse::base_url,
);

/// The trusted CAs for client certificates.
pub static MUTUAL_TLS_AUTHORITIES: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mutual_tls.authorities",
        "A PEM file with the certificate authorities that are trusted for `tls_client_auth`. It is read at start-up.",
        "the path of a file",
        "\"/etc/sinete/client-authorities.pem\"",
    )
    .with_unset_meaning("`tls_client_auth` is not offered; clients can still register their own certificates"),
    parse::path,
);

/// The secret that a trusted proxy sends with a forwarded client certificate.
pub static MUTUAL_TLS_PROXY_SECRET: ConfigKey<MaskedText> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mutual_tls.proxy_secret",
        "The secret that `trusted_proxies` send in `Client-Cert-Secret` beside `Client-Cert`, the certificate of the \
         client (RFC 9440). It proves that the header comes from the proxy. Prefer the environment over the \
         configuration file.",
        "32 to 256 letters, digits, `-` or `_`",
        "\"m3GdU0hGJmJp0mVYlqvQWb0sM0rP9oN2t7cXk1yZaE4\"",
    )
    .with_unset_meaning("`Client-Cert` is ignored")
    .secret(),
    parse::proxy_secret,
);
