//! Where network addresses are, from a file in MaxMind's format. It is read once, at the start.

use maxminddb::{Reader, geoip2};
use sinete_core::security::travel::Point;
use sinete_engine::ports::{Place, Places};
use std::net::IpAddr;
use std::path::Path;

/// A file of places.
pub struct PlacesFile(Reader<Vec<u8>>);

impl PlacesFile {
    /// The file, or why it cannot be used.
    pub fn open(path: &Path) -> Result<Self, String> {
        Reader::open_readfile(path).map(Self).map_err(|error| format!("{}: {error}", path.display()))
    }
}

impl Places for PlacesFile {
    fn locate(&self, address: IpAddr) -> Option<Place> {
        let city: geoip2::City<'_> = self.0.lookup(address.to_canonical()).ok()?.decode().ok()??;
        let names = [city.city.names.english, city.country.names.english];
        let label = names.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let point = city.location.latitude.zip(city.location.longitude);
        let point = point.map(|(latitude, longitude)| Point { latitude, longitude });
        (!label.is_empty() || point.is_some()).then_some(Place { label, point })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One network in a file of MaxMind's format, put together byte by byte.
    fn file(network: [u8; 4], prefix: u32, city: &[u8]) -> Vec<u8> {
        // A node has two records of three bytes: for a 0 and for a 1 as the next bit.
        let bits = u32::from_be_bytes(network);
        let nothing = prefix;
        let mut tree = Vec::new();
        for depth in 0..prefix {
            let on = if depth + 1 == prefix { prefix + 16 } else { depth + 1 };
            let is_one = bits >> (31 - depth) & 1 == 1;
            let pair = if is_one { [nothing, on] } else { [on, nothing] };
            tree.extend(pair.iter().flat_map(|record| record.to_be_bytes()[1..].to_vec()));
        }
        let metadata = map(&[
            ("binary_format_major_version", uint16(2)),
            ("binary_format_minor_version", uint16(0)),
            ("build_epoch", uint64(1_700_000_000)),
            ("database_type", text("GeoLite2-City")),
            ("description", map(&[])),
            ("ip_version", uint16(4)),
            ("languages", vec![0x00, 0x04]),
            ("node_count", uint32(prefix)),
            ("record_size", uint16(24)),
        ]);
        [tree, vec![0; 16], city.to_vec(), b"\xab\xcd\xefMaxMind.com".to_vec(), metadata].concat()
    }

    fn map(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = vec![0xe0 | u8::try_from(entries.len()).unwrap()];
        for (name, value) in entries {
            bytes.extend(text(name));
            bytes.extend(value);
        }
        bytes
    }

    fn text(text: &str) -> Vec<u8> {
        [&[0x40 | u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat()
    }

    fn double(number: f64) -> Vec<u8> {
        [&[0x68][..], &number.to_be_bytes()].concat()
    }

    fn uint16(number: u16) -> Vec<u8> {
        [&[0xa2][..], &number.to_be_bytes()].concat()
    }

    fn uint32(number: u32) -> Vec<u8> {
        [&[0xc4][..], &number.to_be_bytes()].concat()
    }

    fn uint64(number: u64) -> Vec<u8> {
        [&[0x08, 0x02][..], &number.to_be_bytes()].concat()
    }

    fn written(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("city.mmdb");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn an_address_is_found_in_its_network_and_no_other_is() {
        let names = |name: &str| map(&[("names", map(&[("en", text(name))]))]);
        let city = map(&[
            ("city", names("Lisbon")),
            ("country", names("Portugal")),
            ("location", map(&[("latitude", double(38.72)), ("longitude", double(-9.14))])),
        ]);
        let (_folder, path) = written(&file([203, 0, 113, 0], 24, &city));
        let places = PlacesFile::open(&path).unwrap();
        let found = places.locate("203.0.113.77".parse().unwrap()).unwrap();
        assert_eq!(found.label, "Lisbon, Portugal");
        assert_eq!(found.point, Some(Point { latitude: 38.72, longitude: -9.14 }));
        assert_eq!(places.locate("::ffff:203.0.113.77".parse().unwrap()), Some(found));
        for elsewhere in ["203.0.114.1", "198.51.100.1", "2001:db8::1"] {
            assert_eq!(places.locate(elsewhere.parse().unwrap()), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_file_that_is_none_is_refused_with_its_name() {
        let (_folder, path) = written(b"not a database");
        assert!(PlacesFile::open(&path).err().unwrap().contains("city.mmdb"));
        assert!(PlacesFile::open(Path::new("/nowhere.mmdb")).is_err());
    }
}
