//! Verification of XML signatures in SAML responses (XML Signature, as profiled by SAML Core §5.4).
//!
//! A signature is accepted only as a direct child of the element that it refers to, and only the response and
//! its single assertion may be signed. Keys inside the response (`KeyInfo`) are ignored.

use super::{DS, SAML, SAMLP};
use crate::limits::SAML_PREFIXES_MAX;
use crate::xml::{XML, XmlDocument, XmlNode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use std::collections::BTreeSet;

const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";

/// A signature algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlSignatureAlgorithm {
    /// RSA PKCS #1 with SHA-256.
    RsaSha256,
    /// RSA PKCS #1 with SHA-384.
    RsaSha384,
    /// RSA PKCS #1 with SHA-512.
    RsaSha512,
    /// ECDSA on P-256 with SHA-256.
    EcdsaSha256,
    /// ECDSA on P-384 with SHA-384.
    EcdsaSha384,
}

impl XmlSignatureAlgorithm {
    fn from_uri(name: &str) -> Option<Self> {
        match name {
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256" => Some(Self::RsaSha256),
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384" => Some(Self::RsaSha384),
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512" => Some(Self::RsaSha512),
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256" => Some(Self::EcdsaSha256),
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384" => Some(Self::EcdsaSha384),
            _ => None,
        }
    }
}

/// Verifies a signature (third argument) over a message (second argument) with the provider's keys.
pub type XmlSignatureVerifier<'a> = &'a dyn Fn(XmlSignatureAlgorithm, &[u8], &[u8]) -> bool;

/// Why a signature is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XmlSignatureRejection {
    /// Two elements have the same id, or an element has none.
    #[error("two elements have the same ID")]
    SameId,
    /// The response does not have exactly one assertion as a direct child.
    #[error("there is not exactly one assertion directly in the response")]
    Assertions,
    /// An element is encrypted.
    #[error("an element is encrypted: disable assertion encryption at the provider")]
    Encrypted,
    /// Neither response nor assertion is signed.
    #[error("neither the response nor the assertion is signed")]
    Missing,
    /// A signature is in a place where none is allowed.
    #[error("a signature is not a direct child of the response or the assertion")]
    Misplaced,
    /// A signature has unexpected or missing elements.
    #[error("the signature has unexpected or missing elements")]
    Shape,
    /// The canonicalization or a transform is not exclusive C14N or enveloped-signature.
    #[error(
        "the signature uses another canonicalization or transform than exclusive C14N and enveloped-signature"
    )]
    Transforms,
    /// The algorithm is not allowed.
    #[error("the signature uses another algorithm than RSA or ECDSA with SHA-256, SHA-384 or SHA-512")]
    Algorithm,
    /// The reference is not to the signature's parent element.
    #[error("the signature refers to another element than its parent")]
    Reference,
    /// The digest does not match.
    #[error("the signed content was changed")]
    Digest,
    /// No key of the provider verifies the signature.
    #[error("no certificate of the connection verifies the signature")]
    Signature,
}

/// Verifies all signatures of a response and returns its single assertion, which must be covered by one of
/// them.
pub fn verify_signed_assertion<'a>(
    document: &'a XmlDocument,
    verifies: XmlSignatureVerifier<'_>,
) -> Result<XmlNode<'a>, XmlSignatureRejection> {
    let root = document
        .root()
        .filter(|root| root.has_name(SAMLP, "Response"))
        .ok_or(XmlSignatureRejection::Assertions)?;
    check_unique_ids(document)?;
    if document.iter_elements().any(|node| node.local().starts_with("Encrypted")) {
        return Err(XmlSignatureRejection::Encrypted);
    }
    let mut assertions = document.iter_elements().filter(|node| node.local() == "Assertion");
    let assertion = assertions.next().ok_or(XmlSignatureRejection::Assertions)?;
    let is_direct = assertion.parent().is_some_and(|parent| parent.is_same(root));
    if assertions.next().is_some() || !assertion.has_name(SAML, "Assertion") || !is_direct {
        return Err(XmlSignatureRejection::Assertions);
    }
    let mut signed = 0_usize;
    for signature in document.iter_elements().filter(|node| node.local() == "Signature") {
        let parent = signature.parent().filter(|it| it.is_same(root) || it.is_same(assertion));
        let parent =
            parent.filter(|_| signature.has_name(DS, "Signature")).ok_or(XmlSignatureRejection::Misplaced)?;
        if parent.children_named(DS, "Signature").count() != 1 {
            return Err(XmlSignatureRejection::Misplaced);
        }
        verify_signature(parent, signature, verifies)?;
        signed += 1;
    }
    if signed == 0 { Err(XmlSignatureRejection::Missing) } else { Ok(assertion) }
}

