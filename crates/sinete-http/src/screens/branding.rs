//! What an instance looks like: the files it brings, ready to be sent, and the brand that names them.

use crate::reply::document::StaticDocument;
use sinete_core::organizations::branding::logo::LogoImageFormat;
use sinete_screens::assets::{SEAL, fingerprint};
use sinete_screens::branding::PageBranding;
pub use sinete_screens::branding::{BrandMark, BrandPalette};
pub use sinete_screens::colour::SrgbColour;
use std::sync::Arc;

/// The mark of an instance, below the base address.
pub(crate) const LOGO_PATH: &str = "/assets/brand/logo";
/// The colours of an instance.
pub(crate) const COLOURS_PATH: &str = "/assets/brand/colours.css";
/// Whatever else an instance changes about its looks.
pub(crate) const STYLE_PATH: &str = "/assets/brand/style.css";

/// What an instance chose to look like.
#[derive(Clone, Debug, Default)]
pub struct BrandingSettings {
    /// Its name.
    pub name: Option<String>,
    /// Its mark.
    pub logo: Option<BrandingLogo>,
    /// Its colours.
    pub palette: BrandPalette,
    /// A style sheet that follows ours.
    pub style: Option<String>,
}

/// A mark that was found to be a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandingLogo {
    bytes: Vec<u8>,
    content_type: &'static str,
}

/// How an instance looks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct InstanceBranding(Arc<BrandingFiles>);

#[derive(Debug)]
struct BrandingFiles {
    brand: PageBranding,
    logo: StaticDocument,
    colours: StaticDocument,
    style: StaticDocument,
}

impl BrandingLogo {
    /// The largest mark that is taken.
    pub const BYTES_MAX: usize = 256 * 1024;

    /// A picture, known by how it begins; nothing if it is none that browsers show.
    pub fn detect(bytes: Vec<u8>) -> Option<Self> {
        let content_type = LogoImageFormat::detect(&bytes)?.media_type();
        Some(Self { bytes, content_type })
    }
}

impl Default for InstanceBranding {
    fn default() -> Self {
        Self::new(BrandingSettings::default())
    }
}

impl InstanceBranding {
    /// The looks that were chosen, and those of the house where nothing was.
    pub fn new(chosen: BrandingSettings) -> Self {
        let colours = chosen.palette.stylesheet();
        let own = chosen.logo.is_some();
        let logo = chosen
            .logo
            .unwrap_or(BrandingLogo { bytes: SEAL.bytes.to_vec(), content_type: SEAL.content_type });
        let at = |path: &str, bytes: &[u8]| format!("{path}?v={:016x}", fingerprint(bytes));
        let styles = [
            colours.as_ref().map(|style| at(COLOURS_PATH, style.as_bytes())),
            chosen.style.as_ref().map(|style| at(STYLE_PATH, style.as_bytes())),
        ];
        let house = PageBranding::default();
        let brand = PageBranding {
            name: chosen.name.unwrap_or(house.name),
            mark: if own { BrandMark::Picture(at(LOGO_PATH, &logo.bytes)) } else { house.mark },
            shown_by: None,
            styles: styles.into_iter().flatten().collect(),
        };
        Self(Arc::new(BrandingFiles {
            brand,
            logo: cacheable_document(logo.bytes, logo.content_type),
            colours: cacheable_document(colours.unwrap_or_default().into_bytes(), CSS_MEDIA_TYPE),
            style: cacheable_document(chosen.style.unwrap_or_default().into_bytes(), CSS_MEDIA_TYPE),
        }))
    }

    /// What pages are told.
    pub fn brand(&self) -> &PageBranding {
        &self.0.brand
    }

    pub(crate) fn logo(&self) -> &StaticDocument {
        &self.0.logo
    }

    pub(crate) fn colours(&self) -> &StaticDocument {
        &self.0.colours
    }

    pub(crate) fn style(&self) -> &StaticDocument {
        &self.0.style
    }
}

pub(super) const CSS_MEDIA_TYPE: &str = "text/css; charset=utf-8";

/// How long a file may be kept whose path does not change with its content.
pub(super) const BRANDING_CACHE_CONTROL: &str = "public, max-age=3600";

/// The path does not change with the content, its query does: a while is long enough to keep it.
fn cacheable_document(bytes: Vec<u8>, content_type: &'static str) -> StaticDocument {
    let number = fingerprint(&bytes);
    StaticDocument::with_version_number(bytes, number, content_type, BRANDING_CACHE_CONTROL).with_gzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instance_logo_must_be_a_picture_browsers_display() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n"[..], Some("image/png")),
            (&b"\xff\xd8\xff\xe0"[..], Some("image/jpeg")),
            (&b"RIFF\0\0\0\0WEBP"[..], Some("image/webp")),
            (&b"<svg xmlns='x'/>"[..], Some("image/svg+xml")),
            (&b"<?xml version='1.0'?>\n<svg/>"[..], Some("image/svg+xml")),
            (&b"<html><svg></html>"[..], None),
            (&b"GIF89a"[..], None),
            (&b""[..], None),
        ] {
            assert_eq!(BrandingLogo::detect(bytes.to_vec()).map(|logo| logo.content_type), expected);
        }
    }

    #[test]
    fn instance_branding_defaults_to_ours_and_uses_what_was_chosen() {
        let house = InstanceBranding::new(BrandingSettings::default());
        assert_eq!(house.brand(), &PageBranding::default());
        let own = InstanceBranding::new(BrandingSettings {
            name: Some("Padaria".to_owned()),
            logo: BrandingLogo::detect(b"<svg/>".to_vec()),
            palette: BrandPalette { accent: SrgbColour::parse("#0a66c2"), background: None },
            style: Some("h1 { color: red }".to_owned()),
        });
        assert_eq!(own.brand().name, "Padaria");
        let BrandMark::Picture(logo) = &own.brand().mark else { panic!("the logo is not shown") };
        assert!(logo.starts_with("/assets/brand/logo?v="));
        assert_eq!(own.brand().styles.len(), 2);
        assert_eq!(own.style().bytes().as_ref(), b"h1 { color: red }");
    }
}
