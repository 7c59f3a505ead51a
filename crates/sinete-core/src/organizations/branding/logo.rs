//! An organization's logo: a static image.

use crate::limits::LOGO_BYTES_MAX;

/// The supported image formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogoImageFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
    /// Scalable Vector Graphics.
    Svg,
}

impl LogoImageFormat {
    /// Detects the format from the first bytes.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            text => {
                let text = std::str::from_utf8(text).ok()?.trim_start_matches('\u{feff}').trim_start();
                let begins = text.starts_with("<svg") || text.starts_with("<?xml") && text.contains("<svg");
                begins.then_some(Self::Svg)
            }
        }
    }

    /// The media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Svg => "image/svg+xml",
        }
    }

    /// Finds the format by media type.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        [Self::Png, Self::Jpeg, Self::Webp, Self::Svg].into_iter().find(|it| it.media_type() == media_type)
    }
}

/// An image that may be shown on the hosted pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationLogo {
    kind: LogoImageFormat,
    bytes: Vec<u8>,
}

/// Why a logo is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLogo {
    /// It exceeds the maximum size.
    #[error("a logo must have at most {LOGO_BYTES_MAX} bytes")]
    TooLarge,
    /// It is not a supported image.
    #[error("a logo must be a PNG, JPEG, WebP or SVG image")]
    NotAnImage,
    /// It is an SVG with scripts, animation or external references.
    #[error("an SVG logo must not contain scripts, event handlers or references to other files")]
    ActiveContent,
}

impl OrganizationLogo {
    /// Validates an image as a logo.
    pub fn new(bytes: Vec<u8>) -> Result<Self, InvalidLogo> {
        if bytes.len() > LOGO_BYTES_MAX {
            return Err(InvalidLogo::TooLarge);
        }
        let kind = LogoImageFormat::detect(&bytes).ok_or(InvalidLogo::NotAnImage)?;
        let is_still = kind != LogoImageFormat::Svg || std::str::from_utf8(&bytes).is_ok_and(is_still);
        if is_still { Ok(Self { kind, bytes }) } else { Err(InvalidLogo::ActiveContent) }
    }

    /// The image format.
    pub const fn kind(&self) -> LogoImageFormat {
        self.kind
    }

    /// The image bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// SVG features that a logo does not need. The Content-Security-Policy it is served with disables them; this
/// check tells the administrator at upload.
const FORBIDDEN_SVG_CONTENT: [&str; 9] = [
    "<script",
    "<foreignobject",
    "<iframe",
    "<object",
    "<embed",
    "<!entity",
    "<?xml-stylesheet",
    "javascript:",
    "@import",
];

/// Whether an SVG is static.
fn is_still(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    !FORBIDDEN_SVG_CONTENT.iter().any(|part| text.contains(part))
        && !has_event_handler(&text)
        && !has_external_reference(&text)
}

/// Whether an attribute is named like an event handler.
fn has_event_handler(text: &str) -> bool {
    let is_letter =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ':' | '.');
    // The text before an equals sign is an attribute name.
    text.match_indices('=').any(|(index, _)| {
        let before = text.get(..index).unwrap_or_default().trim_end();
        let name = before.rsplit(|character: char| !is_letter(character)).next().unwrap_or_default();
        name.strip_prefix("on")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_lowercase()))
    })
}

/// Whether the SVG refers to anything but its own parts or embedded images.
fn has_external_reference(text: &str) -> bool {
    let is_inside = |address: &str| {
        let address = address
            .trim_start_matches(|it: char| it.is_ascii_whitespace() || matches!(it, '"' | '\'' | '=' | '('));
        address.starts_with('#')
            || address.starts_with("data:image/png")
            || address.starts_with("data:image/jpeg")
    };
    let refers = |mark: &str| text.split(mark).skip(1).any(|address| !is_inside(address));
    refers("href=") || refers("href =") || refers("url(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logo_must_be_a_picture_of_bounded_size() {
        let png = b"\x89PNG\r\n\x1a\n".to_vec();
        assert_eq!(OrganizationLogo::new(png.clone()).unwrap().kind(), LogoImageFormat::Png);
        assert_eq!(OrganizationLogo::new(b"GIF89a".to_vec()), Err(InvalidLogo::NotAnImage));
        assert_eq!(OrganizationLogo::new(b"<html><svg></html>".to_vec()), Err(InvalidLogo::NotAnImage));
        let mut large = png;
        large.resize(LOGO_BYTES_MAX, 0);
        assert!(OrganizationLogo::new(large.clone()).is_ok());
        large.push(0);
        assert_eq!(OrganizationLogo::new(large), Err(InvalidLogo::TooLarge));
    }

    #[test]
    fn logo_media_types_round_trip() {
        for kind in [LogoImageFormat::Png, LogoImageFormat::Jpeg, LogoImageFormat::Webp, LogoImageFormat::Svg]
        {
            assert_eq!(LogoImageFormat::from_media_type(kind.media_type()), Some(kind));
        }
        assert_eq!(LogoImageFormat::from_media_type("text/html"), None);
    }

    #[test]
    fn logo_svg_with_active_content_is_refused() {
        let drawing = |inside: &str| {
            OrganizationLogo::new(format!("<svg xmlns='http://www.w3.org/2000/svg'>{inside}</svg>").into())
        };
        for still in [
            "<path d='M0 0h8' fill='#123456'/>",
            "<defs><path id='a'/></defs><use href='#a' xlink:href=\"#a\"/>",
            "<rect fill=\"url(#shade)\"/><style>.button{fill:red}</style>",
            "<image href='data:image/png;base64,AAAA'/><text>on</text>",
        ] {
            assert!(drawing(still).is_ok(), "{still}");
        }
        for active in [
            "<script>alert(1)</script>",
            "<SCRIPT/>",
            "<a onclick='x()'/>",
            "<a\nONLOAD =x/>",
            "<g/onload=x>",
            "<foreignObject/>",
            "<use href='https://evil.example/x.svg#a'/>",
            "<image xlink:href = 'http://evil.example/'/>",
            "<rect fill='url(//evil.example/x)'/>",
            "<image href='data:image/svg+xml,x'/>",
            "<style>@import 'x'</style>",
            "<a href='javascript:x'/>",
        ] {
            assert_eq!(drawing(active), Err(InvalidLogo::ActiveContent), "{active}");
        }
    }
}
