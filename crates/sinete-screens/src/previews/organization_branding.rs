//! Previews with the branding of an organization.

use super::{PagePreview, PreviewFile};
use crate::branding::{BrandPalette, PageBranding};
use crate::colour::SrgbColour;
use crate::oauth::consent::{ConsentView, TrustLabel};
use crate::page::PageFrame;
use crate::sample_pages::{sample_consent, sample_sign_in};

const NAME: &str = "Padaria da Esquina";
const LOGO_PATH: &str = "/assets/organizations/specimen/logo";
const COLORS_PATH: &str = "/assets/organizations/specimen/colours.css";

/// A loaf.
const LOGO: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="10" fill="#12594a"/><path d="M7 22c0-6 5-10 11-10s11 4 11 10c0 2-1 3-3 3H10c-2 0-3-1-3-3z" fill="#f7d9a3"/><path d="M13 16l2 5M18 15l2 6M23 16l2 5" stroke="#12594a" stroke-width="1.6" stroke-linecap="round"/></svg>"##;

pub(super) const PREVIEWS: &[PagePreview] = &[
    PagePreview {
        name: "sign-in-organization",
        page: |frame| render_with_branding(frame, |frame| sample_sign_in().render(frame)),
    },
    PagePreview {
        name: "consent-organization",
        page: |frame| {
            render_with_branding(frame, |frame| {
                let vouched = TrustLabel::Organization(NAME);
                ConsentView { trust: vouched, details: &[], ..sample_consent(frame.language) }.render(frame)
            })
        },
    },
];

/// The files that these previews refer to.
pub(super) fn branding_files() -> [PreviewFile; 2] {
    let palette =
        BrandPalette { accent: SrgbColour::parse("#12594a"), background: SrgbColour::parse("#eef4ee") };
    [
        PreviewFile { path: LOGO_PATH, content_type: "image/svg+xml", bytes: LOGO.as_bytes().to_vec() },
        PreviewFile {
            path: COLORS_PATH,
            content_type: "text/css; charset=utf-8",
            bytes: palette.stylesheet().unwrap_or_default().into_bytes(),
        },
    ]
}

fn render_with_branding(frame: &PageFrame<'_>, page: fn(&PageFrame<'_>) -> String) -> String {
    let brand: PageBranding = frame.brand.for_organization(
        NAME.to_owned(),
        Some(LOGO_PATH.to_owned()),
        Some(COLORS_PATH.to_owned()),
    );
    page(&PageFrame { brand: &brand, ..*frame })
}
