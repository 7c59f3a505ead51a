//! The client certificate (RFC 8705): of the connection, or forwarded by a trusted proxy (RFC 9440).
//! Forwarded certificates from others are ignored.

use crate::extract::peer::TrustedProxies;
use axum::http::{HeaderMap, HeaderName};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::secret::Digest;
use sinete_engine::oauth::mtls::ClientCertificate;
use std::net::IpAddr;
use std::sync::Arc;

/// The peer of a connection.
#[derive(Clone, Debug)]
pub struct ConnectedPeer {
    /// Its address.
    pub address: IpAddr,
    /// Its certificate.
    pub certificate: Option<Arc<ClientCertificate>>,
}

/// How trusted proxies forward client certificates.
#[derive(Clone, Debug, Default)]
pub enum ProxyCertificates {
    /// Not at all: the header is ignored.
    #[default]
    NotForwarded,
    /// In a header that is accepted only together with a secret: a header that a client sent and a proxy
    /// passed on lacks it.
    WithSecret(Digest<ProxySecretDigest>),
}

/// The digest type of a proxy's secret.
#[derive(Debug)]
pub enum ProxySecretDigest {}

impl ProxyCertificates {
    /// Forwarding with this secret.
    pub fn with_secret(secret: &str) -> Self {
        Self::WithSecret(Digest::from_parts(&[secret.as_bytes()]))
    }
}

const CLIENT_CERT: HeaderName = HeaderName::from_static("client-cert");
const CLIENT_CERT_CHAIN: HeaderName = HeaderName::from_static("client-cert-chain");
const CLIENT_CERT_SECRET: HeaderName = HeaderName::from_static("client-cert-secret");

/// The client certificate of a request. A proxy's own certificate is never used for its clients, and a
/// malformed forwarded one is refused rather than ignored.
pub(crate) fn client_certificate(
    connected: &ConnectedPeer,
    headers: &HeaderMap,
    proxies: &TrustedProxies,
    proxy_certificates: &ProxyCertificates,
) -> Result<Option<Arc<ClientCertificate>>, Refusal> {
    if !proxies.is_trusted(connected.address.to_canonical()) {
        return Ok(connected.certificate.clone());
    }
    let ProxyCertificates::WithSecret(expected) = proxy_certificates else { return Ok(None) };
    let Some(certificate) = single_header_value(headers, &CLIENT_CERT)? else { return Ok(None) };
    let secret = single_header_value(headers, &CLIENT_CERT_SECRET)?.unwrap_or_default();
    if Digest::from_parts(&[secret.as_bytes()]) != *expected {
        return Err(invalid_certificate_header("a forwarded certificate without the secret of the proxy"));
    }
    let read = match certificate.starts_with(':') {
        true => parse_client_cert_header(certificate, &joined_header_values(headers, &CLIENT_CERT_CHAIN)?),
        false => percent_decode(certificate).and_then(|pem| ClientCertificate::parse_pem(&pem).ok()),
    };
    match read {
        Some(certificate) => Ok(Some(Arc::new(certificate))),
        None => Err(invalid_certificate_header("the forwarded certificate cannot be parsed")),
    }
}

/// Parses the headers of RFC 9440 §2: the certificate and its chain.
fn parse_client_cert_header(certificate: &str, above: &[&str]) -> Option<ClientCertificate> {
    let all = std::iter::once(certificate).chain(above.iter().flat_map(|list| list.split(',')));
    let chain = all.map(|part| parse_byte_sequence(part.trim())).collect::<Option<Vec<_>>>()?;
    ClientCertificate::parse_chain(chain).ok()
}

/// A header that may occur at most once.
fn single_header_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Refusal> {
    let mut lines = headers.get_all(name).iter();
    match (lines.next(), lines.next()) {
        (None, _) => Ok(None),
        (Some(line), None) => {
            line.to_str().map(Some).map_err(|_| invalid_certificate_header("a header that is not text"))
        }
        (Some(_), Some(_)) => Err(invalid_certificate_header("a certificate header occurs twice")),
    }
}

/// The values of a list header, which may occur several times.
fn joined_header_values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Vec<&'a str>, Refusal> {
    let lines = headers.get_all(name).iter().map(|line| line.to_str());
    lines.collect::<Result<_, _>>().map_err(|_| invalid_certificate_header("a header that is not text"))
}

/// Parses a byte sequence (RFC 8941 §3.3.5): base64 between colons.
fn parse_byte_sequence(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text.strip_prefix(':')?.strip_suffix(':')?).ok()
}

/// Decodes percent-encoding, as nginx and Envoy write a certificate in PEM.
fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        rest = match (*first, after) {
            (b'%', [high, low, after @ ..]) => {
                let pair = [*high, *low];
                out.push(u8::from_str_radix(std::str::from_utf8(&pair).ok()?, 16).ok()?);
                after
            }
            (b'%', _) => return None,
            (plain, after) => {
                out.push(plain);
                after
            }
        };
    }
    Some(out)
}

