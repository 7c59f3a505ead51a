//! Consistency rules of mTLS.

use super::{is_set, problem_with_key};
use crate::config::problem::ConfigProblem;
use crate::config::{ConfigSources, keys};
use url::Url;

pub(super) const RULES: [fn(&ConfigSources) -> Option<ConfigProblem>; 4] =
    [check_base_url_set, check_base_url_valid, check_certificate_source, check_trusted_proxies];

fn check_base_url_set(origins: &ConfigSources) -> Option<ConfigProblem> {
    if is_set(origins, &keys::MUTUAL_TLS_BASE_URL) {
        return None;
    }
    let (message, remedy) =
        ("is set without mutual_tls.base_url", "set the URL at which client certificates are requested");
    match (is_set(origins, &keys::MUTUAL_TLS_AUTHORITIES), is_set(origins, &keys::MUTUAL_TLS_PROXY_SECRET)) {
        (true, _) => problem_with_key(origins, &keys::MUTUAL_TLS_AUTHORITIES, message.to_owned(), remedy),
        (false, true) => {
            problem_with_key(origins, &keys::MUTUAL_TLS_PROXY_SECRET, message.to_owned(), remedy)
        }
        (false, false) => None,
    }
}

fn check_base_url_valid(origins: &ConfigSources) -> Option<ConfigProblem> {
    let address = origins.get(&keys::MUTUAL_TLS_BASE_URL)?;
    if !address.is_https() {
        let message = "is not https, which client certificates require".to_owned();
        return problem_with_key(origins, &keys::MUTUAL_TLS_BASE_URL, message, "use an https URL");
    }
    let path = |text: &str| Url::parse(text).map(|url| url.path().trim_end_matches('/').to_owned()).ok();
    let issuer = origins.get(&keys::BASE_URL);
    let issuer_path = issuer.map_or(Some(String::new()), |issuer| path(issuer.as_str()));
    if path(address.as_str()) == issuer_path {
        return None;
    }
    let message = "has another path than base_url".to_owned();
    problem_with_key(
        origins,
        &keys::MUTUAL_TLS_BASE_URL,
        message,
        "use the same path in both: the same routes are served at both",
    )
}

/// Rejects settings under which no client certificate could ever be presented.
fn check_certificate_source(origins: &ConfigSources) -> Option<ConfigProblem> {
    let can_receive_certificates =
        is_set(origins, &keys::TLS_CERTIFICATE) || is_set(origins, &keys::MUTUAL_TLS_PROXY_SECRET);
    if can_receive_certificates || !is_set(origins, &keys::MUTUAL_TLS_BASE_URL) {
        return None;
    }
    let message = "is set, but no connection can present a certificate".to_owned();
    let remedy = "terminate TLS here with tls.certificate and tls.key, or let a proxy forward certificates with \
                  mutual_tls.proxy_secret";
    problem_with_key(origins, &keys::MUTUAL_TLS_BASE_URL, message, remedy)
}

fn check_trusted_proxies(origins: &ConfigSources) -> Option<ConfigProblem> {
    let trusted = origins.get(&keys::TRUSTED_PROXIES).is_some_and(|networks| !networks.is_empty());
    if trusted || !is_set(origins, &keys::MUTUAL_TLS_PROXY_SECRET) {
        return None;
    }
    let message = "is set, but trusted_proxies names no proxy".to_owned();
    problem_with_key(origins, &keys::MUTUAL_TLS_PROXY_SECRET, message, "name your proxies in trusted_proxies")
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::config::environment::Environment;

    const ADDRESS: (&str, &str) = ("SINETE_MUTUAL_TLS__BASE_URL", "https://mtls.id.example");
    const SECRET: (&str, &str) =
        ("SINETE_MUTUAL_TLS__PROXY_SECRET", "a-secret-of-thirty-two-letters-or-more");
    const PROXY: (&str, &str) = ("SINETE_TRUSTED_PROXIES", "127.0.0.1");
    const AUTHORITIES: (&str, &str) = ("SINETE_MUTUAL_TLS__AUTHORITIES", "authorities.pem");
    const ISSUER: (&str, &str) = ("SINETE_BASE_URL", "https://id.example");

    fn complaint(settings: &[(&str, &str)]) -> Option<String> {
        Config::from_environment(&Environment::from_pairs(settings.to_vec()))
            .err()
            .map(|problems| problems.to_string())
    }

    #[test]
    fn mtls_configuration_that_cannot_work_is_refused() {
        assert_eq!(complaint(&[ISSUER, ADDRESS, SECRET, PROXY, AUTHORITIES]), None);
        for (settings, expected) in [
            (&[ISSUER, AUTHORITIES][..], "is set without mutual_tls.base_url"),
            (&[ISSUER, SECRET, PROXY], "is set without mutual_tls.base_url"),
            (&[ISSUER, ADDRESS], "no connection can present a certificate"),
            (&[ISSUER, ADDRESS, SECRET], "trusted_proxies names no proxy"),
            (&[ISSUER, (ADDRESS.0, "http://mtls.id.example"), SECRET, PROXY], "is not https"),
            (&[ISSUER, (ADDRESS.0, "https://mtls.id.example/a"), SECRET, PROXY], "another path"),
            (&[ISSUER, ADDRESS, (SECRET.0, "short"), PROXY], "32 to 256"),
        ] {
            let complaint = complaint(settings).unwrap_or_default();
            assert!(complaint.contains(expected), "{complaint:?} does not contain {expected:?}");
        }
    }
}
