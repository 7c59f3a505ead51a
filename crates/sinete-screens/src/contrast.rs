//! Tests of the contrast of the style sheet's colors (WCAG 2.2 §1.4.3).

use crate::assets::STYLE;
use crate::colour::{EDGE_CONTRAST_MIN, SrgbColour, TEXT_CONTRAST_MIN};
use std::collections::BTreeMap;

/// Pairs of text color and background.
const PAIRS: [(&str, &str); 12] = [
    ("ink", "ground"),
    ("ink", "sheet"),
    ("quiet", "ground"),
    ("quiet", "sheet"),
    ("accent", "ground"),
    ("accent", "sheet"),
    ("on-fill", "fill"),
    ("on-notice", "notice"),
    ("on-trouble", "trouble"),
    ("on-good", "good"),
    ("ink", "tint"),
    ("quiet", "tint"),
];

/// The edges of controls, and the backgrounds next to them (WCAG 2.2 §1.4.11).
const EDGES: [(&str, &str); 3] = [("edge", "sheet"), ("edge", "ground"), ("fill", "sheet")];

/// Parses the colors of a style sheet block.
fn parse_colors(block: &str) -> BTreeMap<&str, &str> {
    block
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": #"))
        .collect()
}

#[test]
fn text_contrast_meets_wcag_in_light_and_dark_mode() {
    let style = std::str::from_utf8(STYLE.bytes).unwrap();
    let (light, dark) = style.split_once("@media (prefers-color-scheme: dark)").unwrap();
    let dark = dark.split_once("\n}\n").unwrap().0;
    for (scheme, block) in [("light", light), ("dark", dark)] {
        let colours = parse_colors(block);
        let contrast = |one: &str, other: &str| {
            let colour = |name: &str| SrgbColour::parse(&format!("#{}", colours[name])).unwrap();
            colour(one).contrast_with(colour(other))
        };
        for (text, background) in PAIRS {
            let ratio = contrast(text, background);
            assert!(ratio >= TEXT_CONTRAST_MIN, "{scheme}: {text} on {background} is {ratio:.2}");
        }
        for (edge, background) in EDGES {
            let ratio = contrast(edge, background);
            assert!(ratio >= EDGE_CONTRAST_MIN, "{scheme}: {edge} beside {background} is {ratio:.2}");
        }
    }
}
