//! Whether the style sheet's colours can be read: the contrast of each pair, as WCAG 2.2 §1.4.3 defines it.

use crate::assets::STYLE;
use std::collections::BTreeMap;

/// Text and the ground it stands on.
const PAIRS: [(&str, &str); 8] = [
    ("ink", "ground"),
    ("ink", "sheet"),
    ("quiet", "ground"),
    ("quiet", "sheet"),
    ("accent", "ground"),
    ("accent", "sheet"),
    ("on-accent", "accent"),
    ("on-notice", "notice"),
];

/// The least contrast that ordinary text needs at level AA.
const CONTRAST_MIN: f64 = 4.5;

/// The colours a block of the style sheet names.
fn colours(block: &str) -> BTreeMap<&str, &str> {
    block
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": #"))
        .collect()
}

fn luminance(colour: &str) -> f64 {
    let channel = |place: usize| {
        let share = f64::from(u8::from_str_radix(&colour[place..place + 2], 16).unwrap()) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

#[test]
fn black_on_white_has_the_greatest_contrast() {
    assert!((contrast("000000", "ffffff") - 21.0).abs() < 1e-9);
    assert!(contrast("777777", "ffffff") < CONTRAST_MIN);
}

#[test]
fn every_text_can_be_read_on_its_ground_in_light_and_in_dark() {
    let style = std::str::from_utf8(STYLE.bytes).unwrap();
    let (light, dark) = style.split_once("@media (prefers-color-scheme: dark)").unwrap();
    let dark = dark.split_once("\n}\n").unwrap().0;
    for (scheme, block) in [("light", light), ("dark", dark)] {
        let colours = colours(block);
        for (text, ground) in PAIRS {
            let found = contrast(colours[text], colours[ground]);
            assert!(found >= CONTRAST_MIN, "{scheme}: {text} on {ground} is {found:.2}");
        }
    }
}
