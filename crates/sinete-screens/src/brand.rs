//! Whose service it is: the name above every page, the mark beside it, the colour of what can be pressed.

use crate::colour::Colour;
use std::fmt::Write as _;

/// What distinguishes one instance's pages from another's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brand {
    /// The name above every page.
    pub name: String,
    /// Where its mark is served, below the base address; the seal of the house if there is none.
    pub logo: Option<String>,
    /// The style sheets that follow ours, as paths below the base address.
    pub styles: Vec<String>,
}

/// The colours an instance chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// Of links, buttons and marks.
    pub accent: Option<Colour>,
    /// Behind everything, in the light scheme.
    pub background: Option<Colour>,
}

/// What the house calls itself.
pub const HOUSE: &str = "Sinete";

/// The grounds of the style sheet that accents are read on.
const LIGHT: [&str; 2] = ["#f6f3ee", "#fffefc"];
const DARK: [&str; 2] = ["#141210", "#1e1b18"];

impl Default for Brand {
    fn default() -> Self {
        Self { name: HOUSE.to_owned(), logo: None, styles: Vec::new() }
    }
}

impl Brand {
    /// Whether the instance goes by its own name.
    pub(crate) fn is_own(&self) -> bool {
        self.name != HOUSE
    }
}

impl Palette {
    /// The style sheet that brings these colours, in both schemes. An accent that could not be read is moved
    /// toward black, or toward white in the dark, just as far as it takes; nothing if no colour was chosen.
    pub fn style(&self) -> Option<String> {
        let mut light = String::new();
        let mut dark = String::new();
        let background = self.background.filter(|ground| ground.contrast(Colour::BLACK) >= 12.0);
        if let Some(ground) = background {
            let _ = write!(light, "--ground:{ground};");
        }
        if let Some(accent) = self.accent {
            let mut grounds = colours(LIGHT);
            grounds.extend(background);
            let (on_light, on_dark) = (
                accent.readable_on(&grounds, Colour::BLACK),
                accent.readable_on(&colours(DARK), Colour::WHITE),
            );
            let _ = write!(light, "--accent:{on_light};--on-accent:{};", on_light.ink());
            let _ = write!(dark, "--accent:{on_dark};--on-accent:{};", on_dark.ink());
        }
        if light.is_empty() {
            return None;
        }
        let dark = if dark.is_empty() {
            String::new()
        } else {
            format!("@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n")
        };
        Some(format!("@media (prefers-color-scheme:light){{:root{{{light}}}}}\n{dark}"))
    }

    /// Whether the background is light enough for the ink of the light scheme.
    pub fn background_is_light(&self) -> bool {
        self.background.is_none_or(|ground| ground.contrast(Colour::BLACK) >= 12.0)
    }
}

fn colours(texts: [&str; 2]) -> Vec<Colour> {
    texts.into_iter().filter_map(Colour::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::STYLE;

    #[test]
    fn the_grounds_are_those_of_the_style_sheet() {
        let style = std::str::from_utf8(STYLE.bytes).unwrap();
        for ground in LIGHT.into_iter().chain(DARK) {
            assert!(style.contains(ground), "{ground}");
        }
    }

    #[test]
    fn whatever_accent_is_chosen_can_be_read_in_both_schemes() {
        for accent in ["#ffe000", "#000000", "#ffffff", "#0a66c2", "#22c55e", "#808080"] {
            let palette = Palette { accent: Colour::parse(accent), background: None };
            let style = palette.style().unwrap();
            let mut accents = style.split("--accent:").skip(1).map(|rest| Colour::parse(&rest[..7]).unwrap());
            for grounds in [LIGHT, DARK] {
                let accent = accents.next().unwrap();
                for ground in colours(grounds) {
                    assert!(accent.contrast(ground) >= 4.5, "{accent} on {ground}");
                }
                assert!(accent.contrast(accent.ink()) >= 4.5);
            }
        }
    }

    #[test]
    fn no_choice_needs_no_style_and_a_dark_background_is_not_taken_for_a_light_one() {
        assert_eq!(Palette::default().style(), None);
        let dark = Palette { accent: None, background: Colour::parse("#101010") };
        assert!(!dark.background_is_light() && dark.style().is_none());
        let light = Palette { accent: None, background: Colour::parse("#eef2ff") };
        assert!(light.background_is_light() && light.style().unwrap().contains("--ground:#eef2ff;"));
    }
}
