//! The branding and the templates of e-mail, from the configuration.

use crate::config::Config;
use crate::exit::CommandError;
use sinete_engine::platform::email::samples::find_template_problems;
use sinete_engine::platform::email::{
    EmailBranding, EmailBrandingAndTemplates, EmailTemplates, TemplateProblem,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Maximum size of a template, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 64 * 1024;
/// Maximum number of templates.
const TEMPLATES_MAX: usize = 2_000;

/// The e-mail settings, and every template that cannot be used.
pub(crate) struct LoadedEmailSettings {
    /// The settings.
    pub(crate) settings: EmailBrandingAndTemplates,
    /// What is wrong with the templates.
    pub(crate) problems: BTreeSet<TemplateProblem>,
}

/// Loads the branding and the templates. A folder that cannot be read stops the start; a template that cannot be
/// used does not.
pub(crate) fn load_email_settings(
    config: &Config,
    issuer: &str,
) -> Result<LoadedEmailSettings, CommandError> {
    let branding = load_branding(config, issuer)?;
    let Some(folder) = &config.mail_templates else {
        let settings = EmailBrandingAndTemplates { branding, templates: EmailTemplates::default() };
        return Ok(LoadedEmailSettings { settings, problems: BTreeSet::new() });
    };
    let (templates, unused) = EmailTemplates::compile(read_folder(folder)?);
    let settings = EmailBrandingAndTemplates { branding, templates };
    let mut problems = find_template_problems(&settings, issuer);
    problems.extend(unused);
    Ok(LoadedEmailSettings { settings, problems })
}

/// The branding of the hosted screens, in messages.
#[cfg(feature = "screens")]
fn load_branding(config: &Config, issuer: &str) -> Result<EmailBranding, CommandError> {
    use sinete_http::screens::branding::{SrgbColour, TEXT_CONTRAST_MIN};

    let (branding_config, defaults) = (&config.branding, EmailBranding::default());
    let pages = crate::startup::branding::load_branding(branding_config)?;
    let accent = branding_config.palette.accent.map(|accent| {
        accent.with_contrast_on(&[SrgbColour::WHITE], SrgbColour::BLACK, TEXT_CONTRAST_MIN).to_string()
    });
    let background = branding_config
        .palette
        .background
        .filter(|srgb_colour| srgb_colour.contrast_with(SrgbColour::BLACK) >= 12.0);
    Ok(EmailBranding {
        name: branding_config.name.clone(),
        logo: pages.email_logo_path().filter(|_| config.screens).map(|path| format!("{issuer}{path}")),
        accent: accent.unwrap_or(defaults.accent),
        background: background.map_or(defaults.background, |srgb_colour| srgb_colour.to_string()),
    })
}

/// Without the hosted screens there is no branding.
#[cfg(not(feature = "screens"))]
#[expect(clippy::unnecessary_wraps, reason = "the twin above can fail")]
fn load_branding(_: &Config, _: &str) -> Result<EmailBranding, CommandError> {
    Ok(EmailBranding::default())
}

/// The files of the folder and of the folders of organizations, by their paths below it.
fn read_folder(folder: &Path) -> Result<Vec<(String, String)>, CommandError> {
    let mut files = Vec::new();
    read_files(folder, "", &mut files)?;
    let organizations = folder.join("organizations");
    if organizations.is_dir() {
        for entry in list_folder(&organizations)? {
            let path = organizations.join(&entry);
            if path.is_dir() {
                read_files(&path, &format!("organizations/{entry}/"), &mut files)?;
            }
        }
    }
    Ok(files)
}

fn read_files(folder: &Path, prefix: &str, files: &mut Vec<(String, String)>) -> Result<(), CommandError> {
    for name in list_folder(folder)? {
        let path = folder.join(&name);
        let is_hidden = name.starts_with('.') || name.ends_with('~');
        if is_hidden || !path.is_file() {
            continue;
        }
        let size = fs::metadata(&path).map_or(0, |it| it.len());
        if size > TEMPLATE_BYTES_MAX || files.len() >= TEMPLATES_MAX {
            return Err(CommandError::invalid_usage(format!(
                "mail.templates: {} is larger than {TEMPLATE_BYTES_MAX} bytes, or one of more than \
                 {TEMPLATES_MAX} templates",
                path.display()
            )));
        }
        let text = fs::read_to_string(&path).map_err(|error| unreadable_error(&path, &error))?;
        files.push((format!("{prefix}{name}"), text));
    }
    Ok(())
}

/// The names in a folder, sorted.
fn list_folder(folder: &Path) -> Result<Vec<String>, CommandError> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable_error(folder, &error))?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

fn unreadable_error(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::invalid_usage(format!("mail.templates: {} cannot be read: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_templates_are_read_with_those_of_organizations() {
        let folder = tempfile::tempdir().unwrap();
        let organization_folder = folder.path().join("organizations/padaria");
        fs::create_dir_all(&organization_folder).unwrap();
        fs::write(folder.path().join("sign_in.subject"), "Sign in").unwrap();
        fs::write(folder.path().join(".hidden"), "x").unwrap();
        fs::write(organization_folder.join("invitation.es.html"), "{{ link }}").unwrap();
        let paths: Vec<_> = read_folder(folder.path()).unwrap().into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["sign_in.subject", "organizations/padaria/invitation.es.html"]);
    }

    #[test]
    fn email_template_folder_that_is_missing_or_file_that_is_too_large_is_reported_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let missing = read_folder(&folder.path().join("none")).unwrap_err().message;
        assert!(missing.starts_with("mail.templates: ") && !missing.contains('\n'), "{missing}");
        let size = usize::try_from(TEMPLATE_BYTES_MAX).unwrap() + 1;
        fs::write(folder.path().join("sign_in.txt"), "x".repeat(size)).unwrap();
        assert!(read_folder(folder.path()).unwrap_err().message.contains("larger than"));
    }
}
