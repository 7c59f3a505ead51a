//! The keys of mTLS.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use crate::config::values::{BaseUrl, MaskedText};
use std::path::PathBuf;

/// The base URL at which client certificates are requested.
pub static MUTUAL_TLS_BASE_URL: ConfigKey<BaseUrl> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mutual_tls.base_url",
        "The address at which clients may show a certificate of their own (RFC 8705), to prove who they are or to have \
         their tokens bound to it. Where this process speaks TLS, connections under the name in it are asked for one \
         and others are not; give it a name of its own, so that browsers are not asked. Clients find it as \
         `mtls_endpoint_aliases`.",
        "an https address with the path of `base_url`",
        "\"https://mtls.id.example.com\"",
    )
    .with_unset_meaning("nobody is asked for a certificate, and none counts"),
    parse::base_url,
);

/// The trusted CAs for client certificates.
pub static MUTUAL_TLS_AUTHORITIES: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mutual_tls.authorities",
        "A PEM file with the certificates of the authorities that vouch for clients of the method `tls_client_auth`. It \
         is read at the start.",
        "the path of a file",
        "\"/etc/sinete/client-authorities.pem\"",
    )
    .with_unset_meaning("`tls_client_auth` is not offered; clients can still register certificates of their own"),
    parse::path,
);

/// The secret that a trusted proxy sends with a forwarded client certificate.
pub static MUTUAL_TLS_PROXY_SECRET: ConfigKey<MaskedText> = ConfigKey::text(
    ConfigKeyEntry::new(
        "mutual_tls.proxy_secret",
        "With it, `trusted_proxies` are believed when they tell in the header `Client-Cert` which certificate they were \
         shown, as long as `Client-Cert-Secret` beside it holds this secret. A proxy that passes on what a client wrote \
         there does not know it. Prefer the environment over writing it into the configuration file.",
        "32 to 256 letters, digits, `-` or `_`",
        "\"m3GdU0hGJmJp0mVYlqvQWb0sM0rP9oN2t7cXk1yZaE4\"",
    )
    .with_unset_meaning("no header is read")
    .secret(),
    parse::proxy_secret,
);
