//! How an organization is connected to a provider of its own (OpenID Connect), as far as it chooses that.

use crate::assurance::Assurance;
use crate::fault::Faults;
use crate::id::OrganizationId;
use crate::limits::{
    ASSURANCE_TWO_AGE_MAX, CONNECTION_TEXT_BYTES_MAX, CONNECTION_VALUES_MAX, ISSUER_BYTES_MAX,
};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use url::{Host, Url};

/// Who a provider is: the address that stands in everything it signs. It is compared byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Issuer(Box<str>);

/// The text is no issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnIssuer {
    /// It is no address of a provider.
    #[error("an https address without a query, a fragment or credentials")]
    NotAnAddress,
    /// It has no TLS.
    #[error("an https address: http only for a provider on this machine, in development")]
    Plain,
}

/// Whether a provider without TLS is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainProviders {
    /// On this machine, to try things out.
    OnLoopback,
    /// Nowhere.
    Refused,
}

impl Issuer {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address at which it says what it is and where (OpenID Connect Discovery §4).
    pub fn discovery(&self) -> String {
        format!("{}/.well-known/openid-configuration", self.0.trim_end_matches('/'))
    }

    /// The issuer, if it may be used where this is said about providers without TLS.
    pub fn parse(text: &str, plain: PlainProviders) -> Result<Self, NotAnIssuer> {
        let url = Url::parse(text).map_err(|_| NotAnIssuer::NotAnAddress)?;
        let has_more = url.query().is_some() || url.fragment().is_some();
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if text.len() > ISSUER_BYTES_MAX
            || has_more
            || has_credentials
            || !url.has_host()
            || text.contains('\\')
        {
            return Err(NotAnIssuer::NotAnAddress);
        }
        match (url.scheme(), plain) {
            ("https", _) => Ok(Self(text.into())),
            ("http", PlainProviders::OnLoopback) if is_loopback(&url) => Ok(Self(text.into())),
            ("http", _) => Err(NotAnIssuer::Plain),
            _ => Err(NotAnIssuer::NotAnAddress),
        }
    }
}

/// Whether an address is on this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl TryFrom<String> for Issuer {
    type Error = NotAnIssuer;

    /// Whether one without TLS is taken is for the instance to say that is to use it.
    fn try_from(text: String) -> Result<Self, NotAnIssuer> {
        Self::parse(&text, PlainProviders::OnLoopback)
    }
}
impl From<Issuer> for String {
    fn from(issuer: Issuer) -> Self {
        issuer.0.into()
    }
}
impl fmt::Display for Issuer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// How we prove to a provider who we are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authentication {
    /// With a secret that it gave us.
    #[default]
    ClientSecret,
    /// With a signature of ours, which our published keys verify (RFC 7523).
    PrivateKey,
}

/// What a provider says of how somebody proved who they are, that we take for two factors. Everything else is one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TwoFactors {
    /// Values of `acr`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub acr: BTreeSet<String>,
    /// Values of `amr`, each of which is enough.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub amr: BTreeSet<String>,
}

impl TwoFactors {
    /// How sure we are of somebody of whom a provider says this. What it does not say counts as one factor, and so does
    /// what was proven longer ago than two factors count here.
    pub fn assurance(
        &self,
        acr: Option<&str>,
        amr: &[String],
        auth_time: Option<Timestamp>,
        now: Timestamp,
    ) -> Assurance {
        let is_said =
            acr.is_some_and(|acr| self.acr.contains(acr)) || amr.iter().any(|it| self.amr.contains(it));
        let is_old = auth_time.is_some_and(|at| now.since(at) > ASSURANCE_TWO_AGE_MAX);
        if is_said && !is_old { Assurance::Two } else { Assurance::One }
    }
}

/// What an organization chooses about a provider, beside who it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chosen {
    /// What people read on the button.
    pub name: String,
    /// The name by which the provider knows us.
    pub client_id: String,
    /// How we prove that to it.
    #[serde(default)]
    pub authentication: Authentication,
    /// What we ask it for.
    #[serde(default = "usual_scopes")]
    pub scopes: Vec<String>,
    /// What we take for two factors.
    #[serde(default)]
    pub two_factors: TwoFactors,
    /// The claim by which a membership that was provisioned is found: it equals the membership's external id. Without one,
    /// the provider names nobody of the directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<String>,
}

/// The scopes that are asked for unless it is said otherwise.
pub fn usual_scopes() -> Vec<String> {
    ["openid", "email", "profile"].map(str::to_owned).into()
}

