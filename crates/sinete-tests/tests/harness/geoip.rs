//! A GeoIP database with two cities.

use sinete_core::sign_in::impossible_travel::GeoPoint;
use sinete_engine::ports::{GeoIpLookup, GeoLocation};
use std::net::IpAddr;

/// Places 198.51.100.0/24 in Recife and 203.0.113.0/24 in Lisbon.
pub struct TestGeoIp;

impl GeoIpLookup for TestGeoIp {
    fn locate(&self, address: IpAddr) -> Option<GeoLocation> {
        let IpAddr::V4(address) = address else { return None };
        let (label, latitude, longitude) = match address.octets() {
            [198, 51, 100, _] => ("Recife, Brazil", -8.05, -34.88),
            [203, 0, 113, _] => ("Lisbon, Portugal", 38.72, -9.14),
            _ => return None,
        };
        Some(GeoLocation { label: label.to_owned(), point: Some(GeoPoint { latitude, longitude }) })
    }
}
