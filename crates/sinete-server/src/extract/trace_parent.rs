//! The W3C `traceparent` header.

/// The trace and span that a request continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace id.
    pub trace: [u8; 16],
    /// The parent span id.
    pub span: [u8; 8],
    /// Whether the caller samples the trace.
    pub sampled: bool,
}

impl TraceParent {
    /// Parses the header. A later version may append fields; version 00 has exactly this length.
    pub fn parse(header: &[u8]) -> Option<Self> {
        let (fields, rest) = header.split_at_checked(LENGTH)?;
        let version = parse_hex_bytes::<1>(&fields[..2])?[0];
        let separated = [fields[2], fields[35], fields[52]] == [b'-'; 3];
        let complete = match version {
            0 => rest.is_empty(),
            u8::MAX => false,
            _ => matches!(rest.first(), None | Some(b'-')),
        };
        let (trace, span, flags) = (
            parse_hex_bytes(&fields[3..35])?,
            parse_hex_bytes(&fields[36..52])?,
            parse_hex_bytes::<1>(&fields[53..])?[0],
        );
        let has_ids = trace != [0; 16] && span != [0; 8];
        (separated && complete && has_ids).then_some(Self { trace, span, sampled: flags & 1 == 1 })
    }
}

/// The length of `00-` and 32, 16 and 2 digits separated by hyphens.
const LENGTH: usize = 55;

/// Parses lower-case hexadecimal digits.
fn parse_hex_bytes<const BYTES: usize>(digits: &[u8]) -> Option<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    for (index, digit) in digits.iter().enumerate() {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        bytes[index / 2] = bytes[index / 2] << 4 | value;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn traceparent_that_is_valid_names_trace_and_span() {
        let parent = TraceParent::parse(GOOD.as_bytes()).unwrap();
        assert_eq!((parent.trace[0], parent.trace[15], parent.sampled), (0x4b, 0x36, true));
        assert_eq!(parent.span, [0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
        assert!(!TraceParent::parse(GOOD.replace("-01", "-00").as_bytes()).unwrap().sampled);
        assert!(TraceParent::parse(format!("cc{}-more", &GOOD[2..]).as_bytes()).is_some());
    }

    #[test]
    fn traceparent_that_is_invalid_starts_a_new_trace() {
        for header in [
            String::new(),
            GOOD.to_uppercase(),
            format!("{GOOD}-more"),
            format!("ff{}", &GOOD[2..]),
            format!("cc{}more", &GOOD[2..]),
            GOOD.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            GOOD.replace("00f067aa0ba902b7", &"0".repeat(16)),
            GOOD.replace('-', "_"),
            GOOD[..54].to_owned(),
        ] {
            assert_eq!(TraceParent::parse(header.as_bytes()), None, "{header}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn traceparent_parsing_never_panics(header in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = TraceParent::parse(&header);
        }
    }
}
