//! Limits of verified domains and identity provider connections.

use crate::time::Lifetime;

/// Maximum domains of one organization.
pub const DOMAINS_MAX: u32 = 50;
/// Maximum bytes in a domain: the longer name of its TXT record must fit too.
pub const DOMAIN_BYTES_MAX: usize = 230;
/// How often the TXT record of a verified domain is checked.
pub const DOMAIN_CHECK_INTERVAL: Lifetime = Lifetime::from_hours(24);
/// How long the DNS may answer without the record before the domain is lost.
pub const DOMAIN_MISSING_MAX: Lifetime = Lifetime::from_days(3);
/// How long the DNS may not answer before the domain is lost.
pub const DOMAIN_UNCONFIRMED_MAX: Lifetime = Lifetime::from_days(14);
/// Maximum domains checked in one run.
pub const DOMAIN_CHECK_BATCH_MAX: u32 = 100;
/// Maximum time of a DNS query.
pub const DNS_RESPONSE_MAX: Lifetime = Lifetime::from_seconds(5);

/// Maximum connections of one organization.
pub const CONNECTIONS_PER_ORGANIZATION_MAX: u32 = 10;
/// Maximum bytes in an issuer.
pub const ISSUER_BYTES_MAX: usize = 512;
/// Maximum bytes in a text issued by a provider, such as our `client_id`.
pub const CONNECTION_TEXT_BYTES_MAX: usize = 256;
/// Maximum bytes in our client secret at a provider.
pub const CONNECTION_SECRET_BYTES_MAX: usize = 1_024;
/// Maximum requested scopes, or mapped `acr` or `amr` values.
pub const CONNECTION_VALUES_MAX: usize = 20;
/// Maximum bytes in a provider's `sub` (OpenID Connect Core §2).
pub const EXTERNAL_SUBJECT_BYTES_MAX: usize = 255;
/// Maximum age of a provider's ID token.
pub const ID_TOKEN_AGE_MAX: Lifetime = Lifetime::from_minutes(5);
/// How long provider metadata is used without refreshing it.
pub const PROVIDER_METADATA_FRESH: Lifetime = Lifetime::from_minutes(10);
/// How long it is used while the provider does not respond.
pub const PROVIDER_METADATA_AGE_MAX: Lifetime = Lifetime::from_hours(24);
/// Maximum cached providers.
pub const PROVIDERS_CACHED_MAX: usize = 10_000;
/// Backoff after the first failure of a provider.
pub const PROVIDER_BACKOFF_MIN: Lifetime = Lifetime::from_seconds(5);
/// Maximum backoff.
pub const PROVIDER_BACKOFF_MAX: Lifetime = Lifetime::from_minutes(5);
/// Maximum concurrent token requests of one node to one provider, so that a slow provider leaves outbound
/// slots to others.
pub const PROVIDER_CONCURRENT_MAX: usize = 16;
/// Maximum sign-ins that wait for such a slot; further ones are asked to retry.
pub const PROVIDER_QUEUED_MAX: usize = 4 * PROVIDER_CONCURRENT_MAX;
/// How long they wait: within this time the provider responds to earlier requests, or it is too slow for
/// more.
pub const PROVIDER_QUEUE_WAIT_MAX: Lifetime = super::OUTBOUND_RESPONSE_TIME_MAX;
/// Lifetime of our client assertion at a provider.
pub const PROVIDER_ASSERTION_LIFETIME: Lifetime = Lifetime::from_minutes(2);

/// Maximum elements in an XML document.
pub const XML_ELEMENTS_MAX: usize = 4_000;
/// Maximum nesting depth of elements.
pub const XML_DEPTH_MAX: usize = 40;
/// Maximum attributes of one element.
pub const XML_ATTRIBUTES_MAX: usize = 40;
/// Maximum bytes in a namespace name. It is stored with each element.
pub const XML_NAMESPACE_BYTES_MAX: usize = 256;
/// Maximum bytes in a SAML response, as XML.
pub const SAML_RESPONSE_BYTES_MAX: usize = 48 * 1_024;
/// Maximum bytes in SAML metadata.
pub const SAML_METADATA_BYTES_MAX: usize = 48 * 1_024;

/// Maximum attributes of an assertion that a test sign-in shows.
pub const SAML_ATTRIBUTES_DISPLAYED_MAX: usize = 100;

/// Default lifetime of a set-up link.
pub const SETUP_LINK_LIFETIME: Lifetime = Lifetime::from_days(7);

/// Maximum lifetime of a set-up link.
pub const SETUP_LINK_LIFETIME_MAX: Lifetime = Lifetime::from_days(14);

/// Maximum open set-up links of an organization.
pub const SETUP_LINKS_MAX: u32 = 10;

/// How long a test sign-in at an identity provider may take.
pub const CONNECTION_TEST_LIFETIME: Lifetime = Lifetime::from_minutes(15);

/// How long before its end a signing certificate of a provider is shown with a warning.
pub const CERTIFICATE_WARNING: Lifetime = Lifetime::from_days(30);
/// Tolerated clock difference to a SAML provider.
pub const SAML_CLOCK_TOLERANCE: Lifetime = Lifetime::from_minutes(1);
/// Maximum age of a SAML assertion.
pub const SAML_ASSERTION_AGE_MAX: Lifetime = Lifetime::from_minutes(5);
/// Maximum signing certificates of one SAML provider.
pub const SAML_CERTIFICATES_MAX: usize = 5;
/// Maximum bytes in one certificate, in PEM.
pub const SAML_CERTIFICATE_BYTES_MAX: usize = 8 * 1_024;
/// Maximum bits of the RSA key of a certificate.
pub const RSA_VERIFIED_BITS_MAX: usize = 8_192;
/// Maximum `InclusiveNamespaces` prefixes in a signature.
pub const SAML_PREFIXES_MAX: usize = 16;
/// How long a verified SAML response waits for the browser that delivered it.
pub const SAML_RESPONSE_LIFETIME: Lifetime = Lifetime::from_minutes(2);
/// How long before its expiry a provider's certificate causes a warning.
pub const SAML_CERTIFICATE_EXPIRY_WARNING: Lifetime = Lifetime::from_days(30);
