//! Impossible travel detection.

use crate::time::Timestamp;

/// A geographic position, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoPoint {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
}

/// A position at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocationSighting {
    /// The position.
    pub point: GeoPoint,
    /// The time.
    pub at: Timestamp,
}

/// Shorter distances are ignored: IP geolocation is no more precise than that.
const DISTANCE_KILOMETERS_MIN: f64 = 500.0;
/// The maximum travel speed, including transfers.
const KILOMETERS_PER_HOUR_MAX: f64 = 1_000.0;
const EARTH_RADIUS_KILOMETERS: f64 = 6_371.0;

/// Whether one user cannot have been at both.
pub fn is_impossible_travel(one: &LocationSighting, other: &LocationSighting) -> bool {
    let distance = distance_kilometers(one.point, other.point);
    if !distance.is_finite() || distance < DISTANCE_KILOMETERS_MIN {
        return false;
    }
    let micros = other.at.micros().abs_diff(one.at.micros());
    #[expect(clippy::cast_precision_loss, reason = "an hour more or less in a century does not matter")]
    let hours = micros as f64 / 3_600_000_000.0;
    distance > hours * KILOMETERS_PER_HOUR_MAX
}

/// The great-circle distance by the haversine formula.
fn distance_kilometers(one: GeoPoint, other: GeoPoint) -> f64 {
    let half = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin().powi(2);
    let across = half(one.latitude, other.latitude)
        + one.latitude.to_radians().cos()
            * other.latitude.to_radians().cos()
            * half(one.longitude, other.longitude);
    2.0 * EARTH_RADIUS_KILOMETERS * across.clamp(0.0, 1.0).sqrt().asin()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Lifetime;
    use proptest::prelude::*;

    const RECIFE: GeoPoint = GeoPoint { latitude: -8.05, longitude: -34.88 };
    const LISBON: GeoPoint = GeoPoint { latitude: 38.72, longitude: -9.14 };
    const OLINDA: GeoPoint = GeoPoint { latitude: -8.01, longitude: -34.86 };

    fn at(point: GeoPoint, hours: u32) -> LocationSighting {
        LocationSighting {
            point,
            at: Timestamp::from_seconds(1_700_000_000).plus(Lifetime::from_hours(hours)),
        }
    }

    #[test]
    fn geographic_distances_are_accurate() {
        let between = distance_kilometers(RECIFE, LISBON);
        assert!((5_800.0..5_900.0).contains(&between), "{between}");
        assert!(distance_kilometers(RECIFE, OLINDA) < 10.0);
    }

    #[test]
    fn impossible_travel_is_detected_by_distance_and_time() {
        assert!(is_impossible_travel(&at(RECIFE, 0), &at(LISBON, 1)));
        assert!(is_impossible_travel(&at(LISBON, 1), &at(RECIFE, 0)), "in either order");
        assert!(!is_impossible_travel(&at(RECIFE, 0), &at(LISBON, 24)));
        assert!(!is_impossible_travel(&at(RECIFE, 0), &at(OLINDA, 0)), "the next town is near enough");
    }

    proptest! {
        #[test]
        fn impossible_travel_is_symmetric_and_never_fails_on_any_coordinates(
            latitude in -1_000.0_f64..1_000.0, longitude in -1_000.0_f64..1_000.0, hours in 0_u32..100,
        ) {
            let point = GeoPoint { latitude, longitude };
            let there = is_impossible_travel(&at(RECIFE, 0), &at(point, hours));
            prop_assert_eq!(there, is_impossible_travel(&at(point, hours), &at(RECIFE, 0)));
            prop_assert!(!is_impossible_travel(&at(point, 0), &at(point, hours)));
            prop_assert!(!is_impossible_travel(&at(RECIFE, 0), &at(point, 48)), "in two days one can be anywhere");
        }
    }
}
