//! The keys of DPoP.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use sinete_engine::oauth::dpop::DpopNoncePolicy;

/// Whether DPoP proofs must contain a nonce.
pub static DPOP_NONCE: ConfigKey<DpopNoncePolicy> = ConfigKey::text(
    ConfigKeyEntry::new(
        "dpop.nonce",
        "Whether DPoP proofs (RFC 9449) must contain a nonce that Sinete returned within the last five minutes. It prevents \
         proofs that are created in advance, and costs clients an additional request when they have no nonce. Nodes \
         share nothing for it but the instance key.",
        "`never` or `always`",
        "\"always\"",
    )
    .with_default("never"),
    parse::nonces,
);
