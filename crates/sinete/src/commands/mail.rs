//! `sinete mail preview`: every message with the configured branding and templates.

use crate::cli::mail::{MailCommand, MailFormat, MailPreviewArgs};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::{CommandError, CommandExit};
use crate::startup::email::{LoadedEmailSettings, load_email_settings};
use crate::terminal::Terminal;
use sinete_core::accounts::language::Language;
use sinete_engine::platform::email::samples::render_sample;
use sinete_engine::platform::email::{EmailKind, EmailOrganization, EmailOrigin};
use sinete_engine::ports::OutgoingEmail;
use std::fs;
use std::path::Path;

/// Runs a command about e-mail.
pub fn run(
    mail_command: &MailCommand,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let MailCommand::Preview(args) = mail_command;
    let config = Config::load(file, environment)?.config;
    let issuer = config.issuer(config.listen).to_string();
    let loaded = load_email_settings(&config, &issuer)?;
    let organization = args
        .organization
        .as_ref()
        .map(|slug| EmailOrganization { slug: slug.clone(), branding: loaded.settings.branding.clone() });
    let origin =
        EmailOrigin { issuer: &issuer, settings: &loaded.settings, organization: organization.as_ref() };
    match (&args.message, &args.output) {
        (Some(message), _) => terminal.print(&preview_message(message, args, origin)?)?,
        (None, Some(folder)) => write_messages(folder, args.language, origin)?,
        (None, None) => terminal.print(&format!("{}\n", EmailKind::NAMES.join("\n")))?,
    }
    report_problems(&loaded)
}

fn preview_message(
    message: &str,
    args: &MailPreviewArgs,
    origin: EmailOrigin<'_>,
) -> Result<String, CommandError> {
    let reader = args.language.unwrap_or_default().into();
    let Some(OutgoingEmail { subject, text, html, .. }) = render_sample(message, origin, &reader) else {
        let names = EmailKind::NAMES.join(", ");
        return Err(CommandError::invalid_usage(format!("there is no message {message}; there are {names}")));
    };
    Ok(match args.format {
        MailFormat::Text => format!("Subject: {subject}\n\n{text}"),
        MailFormat::Html => html,
    })
}

/// Writes every message as `<message>.<language>.html` and `.txt`.
fn write_messages(
    folder: &Path,
    language: Option<Language>,
    origin: EmailOrigin<'_>,
) -> Result<(), CommandError> {
    let cannot = |error: std::io::Error| {
        CommandError::failed(format!("{} cannot be written: {error}", folder.display()))
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    for language in Language::ALL.into_iter().filter(|it| language.is_none_or(|only| only == *it)) {
        for name in EmailKind::NAMES {
            let Some(message) = render_sample(name, origin, &language.into()) else { continue };
            let path = |extension: &str| folder.join(format!("{name}.{}.{extension}", language.tag()));
            fs::write(path("html"), &message.html).map_err(cannot)?;
            let text = format!("Subject: {}\n\n{}", message.subject, message.text);
            fs::write(path("txt"), text).map_err(cannot)?;
        }
    }
    Ok(())
}

fn report_problems(loaded: &LoadedEmailSettings) -> Result<CommandExit, CommandError> {
    if loaded.problems.is_empty() {
        return Ok(CommandExit::Done);
    }
    let mut message = "these templates cannot be used; the built-in text is sent instead".to_owned();
    for problem in &loaded.problems {
        message.push_str(&format!("\n  {problem}"));
    }
    Err(CommandError::invalid_usage(message))
}
