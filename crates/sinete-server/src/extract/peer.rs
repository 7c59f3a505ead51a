//! The client's IP address. Forwarding headers are used only if a trusted proxy sent them, and never for
//! links.

use axum::http::HeaderMap;
use axum::http::header::{FORWARDED, HeaderName};
use ipnet::IpNet;
use sinete_core::limits::{FORWARDED_BYTES_MAX, FORWARDED_HOPS_MAX};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The trusted proxies and their forwarding header.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies {
    /// The networks of the proxies. If empty, none is trusted.
    pub trusted: Vec<IpNet>,
    /// The header that they set. The other one is ignored, because a proxy that does not set it passes on the
    /// client's value.
    pub header: ForwardingHeader,
}

/// A forwarding header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForwardingHeader {
    /// `X-Forwarded-For: client, proxy`.
    #[default]
    XForwardedFor,
    /// `Forwarded: for=client, for=proxy` (RFC 7239).
    Forwarded,
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

impl TrustedProxies {
    /// The client's address: the nearest one, going back from us, that is not a trusted proxy.
    ///
    /// A header that cannot be parsed up to that point, or is too large, is ignored: the client is then the
    /// connected peer.
    pub fn client_address(&self, connected: IpAddr, headers: &HeaderMap) -> IpAddr {
        let connected = connected.to_canonical();
        if !self.is_trusted(connected) {
            return connected;
        }
        self.forwarded_address(headers).unwrap_or(connected)
    }

    /// Whether the address is a trusted proxy.
    pub fn is_trusted(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }

    fn forwarded_address(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let name = match self.header {
            ForwardingHeader::XForwardedFor => X_FORWARDED_FOR,
            ForwardingHeader::Forwarded => FORWARDED,
        };
        let lines: Vec<&str> =
            headers.get_all(name).iter().map(|line| line.to_str().ok()).collect::<Option<_>>()?;
        let bytes: usize = lines.iter().map(|line| line.len()).sum();
        let hops: Vec<&str> = lines.iter().flat_map(|line| line.split(',')).collect();
        if bytes > FORWARDED_BYTES_MAX || hops.len() > FORWARDED_HOPS_MAX {
            return None;
        }
        let mut ip = None;
        for hop in hops.into_iter().rev() {
            let address = match self.header {
                ForwardingHeader::XForwardedFor => parse_address(hop.trim())?,
                ForwardingHeader::Forwarded => parse_forwarded_for(hop)?,
            };
            ip = Some(address);
            if !self.is_trusted(address) {
                break;
            }
        }
        ip
    }
}

/// The `for` parameter of a `Forwarded` element.
fn parse_forwarded_for(element: &str) -> Option<IpAddr> {
    let mut values = element.split(';').filter_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        name.eq_ignore_ascii_case("for").then_some(value)
    });
    let value = values.next().filter(|_| values.next().is_none())?;
    match value.strip_prefix('"') {
        // RFC 7239 §6: a value with a colon is quoted.
        Some(quoted) => parse_address(quoted.strip_suffix('"')?),
        None => value.parse().ok().filter(IpAddr::is_ipv4),
    }
}

