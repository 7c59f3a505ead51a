//! Reads a declarative document from a file and resolves its secrets.

use super::require_no_faults;
use crate::config::environment::Environment;
use crate::exit::CommandError;
use crate::private_file;
use serde_json::Value;
use sinete_core::administration::declarative::identity_providers;
use sinete_core::administration::declarative::webhooks::format_webhook_pointer;
use sinete_core::administration::declarative::{DeclarativeConfig, SecretReference};
use sinete_core::secret::{ClientSecret, Secret};
use sinete_core::validation::ValidationErrors;
use sinete_crypto::events::webhooks::WebhookSecret;
use sinete_engine::administration::declarative::DeclaredSecrets;
use std::io::Read as _;
use std::path::Path;
use zeroize::Zeroizing;

/// Maximum bytes in a document.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Reads the document from a file or standard input and resolves its secret references. Returns all errors at
/// once.
pub fn read_document(
    file: &Path,
    environment: &Environment,
) -> Result<(DeclarativeConfig, DeclaredSecrets), CommandError> {
    parse_text(file, &read_text(file)?, environment)
}

/// Parses the text of a document and resolves its secret references, relative to the file.
pub fn parse_text(
    file: &Path,
    text: &str,
    environment: &Environment,
) -> Result<(DeclarativeConfig, DeclaredSecrets), CommandError> {
    let raw = parse_document(file, text)?;
    let mut document = match DeclarativeConfig::parse(&raw) {
        Ok(document) => document,
        Err(errors) => {
            require_no_faults(file, "cannot be applied", &errors)?;
            DeclarativeConfig::default()
        }
    };
    let mut errors = ValidationErrors::default();
    for (id, client) in &mut document.clients {
        if let Some(reference) = &client.secret {
            match resolve_client_secret(reference, file, environment) {
                Ok(secret_reference) => client.secret = Some(secret_reference),
                Err(reason) => errors.add(format!("/clients/{id}/secret"), reason),
            }
        }
    }
    let mut secrets = DeclaredSecrets::default();
    for (owner, webhooks) in document.iter_webhooks_mut() {
        for (name, webhook) in webhooks {
            let Some(reference) = &webhook.secret else { continue };
            match resolve_webhook_secret(reference, file, environment) {
                Ok(secret) => webhook.secret = Some(secrets.add_webhook_secret(secret)),
                Err(reason) => errors.add(format!("{}/secret", format_webhook_pointer(owner, name)), reason),
            }
        }
    }
    for (slug, organization) in &mut document.organizations {
        for (name, connection) in &mut organization.connections {
            let Some(reference) = &connection.secret else { continue };
            match resolve_reference(reference, file, environment) {
                Ok(text) => connection.secret = Some(secrets.add_provider_secret(text.trim().to_owned())),
                Err(reason) => errors.add(
                    format!("{}/secret", identity_providers::format_connection_pointer(slug, name)),
                    reason,
                ),
            }
        }
    }
    require_no_faults(file, "cannot be applied", &errors)?;
    Ok((document, secrets))
}

fn read_text(file: &Path) -> Result<String, CommandError> {
    let unreadable = |reason: &dyn std::fmt::Display| {
        CommandError::invalid_usage(format!("{} cannot be read: {reason}", file.display()))
    };
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().take(BYTES_MAX + 1).read_to_end(&mut bytes)
    } else {
        let opened = std::fs::File::open(file).map_err(|error| unreadable(&error))?;
        opened.take(BYTES_MAX + 1).read_to_end(&mut bytes)
    };
    read.map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(unreadable(&format!("it is larger than {BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| unreadable(&"it is not text"))
}

/// Parses JSON or TOML. Only JSON begins with a brace.
fn parse_document(file: &Path, text: &str) -> Result<Value, CommandError> {
    let path = file.display();
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| {
            CommandError::invalid_usage(format!("{path} is not JSON: {error}; nothing was changed"))
        });
    }
    toml::from_str(text).map_err(|error| {
        let before = error.span().map_or("", |span| &text[..text.floor_char_boundary(span.start)]);
        let line = before.matches('\n').count() + 1;
        let reason = error.message();
        CommandError::invalid_usage(format!("{path} is not TOML: line {line}: {reason}; nothing was changed"))
    })
}

/// Resolves the reference to a client secret, and returns its digest.
fn resolve_client_secret(
    reference: &SecretReference,
    file: &Path,
    environment: &Environment,
) -> Result<SecretReference, String> {
    if let SecretReference::Digest(_) = reference {
        return Ok(reference.clone());
    }
    let text = resolve_reference(reference, file, environment)?;
    let secret = Secret::<ClientSecret>::parse(text.trim());
    secret.map(|secret| SecretReference::from(&secret.digest())).map_err(|_| {
        "the value is not a client secret of Sinete: create one with `sinete admin client-secret`".to_owned()
    })
}

/// Resolves the reference to a webhook secret.
fn resolve_webhook_secret(
    reference: &SecretReference,
    file: &Path,
    environment: &Environment,
) -> Result<WebhookSecret, String> {
    let text = resolve_reference(reference, file, environment)?;
    WebhookSecret::parse(text.trim()).ok_or_else(|| {
        "the value is not a webhook secret of Sinete: create one with `sinete admin webhook-secret`"
            .to_owned()
    })
}

/// Reads the text that a reference names.
fn resolve_reference(
    reference: &SecretReference,
    file: &Path,
    environment: &Environment,
) -> Result<Zeroizing<String>, String> {
    match reference {
        SecretReference::Digest(_) => Err("a digest does not contain the secret".to_owned()),
        SecretReference::Env(name) => match environment.get(name) {
            Some(text) => Ok(Zeroizing::new(text.to_owned())),
            None => Err(format!("the variable {name} is not set")),
        },
        SecretReference::File(path) => {
            // Paths are relative to the document.
            let path = file.parent().map_or_else(|| path.into(), |folder| folder.join(path));
            let text = private_file::read(&path);
            text.map_err(|error| format!("{} cannot be read: {error}", path.display()))
        }
    }
}
