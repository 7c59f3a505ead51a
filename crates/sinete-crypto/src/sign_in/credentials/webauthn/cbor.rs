//! A CBOR parser (RFC 8949) limited to what authenticators write.
//!
//! Lengths are definite, keys are unique, and tags and floating point are rejected, so that the input is
//! unambiguous. Data written by the authenticator must also be in the CTAP2 canonical form, with the shortest
//! encoding of numbers and sorted keys; the structure that the browser adds around it need not. Depth, items
//! and lengths are checked before memory is allocated for them.

/// Maximum nesting depth of arrays and maps.
const DEPTH_MAX: usize = 8;
/// Maximum items in one document.
const ITEMS_MAX: usize = 512;

/// A CBOR item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CborItem<'a> {
    /// An integer.
    Integer(i128),
    Bytes(&'a [u8]),
    Text(&'a str),
    Array(Vec<CborItem<'a>>),
    Map(CborMap<'a>),
    /// `false`, `true` or `null`.
    Simple(Option<bool>),
}

/// A map with unique keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CborMap<'a>(Vec<(CborItem<'a>, CborItem<'a>)>);

/// The required form of the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CborForm {
    /// CTAP2 canonical form (CTAP2 §8): each value has one encoding.
    Canonical,
    /// Any key order and any length of heads.
    Any,
}

/// It is not CBOR in the required form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvalidCbor;

impl<'a> CborMap<'a> {
    /// The value of a text key.
    pub(super) fn find_text_key(&self, name: &str) -> Option<&CborItem<'a>> {
        self.find(&CborItem::Text(name))
    }

    /// The value of an integer key.
    pub(super) fn find_integer_key(&self, number: i128) -> Option<&CborItem<'a>> {
        self.find(&CborItem::Integer(number))
    }

    fn find(&self, key: &CborItem<'_>) -> Option<&CborItem<'a>> {
        self.0.iter().find(|(it, _)| it == key).map(|(_, value)| value)
    }

    /// The number of members.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }
}

/// Parses one map with nothing after it.
pub(super) fn parse_map(bytes: &[u8], form: CborForm) -> Result<CborMap<'_>, InvalidCbor> {
    match parse_leading_map(bytes, form)? {
        (map, []) => Ok(map),
        _ => Err(InvalidCbor),
    }
}

/// Parses the map at the beginning, and returns the bytes after it.
pub(super) fn parse_leading_map(bytes: &[u8], form: CborForm) -> Result<(CborMap<'_>, &[u8]), InvalidCbor> {
    let mut reader = CborReader { remaining: bytes, items_left: ITEMS_MAX, form };
    match reader.read_item(DEPTH_MAX)? {
        CborItem::Map(map) => Ok((map, reader.remaining)),
        _ => Err(InvalidCbor),
    }
}

struct CborReader<'a> {
    remaining: &'a [u8],
    items_left: usize,
    form: CborForm,
}

