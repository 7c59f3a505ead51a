//! Certificates that clients show when they connect, as they are configured.

use crate::config::values::{BaseUrl, MaskedText};
use crate::config::{ConfigOrigins, keys};
use sinete_engine::oauth::mtls::TrustedCertificateAuthorities;
use sinete_http::tls::ClientCertificatePolicy;
use std::path::{Path, PathBuf};
use url::Url;

/// How certificates of clients are taken.
#[derive(Clone, Debug)]
pub struct MtlsConfig {
    /// Where connections are asked for one.
    pub base_url: BaseUrl,
    /// Whose word about them counts, as a file.
    pub authorities: Option<PathBuf>,
    /// What a trusted proxy says beside one that it was shown.
    pub proxy_secret: Option<MaskedText>,
}

impl MtlsConfig {
    pub(super) fn from_origins(written: &ConfigOrigins) -> Option<Self> {
        Some(Self {
            base_url: written.get(&keys::MUTUAL_TLS_BASE_URL)?,
            authorities: written.get(&keys::MUTUAL_TLS_AUTHORITIES),
            proxy_secret: written.get(&keys::MUTUAL_TLS_PROXY_SECRET),
        })
    }

    /// Whom this process asks where it speaks TLS itself: whoever comes to the host, and everybody where it has no other.
    pub fn certificate_policy(&self, issuer: &BaseUrl) -> ClientCertificatePolicy {
        match host_name(&self.base_url).filter(|here| host_name(issuer).as_ref() != Some(here)) {
            Some(here) => ClientCertificatePolicy::ForHost(here),
            None => ClientCertificatePolicy::Always,
        }
    }
}

/// The name of the host; an address has none that a connection could ask for.
fn host_name(base_url: &BaseUrl) -> Option<String> {
    Some(Url::parse(base_url.as_str()).ok()?.domain()?.to_owned())
}

/// The authorities in a file, or why there are none, in one line.
pub fn load_authorities(path: &Path) -> Result<TrustedCertificateAuthorities, String> {
    let pem = std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    TrustedCertificateAuthorities::parse_pem(&pem).map_err(|why| format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_certificates_are_requested_from_browsers_only_without_a_separate_mtls_host() {
        let at = |address: &str| MtlsConfig {
            base_url: BaseUrl::parse(address).unwrap(),
            authorities: None,
            proxy_secret: None,
        };
        let issuer = BaseUrl::parse("https://id.example:8443").unwrap();
        let own = ClientCertificatePolicy::ForHost("mtls.id.example".to_owned());
        assert_eq!(at("https://mtls.id.example").certificate_policy(&issuer), own);
        assert_eq!(at("https://id.example").certificate_policy(&issuer), ClientCertificatePolicy::Always);
        assert_eq!(at("https://192.0.2.1").certificate_policy(&issuer), ClientCertificatePolicy::Always);
    }
}
