//! Domains that organizations verify by a DNS TXT record. A verified domain lets the organization assert
//! e-mail addresses in it, and no others.

mod public_suffix;

use crate::accounts::email_address::{is_host_name, to_a_labels};
use crate::entropy::{Entropy, draw_bytes};
use crate::limits::{DOMAIN_BYTES_MAX, DOMAIN_MISSING_MAX, DOMAIN_UNCONFIRMED_MAX};
use crate::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A domain that one organization can own, as A-labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OrganizationDomain(Box<str>);

/// Why an organization cannot own a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDomain {
    /// It is not a domain name.
    #[error("must be a domain such as example.com, without scheme and path")]
    NotADomainName,
    /// It is reserved and has no owner in the DNS.
    #[error("is a reserved domain that cannot be owned")]
    Reserved,
    /// It is a public suffix, below which others register names.
    #[error("is a public suffix, below which anyone can register; add a domain that only you own")]
    PublicSuffix,
    /// It is a public e-mail provider.
    #[error("is a domain of a public mail provider; add a domain that only you own")]
    MailProvider,
}

impl OrganizationDomain {
    /// The name as A-labels.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name in Unicode.
    pub fn to_unicode(&self) -> String {
        url::quirks::domain_to_unicode(&self.0)
    }

    /// The name of the TXT record that proves ownership.
    pub fn record_name(&self) -> String {
        format!("_sinete-challenge.{}", self.0)
    }
}

impl FromStr for OrganizationDomain {
    type Err = InvalidDomain;

    fn from_str(text: &str) -> Result<Self, InvalidDomain> {
        let name = to_a_labels(text).filter(|name| is_host_name(name) && name.len() <= DOMAIN_BYTES_MAX);
        let name = name.ok_or(InvalidDomain::NotADomainName)?;
        if public_suffix::is_reserved(&name) {
            return Err(InvalidDomain::Reserved);
        }
        if public_suffix::is_public_suffix(&name) {
            return Err(InvalidDomain::PublicSuffix);
        }
        if public_suffix::is_mail_provider(&name) {
            return Err(InvalidDomain::MailProvider);
        }
        Ok(Self(name.into()))
    }
}

impl TryFrom<String> for OrganizationDomain {
    type Error = InvalidDomain;

    fn try_from(text: String) -> Result<Self, InvalidDomain> {
        text.parse()
    }
}
impl From<OrganizationDomain> for String {
    fn from(domain: OrganizationDomain) -> Self {
        domain.0.into()
    }
}
impl fmt::Display for OrganizationDomain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The prefix of the TXT record's value.
const TXT_RECORD_PREFIX: &str = "sinete-domain-verification=";

/// Generates the value of a TXT record. It is not secret: only the domain's administrator can publish it.
pub fn generate_verification_record(entropy: &dyn Entropy) -> String {
    format!("{TXT_RECORD_PREFIX}{}", URL_SAFE_NO_PAD.encode(draw_bytes::<32>(entropy)))
}

/// The result of a DNS lookup for the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainRecordCheck {
    /// The record was found.
    Present,
    /// The DNS answered without the record.
    Missing,
    /// The DNS did not answer.
    NoResponse,
}

impl DomainRecordCheck {
    /// Searches the TXT records for this value and ignores all others.
    pub fn from_records(records: &[String], proof: &str) -> Self {
        if records.iter().any(|text| text == proof) { Self::Present } else { Self::Missing }
    }
}

/// The verification state of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedDomain {
    /// When the record was last seen.
    pub confirmed_at: Timestamp,
    /// Since when the DNS answers without it; `None` if it was there last time.
    pub missing_since: Option<Timestamp>,
}

/// The result of re-checking a verified domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainVerification {
    /// It stays verified.
    Retained(VerifiedDomain),
    /// Its verification ends.
    Lost,
}

