//! The keys of DPoP.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use sinete_engine::oauth::dpop::DpopNoncePolicy;

/// Whether DPoP proofs must contain a nonce.
pub static DPOP_NONCE: ConfigKey<DpopNoncePolicy> = ConfigKey::text(
    ConfigKeyEntry::new(
        "dpop.nonce",
        "Whether DPoP proofs (RFC 9449) must repeat a nonce that this service gave out in the last five minutes. Then \
         nobody can make proofs ahead of time with a key that they hold for a moment only, and every client asks once \
         more when it has none. Nodes need nothing in common for it but the instance key.",
        "`never` or `always`",
        "\"always\"",
    )
    .with_default("never"),
    parse::nonces,
);
