//! The branding of an instance: its files, ready to be served.

use sinete_core::organizations::branding::logo::LogoImageFormat;
use sinete_screens::assets::{SEAL, fingerprint};
use sinete_screens::branding::PageBranding;
pub use sinete_screens::branding::{BrandMark, BrandPalette};
pub use sinete_screens::colour::{SrgbColour, TEXT_CONTRAST_MIN};
use sinete_server::reply::document::StaticDocument;
use std::sync::Arc;

/// The path of the instance's logo.
pub(crate) const LOGO_PATH: &str = "/assets/brand/logo";
/// The path of the instance's colors.
pub(crate) const COLORS_PATH: &str = "/assets/brand/colours.css";
/// The path of the instance's additional style sheet.
pub(crate) const STYLE_PATH: &str = "/assets/brand/style.css";

/// The configured branding.
#[derive(Clone, Debug, Default)]
pub struct BrandingSettings {
    /// The name.
    pub name: Option<String>,
    /// The logo.
    pub logo: Option<BrandingLogo>,
    /// The colors.
    pub palette: BrandPalette,
    /// An additional style sheet.
    pub style: Option<String>,
    /// The URL of the documentation.
    pub documentation: Option<String>,
}

/// A logo that is a supported image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandingLogo {
    bytes: Vec<u8>,
    content_type: &'static str,
}

/// The branding of an instance. Cheap to clone.
#[derive(Clone, Debug)]
pub struct InstanceBranding(Arc<BrandingFiles>);

#[derive(Debug)]
struct BrandingFiles {
    brand: PageBranding,
    email_logo: Option<String>,
    logo: StaticDocument,
    colors: StaticDocument,
    style: StaticDocument,
}

impl BrandingLogo {
    /// Maximum size of a logo, in bytes.
    pub const BYTES_MAX: usize = 256 * 1024;

    /// Detects the image format by its first bytes; `None` if it is not supported.
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
    /// Creates it from the configured branding, with defaults.
    pub fn new(settings: BrandingSettings) -> Self {
        let colours = settings.palette.stylesheet();
        let has_logo = settings.logo.is_some();
        let logo = settings
            .logo
            .unwrap_or(BrandingLogo { bytes: SEAL.bytes.to_vec(), content_type: SEAL.content_type });
        let at = |path: &str, bytes: &[u8]| format!("{path}?v={:016x}", fingerprint(bytes));
        let styles = [
            colours.as_ref().map(|style| at(COLORS_PATH, style.as_bytes())),
            settings.style.as_ref().map(|style| at(STYLE_PATH, style.as_bytes())),
        ];
        // Most mail programs do not display SVG.
        let email_logo = (has_logo && logo.content_type != LogoImageFormat::Svg.media_type())
            .then(|| at(LOGO_PATH, &logo.bytes));
        let house = PageBranding::default();
        let brand = PageBranding {
            name: settings.name.unwrap_or(house.name),
            mark: if has_logo { BrandMark::Image(at(LOGO_PATH, &logo.bytes)) } else { house.mark },
            instance_name: None,
            styles: styles.into_iter().flatten().collect(),
            documentation: settings.documentation,
        };
        Self(Arc::new(BrandingFiles {
            brand,
            email_logo,
            logo: cacheable_document(logo.bytes, logo.content_type),
            colors: cacheable_document(colours.unwrap_or_default().into_bytes(), CSS_MEDIA_TYPE),
            style: cacheable_document(settings.style.unwrap_or_default().into_bytes(), CSS_MEDIA_TYPE),
        }))
    }

    /// The branding for pages.
    pub fn brand(&self) -> &PageBranding {
        &self.0.brand
    }

    /// The path of the logo in e-mail: an own one, in a format that mail programs display.
    pub fn email_logo_path(&self) -> Option<&str> {
        self.0.email_logo.as_deref()
    }

    pub(crate) fn logo(&self) -> &StaticDocument {
        &self.0.logo
    }

    pub(crate) fn colors(&self) -> &StaticDocument {
        &self.0.colors
    }

    pub(crate) fn style(&self) -> &StaticDocument {
        &self.0.style
    }
}

pub(crate) const CSS_MEDIA_TYPE: &str = "text/css; charset=utf-8";

/// `Cache-Control` of files whose path does not change with their content.
pub(crate) const BRANDING_CACHE_CONTROL: &str = "public, max-age=3600";

/// A document whose path does not change with its content; its query does, so it is cached for a while.
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
    fn instance_branding_uses_configured_values_or_the_default() {
        let house = InstanceBranding::new(BrandingSettings::default());
        assert_eq!(house.brand(), &PageBranding::default());
        let instance_branding = InstanceBranding::new(BrandingSettings {
            name: Some("Padaria".to_owned()),
            logo: BrandingLogo::detect(b"<svg/>".to_vec()),
            palette: BrandPalette { accent: SrgbColour::parse("#0a66c2"), background: None },
            style: Some("h1 { color: red }".to_owned()),
            documentation: Some("https://docs.example/".to_owned()),
        });
        assert_eq!(instance_branding.brand().documentation.as_deref(), Some("https://docs.example/"));
        assert_eq!(instance_branding.brand().name, "Padaria");
        let BrandMark::Image(logo) = &instance_branding.brand().mark else { panic!("the logo is not shown") };
        assert!(logo.starts_with("/assets/brand/logo?v="));
        assert_eq!(instance_branding.brand().styles.len(), 2);
        assert_eq!(instance_branding.style().bytes().as_ref(), b"h1 { color: red }");
    }
}
