//! The mTLS settings.

use crate::config::values::{BaseUrl, MaskedText};
use crate::config::{ConfigSources, keys};
use sinete_engine::oauth::mtls::TrustedCertificateAuthorities;
use sinete_server::tls::ClientCertificatePolicy;
use std::path::{Path, PathBuf};
use url::Url;

/// The mTLS settings.
#[derive(Clone, Debug)]
pub struct MtlsConfig {
    /// The base URL at which client certificates are requested.
    pub base_url: BaseUrl,
    /// The file of trusted CAs.
    pub authorities: Option<PathBuf>,
    /// The secret that a trusted proxy sends with a forwarded client certificate.
    pub proxy_secret: Option<MaskedText>,
}

impl MtlsConfig {
    pub(super) fn from_origins(origins: &ConfigSources) -> Option<Self> {
        Some(Self {
            base_url: origins.get(&keys::MUTUAL_TLS_BASE_URL)?,
            authorities: origins.get(&keys::MUTUAL_TLS_AUTHORITIES),
            proxy_secret: origins.get(&keys::MUTUAL_TLS_PROXY_SECRET),
        })
    }

    /// Which connections are asked for a certificate if this process terminates TLS: those to the mTLS host,
    /// or all if it has no separate host name.
    pub fn certificate_policy(&self, issuer: &BaseUrl) -> ClientCertificatePolicy {
        match host_name(&self.base_url).filter(|host| host_name(issuer).as_ref() != Some(host)) {
            Some(host) => ClientCertificatePolicy::ForHost(host),
            None => ClientCertificatePolicy::Always,
        }
    }
}

/// The host name; `None` for an IP address, which cannot be sent in SNI.
fn host_name(base_url: &BaseUrl) -> Option<String> {
    Some(Url::parse(base_url.as_str()).ok()?.domain()?.to_owned())
}

/// Loads the trusted CAs from a file.
pub fn load_authorities(path: &Path) -> Result<TrustedCertificateAuthorities, String> {
    let pem = std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    TrustedCertificateAuthorities::parse_pem(&pem)
        .map_err(|authority_file| format!("{}: {authority_file}", path.display()))
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
        let certificate_policy = ClientCertificatePolicy::ForHost("mtls.id.example".to_owned());
        assert_eq!(at("https://mtls.id.example").certificate_policy(&issuer), certificate_policy);
        assert_eq!(at("https://id.example").certificate_policy(&issuer), ClientCertificatePolicy::Always);
        assert_eq!(at("https://192.0.2.1").certificate_policy(&issuer), ClientCertificatePolicy::Always);
    }
}
