//! Branding of pages: name, logo and colors.

use crate::colour::{EDGE_CONTRAST_MIN, SrgbColour, TEXT_CONTRAST_MIN};
use std::fmt::Write as _;

/// The branding of an instance or organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageBranding {
    /// The name above every page.
    pub name: String,
    /// The logo next to the name.
    pub mark: BrandMark,
    /// The name of the instance, if the page shows the branding of an organization.
    pub instance_name: Option<String>,
    /// Additional style sheets, as paths below the base URL.
    pub styles: Vec<String>,
    /// The URL of the documentation.
    pub documentation: Option<String>,
}

/// A logo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrandMark {
    /// The Sinete seal.
    Seal,
    /// An image that we serve, as a path below the base URL.
    Image(String),
    /// An image in the page itself, as a `data:` URL.
    Inline(String),
    /// The initials of the name.
    Initials,
}

/// The colors of an instance or an organization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrandPalette {
    /// The color of links, buttons and marks.
    pub accent: Option<SrgbColour>,
    /// The background color of the light theme.
    pub background: Option<SrgbColour>,
}

/// The default service name.
pub const DEFAULT_SERVICE_NAME: &str = "Sinete";

/// The backgrounds in the style sheet against which accent colors must be readable.
const LIGHT_BACKGROUNDS: [&str; 2] = ["#f6f3ee", "#fffefc"];
const DARK_BACKGROUNDS: [&str; 2] = ["#141210", "#1e1b18"];

impl Default for PageBranding {
    fn default() -> Self {
        Self {
            name: DEFAULT_SERVICE_NAME.to_owned(),
            mark: BrandMark::Seal,
            instance_name: None,
            styles: Vec::new(),
            documentation: None,
        }
    }
}

impl PageBranding {
    /// Whether the instance has a custom name.
    pub fn has_custom_name(&self) -> bool {
        self.name != DEFAULT_SERVICE_NAME
    }

    /// The branding of an organization on the pages of this instance. Values that are not set are inherited,
    /// except the logo: a name is never shown next to another party's logo.
    pub fn for_organization(&self, name: String, logo: Option<String>, colours: Option<String>) -> Self {
        Self {
            name,
            mark: logo.map_or(BrandMark::Initials, BrandMark::Image),
            instance_name: Some(self.name.clone()),
            styles: self.styles.iter().cloned().chain(colours).collect(),
            documentation: self.documentation.clone(),
        }
    }
}

impl BrandPalette {
    /// The style sheet with these colors, for both themes. An accent color without enough contrast is
    /// darkened, or lightened in the dark theme, just as far as needed. `None` if no color is set.
    pub fn stylesheet(&self) -> Option<String> {
        let mut light = String::new();
        let mut dark = String::new();
        let background =
            self.background.filter(|srgb_colour| srgb_colour.contrast_with(SrgbColour::BLACK) >= 12.0);
        if let Some(srgb_colour) = background {
            let _ = write!(light, "--ground:{srgb_colour};");
        }
        if let Some(accent) = self.accent {
            let mut srgb_colours = scheme_colors(LIGHT_BACKGROUNDS);
            srgb_colours.extend(background);
            let (on_light, on_dark) = (
                accent.with_contrast_on(&srgb_colours, SrgbColour::BLACK, TEXT_CONTRAST_MIN),
                accent.with_contrast_on(
                    &scheme_colors(DARK_BACKGROUNDS),
                    SrgbColour::WHITE,
                    TEXT_CONTRAST_MIN,
                ),
            );
            // In the dark theme, buttons need less lightening than text.
            let fill = accent.with_contrast_on(
                &scheme_colors(DARK_BACKGROUNDS),
                SrgbColour::WHITE,
                EDGE_CONTRAST_MIN,
            );
            let _ =
                write!(light, "--accent:{on_light};--fill:{on_light};--on-fill:{};", on_light.readable_ink());
            let _ = write!(dark, "--accent:{on_dark};--fill:{fill};--on-fill:{};", fill.readable_ink());
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

    /// Whether the background is light enough for the text color of the light theme.
    pub fn has_light_background(&self) -> bool {
        self.background.is_none_or(|srgb_colour| srgb_colour.contrast_with(SrgbColour::BLACK) >= 12.0)
    }
}

fn scheme_colors(values: [&str; 2]) -> Vec<SrgbColour> {
    values.into_iter().filter_map(SrgbColour::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::STYLE;

    #[test]
    fn brand_backgrounds_match_the_style_sheet() {
        let style = std::str::from_utf8(STYLE.bytes).unwrap();
        for background in LIGHT_BACKGROUNDS.into_iter().chain(DARK_BACKGROUNDS) {
            assert!(style.contains(background), "{background}");
        }
    }

    #[test]
    fn brand_accent_is_readable_in_light_and_dark_mode() {
        for accent in ["#ffe000", "#000000", "#ffffff", "#0a66c2", "#22c55e", "#808080"] {
            let palette = BrandPalette { accent: SrgbColour::parse(accent), background: None };
            let style = palette.stylesheet().unwrap();
            let find_colors = |name: &str| -> Vec<SrgbColour> {
                style.split(name).skip(1).map(|rest| SrgbColour::parse(&rest[..7]).unwrap()).collect()
            };
            let (accents, fills, inks) =
                (find_colors("--accent:"), find_colors("--fill:"), find_colors("--on-fill:"));
            for (scheme, backgrounds) in [LIGHT_BACKGROUNDS, DARK_BACKGROUNDS].into_iter().enumerate() {
                for srgb_colour in scheme_colors(backgrounds) {
                    assert!(
                        accents[scheme].contrast_with(srgb_colour) >= TEXT_CONTRAST_MIN,
                        "{accent} on {srgb_colour}"
                    );
                    assert!(
                        fills[scheme].contrast_with(srgb_colour) >= EDGE_CONTRAST_MIN,
                        "{accent} beside {srgb_colour}"
                    );
                }
                assert!(fills[scheme].contrast_with(inks[scheme]) >= TEXT_CONTRAST_MIN, "{accent}");
            }
        }
    }

    #[test]
    fn organization_branding_inherits_unset_values() {
        let house = PageBranding { styles: vec!["/one.css".to_owned()], ..PageBranding::default() };
        let plain = house.for_organization("Acme".to_owned(), None, None);
        assert_eq!((plain.mark, plain.instance_name.as_deref()), (BrandMark::Initials, Some("Sinete")));
        assert_eq!(plain.styles, house.styles);
        let full_branding =
            house.for_organization("Acme".to_owned(), Some("/logo".into()), Some("/two.css".into()));
        assert_eq!(full_branding.mark, BrandMark::Image("/logo".to_owned()));
        assert_eq!(full_branding.styles, ["/one.css", "/two.css"]);
    }

    #[test]
    fn brand_default_needs_no_style_and_a_dark_background_is_not_light() {
        assert_eq!(BrandPalette::default().stylesheet(), None);
        let dark = BrandPalette { accent: None, background: SrgbColour::parse("#101010") };
        assert!(!dark.has_light_background() && dark.stylesheet().is_none());
        let light = BrandPalette { accent: None, background: SrgbColour::parse("#eef2ff") };
        assert!(light.has_light_background() && light.stylesheet().unwrap().contains("--ground:#eef2ff;"));
    }
}
