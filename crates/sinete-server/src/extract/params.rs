//! Parameters of a query or a form: limited in number, and without duplicates.

use compact_str::CompactString;
use sinete_core::limits::FORM_PARAMETERS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use std::fmt;

/// A name and its value.
pub type FormParam = (CompactString, CompactString);

/// The decoded parameters of a request, in order.
///
/// Debug output contains names without values, which may be secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FormParams(Vec<FormParam>);

/// Why the parameters are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormParamsError {
    /// There are too many.
    #[error("there are too many parameters")]
    TooMany,
    /// A name is repeated, on which parsers disagree (RFC 6749 §3.1).
    #[error("a parameter is given more than once")]
    Duplicate,
    /// A percent sign is not followed by two hexadecimal digits.
    #[error("a parameter is not percent-encoded")]
    InvalidPercentEncoding,
    /// The decoded text is not UTF-8.
    #[error("a parameter is not UTF-8")]
    InvalidUtf8,
    /// The decoded text contains a NUL character, which databases cannot store.
    #[error("a parameter has a NUL character in it")]
    Nul,
}

impl FormParams {
    /// Parses `application/x-www-form-urlencoded` text.
    pub fn parse(text: &[u8]) -> Result<Self, FormParamsError> {
        let pairs = parse_form_with_repeats(text)?;
        let repeated = |index: usize| pairs[..index].iter().any(|(key, _)| *key == pairs[index].0);
        if (0..pairs.len()).any(repeated) { Err(FormParamsError::Duplicate) } else { Ok(Self(pairs)) }
    }

    /// Creates parameters from pairs.
    pub fn from_pairs(pairs: Vec<(String, String)>) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// The value of a parameter. An empty value counts as omitted (RFC 6749 §3.1).
    pub fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(key, _)| key == name)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }

    /// Iterates over all pairs in order, including empty values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The number of parameters.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Parses the same text with repeated names, for callers that handle them.
pub fn parse_form_with_repeats(text: &[u8]) -> Result<Vec<FormParam>, FormParamsError> {
    let mut pairs = Vec::with_capacity(4);
    for piece in text.split(|&byte| byte == b'&').filter(|piece| !piece.is_empty()) {
        if pairs.len() == FORM_PARAMETERS_MAX {
            return Err(FormParamsError::TooMany);
        }
        let equals = piece.iter().position(|&byte| byte == b'=');
        let (name, value) = match equals {
            Some(index) => (&piece[..index], &piece[index + 1..]),
            None => (piece, &[][..]),
        };
        pairs.push((decode_form_component(name)?, decode_form_component(value)?));
    }
    Ok(pairs)
}

impl fmt::Debug for FormParams {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl From<FormParamsError> for Refusal {
    fn from(bad: FormParamsError) -> Self {
        let reason = match bad {
            FormParamsError::TooMany => RequestRefusal::TooManyParameters,
            FormParamsError::Duplicate => RequestRefusal::DuplicateParameter,
            FormParamsError::InvalidPercentEncoding => RequestRefusal::ParameterEncodingInvalid,
            FormParamsError::InvalidUtf8 => RequestRefusal::ParameterNotUtf8,
            FormParamsError::Nul => RequestRefusal::NulCharacter,
        };
        Self::because(reason, bad.to_string())
    }
}

/// Decodes one name or value.
pub(crate) fn decode_form_component(text: &[u8]) -> Result<CompactString, FormParamsError> {
    if !text.iter().any(|byte| matches!(byte, b'+' | b'%' | 0)) {
        return CompactString::from_utf8(text).map_err(|_| FormParamsError::InvalidUtf8);
    }
    let decoded = percent_decode(text)?;
    if decoded.as_bytes().contains(&0) { Err(FormParamsError::Nul) } else { Ok(decoded) }
}

fn percent_decode(text: &[u8]) -> Result<CompactString, FormParamsError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let [high, low, tail @ ..] = tail else {
                    return Err(FormParamsError::InvalidPercentEncoding);
                };
                bytes.push(hex_digit(*high)? << 4 | hex_digit(*low)?);
                rest = tail;
            }
            plain => bytes.push(*plain),
        }
    }
    CompactString::from_utf8(bytes).map_err(|_| FormParamsError::InvalidUtf8)
}