impl VerifiedDomain {
    /// Applies a DNS check. A record missing for a while was removed on purpose; an unanswered query says
    /// nothing, but is not tolerated forever (docs/contribute/decisions/0145-domains-verified-by-dns-txt-record.md).
    pub fn apply_check(self, record_check: DomainRecordCheck, now: Timestamp) -> DomainVerification {
        match record_check {
            DomainRecordCheck::Present => {
                DomainVerification::Retained(Self { confirmed_at: now, missing_since: None })
            }
            DomainRecordCheck::Missing => {
                let since = self.missing_since.unwrap_or(now);
                if now.since(since) >= DOMAIN_MISSING_MAX {
                    return DomainVerification::Lost;
                }
                DomainVerification::Retained(Self { missing_since: Some(since), ..self })
            }
            DomainRecordCheck::NoResponse if now.since(self.confirmed_at) >= DOMAIN_UNCONFIRMED_MAX => {
                DomainVerification::Lost
            }
            DomainRecordCheck::NoResponse => DomainVerification::Retained(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::email_address::EmailAddress;
    use crate::entropy::DangerouslySeededEntropy;
    use crate::time::Lifetime;
    use proptest::prelude::*;

    fn domain(text: &str) -> Result<String, InvalidDomain> {
        text.parse::<OrganizationDomain>().map(String::from)
    }

    #[test]
    fn domain_has_one_spelling_in_any_script() {
        assert_eq!(domain("Example.COM").as_deref(), Ok("example.com"));
        assert_eq!(domain("acme.com.br").as_deref(), Ok("acme.com.br"));
        assert_eq!(domain("mail.acme.co.uk").as_deref(), Ok("mail.acme.co.uk"));
        let baker: OrganizationDomain = "padaria-são-joão.com.br".parse().unwrap();
        assert_eq!(baker.as_str(), "xn--padaria-so-joo-yhbe.com.br");
        assert_eq!(baker.to_unicode(), "padaria-são-joão.com.br");
        assert_eq!(baker.record_name(), "_sinete-challenge.xn--padaria-so-joo-yhbe.com.br");
        let address = |text: &str| text.parse::<EmailAddress>().unwrap();
        assert_eq!(address("Ana@padaria-são-joão.com.br").domain(), baker.as_str());
        assert_ne!(address("ana@loja.padaria-são-joão.com.br").domain(), baker.as_str());
    }

    #[test]
    fn domain_that_is_public_or_shared_is_refused() {
        use InvalidDomain::*;
        for (text, invalid_domain) in [
            ("", NotADomainName),
            ("com", NotADomainName),
            ("localhost", NotADomainName),
            ("127.0.0.1", NotADomainName),
            ("example.com.", NotADomainName),
            ("*.example.com", NotADomainName),
            ("https://example.com", NotADomainName),
            ("exam_ple.com", NotADomainName),
            ("ｅxample.com", NotADomainName),
            ("printer.local", Reserved),
            ("a.localhost", Reserved),
            ("a.invalid", Reserved),
            ("abc.onion", Reserved),
            ("10.in-addr.arpa", Reserved),
            ("co.uk", PublicSuffix),
            ("com.br", PublicSuffix),
            ("Gov.BR", PublicSuffix),
            ("github.io", PublicSuffix),
            ("gmail.com", MailProvider),
            ("GoogleMail.com", MailProvider),
            ("yahoo.com.br", MailProvider),
            ("uol.com.br", MailProvider),
        ] {
            assert_eq!(domain(text), Err(invalid_domain), "{text:?}");
        }
        assert_eq!(domain(&format!("{}.com", "x.".repeat(130))), Err(NotADomainName));
        assert_eq!(domain("acme.github.io").as_deref(), Ok("acme.github.io"));
    }

    #[test]
    fn domain_verification_record_must_be_the_whole_text_of_a_txt_record() {
        let proof = generate_verification_record(&DangerouslySeededEntropy::new(1));
        assert_ne!(proof, generate_verification_record(&DangerouslySeededEntropy::new(2)));
        let to_records = |records: &[&str]| records.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            DomainRecordCheck::from_records(&to_records(&["v=spf1 -all", &proof]), &proof),
            DomainRecordCheck::Present
        );
        let longer = format!("{proof}x");
        assert_eq!(
            DomainRecordCheck::from_records(&to_records(&["v=spf1 -all", &longer, &proof[1..], ""]), &proof),
            DomainRecordCheck::Missing
        );
        assert_eq!(DomainRecordCheck::from_records(&[], &proof), DomainRecordCheck::Missing);
    }

    #[test]
    fn domain_is_lost_after_three_days_without_its_record_or_fourteen_without_dns() {
        let start = Timestamp::from_seconds(1_000_000);
        let after = |days| start.plus(Lifetime::from_days(days));
        let domain = VerifiedDomain { confirmed_at: start, missing_since: None };
        let missing = VerifiedDomain { missing_since: Some(after(1)), ..domain };
        assert_eq!(
            domain.apply_check(DomainRecordCheck::Missing, after(1)),
            DomainVerification::Retained(missing)
        );
        assert_eq!(
            missing.apply_check(DomainRecordCheck::Missing, after(3)),
            DomainVerification::Retained(missing)
        );
        assert_eq!(missing.apply_check(DomainRecordCheck::Missing, after(4)), DomainVerification::Lost);
        let reconfirmed_domain = VerifiedDomain { confirmed_at: after(4), missing_since: None };
        assert_eq!(
            missing.apply_check(DomainRecordCheck::Present, after(4)),
            DomainVerification::Retained(reconfirmed_domain),
            "the record was published again in time"
        );
        assert_eq!(
            domain.apply_check(DomainRecordCheck::NoResponse, after(13)),
            DomainVerification::Retained(domain)
        );
        assert_eq!(domain.apply_check(DomainRecordCheck::NoResponse, after(14)), DomainVerification::Lost);
        assert_eq!(
            missing.apply_check(DomainRecordCheck::NoResponse, after(4)),
            DomainVerification::Retained(missing),
            "silence says nothing"
        );
    }

    proptest! {
        #[test]
        fn domain_parsing_never_panics_and_round_trips(text in "(?s).{0,60}") {
            if let Ok(domain) = text.parse::<OrganizationDomain>() {
                prop_assert_eq!(&domain.as_str().parse::<OrganizationDomain>(), &Ok(domain.clone()));
                prop_assert!(domain.as_str().contains('.') && domain.as_str().is_ascii());
            }
        }
    }
}
