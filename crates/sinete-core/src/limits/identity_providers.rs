//! The bounds of domains that organizations prove, and of the providers they are connected to.

use crate::time::Lifetime;

/// Most domains that one organization calls its own.
pub const DOMAINS_MAX: u32 = 50;
/// Most bytes in a domain: the record that proves it has a longer name, which must fit too.
pub const DOMAIN_BYTES_MAX: usize = 230;
/// How often the record of a proven domain is looked at.
pub const DOMAIN_CHECK_INTERVAL: Lifetime = Lifetime::from_hours(24);
/// How long answers may come without the record before the domain is lost.
pub const DOMAIN_MISSING_MAX: Lifetime = Lifetime::from_days(3);
/// How long no answer may come before the domain is lost.
pub const DOMAIN_UNCONFIRMED_MAX: Lifetime = Lifetime::from_days(14);
/// Most domains that are looked at in one round.
pub const DOMAIN_CHECK_BATCH_MAX: u32 = 100;
/// How long the DNS may take to answer.
pub const DNS_RESPONSE_MAX: Lifetime = Lifetime::from_seconds(5);

/// Most providers that one organization is connected to.
pub const CONNECTIONS_PER_ORGANIZATION_MAX: u32 = 10;
/// Most bytes in the address of a provider.
pub const ISSUER_BYTES_MAX: usize = 512;
/// Most bytes in a text that a provider gave, such as our name there.
pub const CONNECTION_TEXT_BYTES_MAX: usize = 256;
/// Most bytes in the secret that a provider gave.
pub const CONNECTION_SECRET_BYTES_MAX: usize = 1_024;
/// Most scopes that are asked for, or values that are understood.
pub const CONNECTION_VALUES_MAX: usize = 20;
/// Most bytes in the name a provider knows somebody by (OpenID Connect Core §2).
pub const EXTERNAL_SUBJECT_BYTES_MAX: usize = 255;
/// How old the ID token of a provider may be.
pub const ID_TOKEN_AGE_MAX: Lifetime = Lifetime::from_minutes(5);
/// How long what a provider says about itself is used without reading it again.
pub const PROVIDER_METADATA_FRESH: Lifetime = Lifetime::from_minutes(10);
/// How long it is used while the provider does not say it again.
pub const PROVIDER_METADATA_AGE_MAX: Lifetime = Lifetime::from_hours(24);
/// Most providers that are remembered at once.
pub const PROVIDERS_CACHED_MAX: usize = 10_000;
/// How long a provider is left alone that did not answer for the first time.
pub const PROVIDER_BACKOFF_MIN: Lifetime = Lifetime::from_seconds(5);
/// How long it is left alone at most, however often it did not answer.
pub const PROVIDER_BACKOFF_MAX: Lifetime = Lifetime::from_minutes(5);
/// Most codes that one node redeems at one provider at the same time: so few that one which stalls leaves places to others.
pub const PROVIDER_CONCURRENT_MAX: usize = 16;
/// Most sign-ins that wait for one of these to be done, and one more is told to come back.
pub const PROVIDER_QUEUED_MAX: usize = 4 * PROVIDER_CONCURRENT_MAX;
/// How long they wait: by then a provider has answered those before them, or is too slow for more.
pub const PROVIDER_QUEUE_WAIT_MAX: Lifetime = super::OUTBOUND_RESPONSE_TIME_MAX;
/// How long an assertion is good by which we prove to a provider who we are.
pub const PROVIDER_ASSERTION_LIFETIME: Lifetime = Lifetime::from_minutes(2);

/// Most elements in one document of XML.
pub const XML_ELEMENTS_MAX: usize = 4_000;
/// Most elements around one another.
pub const XML_DEPTH_MAX: usize = 40;
/// Most attributes of one element.
pub const XML_ATTRIBUTES_MAX: usize = 40;
/// Longest name of a namespace. Each element in it has it again.
pub const XML_NAMESPACE_BYTES_MAX: usize = 256;
/// Most bytes in the answer of a SAML provider, as XML.
pub const SAML_RESPONSE_BYTES_MAX: usize = 48 * 1_024;
/// Most bytes in what a SAML provider says about itself.
pub const SAML_METADATA_BYTES_MAX: usize = 48 * 1_024;
/// How far the clock of a SAML provider may be from ours.
pub const SAML_CLOCK_TOLERANCE: Lifetime = Lifetime::from_minutes(1);
/// How old the assertion of a SAML provider may be.
pub const SAML_ASSERTION_AGE_MAX: Lifetime = Lifetime::from_minutes(5);
/// Most certificates that one SAML provider signs with.
pub const SAML_CERTIFICATES_MAX: usize = 5;
/// Most bytes in one of them, in PEM.
pub const SAML_CERTIFICATE_BYTES_MAX: usize = 8 * 1_024;
/// Most bits in the RSA key of one of them.
pub const RSA_VERIFIED_BITS_MAX: usize = 8_192;
/// Most prefixes that a signature names to be written out wherever they mean something.
pub const SAML_PREFIXES_MAX: usize = 16;
/// How long what a SAML provider said waits for the browser that brought it.
pub const SAML_RESPONSE_LIFETIME: Lifetime = Lifetime::from_minutes(2);
/// How long before a certificate of a provider ends it is warned of.
pub const SAML_CERTIFICATE_EXPIRY_WARNING: Lifetime = Lifetime::from_days(30);
