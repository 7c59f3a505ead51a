//! A document from a file: read, understood, and its secrets replaced by what is kept of them.

use super::complain;
use crate::boot::private_file;
use crate::config::environment::Environment;
use crate::exit::Stop;
use serde_json::Value;
use sinete_core::declared::{Declared, SecretReference};
use sinete_core::fault::Faults;
use sinete_core::secret::{ClientSecret, Secret};
use std::io::Read as _;
use std::path::Path;

/// Most bytes in a document.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The document in a file, or on standard input. Everything that is wrong with it is said at once.
pub fn read(file: &Path, environment: &Environment) -> Result<Declared, Stop> {
    let text = text_of(file)?;
    let raw = parsed(file, &text)?;
    let mut document = match Declared::read(&raw) {
        Ok(document) => document,
        Err(faults) => {
            complain(file, "cannot be applied", &faults)?;
            Declared::default()
        }
    };
    let mut faults = Faults::default();
    for (id, client) in &mut document.clients {
        if let Some(reference) = &client.secret {
            match resolved(reference, file, environment) {
                Ok(known) => client.secret = Some(known),
                Err(why) => faults.add(format!("/clients/{id}/secret"), why),
            }
        }
    }
    complain(file, "cannot be applied", &faults)?;
    Ok(document)
}

fn text_of(file: &Path) -> Result<String, Stop> {
    let unreadable =
        |why: &dyn std::fmt::Display| Stop::wrong(format!("{} cannot be read: {why}", file.display()));
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

/// JSON begins with a brace, which no TOML document does.
fn parsed(file: &Path, text: &str) -> Result<Value, Stop> {
    let place = file.display();
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text)
            .map_err(|error| Stop::wrong(format!("{place} is not JSON: {error}; nothing was changed")));
    }
    toml::from_str(text).map_err(|error| {
        let before = error.span().map_or("", |span| &text[..text.floor_char_boundary(span.start)]);
        let line = before.matches('\n').count() + 1;
        let why = error.message();
        Stop::wrong(format!("{place} is not TOML: line {line}: {why}; nothing was changed"))
    })
}

/// What is kept of the secret that the reference leads to.
fn resolved(
    reference: &SecretReference,
    file: &Path,
    environment: &Environment,
) -> Result<SecretReference, String> {
    let digest = |text: &str| {
        let secret = Secret::<ClientSecret>::parse(text.trim());
        secret.map(|secret| SecretReference::from(&secret.digest())).map_err(|_| {
            "what is found there is no client secret of ours: make one with `sinete admin client-secret`"
                .to_owned()
        })
    };
    match reference {
        SecretReference::Digest(_) => Ok(reference.clone()),
        SecretReference::Env(name) => match environment.get(name) {
            Some(text) => digest(text),
            None => Err(format!("the variable {name} is not set")),
        },
        SecretReference::File(path) => {
            // As the document says it: seen from where the document lies.
            let path = file.parent().map_or_else(|| path.into(), |folder| folder.join(path));
            match private_file::read(&path) {
                Ok(text) => digest(&text),
                Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
            }
        }
    }
}
