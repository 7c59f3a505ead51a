//! What must hold between the keys about clients' certificates.

use super::{about, is_set};
use crate::config::problem::Problem;
use crate::config::{Written, keys};
use url::Url;

pub(super) const RULES: [fn(&Written) -> Option<Problem>; 4] =
    [without_address, unfit_address, from_nowhere, nobody_trusted];

fn without_address(written: &Written) -> Option<Problem> {
    if is_set(written, &keys::MUTUAL_TLS_BASE_URL) {
        return None;
    }
    let (what, mend) =
        ("is set without mutual_tls.base_url", "name the address at which certificates are shown");
    match (is_set(written, &keys::MUTUAL_TLS_AUTHORITIES), is_set(written, &keys::MUTUAL_TLS_PROXY_SECRET)) {
        (true, _) => about(written, &keys::MUTUAL_TLS_AUTHORITIES, what.to_owned(), mend),
        (false, true) => about(written, &keys::MUTUAL_TLS_PROXY_SECRET, what.to_owned(), mend),
        (false, false) => None,
    }
}

fn unfit_address(written: &Written) -> Option<Problem> {
    let address = written.value(&keys::MUTUAL_TLS_BASE_URL)?;
    if !address.is_https() {
        let what = "is not https, and no certificate is shown without".to_owned();
        return about(written, &keys::MUTUAL_TLS_BASE_URL, what, "name an https address");
    }
    let path = |text: &str| Url::parse(text).map(|url| url.path().trim_end_matches('/').to_owned()).ok();
    let issuer = written.value(&keys::BASE_URL);
    let issuer_path = issuer.map_or(Some(String::new()), |issuer| path(issuer.as_str()));
    if path(address.as_str()) == issuer_path {
        return None;
    }
    let what = "has another path than base_url".to_owned();
    about(written, &keys::MUTUAL_TLS_BASE_URL, what, "let both end alike: the same is served at both")
}

/// What can never happen is refused rather than promised.
fn from_nowhere(written: &Written) -> Option<Problem> {
    let shown = is_set(written, &keys::TLS_CERTIFICATE) || is_set(written, &keys::MUTUAL_TLS_PROXY_SECRET);
    if shown || !is_set(written, &keys::MUTUAL_TLS_BASE_URL) {
        return None;
    }
    let what = "is set, and no connection could show a certificate".to_owned();
    let mend =
        "speak TLS here with tls.certificate and tls.key, or let a proxy tell with mutual_tls.proxy_secret";
    about(written, &keys::MUTUAL_TLS_BASE_URL, what, mend)
}

fn nobody_trusted(written: &Written) -> Option<Problem> {
    let trusted = written.value(&keys::TRUSTED_PROXIES).is_some_and(|networks| !networks.is_empty());
    if trusted || !is_set(written, &keys::MUTUAL_TLS_PROXY_SECRET) {
        return None;
    }
    let what = "is set, and trusted_proxies names nobody who could know it".to_owned();
    about(written, &keys::MUTUAL_TLS_PROXY_SECRET, what, "name your proxies in trusted_proxies")
}
