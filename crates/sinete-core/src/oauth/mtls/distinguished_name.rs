//! Subject distinguished names in text form (RFC 4514), and their comparison with certificates.

use std::collections::BTreeSet;
use std::str::FromStr;

/// A distinguished name as registered: RDNs from most to least specific, each with one or more attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinguishedName(Vec<BTreeSet<DistinguishedNameAttribute>>);

/// An expected attribute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DistinguishedNameAttribute {
    /// The attribute type as a dotted OID.
    kind: String,
    value: ExpectedAttributeValue,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ExpectedAttributeValue {
    Text(String),
    /// The value's DER encoding.
    Encoded(Vec<u8>),
}

/// The subject of a certificate: RDNs in certificate order, from least to most specific.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateSubject(pub Vec<Vec<CertificateSubjectAttribute>>);

/// An attribute in a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateSubjectAttribute {
    /// The attribute type as a dotted OID.
    pub kind: String,
    /// The value, if it is text.
    pub text: Option<String>,
    /// The value's DER encoding.
    pub encoded: Vec<u8>,
}

/// The text is not a distinguished name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a subject is written like CN=billing,O=Example\\, Inc.,C=PT (RFC 4514)")]
pub struct InvalidDistinguishedName;

/// The maximum length of a distinguished name, in bytes.
pub const DISTINGUISHED_NAME_BYTES_MAX: usize = 1024;

/// Attribute type names and OIDs (RFC 4514 §3, RFC 4519).
const ATTRIBUTE_TYPES: [(&str, &str); 20] = [
    ("CN", "2.5.4.3"),
    ("SN", "2.5.4.4"),
    ("SERIALNUMBER", "2.5.4.5"),
    ("C", "2.5.4.6"),
    ("L", "2.5.4.7"),
    ("ST", "2.5.4.8"),
    ("STREET", "2.5.4.9"),
    ("O", "2.5.4.10"),
    ("OU", "2.5.4.11"),
    ("TITLE", "2.5.4.12"),
    ("BUSINESSCATEGORY", "2.5.4.15"),
    ("POSTALCODE", "2.5.4.17"),
    ("GIVENNAME", "2.5.4.42"),
    ("ORGANIZATIONIDENTIFIER", "2.5.4.97"),
    ("DC", "0.9.2342.19200300.100.1.25"),
    ("UID", "0.9.2342.19200300.100.1.1"),
    ("EMAILADDRESS", "1.2.840.113549.1.9.1"),
    ("JURISDICTIONCOUNTRYNAME", "1.3.6.1.4.1.311.60.2.1.3"),
    ("JURISDICTIONST", "1.3.6.1.4.1.311.60.2.1.2"),
    ("JURISDICTIONL", "1.3.6.1.4.1.311.60.2.1.1"),
];

impl DistinguishedName {
    /// Whether this is the complete subject of a certificate: all RDNs, in order. Values are compared
    /// exactly.
    pub fn matches_subject(&self, subject: &CertificateSubject) -> bool {
        let same = |expected: &BTreeSet<DistinguishedNameAttribute>,
                    attributes: &Vec<CertificateSubjectAttribute>| {
            expected.len() == attributes.len()
                && expected.iter().all(|it| attributes.iter().any(|attribute| it.matches(attribute)))
                && attributes.iter().all(|attribute| expected.iter().any(|it| it.matches(attribute)))
        };
        self.0.len() == subject.0.len()
            && self
                .0
                .iter()
                .zip(subject.0.iter().rev())
                .all(|(expected, attributes)| same(expected, attributes))
    }
}

impl DistinguishedNameAttribute {
    fn matches(&self, attribute: &CertificateSubjectAttribute) -> bool {
        self.kind == attribute.kind
            && match &self.value {
                ExpectedAttributeValue::Text(text) => attribute.text.as_ref() == Some(text),
                ExpectedAttributeValue::Encoded(encoded) => attribute.encoded == *encoded,
            }
    }
}

impl FromStr for DistinguishedName {
    type Err = InvalidDistinguishedName;

    fn from_str(text: &str) -> Result<Self, InvalidDistinguishedName> {
        if text.trim().is_empty() || text.len() > DISTINGUISHED_NAME_BYTES_MAX {
            return Err(InvalidDistinguishedName);
        }
        let parts = split_unescaped(text, ',').into_iter().map(parse_rdn).collect::<Option<Vec<_>>>();
        parts.map(Self).ok_or(InvalidDistinguishedName)
    }
}

/// Splits at unescaped marks.
fn split_unescaped(text: &str, mark: char) -> Vec<&str> {
    let (mut pieces, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            it if it == mark => {
                pieces.push(&text[start..at]);
                start = at + mark.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}

fn parse_rdn(text: &str) -> Option<BTreeSet<DistinguishedNameAttribute>> {
    let attributes =
        split_unescaped(text, '+').into_iter().map(parse_attribute).collect::<Option<Vec<_>>>()?;
    let (count, part) = (attributes.len(), BTreeSet::from_iter(attributes));
    // Reject duplicate attributes.
    (part.len() == count).then_some(part)
}

fn parse_attribute(text: &str) -> Option<DistinguishedNameAttribute> {
    let (kind, value) = text.split_once('=')?;
    let kind = kind.trim();
    let is_dotted = kind.split('.').count() > 1
        && kind.split('.').all(|arc| !arc.is_empty() && arc.bytes().all(|it| it.is_ascii_digit()));
    let kind = match is_dotted {
        true => kind.to_owned(),
        false => ATTRIBUTE_TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(kind))?.1.to_owned(),
    };
    let value = value.trim_start();
    let value = match value.strip_prefix('#') {
        Some(hexadecimal) => ExpectedAttributeValue::Encoded(decode_hex(hexadecimal.trim_end())?),
        None => ExpectedAttributeValue::Text(unescape_value(value)?),
    };
    Some(DistinguishedNameAttribute { kind, value })
}

fn decode_hex(hexadecimal: &str) -> Option<Vec<u8>> {
    let digits = hexadecimal.as_bytes();
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks(2).map(|pair| decode_hex_byte(*pair.first()?, *pair.get(1)?)).collect()
}

fn decode_hex_byte(high: u8, low: u8) -> Option<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|it| u8::try_from(it).ok());
    Some(digit(high)? * 16 + digit(low)?)
}

