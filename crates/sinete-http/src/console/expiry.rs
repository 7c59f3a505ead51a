//! Lifetimes in forms.

use sinete_core::time::Lifetime;
use sinete_server::extract::params::FormParams;

/// Parses a lifetime in days; the default if the field is missing, and `None` if it is not a number, zero, or
/// above the maximum.
pub(super) fn parse_lifetime(
    form: &FormParams,
    default_lifetime: Lifetime,
    lifetime: Lifetime,
) -> Option<Lifetime> {
    let requested_lifetime = match form.get("days") {
        None => default_lifetime,
        Some(days) => Lifetime::from_days(days.parse::<u16>().ok()?.into()),
    };
    Some(requested_lifetime)
        .filter(|requested_lifetime| *requested_lifetime > Lifetime::ZERO && *requested_lifetime <= lifetime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn console_expiry_field_is_a_number_of_days_within_bounds() {
        let (default_lifetime, lifetime) = (Lifetime::from_days(3), Lifetime::from_days(7));
        let parse_days = |form: &str| {
            super::parse_lifetime(&FormParams::parse(form.as_bytes()).unwrap(), default_lifetime, lifetime)
        };
        assert_eq!(parse_days(""), Some(default_lifetime));
        assert_eq!(parse_days("days="), Some(default_lifetime));
        assert_eq!(parse_days("days=7"), Some(lifetime));
        for wrong in ["days=0", "days=8", "days=-1", "days=1.5", "days=seven", "days=70000"] {
            assert_eq!(parse_days(wrong), None, "{wrong}");
        }
    }
}