const fn hex_digit(digit: u8) -> Result<u8, FormParamsError> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        b'A'..=b'F' => Ok(digit - b'A' + 10),
        _ => Err(FormParamsError::InvalidPercentEncoding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn encode(text: &str) -> String {
        text.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }

    #[test]
    fn form_parameters_are_decoded_and_found_by_name() {
        let pairs = FormParams::parse(b"a=1&b=x+y%20z&%63=%C3%A9&d&e=&&f=g=h").unwrap();
        assert_eq!(pairs.len(), 6);
        assert_eq!(pairs.get("a"), Some("1"));
        assert_eq!(pairs.get("b"), Some("x y z"));
        assert_eq!(pairs.get("c"), Some("é"));
        assert_eq!((pairs.get("d"), pairs.get("e"), pairs.get("missing")), (None, None, None));
        assert_eq!(pairs.get("f"), Some("g=h"));
        assert!(FormParams::parse(b"").unwrap().is_empty());
    }

    #[test]
    fn form_parameter_duplicate_is_refused_in_any_encoding() {
        for text in ["a=1&a=2", "a=1&%61=1", "a&a", "a=&b=2&a=1", "=1&=2"] {
            assert_eq!(FormParams::parse(text.as_bytes()), Err(FormParamsError::Duplicate), "{text}");
        }
        assert!(FormParams::parse(b"a=1&A=1").is_ok());
    }

    #[test]
    fn form_parameters_with_invalid_escapes_or_text_are_refused() {
        for text in ["a=%", "a=%1", "a=%zz", "%g0=1", "a=%%31", "a=1%"] {
            assert_eq!(
                FormParams::parse(text.as_bytes()),
                Err(FormParamsError::InvalidPercentEncoding),
                "{text}"
            );
        }
        for text in [&b"a=%ff"[..], b"%c3%28=1", b"a=\xff", b"a=%ed%a0%80"] {
            assert_eq!(FormParams::parse(text), Err(FormParamsError::InvalidUtf8));
        }
        for text in [&b"a=%00"[..], b"a=\0", b"a\0=1", b"a=b+c\0"] {
            assert_eq!(FormParams::parse(text), Err(FormParamsError::Nul));
        }
    }

    #[test]
    fn form_parameters_are_limited_to_one_hundred() {
        let form = |count: usize| {
            let names: Vec<_> = (0..count).map(|index| format!("p{index}=1")).collect();
            names.join("&")
        };
        assert_eq!(
            FormParams::parse(form(FORM_PARAMETERS_MAX).as_bytes()).unwrap().len(),
            FORM_PARAMETERS_MAX
        );
        let one_more = form(FORM_PARAMETERS_MAX + 1);
        assert_eq!(FormParams::parse(one_more.as_bytes()), Err(FormParamsError::TooMany));
        assert!(FormParams::parse(&b"&".repeat(10_000)).unwrap().is_empty());
    }

    #[test]
    fn form_parameters_debug_output_hides_values() {
        let pairs = FormParams::parse(b"client_secret=hush").unwrap();
        assert!(format!("{pairs:?}").contains("client_secret") && !format!("{pairs:?}").contains("hush"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn form_parameters_round_trip(
            pairs in prop::collection::btree_map("[^\\x00\n]{1,8}", "[^\\x00\n]{0,12}", 0..20),
        ) {
            let text: Vec<_> = pairs.iter().map(|(n, v)| format!("{}={}", encode(n), encode(v))).collect();
            let read = FormParams::parse(text.join("&").as_bytes()).unwrap();
            let read: BTreeMap<_, _> = read.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
            prop_assert_eq!(read, pairs);
        }

        #[test]
        fn form_parameter_parsing_never_panics_and_yields_unique_names(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(pairs) = FormParams::parse(&bytes) {
                let names: std::collections::BTreeSet<_> = pairs.iter().map(|(name, _)| name).collect();
                prop_assert_eq!(names.len(), pairs.len());
            }
        }

        #[test]
        fn form_parameter_doubled_is_refused(name in "[a-z]{1,6}", one in "[a-z]{0,6}", other in "[a-z]{0,6}", between in "[a-z]{7}=x") {
            let text = format!("{name}={one}&{between}&{}={other}", encode(&name));
            prop_assert_eq!(FormParams::parse(text.as_bytes()), Err(FormParamsError::Duplicate));
        }
    }
}