/// Removes escapes (RFC 4514 §2.4) and unescaped trailing spaces.
fn unescape_value(text: &str) -> Option<String> {
    let (mut out, mut trimmed_length, mut rest) = (Vec::new(), 0, text.as_bytes());
    while let [first, after @ ..] = rest {
        rest = after;
        match *first {
            b'\\' => {
                match after {
                    [high, low, remaining @ ..] if let Some(byte) = decode_hex_byte(*high, *low) => {
                        out.push(byte);
                        rest = remaining;
                    }
                    [special, remaining @ ..] if b" \"#+,;<=>\\".contains(special) => {
                        out.push(*special);
                        rest = remaining;
                    }
                    _ => return None,
                }
                trimmed_length = out.len();
            }
            b'"' | b';' | b'<' | b'>' | 0 => return None,
            plain => {
                out.push(plain);
                if plain != b' ' {
                    trimmed_length = out.len();
                }
            }
        }
    }
    out.truncate(trimmed_length);
    (!out.is_empty()).then(|| String::from_utf8(out).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn subject(parts: &[&[(&str, &str)]]) -> CertificateSubject {
        let attribute = |(kind, text): &(&str, &str)| CertificateSubjectAttribute {
            kind: (*kind).to_owned(),
            text: Some((*text).to_owned()),
            encoded: text.as_bytes().to_vec(),
        };
        CertificateSubject(parts.iter().map(|part| part.iter().map(attribute).collect()).collect())
    }

    fn names(text: &str, parts: &[&[(&str, &str)]]) -> bool {
        text.parse::<DistinguishedName>().unwrap().matches_subject(&subject(parts))
    }

    #[test]
    fn distinguished_name_is_read_from_most_to_least_specific() {
        let ours: &[&[(&str, &str)]] =
            &[&[("2.5.4.6", "PT")], &[("2.5.4.10", "Example, Inc.")], &[("2.5.4.3", "billing")]];
        assert!(names("CN=billing,O=Example\\, Inc.,C=PT", ours));
        assert!(names("cn=billing, o=Example\\2C Inc. ,C=PT", ours));
        assert!(names("2.5.4.3=billing,O=Example\\, Inc.,2.5.4.6=#5054", ours));
        for other in [
            "C=PT,O=Example\\, Inc.,CN=billing",
            "CN=billing,O=Example\\, Inc.",
            "CN=Billing,O=Example\\, Inc.,C=PT",
            "CN=billing,OU=x,O=Example\\, Inc.,C=PT",
            "CN=billing+O=Example\\, Inc.,C=PT",
        ] {
            assert!(!names(other, ours), "{other}");
        }
    }

    #[test]
    fn distinguished_name_multi_valued_rdn_has_no_order_and_matches_as_a_whole() {
        let both: &[&[(&str, &str)]] = &[&[("2.5.4.3", "a"), ("2.5.4.5", "7")]];
        assert!(names("serialNumber=7+CN=a", both) && names("CN=a+SERIALNUMBER=7", both));
        assert!(!names("CN=a", both) && !names("CN=a,SERIALNUMBER=7", both));
    }

    #[test]
    fn distinguished_name_with_invalid_syntax_is_refused() {
        for text in [
            "",
            " ",
            "billing",
            "CN=",
            "CN=a,",
            ",CN=a",
            "XX=a",
            "CN=a+CN=a",
            "CN=\\",
            "CN=a\\zb",
            "CN=\"a\"",
            "CN=#",
            "CN=#0",
            "CN=#zz",
            "CN=a;O=b",
            "1=a",
            "1..2=a",
            "CN=\\ff",
        ] {
            assert_eq!(text.parse::<DistinguishedName>(), Err(InvalidDistinguishedName), "{text}");
        }
        let long = format!("CN={}", "a".repeat(DISTINGUISHED_NAME_BYTES_MAX));
        assert!(long.parse::<DistinguishedName>().is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn distinguished_name_of_any_value_can_be_escaped_and_matches_only_itself(value in "[ -~é€]{1,12}", other in "[ -~é€]{1,12}") {
            let escaped = |text: &str| text.bytes().map(|it| format!("\\{it:02x}")).collect::<String>();
            let written = format!("CN={}", escaped(&value));
            prop_assert!(names(&written, &[&[("2.5.4.3", &value)]]));
            prop_assert_eq!(names(&written, &[&[("2.5.4.3", &other)]]), value == other);
        }

        #[test]
        fn distinguished_name_parsing_never_panics(text in "\\PC{0,40}") {
            let _ = text.parse::<DistinguishedName>();
        }
    }
}