impl<'a> CborReader<'a> {
    fn read_item(&mut self, depth_left: usize) -> Result<CborItem<'a>, InvalidCbor> {
        self.items_left = self.items_left.checked_sub(1).ok_or(InvalidCbor)?;
        let (major, detail, value) = self.read_head()?;
        match major {
            0 => Ok(CborItem::Integer(i128::from(value))),
            1 => Ok(CborItem::Integer(-1 - i128::from(value))),
            2 => Ok(CborItem::Bytes(self.read_slice(value)?)),
            3 => std::str::from_utf8(self.read_slice(value)?).map(CborItem::Text).map_err(|_| InvalidCbor),
            4 => self.read_array(value, depth_left),
            5 => self.read_map(value, depth_left),
            7 => match detail {
                20 => Ok(CborItem::Simple(Some(false))),
                21 => Ok(CborItem::Simple(Some(true))),
                22 => Ok(CborItem::Simple(None)),
                _ => Err(InvalidCbor),
            },
            _ => Err(InvalidCbor),
        }
    }

    fn read_array(&mut self, length: u64, depth_left: usize) -> Result<CborItem<'a>, InvalidCbor> {
        let depth_left = depth_left.checked_sub(1).ok_or(InvalidCbor)?;
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(self.read_item(depth_left)?);
        }
        Ok(CborItem::Array(items))
    }

    fn read_map(&mut self, length: u64, depth_left: usize) -> Result<CborItem<'a>, InvalidCbor> {
        let depth_left = depth_left.checked_sub(1).ok_or(InvalidCbor)?;
        let mut members: Vec<(CborItem<'a>, CborItem<'a>)> = Vec::new();
        let mut before: Option<&'a [u8]> = None;
        for _ in 0..length {
            let from = self.remaining;
            let key = self.read_item(depth_left)?;
            if !matches!(key, CborItem::Integer(_) | CborItem::Text(_))
                || members.iter().any(|(it, _)| *it == key)
            {
                return Err(InvalidCbor);
            }
            // The encoded bytes of this key.
            let encoded_key = from.get(..from.len() - self.remaining.len()).ok_or(InvalidCbor)?;
            let in_order = before.is_none_or(|before| is_ordered_before(before, encoded_key));
            if self.form == CborForm::Canonical && !in_order {
                return Err(InvalidCbor);
            }
            before = Some(encoded_key);
            members.push((key, self.read_item(depth_left)?));
        }
        Ok(CborItem::Map(CborMap(members)))
    }

    /// Reads the head of the next item: its major type, its additional information and its argument.
    fn read_head(&mut self) -> Result<(u8, u8, u64), InvalidCbor> {
        let first = *self.remaining.first().ok_or(InvalidCbor)?;
        self.remaining = &self.remaining[1..];
        let (major, detail) = (first >> 5, first & 0x1f);
        let value = match detail {
            0..=23 => return Ok((major, detail, u64::from(detail))),
            24 => u64::from(u8::from_be_bytes(self.read_array_bytes()?)),
            25 => u64::from(u16::from_be_bytes(self.read_array_bytes()?)),
            26 => u64::from(u32::from_be_bytes(self.read_array_bytes()?)),
            27 => u64::from_be_bytes(self.read_array_bytes()?),
            // 28 to 30 are reserved, and 31 is an indefinite length.
            _ => return Err(InvalidCbor),
        };
        let shorter_would_do = match detail {
            24 => value < 24,
            25 => value <= u64::from(u8::MAX),
            26 => value <= u64::from(u16::MAX),
            _ => value <= u64::from(u32::MAX),
        };
        let refused = major == 7 || self.form == CborForm::Canonical && shorter_would_do;
        if refused { Err(InvalidCbor) } else { Ok((major, detail, value)) }
    }

    fn read_array_bytes<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], InvalidCbor> {
        let (bytes, rest) = self.remaining.split_first_chunk().ok_or(InvalidCbor)?;
        self.remaining = rest;
        Ok(*bytes)
    }

    fn read_slice(&mut self, length: u64) -> Result<&'a [u8], InvalidCbor> {
        let length = usize::try_from(length).map_err(|_| InvalidCbor)?;
        let (bytes, rest) = self.remaining.split_at_checked(length).ok_or(InvalidCbor)?;
        self.remaining = rest;
        Ok(bytes)
    }
}

/// The key order of CTAP2: by major type, then by length, then bytewise.
fn is_ordered_before(one: &[u8], other: &[u8]) -> bool {
    let rank = |key: &[u8]| key.first().map(|first| first >> 5);
    (rank(one), one.len(), one) < (rank(other), other.len(), other)
}

#[cfg(test)]
mod tests {
    use super::CborForm::{Any, Canonical};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cbor_of_authenticators_is_read() {
        let map =
            parse_map(b"\xa5\x01\x02\x03\x26\x18\x18\x19\x01\x00\x20\x42ab\x61a\x83\xf5\xf4\xf6", Canonical)
                .unwrap();
        assert_eq!(map.len(), 5);
        assert_eq!(map.find_integer_key(3), Some(&CborItem::Integer(-7)));
        assert_eq!(map.find_integer_key(24), Some(&CborItem::Integer(256)));
        assert_eq!(map.find_integer_key(-1), Some(&CborItem::Bytes(b"ab")));
        let all = CborItem::Array(vec![
            CborItem::Simple(Some(true)),
            CborItem::Simple(Some(false)),
            CborItem::Simple(None),
        ]);
        assert_eq!(map.find_text_key("a"), Some(&all));
        let (map, rest) = parse_leading_map(b"\xa0rest", Canonical).unwrap();
        assert_eq!((map.len(), rest), (0, &b"rest"[..]));
        let bytes = b"\xa2\x1b\xff\xff\xff\xff\xff\xff\xff\xff\x01\x3b\xff\xff\xff\xff\xff\xff\xff\xff\x02";
        let greatest = parse_map(bytes, Canonical).unwrap();
        assert_eq!(greatest.find_integer_key(i128::from(u64::MAX)), Some(&CborItem::Integer(1)));
        assert_eq!(greatest.find_integer_key(-1 - i128::from(u64::MAX)), Some(&CborItem::Integer(2)));
    }

