//! What an instance looks like: the files it brings, ready to be sent, and the brand that names them.

use crate::reply::document::Document;
use sinete_core::people::logo::PictureKind;
use sinete_screens::assets::{SEAL, fingerprint};
use sinete_screens::brand::Brand;
pub use sinete_screens::brand::{Mark, Palette};
pub use sinete_screens::colour::Colour;
use std::sync::Arc;

/// The mark of an instance, below the base address.
pub(crate) const LOGO_PATH: &str = "/assets/brand/logo";
/// The colours of an instance.
pub(crate) const COLOURS_PATH: &str = "/assets/brand/colours.css";
/// Whatever else an instance changes about its looks.
pub(crate) const STYLE_PATH: &str = "/assets/brand/style.css";

/// What an instance chose to look like.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Its name.
    pub name: Option<String>,
    /// Its mark.
    pub logo: Option<Logo>,
    /// Its colours.
    pub palette: Palette,
    /// A style sheet that follows ours.
    pub style: Option<String>,
}

/// A mark that was found to be a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logo {
    bytes: Vec<u8>,
    content_type: &'static str,
}

/// How an instance looks. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Branding(Arc<Files>);

#[derive(Debug)]
struct Files {
    brand: Brand,
    logo: Document,
    colours: Document,
    style: Document,
}

impl Logo {
    /// The largest mark that is taken.
    pub const BYTES_MAX: usize = 256 * 1024;

    /// A picture, known by how it begins; nothing if it is none that browsers show.
    pub fn read(bytes: Vec<u8>) -> Option<Self> {
        let content_type = PictureKind::of(&bytes)?.media_type();
        Some(Self { bytes, content_type })
    }
}

impl Default for Branding {
    fn default() -> Self {
        Self::new(Chosen::default())
    }
}

impl Branding {
    /// The looks that were chosen, and those of the house where nothing was.
    pub fn new(chosen: Chosen) -> Self {
        let colours = chosen.palette.style();
        let own = chosen.logo.is_some();
        let logo =
            chosen.logo.unwrap_or(Logo { bytes: SEAL.bytes.to_vec(), content_type: SEAL.content_type });
        let at = |path: &str, bytes: &[u8]| format!("{path}?v={:016x}", fingerprint(bytes));
        let styles = [
            colours.as_ref().map(|style| at(COLOURS_PATH, style.as_bytes())),
            chosen.style.as_ref().map(|style| at(STYLE_PATH, style.as_bytes())),
        ];
        let house = Brand::default();
        let brand = Brand {
            name: chosen.name.unwrap_or(house.name),
            mark: if own { Mark::Picture(at(LOGO_PATH, &logo.bytes)) } else { house.mark },
            shown_by: None,
            styles: styles.into_iter().flatten().collect(),
        };
        Self(Arc::new(Files {
            brand,
            logo: document(logo.bytes, logo.content_type),
            colours: document(colours.unwrap_or_default().into_bytes(), CSS),
            style: document(chosen.style.unwrap_or_default().into_bytes(), CSS),
        }))
    }

    /// What pages are told.
    pub fn brand(&self) -> &Brand {
        &self.0.brand
    }

    pub(crate) fn logo(&self) -> &Document {
        &self.0.logo
    }

    pub(crate) fn colours(&self) -> &Document {
        &self.0.colours
    }

    pub(crate) fn style(&self) -> &Document {
        &self.0.style
    }
}

pub(super) const CSS: &str = "text/css; charset=utf-8";

/// How long a file may be kept whose path does not change with its content.
pub(super) const KEPT: &str = "public, max-age=3600";

/// The path does not change with the content, its query does: a while is long enough to keep it.
fn document(bytes: Vec<u8>, content_type: &'static str) -> Document {
    let number = fingerprint(&bytes);
    Document::numbered(bytes, number, content_type, KEPT).packed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_a_picture_that_browsers_show() {
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
            assert_eq!(Logo::read(bytes.to_vec()).map(|logo| logo.content_type), expected);
        }
    }

    #[test]
    fn the_house_looks_like_itself_and_an_instance_like_what_it_chose() {
        let house = Branding::new(Chosen::default());
        assert_eq!(house.brand(), &Brand::default());
        let own = Branding::new(Chosen {
            name: Some("Padaria".to_owned()),
            logo: Logo::read(b"<svg/>".to_vec()),
            palette: Palette { accent: Colour::parse("#0a66c2"), background: None },
            style: Some("h1 { color: red }".to_owned()),
        });
        assert_eq!(own.brand().name, "Padaria");
        let Mark::Picture(logo) = &own.brand().mark else { panic!("the logo is not shown") };
        assert!(logo.starts_with("/assets/brand/logo?v="));
        assert_eq!(own.brand().styles.len(), 2);
        assert_eq!(own.style().bytes().as_ref(), b"h1 { color: red }");
    }
}