/// Parses an address with an optional port, which is ignored.
fn parse_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let address = match bare {
        Some(inside) => IpAddr::V6(inside.parse::<Ipv6Addr>().ok()?),
        None => text.parse().or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip())).ok()?,
    };
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    fn proxies(header: ForwardingHeader) -> TrustedProxies {
        let trusted = ["10.0.0.0/8", "fd00::/8"].iter().map(|net| net.parse().unwrap()).collect();
        TrustedProxies { trusted, header }
    }

    fn client(connected: &str, lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_str(line).unwrap());
        }
        let client =
            proxies(ForwardingHeader::XForwardedFor).client_address(connected.parse().unwrap(), &headers);
        client.to_string()
    }

    #[test]
    fn forwarded_address_from_an_untrusted_peer_is_ignored() {
        assert_eq!(client("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(client("203.0.113.9", &["10.0.0.1"]), "203.0.113.9");
        let trusted_proxies = TrustedProxies::default();
        let mut headers = HeaderMap::new();
        headers.insert(X_FORWARDED_FOR, HeaderValue::from_static("198.51.100.1"));
        assert_eq!(
            trusted_proxies.client_address("10.0.0.1".parse().unwrap(), &headers).to_string(),
            "10.0.0.1"
        );
    }

    #[test]
    fn forwarded_address_nearest_to_the_trusted_proxies_is_the_client() {
        assert_eq!(client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.9.9.9"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1", "198.51.100.1", "10.9.9.9"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["nonsense, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["10.0.0.7, 10.0.0.8"]), "10.0.0.7");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn forwarded_address_ports_and_mapped_addresses_are_normalized() {
        assert_eq!(client("10.0.0.1", &["198.51.100.1:8080"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["[2001:db8::1]:443"]), "2001:db8::1");
        assert_eq!(client("10.0.0.1", &["[2001:db8::1]"]), "2001:db8::1");
        assert_eq!(client("::ffff:10.0.0.1", &["::ffff:198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("fd00::1", &["2001:db8::1"]), "2001:db8::1");
    }

    #[test]
    fn forwarded_address_that_is_malformed_is_ignored() {
        for line in
            ["nonsense", "198.51.100.1, nonsense", "198.51.100.1,", "unknown", "", "198.51.100.1 10.0.0.1"]
        {
            assert_eq!(client("10.0.0.1", &[line]), "10.0.0.1", "{line}");
        }
        let many = ["198.51.100.1"; FORWARDED_HOPS_MAX + 1].join(",");
        assert_eq!(client("10.0.0.1", &[&many]), "10.0.0.1");
        let long = format!("{}198.51.100.1", " ".repeat(FORWARDED_BYTES_MAX));
        assert_eq!(client("10.0.0.1", &[&long]), "10.0.0.1");
    }

    #[test]
    fn forwarded_header_is_read_only_where_configured() {
        for (line, expected) in [
            ("for=198.51.100.1", "198.51.100.1"),
            ("For=1.1.1.1, for=198.51.100.1;proto=https;by=10.0.0.1, for=10.0.0.2", "198.51.100.1"),
            ("for=\"[2001:db8::1]:4711\"", "2001:db8::1"),
            ("for=\"198.51.100.1:80\"", "198.51.100.1"),
            ("for=_hidden", "10.0.0.1"),
            ("for=unknown", "10.0.0.1"),
            ("for=2001:db8::1", "10.0.0.1"),
            ("for=198.51.100.1;for=1.1.1.1", "10.0.0.1"),
            ("proto=https", "10.0.0.1"),
            ("for=\"198.51.100.1", "10.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(FORWARDED, HeaderValue::from_str(line).unwrap());
            headers.insert(X_FORWARDED_FOR, HeaderValue::from_static("1.2.3.4"));
            let connected = "10.0.0.1".parse().unwrap();
            let ip = proxies(ForwardingHeader::Forwarded).client_address(connected, &headers);
            assert_eq!(ip.to_string(), expected, "{line}");
            let other = proxies(ForwardingHeader::XForwardedFor).client_address(connected, &headers);
            assert_eq!(other.to_string(), "1.2.3.4");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn forwarded_address_of_an_untrusted_peer_is_always_its_own(line in "[ -~]{0,60}", last in 1_u8..255) {
            let connected = format!("203.0.113.{last}");
            prop_assert_eq!(client(&connected, &[&line]), connected);
        }

        #[test]
        fn forwarded_address_is_not_changed_by_client_supplied_hops(said in "[ -~]{0,12}", hops in 0_usize..5) {
            let ours = ["10.1.2.3"; 5];
            let line = [&[said.as_str(), "198.51.100.7"], &ours[..hops]].concat().join(",");
            prop_assert_eq!(client("10.0.0.1", &[&line]), "198.51.100.7");
        }

        #[test]
        fn forwarded_header_parsing_never_panics(line in prop::collection::vec(0x20_u8..0xff, 0..100)) {
            let Ok(value) = HeaderValue::from_bytes(&line) else { return Ok(()) };
            for header in [ForwardingHeader::XForwardedFor, ForwardingHeader::Forwarded] {
                let mut headers = HeaderMap::new();
                headers.insert(X_FORWARDED_FOR, value.clone());
                headers.insert(FORWARDED, value.clone());
                proxies(header).client_address("10.0.0.1".parse().unwrap(), &headers);
            }
        }
    }
}
