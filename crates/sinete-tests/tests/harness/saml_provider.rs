//! A SAML identity provider: it reads the `AuthnRequest` that a browser brings, and signs the response for it.

use super::api_caller::ApiCaller;
use super::clock::TestClock;
use super::oidc_provider::verify_domain;
use super::world::World;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sinete_core::time::Lifetime;
use sinete_core::xml::XmlDocument;
use sinete_engine::ports::Clock as _;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use url::Url;

pub const ENTITY_ID: &str = "https://login.acme.example/saml";
pub const SSO_URL: &str = "https://login.acme.example/saml/sso";

struct SamlSigningKey {
    pair: EcdsaKeyPair,
    certificate: String,
}

impl SamlSigningKey {
    fn generate() -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let key_pair = KeyPair::try_from(document.as_ref()).unwrap();
        let certificate = CertificateParams::new(Vec::new()).unwrap().self_signed(&key_pair).unwrap().pem();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref()).unwrap();
        Self { pair, certificate }
    }
}

static KEY: LazyLock<SamlSigningKey> = LazyLock::new(SamlSigningKey::generate);
static FOREIGN_KEY: LazyLock<SamlSigningKey> = LazyLock::new(SamlSigningKey::generate);

/// How the provider behaves.
#[derive(Clone, Default)]
pub struct SamlProviderBehavior {
    /// Replacements in the response before it is signed.
    pub changes_before_signing: Vec<(&'static str, String)>,
    /// Replacements in the response after it is signed.
    pub changes_after_signing: Vec<(&'static str, String)>,
    /// Whether another key signs the response.
    pub is_signed_by_foreign_key: bool,
    /// Whether the response is not signed.
    pub is_unsigned: bool,
}

/// A user: the `NameID` and attribute values.
pub type SamlUser = (String, Vec<(&'static str, String)>);

pub struct TestSamlProvider {
    clock: Arc<TestClock>,
    person: Mutex<SamlUser>,
    behavior: Mutex<SamlProviderBehavior>,
    response_count: AtomicUsize,
}

/// The form that a browser posts to the ACS URL.
#[derive(Clone)]
pub struct SamlResponseForm {
    /// The path of the ACS URL.
    pub path: String,
    pub fields: HashMap<&'static str, String>,
}

/// The signing certificate of the provider.
pub fn provider_certificate() -> &'static str {
    &KEY.certificate
}

/// A certificate that is not the provider's.
pub fn foreign_certificate() -> &'static str {
    &FOREIGN_KEY.certificate
}

/// The metadata of the provider.
pub fn saml_metadata() -> String {
    let packed: String = KEY.certificate.lines().filter(|line| !line.starts_with("---")).collect();
    format!(
        r#"<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{ENTITY_ID}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>{packed}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="{SSO_URL}"/></md:IDPSSODescriptor></md:EntityDescriptor>"#
    )
}

/// A user with an e-mail attribute.
pub fn saml_user(name: &str, email: &str) -> SamlUser {
    (name.to_owned(), vec![("mail", email.to_owned()), ("displayName", "Ana Souza".to_owned())])
}

impl World {
    /// A provider without a signed-in user.
    pub fn create_saml_provider(&self) -> TestSamlProvider {
        TestSamlProvider {
            clock: Arc::clone(&self.clock),
            person: Mutex::default(),
            behavior: Mutex::default(),
            response_count: AtomicUsize::new(0),
        }
    }

    /// Posts a SAML response from a browser without cookies.
    pub async fn post_saml_response(&self, form: &SamlResponseForm) -> reqwest::Response {
        self.http.post(self.public_url(&form.path)).form(&form.fields).send().await.unwrap()
    }
}

impl TestSamlProvider {
    /// Sets the user who is signed in at the provider.
    pub fn set_user(&self, saml_user: SamlUser) {
        *self.person.lock().unwrap() = saml_user;
    }

    pub fn set_behavior(&self, manner: SamlProviderBehavior) {
        *self.behavior.lock().unwrap() = manner;
    }

    /// Creates a connection of the owner's organization to this provider, with this domain, which is verified first.
    pub async fn create_connection(&self, owner: &ApiCaller<'_>, domain: &str) -> Value {
        verify_domain(owner, domain).await;
        let body = json!({
            "name": "Acme", "issuer": ENTITY_ID, "domains": [domain], "enabled": true,
            "saml": {"sso_url": SSO_URL, "certificates": [provider_certificate()], "email": "mail", "full_name": "displayName"},
        });
        owner.post(&owner.tenant.path("/connections"), body).await.assert_status(201).body
    }

    /// The form that the provider returns for an `AuthnRequest`.
    pub fn respond_to(&self, go_to: &str) -> SamlResponseForm {
        let authn_request = parse_authn_request(go_to);
        let manner = self.behavior.lock().unwrap().clone();
        let id = format!("_answer{}", self.response_count.fetch_add(1, Ordering::Relaxed));
        let mut xml = self.build_response(&authn_request, &id);
        for (from, to) in &manner.changes_before_signing {
            assert!(xml.contains(from), "{from}");
            xml = xml.replace(from, to);
        }
        let key = if manner.is_signed_by_foreign_key { &FOREIGN_KEY } else { &KEY };
        let signature =
            if manner.is_unsigned { String::new() } else { sign_element(&xml, &format!("{id}a"), key) };
        xml = xml.replace("<sign-here/>", &signature);
        for (from, to) in &manner.changes_after_signing {
            assert!(xml.contains(from), "{from}");
            xml = xml.replace(from, to);
        }
        let url = Url::parse(&authn_request["callback"]).unwrap();
        let fields = [("SAMLResponse", STANDARD.encode(xml)), ("RelayState", authn_request["state"].clone())];
        SamlResponseForm { path: url.path().to_owned(), fields: fields.into() }
    }

    fn build_response(&self, authn_request: &HashMap<&'static str, String>, id: &str) -> String {
        let at = |moment: sinete_core::time::Timestamp| format!("{}Z", &moment.to_string()[..19]);
        let (now, later) = (self.clock.now(), self.clock.now().plus(Lifetime::from_minutes(5)));
        let (now, later) = (at(now), at(later));
        let (name, values) = self.person.lock().unwrap().clone();
        let (callback, request, us) =
            (&authn_request["callback"], &authn_request["id"], &authn_request["us"]);
        let attribute = |(name, value): &(&str, String)| {
            format!(
                r#"<saml:Attribute Name="{name}"><saml:AttributeValue>{value}</saml:AttributeValue></saml:Attribute>"#
            )
        };
        let attributes: String = values.iter().map(attribute).collect();
        format!(
            r#"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{id}" Version="2.0" IssueInstant="{now}" Destination="{callback}" InResponseTo="{request}"><saml:Issuer>{ENTITY_ID}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="{id}a" Version="2.0" IssueInstant="{now}"><saml:Issuer>{ENTITY_ID}</saml:Issuer><sign-here/><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">{name}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="{request}" Recipient="{callback}" NotOnOrAfter="{later}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{now}" NotOnOrAfter="{later}"><saml:AudienceRestriction><saml:Audience>{us}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="{now}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:X509</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>{attributes}</saml:AttributeStatement></saml:Assertion></samlp:Response>"#
        )
    }
}

/// Parses an `AuthnRequest`: its id, the `RelayState`, our entity ID and the ACS URL.
pub fn parse_authn_request(go_to: &str) -> HashMap<&'static str, String> {
    assert!(go_to.starts_with(&format!("{SSO_URL}?")), "{go_to}");
    let url = Url::parse(go_to).unwrap();
    let query_params: HashMap<_, _> = url.query_pairs().into_owned().collect();
    // The request is stored without compression: its text begins after a five-byte header.
    let packed = STANDARD.decode(&query_params["SAMLRequest"]).unwrap();
    let document = XmlDocument::parse(&packed[5..], 10_000).unwrap();
    let root = document.root().unwrap();
    let read_attribute = |name: &str| root.attribute(name).unwrap_or_default().to_owned();
    let us = root.children().find(|it| it.local() == "Issuer").unwrap().text().unwrap();
    [
        ("id", read_attribute("ID")),
        ("state", query_params["RelayState"].clone()),
        ("us", us),
        ("callback", read_attribute("AssertionConsumerServiceURL")),
        ("anew", read_attribute("ForceAuthn")),
    ]
    .into()
}

fn sign_element(xml: &str, id: &str, key: &SamlSigningKey) -> String {
    let document = XmlDocument::parse(xml.replace("<sign-here/>", "").as_bytes(), 100_000).unwrap();
    let Some(signed) = document.iter_elements().find(|node| node.attribute("ID") == Some(id)) else {
        return String::new();
    };
    let digest = STANDARD.encode(Sha256::digest(signed.canonicalize(None, &[])));
    let info = format!(
        r##"<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"></ds:SignatureMethod><ds:Reference URI="#{id}"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></ds:Transform><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod><ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>"##
    );
    let value = key.pair.sign(&SystemRandom::new(), info.as_bytes()).unwrap();
    let value = STANDARD.encode(value);
    format!(
        r#"<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">{info}<ds:SignatureValue>{value}</ds:SignatureValue></ds:Signature>"#
    )
}