/// Requires every id to be unique, whichever attribute name it has.
fn check_unique_ids(document: &XmlDocument) -> Result<(), XmlSignatureRejection> {
    let mut ids = BTreeSet::new();
    for node in document.iter_elements() {
        for (namespace, name, value) in node.attributes() {
            let is_id = name.eq_ignore_ascii_case("id") && (namespace.is_empty() || namespace == XML);
            if is_id && !ids.insert(value) {
                return Err(XmlSignatureRejection::SameId);
            }
        }
    }
    Ok(())
}

/// Verifies a signature of the provider over its parent element.
fn verify_signature(
    signed: XmlNode<'_>,
    signature: XmlNode<'_>,
    verifies: XmlSignatureVerifier<'_>,
) -> Result<(), XmlSignatureRejection> {
    let parts: Vec<_> = signature.children().collect();
    let (info, value) = match parts.as_slice() {
        [info, value] => (*info, *value),
        [info, value, keys] if keys.has_name(DS, "KeyInfo") => (*info, *value),
        _ => return Err(XmlSignatureRejection::Shape),
    };
    if !info.has_name(DS, "SignedInfo")
        || !value.has_name(DS, "SignatureValue")
        || !signature.has_only_elements()
    {
        return Err(XmlSignatureRejection::Shape);
    }
    let [canonicalization, method, reference] = require_children(info)?;
    let names = ["CanonicalizationMethod", "SignatureMethod", "Reference"];
    if !names.into_iter().zip([canonicalization, method, reference]).all(|(name, it)| it.has_name(DS, name)) {
        return Err(XmlSignatureRejection::Shape);
    }
    let prefixes = parse_inclusive_prefixes(canonicalization)?;
    if method.children().next().is_some() {
        return Err(XmlSignatureRejection::Shape);
    }
    let method = method
        .attribute("Algorithm")
        .and_then(XmlSignatureAlgorithm::from_uri)
        .ok_or(XmlSignatureRejection::Algorithm)?;
    let referred = parse_reference(signed, reference)?;
    // Before verification, only `SignedInfo` is canonicalized: it is small and its structure was checked.
    if !verifies(method, info.canonicalize(None, &prefixes).as_bytes(), &decode_base64_content(value)?) {
        return Err(XmlSignatureRejection::Signature);
    }
    let canonical = signed.canonicalize(Some(signature), &referred.prefixes);
    if referred.hash.digest(&canonical) == referred.digest {
        Ok(())
    } else {
        Err(XmlSignatureRejection::Digest)
    }
}

/// A signature's reference to its parent element.
struct SignatureReference<'a> {
    prefixes: Vec<&'a str>,
    hash: XmlDigestAlgorithm,
    digest: Vec<u8>,
}

/// A digest algorithm.
#[derive(Clone, Copy)]
enum XmlDigestAlgorithm {
    Sha256,
    Sha384,
    Sha512,
}

impl XmlDigestAlgorithm {
    fn from_uri(name: &str) -> Option<Self> {
        match name {
            "http://www.w3.org/2001/04/xmlenc#sha256" => Some(Self::Sha256),
            "http://www.w3.org/2001/04/xmldsig-more#sha384" => Some(Self::Sha384),
            "http://www.w3.org/2001/04/xmlenc#sha512" => Some(Self::Sha512),
            _ => None,
        }
    }

