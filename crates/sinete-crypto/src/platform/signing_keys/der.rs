//! A minimal DER reader, to identify an encoded key before it is passed to the cryptographic library.

/// The tags used in private keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DerTag {
    /// An integer.
    Integer = 0x02,
    /// An octet string, often containing another encoding.
    OctetString = 0x04,
    /// An object identifier of an algorithm or curve.
    ObjectIdentifier = 0x06,
    /// A sequence.
    Sequence = 0x30,
    /// The curve parameters in SEC 1.
    Parameters = 0xa0,
}

/// The remaining bytes of a DER encoding. Returns `None` past the end or for a non-canonical length.
#[derive(Clone, Copy, Debug)]
pub struct DerReader<'a>(&'a [u8]);

impl<'a> DerReader<'a> {
    /// Creates a reader for the bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Takes the content of the next element, if it has this tag.
    pub fn read_element(&mut self, tag: DerTag) -> Option<&'a [u8]> {
        let (&first, rest) = self.0.split_first()?;
        if first != tag as u8 {
            return None;
        }
        let (length, rest) = read_length(rest)?;
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(content)
    }

    /// Enters the next sequence.
    pub fn enter_sequence(&mut self) -> Option<Self> {
        self.read_element(DerTag::Sequence).map(Self)
    }

    /// Takes the next non-negative integer, as big-endian bytes without leading zeros.
    pub fn read_integer(&mut self) -> Option<&'a [u8]> {
        match self.read_element(DerTag::Integer)? {
            [] => None,
            [0] => Some(&[]),
            [0, magnitude @ ..] if magnitude.first().is_some_and(|first| *first >= 0x80) => Some(magnitude),
            [first, ..] if *first == 0 || *first >= 0x80 => None,
            magnitude => Some(magnitude),
        }
    }
}

/// Reads a definite length in its shortest form. Three length bytes are more than any key needs.
fn read_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes {
        [short @ 0..=0x7f, rest @ ..] => Some((usize::from(*short), rest)),
        [0x81, low @ 0x80..=0xff, rest @ ..] => Some((usize::from(*low), rest)),
        [0x82, high @ 1..=0xff, low, rest @ ..] => {
            Some((usize::from(u16::from_be_bytes([*high, *low])), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn der_numbers_and_sequences_are_read_in_canonical_form() {
        let mut outer = DerReader::new(&[0x30, 0x09, 0x02, 0x01, 0x05, 0x02, 0x01, 0x00, 0x02, 0x01, 0x80]);
        let mut inner = outer.enter_sequence().unwrap();
        assert_eq!(inner.read_integer(), Some(&[5][..]));
        assert_eq!(inner.read_integer(), Some(&[][..]));
        // 0x80 alone is a negative integer.
        assert_eq!(inner.read_integer(), None);
        assert_eq!(DerReader::new(&[0x02, 0x02, 0x00, 0x80]).read_integer(), Some(&[0x80][..]));
        assert_eq!(DerReader::new(&[0x02, 0x02, 0x00, 0x05]).read_integer(), None);
    }

    #[test]
    fn der_non_minimal_length_is_refused() {
        assert_eq!(DerReader::new(&[0x04, 0x81, 0x01, 0xaa]).read_element(DerTag::OctetString), None);
        assert_eq!(DerReader::new(&[0x04, 0x82, 0x00, 0x01, 0xaa]).read_element(DerTag::OctetString), None);
        assert_eq!(DerReader::new(&[0x04, 0x01, 0xaa]).read_element(DerTag::OctetString), Some(&[0xaa][..]));
        let mut long = vec![0x04, 0x82, 0x01, 0x00];
        long.extend([7; 256]);
        assert_eq!(DerReader::new(&long).read_element(DerTag::OctetString), Some(&[7; 256][..]));
        assert_eq!(DerReader::new(&long[..200]).read_element(DerTag::OctetString), None);
    }

    proptest! {
        #[test]
        fn der_parsing_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut reader = DerReader::new(&bytes);
            let _ = reader.enter_sequence();
            let _ = reader.read_integer();
            let _ = reader.read_element(DerTag::ObjectIdentifier);
            prop_assert!(reader.0.len() <= bytes.len());
        }
    }
}
