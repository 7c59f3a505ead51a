//! Who may register an API identifier. Tokens are issued for the identifier, so its owner decides what they
//! grant there.

use super::ApiIdentifier;
use url::{Host, Url};

/// Who may register an identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiIdentifierOwner {
    /// No one: it identifies this service.
    Service,
    /// Operators: it is on the issuer's host, or no domain could prove its ownership.
    Operators,
    /// Operators, and the organization that verified the closest of these domains: the host, then each parent
    /// domain.
    Domains(Vec<String>),
}

impl ApiIdentifierOwner {
    /// Decides who may register this identifier in the instance with this issuer.
    pub fn from_identifier(identifier: &ApiIdentifier, issuer: &str) -> Self {
        let text = identifier.as_str();
        if text.trim_end_matches('/').eq_ignore_ascii_case(issuer.trim_end_matches('/')) {
            return Self::Service;
        }
        let host_of = |address: &str| match Url::parse(address).ok()?.host()? {
            Host::Domain(name) => Some(name.trim_end_matches('.').to_ascii_lowercase()),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        };
        match host_of(text) {
            Some(host) if host_of(issuer).as_ref() != Some(&host) => Self::Domains(domain_and_parents(&host)),
            Some(_) | None => Self::Operators,
        }
    }
}

fn domain_and_parents(host: &str) -> Vec<String> {
    let parents = host.match_indices('.').map(|(index, _)| host[index + 1..].to_owned());
    std::iter::once(host.to_owned()).chain(parents).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(identifier: &str) -> ApiIdentifierOwner {
        ApiIdentifierOwner::from_identifier(&identifier.parse().unwrap(), "https://id.example.com")
    }

    #[test]
    fn api_identifier_equal_to_the_issuer_is_reserved_and_its_host_belongs_to_operators() {
        for service in ["https://id.example.com", "https://id.example.com/", "HTTPS://ID.example.com"] {
            assert_eq!(owner(service), ApiIdentifierOwner::Service, "{service}");
        }
        for ours in [
            "https://id.example.com/api",
            "https://id.example.com:8443/api",
            "http://id.example.com",
            "https://id.example.com./api",
            "https://id.example.com?x",
            "urn:acme:stock",
            "http://127.0.0.1:7001",
            "https://[::1]/api",
        ] {
            assert_eq!(owner(ours), ApiIdentifierOwner::Operators, "{ours}");
        }
    }

    #[test]
    fn api_identifier_of_another_host_needs_its_verified_domain_or_a_parent_domain() {
        let domains =
            |names: &[&str]| ApiIdentifierOwner::Domains(names.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(
            owner("https://api.acme.example/v1"),
            domains(&["api.acme.example", "acme.example", "example"])
        );
        assert_eq!(owner("https://acme.example:8443"), domains(&["acme.example", "example"]));
        assert_eq!(
            owner("https://x.id.example.com"),
            domains(&["x.id.example.com", "id.example.com", "example.com", "com"])
        );
        assert_eq!(owner("https://localhost/x"), domains(&["localhost"]));
    }
}