    fn digest(self, text: &str) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(text).to_vec(),
            Self::Sha384 => Sha384::digest(text).to_vec(),
            Self::Sha512 => Sha512::digest(text).to_vec(),
        }
    }
}

/// Parses the reference and requires that it is to the signature's parent element.
fn parse_reference<'a>(
    signed: XmlNode<'_>,
    reference: XmlNode<'a>,
) -> Result<SignatureReference<'a>, XmlSignatureRejection> {
    let referenced_id = reference.attribute("URI").and_then(|uri| uri.strip_prefix('#'));
    let signed_id = signed.attribute("ID").filter(|id| !id.is_empty());
    if referenced_id.is_none() || referenced_id != signed_id {
        return Err(XmlSignatureRejection::Reference);
    }
    let [transforms, method, digest] = require_children(reference)?;
    if !transforms.has_name(DS, "Transforms")
        || !method.has_name(DS, "DigestMethod")
        || !digest.has_name(DS, "DigestValue")
    {
        return Err(XmlSignatureRejection::Shape);
    }
    let [enveloped, canonicalization] =
        require_children(transforms).map_err(|_| XmlSignatureRejection::Transforms)?;
    let is_enveloped = enveloped.has_name(DS, "Transform")
        && enveloped.attribute("Algorithm") == Some(ENVELOPED)
        && enveloped.children().next().is_none();
    if !is_enveloped || !canonicalization.has_name(DS, "Transform") {
        return Err(XmlSignatureRejection::Transforms);
    }
    if method.children().next().is_some() {
        return Err(XmlSignatureRejection::Shape);
    }
    let hash = method
        .attribute("Algorithm")
        .and_then(XmlDigestAlgorithm::from_uri)
        .ok_or(XmlSignatureRejection::Algorithm)?;
    Ok(SignatureReference {
        prefixes: parse_inclusive_prefixes(canonicalization)?,
        hash,
        digest: decode_base64_content(digest)?,
    })
}

/// The child elements, which must be exactly this many without other content.
fn require_children<const COUNT: usize>(
    node: XmlNode<'_>,
) -> Result<[XmlNode<'_>; COUNT], XmlSignatureRejection> {
    let parts: Vec<_> = node.children().collect();
    if !node.has_only_elements() {
        return Err(XmlSignatureRejection::Shape);
    }
    parts.try_into().map_err(|_| XmlSignatureRejection::Shape)
}

/// The `InclusiveNamespaces` prefixes of a canonicalization or transform element.
fn parse_inclusive_prefixes<'a>(node: XmlNode<'a>) -> Result<Vec<&'a str>, XmlSignatureRejection> {
    if node.attribute("Algorithm") != Some(EXCLUSIVE) {
        return Err(XmlSignatureRejection::Transforms);
    }
    let parts: Vec<_> = node.children().collect();
    match parts.as_slice() {
        [] => Ok(Vec::new()),
        [one] if one.has_name(EXCLUSIVE, "InclusiveNamespaces") && one.children().next().is_none() => {
            let list = one.attribute("PrefixList").ok_or(XmlSignatureRejection::Transforms)?;
            let prefixes: Vec<_> = list.split_ascii_whitespace().collect();
            let are_distinct = prefixes.iter().collect::<BTreeSet<_>>().len() == prefixes.len();
            if are_distinct && prefixes.len() <= SAML_PREFIXES_MAX {
                Ok(prefixes)
            } else {
                Err(XmlSignatureRejection::Transforms)
            }
        }
        _ => Err(XmlSignatureRejection::Transforms),
    }
}

/// Decodes the base64 content of an element.
fn decode_base64_content(node: XmlNode<'_>) -> Result<Vec<u8>, XmlSignatureRejection> {
    let text = node.text().ok_or(XmlSignatureRejection::Shape)?;
    let packed: String = text.split_ascii_whitespace().collect();
    STANDARD.decode(packed).map_err(|_| XmlSignatureRejection::Shape)
}
