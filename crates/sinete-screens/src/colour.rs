//! Colors and their contrast (WCAG 2.2 §1.4.3).

/// An sRGB color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SrgbColour([u8; 3]);

/// The minimum contrast of normal text at level AA.
pub const TEXT_CONTRAST_MIN: f64 = 4.5;
/// The minimum contrast between the edge of a control and its surroundings (WCAG 2.2 §1.4.11).
pub const EDGE_CONTRAST_MIN: f64 = 3.0;

impl SrgbColour {
    /// Black.
    pub const BLACK: Self = Self([0; 3]);
    /// White.
    pub const WHITE: Self = Self([255; 3]);

    /// Parses `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
        let channel = |index: usize| u8::from_str_radix(digits.get(index..index + 2)?, 16).ok();
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        Some(Self([channel(0)?, channel(2)?, channel(4)?]))
    }

    /// The contrast ratio with another color, from 1 to 21.
    pub fn contrast_with(self, other: Self) -> f64 {
        let (one, other) = (self.luminance() + 0.05, other.luminance() + 0.05);
        one.max(other) / one.min(other)
    }

    /// Moves this color toward black or white just far enough to have that contrast with all `backgrounds`.
    pub fn with_contrast_on(self, backgrounds: &[Self], toward: Self, contrast_min: f64) -> Self {
        (0..=64_u16)
            .map(|step| self.mix(toward, step, 64))
            .find(|colour| {
                backgrounds.iter().all(|srgb_colour| colour.contrast_with(*srgb_colour) >= contrast_min)
            })
            .unwrap_or(toward)
    }

    /// Black or white, whichever has more contrast with this color.
    pub fn readable_ink(self) -> Self {
        if self.contrast_with(Self::WHITE) >= self.contrast_with(Self::BLACK) {
            Self::WHITE
        } else {
            Self::BLACK
        }
    }

    fn mix(self, other: Self, step: u16, steps: u16) -> Self {
        let mix = |index: usize| {
            let (own_channel, its) = (u16::from(self.0[index]), u16::from(other.0[index]));
            u8::try_from((own_channel * (steps - step) + its * step) / steps).unwrap_or(u8::MAX)
        };
        Self([mix(0), mix(1), mix(2)])
    }

    fn luminance(self) -> f64 {
        let channel = |index: usize| {
            let share = f64::from(self.0[index]) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
    }
}

impl std::fmt::Display for SrgbColour {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(out, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(text: &str) -> SrgbColour {
        SrgbColour::parse(text).unwrap()
    }

    #[test]
    fn color_contrast_of_black_on_white_is_maximal() {
        assert!((SrgbColour::BLACK.contrast_with(SrgbColour::WHITE) - 21.0).abs() < 1e-9);
        assert!(colour("#777777").contrast_with(SrgbColour::WHITE) < TEXT_CONTRAST_MIN);
    }

    #[test]
    fn color_is_six_hex_digits() {
        assert_eq!(colour("#8F1d2f").to_string(), "#8f1d2f");
        for text in ["8f1d2f", "#8f1", "#8f1d2g", "#8f1d2f0", "red", "", "#+11111", "#éééé"] {
            assert_eq!(SrgbColour::parse(text), None, "{text}");
        }
    }

    #[test]
    fn color_is_adjusted_no_further_than_needed() {
        let navy = colour("#0a2a66");
        assert_eq!(navy.with_contrast_on(&[SrgbColour::WHITE], SrgbColour::BLACK, TEXT_CONTRAST_MIN), navy);
        let yellow =
            colour("#ffe000").with_contrast_on(&[SrgbColour::WHITE], SrgbColour::BLACK, TEXT_CONTRAST_MIN);
        assert!(yellow.contrast_with(SrgbColour::WHITE) >= TEXT_CONTRAST_MIN && yellow != SrgbColour::BLACK);
        let lightened = navy.with_contrast_on(&[SrgbColour::BLACK], SrgbColour::WHITE, TEXT_CONTRAST_MIN);
        assert!(
            lightened.contrast_with(SrgbColour::BLACK) >= TEXT_CONTRAST_MIN && lightened != SrgbColour::WHITE
        );
        assert_eq!(yellow.readable_ink(), SrgbColour::WHITE);
        assert_eq!(lightened.readable_ink(), SrgbColour::BLACK);
    }
}