    #[test]
    fn cbor_in_other_encodings_is_refused() {
        for (bytes, reason) in [
            (&b""[..], "nothing"),
            (b"\xa0\x00", "something after the end"),
            (b"\x80", "no map"),
            (b"\xbf\xff", "a map without a length"),
            (b"\xa1\x01\x5f\x41a\xff", "bytes without a length"),
            (b"\xa1\x01\x9f\xff", "an array without a length"),
            (b"\xa2\x01\x02\x01\x03", "a repeated key"),
            (b"\xa1\x41a\x01", "bytes as a key"),
            (b"\xa1\xa0\x01", "a map as a key"),
            (b"\xa1\xf5\x01", "true as a key"),
            (b"\xa1\x01\xc0\x01", "a tag"),
            (b"\xa1\x01\xf9\x00\x00", "half a float"),
            (b"\xa1\x01\xfb\x00\x00\x00\x00\x00\x00\x00\x00", "a float"),
            (b"\xa1\x01\xf7", "undefined"),
            (b"\xa1\x01\xf8\x14", "false in two bytes"),
            (b"\xa1\x01\xe0", "an unassigned simple value"),
            (b"\xa1\x01\x1c", "a reserved head"),
            (b"\xa1\x01\x61\xff", "text that is not UTF-8"),
            (b"\xa1\x01\x45abc", "fewer bytes than announced"),
            (b"\xa1\x01\x5b\xff\xff\xff\xff\xff\xff\xff\xff", "more bytes than there are"),
            (b"\xa1\x01\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01", "more items than there are"),
            (b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff", "more members than there are"),
            (b"\xa1\x01", "a key without a value"),
            (b"\xa1", "a map without its member"),
        ] {
            assert_eq!(parse_map(bytes, Any), Err(InvalidCbor), "{reason}");
            assert_eq!(parse_map(bytes, Canonical), Err(InvalidCbor), "{reason}");
        }
    }

    #[test]
    fn cbor_non_canonical_order_and_length_are_refused() {
        assert!(parse_map(b"\xa3\x01\x00\x20\x00\x61a\x00", Canonical).is_ok());
        for bytes in [
            &b"\xa2\x03\x00\x01\x00"[..],
            b"\xa2\x20\x00\x01\x00",
            b"\xa2\x61a\x00\x01\x00",
            b"\xa2\x62aa\x00\x61b\x00",
            b"\xa1\x01\xa2\x03\x00\x01\x00",
            b"\xa1\x01\x81\xa2\x03\x00\x01\x00",
            b"\xa1\x18\x01\x02",
            b"\xa1\x19\x00\xff\x02",
            b"\xa1\x1a\x00\x00\xff\xff\x02",
            b"\xa1\x1b\x00\x00\x00\x00\xff\xff\xff\xff\x02",
            b"\xb8\x01\x01\x02",
            b"\xa1\x01\x58\x01a",
        ] {
            assert_eq!(parse_map(bytes, Canonical), Err(InvalidCbor), "{bytes:?}");
            assert!(parse_map(bytes, Any).is_ok(), "{bytes:?}");
        }
        // The same key in two encodings is a duplicate.
        assert_eq!(parse_map(b"\xa2\x01\x00\x18\x01\x00", Any), Err(InvalidCbor));
    }

    #[test]
    fn cbor_depth_and_item_count_are_bounded() {
        let nested = |depth: usize| [&b"\xa1\x01"[..], &vec![0x81; depth], b"\x00"].concat();
        assert!(parse_map(&nested(DEPTH_MAX - 1), Any).is_ok());
        assert_eq!(parse_map(&nested(DEPTH_MAX), Any), Err(InvalidCbor));
        assert_eq!(parse_map(&nested(100_000), Any), Err(InvalidCbor));
        let long =
            |items: u16| [&b"\xa1\x01\x99"[..], &items.to_be_bytes(), &vec![0; usize::from(items)]].concat();
        assert!(parse_map(&long(300), Any).is_ok());
        assert_eq!(parse_map(&long(60_000), Any), Err(InvalidCbor));
    }

    proptest! {
        #[test]
        fn cbor_parsing_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_map(&bytes, Any);
            let map = [&[0xa8][..], &bytes].concat();
            let _ = parse_map(&map, Any);
        }

        #[test]
        fn cbor_truncated_is_refused(length in 0_usize..19) {
            let whole = b"\xa5\x01\x02\x03\x26\x18\x18\x19\x01\x00\x20\x42ab\x61a\x83\xf5\xf4\xf6";
            prop_assert_eq!(parse_map(&whole[..length], Any), Err(InvalidCbor));
        }
    }
}