fn invalid_certificate_header(reason: &str) -> Refusal {
    Refusal::because(RequestRefusal::CertificateUnreadable, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use sinete_core::refusal::RefusalCode;

    const SECRET: &str = "a secret between the proxy and us";

    fn made() -> (Vec<u8>, String) {
        let key = rcgen::generate_simple_self_signed(vec!["a.example".to_owned()]).unwrap();
        (key.cert.der().to_vec(), key.cert.pem())
    }

    fn asked(
        address: &str,
        proxy_certificates: &ProxyCertificates,
        lines: &[(&'static str, &str)],
    ) -> Result<Option<String>, RefusalCode> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        let proxies =
            TrustedProxies { trusted: vec!["10.0.0.0/8".parse().unwrap()], ..TrustedProxies::default() };
        let connected = ConnectedPeer { address: address.parse().unwrap(), certificate: None };
        client_certificate(&connected, &headers, &proxies, proxy_certificates)
            .map(|it| it.and_then(|it| it.confirmation().certificate().map(str::to_owned)))
            .map_err(|refusal| refusal.code())
    }

    fn of_sequence(der: &[u8]) -> String {
        format!(":{}:", STANDARD.encode(der))
    }

    fn escaped(pem: &str) -> String {
        pem.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    #[test]
    fn client_cert_header_of_a_proxy_with_the_secret_is_accepted_in_both_formats() {
        let (proxy_certificates, (der, pem)) = (ProxyCertificates::with_secret(SECRET), made());
        let expected =
            ClientCertificate::parse_chain([&der]).unwrap().confirmation().certificate().unwrap().to_owned();
        let above = format!("{}, {}", of_sequence(&made().0), of_sequence(&made().0));
        for lines in [
            vec![("client-cert", of_sequence(&der))],
            vec![("client-cert", of_sequence(&der)), ("client-cert-chain", above)],
            vec![
                ("client-cert", of_sequence(&der)),
                ("client-cert-chain", of_sequence(&made().0)),
                ("client-cert-chain", of_sequence(&made().0)),
            ],
            vec![("client-cert", escaped(&pem))],
        ] {
            let mut lines: Vec<_> = lines.iter().map(|(name, value)| (*name, value.as_str())).collect();
            lines.push(("client-cert-secret", SECRET));
            assert_eq!(asked("10.0.0.1", &proxy_certificates, &lines), Ok(Some(expected.clone())));
        }
        assert_eq!(asked("10.0.0.1", &proxy_certificates, &[("client-cert-secret", SECRET)]), Ok(None));
        assert_eq!(asked("10.0.0.1", &proxy_certificates, &[]), Ok(None));
    }

    #[test]
    fn client_cert_header_from_an_untrusted_peer_is_ignored() {
        let (proxy_certificates, (der, pem)) = (ProxyCertificates::with_secret(SECRET), made());
        let (sequence, escaped) = (of_sequence(&der), escaped(&pem));
        let both = [("client-cert", sequence.as_str()), ("client-cert-secret", SECRET)];
        assert_eq!(asked("203.0.113.9", &proxy_certificates, &both), Ok(None));
        assert_eq!(asked("203.0.113.9", &proxy_certificates, &[("client-cert", "nonsense")]), Ok(None));
        assert_eq!(asked("10.0.0.1", &ProxyCertificates::NotForwarded, &both), Ok(None));
        assert_eq!(
            asked("10.0.0.1", &ProxyCertificates::NotForwarded, &[("client-cert", "nonsense")]),
            Ok(None)
        );
        for name in [
            "client_cert",
            "x-client-cert",
            "x-ssl-client-cert",
            "ssl-client-cert",
            "x-forwarded-client-cert",
        ] {
            let lines = [(name, escaped.as_str()), ("client-cert-secret", SECRET)];
            assert_eq!(asked("10.0.0.1", &proxy_certificates, &lines), Ok(None), "{name}");
        }
    }

    #[test]
    fn client_cert_header_that_is_malformed_is_refused() {
        let (proxy_certificates, (der, pem)) = (ProxyCertificates::with_secret(SECRET), made());
        let good = of_sequence(&der);
        let refused = Err(RefusalCode::InvalidRequest);
        for secret in [None, Some(""), Some("another"), Some("a secret between the proxy and us ")] {
            let mut lines = vec![("client-cert", good.as_str())];
            lines.extend(secret.map(|secret| ("client-cert-secret", secret)));
            assert_eq!(asked("10.0.0.1", &proxy_certificates, &lines), refused, "{secret:?}");
        }
        let cut = of_sequence(&der[..der.len() - 1]);
        for text in [
            "",
            "::",
            ":",
            "nonsense",
            "%",
            "%zz",
            "-----BEGIN CERTIFICATE-----",
            &cut,
            &good[1..],
            &pem[..27],
        ] {
            let lines = [("client-cert", text), ("client-cert-secret", SECRET)];
            assert_eq!(asked("10.0.0.1", &proxy_certificates, &lines), refused, "{text}");
        }
        let twice = [("client-cert", &*good), ("client-cert", &*good), ("client-cert-secret", SECRET)];
        assert_eq!(asked("10.0.0.1", &proxy_certificates, &twice), refused);
        let chain = [("client-cert", &*good), ("client-cert-chain", ":AA:"), ("client-cert-secret", SECRET)];
        assert_eq!(asked("10.0.0.1", &proxy_certificates, &chain), refused);
    }

    #[test]
    fn client_certificate_of_a_proxy_connection_is_not_the_clients() {
        let certificate = Some(Arc::new(ClientCertificate::parse_chain([made().0]).unwrap()));
        let proxies =
            TrustedProxies { trusted: vec!["10.0.0.0/8".parse().unwrap()], ..TrustedProxies::default() };
        let of = |address: &str| ConnectedPeer {
            address: address.parse().unwrap(),
            certificate: certificate.clone(),
        };
        for proxy_certificates in [ProxyCertificates::NotForwarded, ProxyCertificates::with_secret(SECRET)] {
            let by_proxy =
                client_certificate(&of("10.0.0.1"), &HeaderMap::new(), &proxies, &proxy_certificates)
                    .unwrap();
            assert!(by_proxy.is_none());
            assert!(
                client_certificate(&of("203.0.113.9"), &HeaderMap::new(), &proxies, &proxy_certificates)
                    .unwrap()
                    .is_some()
            );
        }
    }
}
