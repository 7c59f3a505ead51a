//! Loads and checks the branding files named in the configuration.

use crate::config::BrandingConfig;
use crate::exit::CommandError;
use sinete_http::screens::branding::{BrandingLogo, BrandingSettings, InstanceBranding};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Maximum size of a style sheet, in bytes.
const STYLE_BYTES_MAX: usize = 64 * 1024;

/// Loads the configured branding. A missing, oversized or invalid file stops the start, so that the problem
/// is noticed by the operator and not by users.
pub(crate) fn load_branding(looks: &BrandingConfig) -> Result<InstanceBranding, CommandError> {
    let logo = looks.logo.as_deref().map(|path| {
        let bytes = read_bounded_file("screens.logo", path, BrandingLogo::BYTES_MAX)?;
        let wrong = || {
            CommandError::invalid_usage(format!(
                "screens.logo: {} is not SVG, PNG, JPEG or WebP",
                path.display()
            ))
        };
        BrandingLogo::detect(bytes).ok_or_else(wrong)
    });
    let style = looks.style.as_deref().map(|path| {
        let bytes = read_bounded_file("screens.style", path, STYLE_BYTES_MAX)?;
        String::from_utf8(bytes).map_err(|_| {
            CommandError::invalid_usage(format!("screens.style: {} is not text in UTF-8", path.display()))
        })
    });
    Ok(InstanceBranding::new(BrandingSettings {
        name: Some(looks.name.clone()),
        logo: logo.transpose()?,
        palette: looks.palette,
        style: style.transpose()?,
        documentation: looks.documentation.as_ref().map(ToString::to_string),
    }))
}

fn read_bounded_file(key: &str, path: &Path, maximum: usize) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(maximum).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(|error| {
        CommandError::invalid_usage(format!("{key}: {} cannot be read: {error}", path.display()))
    })?;
    if bytes.len() > maximum {
        return Err(CommandError::invalid_usage(format!(
            "{key}: {} is larger than {maximum} bytes",
            path.display()
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_http::screens::branding::{BrandMark, BrandPalette};

    fn looks(logo: Option<&Path>, style: Option<&Path>) -> BrandingConfig {
        let to_owned_path = |path: &Path| path.to_path_buf();
        BrandingConfig {
            name: "Padaria".to_owned(),
            logo: logo.map(to_owned_path),
            palette: BrandPalette::default(),
            style: style.map(to_owned_path),
            documentation: None,
        }
    }

    #[test]
    fn valid_branding_files_are_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let (logo, style) = (folder.path().join("logo.svg"), folder.path().join("own.css"));
        std::fs::write(&logo, "<svg/>").unwrap();
        std::fs::write(&style, "h1 { color: red }").unwrap();
        let branding = load_branding(&looks(Some(&logo), Some(&style))).unwrap();
        assert_eq!(branding.brand().name, "Padaria");
        assert!(matches!(branding.brand().mark, BrandMark::Image(_)) && branding.brand().styles.len() == 1);
    }

    #[test]
    fn branding_file_missing_too_large_or_of_another_type_stops_the_start_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let read_error = |looks: BrandingConfig| load_branding(&looks).unwrap_err().message;
        assert!(read_error(looks(Some(&file), None)).contains("cannot be read"));
        std::fs::write(&file, "a picture").unwrap();
        assert!(read_error(looks(Some(&file), None)).contains("is not SVG"));
        std::fs::write(&file, vec![b' '; STYLE_BYTES_MAX + 1]).unwrap();
        assert!(read_error(looks(None, Some(&file))).contains("larger than 65536 bytes"));
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        assert!(read_error(looks(None, Some(&file))).contains("UTF-8"));
        assert!(!read_error(looks(None, Some(&file))).contains('\n'));
    }
}
