//! The picture of a user: a small raster image whose size is known before it is decoded.

use crate::limits::{PICTURE_BYTES_MAX, PICTURE_PIXELS_MAX};

/// The supported image formats. SVG is not among them, because it can contain more than an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
}

impl PictureFormat {
    /// The media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }

    /// Finds the format by media type.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        [Self::Png, Self::Jpeg, Self::Webp].into_iter().find(|it| it.media_type() == media_type)
    }
}

/// An image that may be shown as the picture of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfilePicture {
    format: PictureFormat,
    bytes: Vec<u8>,
}

/// Why a picture is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPicture {
    /// It exceeds the maximum size in bytes.
    #[error("a picture has at most {PICTURE_BYTES_MAX} bytes")]
    TooLarge,
    /// It is not a supported image.
    #[error("a picture is a PNG, JPEG or WebP image")]
    NotAnImage,
    /// It exceeds the maximum size in pixels.
    #[error("a picture is at most {PICTURE_PIXELS_MAX} pixels wide and high")]
    TooManyPixels,
}

impl ProfilePicture {
    /// Validates an image. The size in pixels is read from its header; the image is not decoded.
    pub fn new(bytes: Vec<u8>) -> Result<Self, InvalidPicture> {
        if bytes.len() > PICTURE_BYTES_MAX {
            return Err(InvalidPicture::TooLarge);
        }
        let (format, size) = read_header(&bytes).ok_or(InvalidPicture::NotAnImage)?;
        let fits = |side: u32| (1..=PICTURE_PIXELS_MAX).contains(&side);
        if fits(size.0) && fits(size.1) {
            Ok(Self { format, bytes })
        } else {
            Err(InvalidPicture::TooManyPixels)
        }
    }

    /// The image format.
    pub const fn format(&self) -> PictureFormat {
        self.format
    }

    /// The image data.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The format of an image, with its width and height.
fn read_header(bytes: &[u8]) -> Option<(PictureFormat, (u32, u32))> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => {
            // The first chunk is IHDR (W3C PNG §11.2.1).
            let is_header = bytes.get(12..16)? == b"IHDR";
            let size = (big_endian(bytes.get(16..20)?), big_endian(bytes.get(20..24)?));
            is_header.then_some((PictureFormat::Png, size))
        }
        [0xff, 0xd8, 0xff, ..] => Some((PictureFormat::Jpeg, jpeg_size(bytes)?)),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            Some((PictureFormat::Webp, webp_size(bytes)?))
        }
        _ => None,
    }
}

/// The size in the frame header (SOF) of a JPEG image (ITU-T T.81 §B.2.2).
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut index = 2;
    loop {
        let [0xff, marker] = *bytes.get(index..index + 2)? else { return None };
        if marker == 0xff {
            index += 1;
            continue;
        }
        let length = usize::try_from(big_endian(bytes.get(index + 2..index + 4)?)).ok()?;
        // C4, C8 and CC are tables, not frames.
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let height = big_endian(bytes.get(index + 5..index + 7)?);
            return Some((big_endian(bytes.get(index + 7..index + 9)?), height));
        }
        // The image data begins (SOS): a frame header would have come before it.
        if marker == 0xda || length < 2 {
            return None;
        }
        index += 2 + length;
    }
}

/// The size of a WebP image (RFC 9649 §2.5 to §2.7).
fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |from: usize, to: usize| {
        let little_endian = |all: &[u8]| all.iter().rev().fold(0, |sum, byte| (sum << 8) | u32::from(*byte));
        bytes.get(from..to).map(little_endian)
    };
    match bytes.get(12..16)? {
        b"VP8 " => Some((number(26, 28)? & 0x3fff, number(28, 30)? & 0x3fff)),
        b"VP8L" => {
            let packed = number(21, 25)?;
            Some(((packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => Some((number(24, 27)? + 1, number(27, 30)? + 1)),
        _ => None,
    }
}

fn big_endian(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    fn jpeg(width: u16, height: u16) -> Vec<u8> {
        let mut bytes = b"\xff\xd8\xff\xe0\0\x04JF\xff\xff\xc2\0\x0b\x08".to_vec();
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes
    }

    fn webp(kind: &[u8; 4], rest: &[u8]) -> Vec<u8> {
        [b"RIFF\0\0\0\0WEBP", kind.as_slice(), b"\0\0\0\0", rest].concat()
    }

    fn size_of(bytes: &[u8]) -> Option<(u32, u32)> {
        read_header(bytes).map(|(_, size)| size)
    }

    #[test]
    fn picture_size_is_read_from_its_header() {
        assert_eq!(size_of(&png(256, 128)), Some((256, 128)));
        assert_eq!(size_of(&jpeg(640, 480)), Some((640, 480)));
        let lossy = webp(b"VP8 ", &[0, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x01, 0x80, 0x00]);
        assert_eq!(size_of(&lossy), Some((256, 128)));
        let lossless = webp(b"VP8L", &[0x2f, 0xff, 0xc0, 0x1f, 0x00]);
        assert_eq!(size_of(&lossless), Some((256, 128)));
        let extended = webp(b"VP8X", &[0, 0, 0, 0, 0xff, 0, 0, 0x7f, 0, 0]);
        assert_eq!(size_of(&extended), Some((256, 128)));
    }

    #[test]
    fn picture_must_be_a_raster_image_of_bounded_size() {
        assert_eq!(ProfilePicture::new(png(1024, 1)).unwrap().format(), PictureFormat::Png);
        for (width, height) in [(0, 1), (1025, 1), (1, 1025), (1 << 31, 1)] {
            assert_eq!(ProfilePicture::new(png(width, height)), Err(InvalidPicture::TooManyPixels));
        }
        let mut large = png(1, 1);
        large.resize(PICTURE_BYTES_MAX, 0);
        assert!(ProfilePicture::new(large.clone()).is_ok());
        large.push(0);
        assert_eq!(ProfilePicture::new(large), Err(InvalidPicture::TooLarge));
        for other in [
            b"".as_slice(),
            b"GIF89a",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b"\x89PNG\r\n\x1a\n\0\0\0\rTEXT\0\0\0\x01\0\0\0\x01",
            b"\xff\xd8\xff",
            b"\xff\xd8\xff\xe0\0\0\xff\xc0",
            b"\xff\xd8\xff\xda\0\x04\0\0\xff\xc0\0\x0b\x08\0\x01\0\x01",
            b"RIFF\0\0\0\0WEBPVP9 ",
        ] {
            assert_eq!(ProfilePicture::new(other.to_vec()), Err(InvalidPicture::NotAnImage), "{other:?}");
        }
    }

    #[test]
    fn picture_media_types_round_trip() {
        for format in [PictureFormat::Png, PictureFormat::Jpeg, PictureFormat::Webp] {
            assert_eq!(PictureFormat::from_media_type(format.media_type()), Some(format));
        }
        assert_eq!(PictureFormat::from_media_type("image/svg+xml"), None);
    }
}
