//! A GeoIP database in MaxMind's format, loaded at startup.

use maxminddb::{Reader, geoip2};
use sinete_core::sign_in::impossible_travel::GeoPoint;
use sinete_engine::ports::{GeoIpLookup, GeoLocation};
use std::net::IpAddr;
use std::path::Path;

/// A GeoIP database.
pub struct GeoIpFile(Reader<Vec<u8>>);

impl GeoIpFile {
    /// Opens the file.
    pub fn open(path: &Path) -> Result<Self, String> {
        Reader::open_readfile(path).map(Self).map_err(|error| format!("{}: {error}", path.display()))
    }
}

impl GeoIpLookup for GeoIpFile {
    fn locate(&self, address: IpAddr) -> Option<GeoLocation> {
        let city: geoip2::City<'_> = self.0.lookup(address.to_canonical()).ok()?.decode().ok()??;
        let names = [city.city.names.english, city.country.names.english];
        let label = names.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let point = city.location.latitude.zip(city.location.longitude);
        let point = point.map(|(latitude, longitude)| GeoPoint { latitude, longitude });
        (!label.is_empty() || point.is_some()).then_some(GeoLocation { label, point })
    }
}