impl Chosen {
    /// What is wrong with it, if anything.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        faults.display_text("/name", &self.name);
        let is_plain = |text: &str| {
            (1..=CONNECTION_TEXT_BYTES_MAX).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !is_plain(&self.client_id) {
            faults.add("/client_id", "1 to 256 visible characters, as the provider shows it");
        }
        if self.external_id_claim.as_deref().is_some_and(|name| !is_plain(name)) {
            faults.add("/external_id_claim", "the name of a claim, such as sub or oid");
        }
        let is_scope = |text: &String| is_plain(text) && !text.contains(['"', '\\']);
        if self.scopes.len() > CONNECTION_VALUES_MAX || !self.scopes.iter().all(is_scope) {
            faults.add("/scopes", "at most 20 names of scopes");
        } else if !self.scopes.iter().any(|scope| scope == "openid") {
            faults.add("/scopes", "openid must be among them");
        }
        for (pointer, values) in
            [("/two_factors/acr", &self.two_factors.acr), ("/two_factors/amr", &self.two_factors.amr)]
        {
            if values.len() > CONNECTION_VALUES_MAX || !values.iter().all(|value| is_plain(value)) {
                faults.add(pointer, "at most 20 values of visible characters");
            }
        }
        faults
    }
}

/// The name under which somebody is known by a provider of an organization, beside the subject that the provider gives
/// them. What one organization's provider says is nothing to another's accounts, even where both use the same one.
pub fn provider_name(organization: OrganizationId, issuer: &Issuer) -> String {
    format!("{organization} {issuer}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;

    #[test]
    fn an_issuer_is_an_address_with_tls_and_nothing_behind_it() {
        for text in
            ["https://accounts.example", "https://login.example/tenant/v2.0", "https://idp.example:8443/"]
        {
            assert_eq!(Issuer::parse(text, PlainProviders::Refused).unwrap().as_str(), text);
        }
        assert_eq!(
            Issuer::parse("https://idp.example/a/", PlainProviders::Refused).unwrap().discovery(),
            "https://idp.example/a/.well-known/openid-configuration"
        );
        for text in [
            "",
            "idp.example",
            "https://",
            "https://a:b@idp.example",
            "https://idp.example?x",
            "https://idp.example#x",
            "ftp://idp.example",
            "file:///etc/passwd",
            "https://idp.example\\@evil.example",
        ] {
            assert_eq!(
                Issuer::parse(text, PlainProviders::OnLoopback),
                Err(NotAnIssuer::NotAnAddress),
                "{text}"
            );
        }
        let plain = "http://127.0.0.1:8080";
        assert!(Issuer::parse(plain, PlainProviders::OnLoopback).is_ok());
        assert_eq!(Issuer::parse(plain, PlainProviders::Refused), Err(NotAnIssuer::Plain));
        assert_eq!(Issuer::parse("http://idp.example", PlainProviders::OnLoopback), Err(NotAnIssuer::Plain));
    }

    #[test]
    fn what_a_provider_does_not_say_is_one_factor() {
        let now = Timestamp::from_seconds(10_000_000);
        let mapping = TwoFactors { acr: ["high".to_owned()].into(), amr: ["mfa".to_owned()].into() };
        let said = |acr: Option<&str>, amr: &[&str], age: Option<Lifetime>| {
            let amr: Vec<_> = amr.iter().map(|it| (*it).to_owned()).collect();
            mapping.assurance(acr, &amr, age.map(|age| now.minus(age)), now)
        };
        assert_eq!(said(None, &[], None), Assurance::One);
        assert_eq!(said(Some("low"), &["pwd"], None), Assurance::One);
        assert_eq!(said(Some("high"), &[], None), Assurance::Two);
        assert_eq!(said(None, &["pwd", "mfa"], Some(Lifetime::from_hours(23))), Assurance::Two);
        assert_eq!(said(Some("high"), &["mfa"], Some(Lifetime::from_hours(25))), Assurance::One);
        let nothing = TwoFactors::default();
        assert_eq!(nothing.assurance(Some("high"), &["mfa".to_owned()], None, now), Assurance::One);
    }

    #[test]
    fn what_is_chosen_is_named_where_it_is_wrong() {
        let right: Chosen = serde_json::from_str(r#"{"name":"Acme","client_id":"abc"}"#).unwrap();
        assert!(right.faults().is_empty());
        assert_eq!((right.scopes.len(), right.external_id_claim.as_deref()), (3, None));
        for (changed, pointer) in [
            (Chosen { name: " ".into(), ..right.clone() }, "/name"),
            (Chosen { client_id: "a b".into(), ..right.clone() }, "/client_id"),
            (Chosen { scopes: vec!["email".into()], ..right.clone() }, "/scopes"),
            (Chosen { scopes: vec!["openid".into(), "a b".into()], ..right.clone() }, "/scopes"),
            (Chosen { external_id_claim: Some(String::new()), ..right.clone() }, "/external_id_claim"),
            (
                Chosen {
                    two_factors: TwoFactors { acr: ["a b".into()].into(), ..Default::default() },
                    ..right.clone()
                },
                "/two_factors/acr",
            ),
        ] {
            let faults = changed.faults();
            assert_eq!(faults.iter().map(|it| it.pointer.as_str()).collect::<Vec<_>>(), [pointer]);
        }
    }
}
