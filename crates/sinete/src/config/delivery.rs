//! Mail and short messages, as they are configured.

use crate::boot::private_file;
use crate::config::key::Key;
use crate::config::values::{MailServer, Masked};
use crate::config::{Written, keys};
use std::path::PathBuf;
use url::Url;

/// A mail server and who writes.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The server.
    pub server: MailServer,
    /// Who our mail is from.
    pub from: String,
    /// Who we are to it.
    pub login: Option<Login>,
    /// An authority that its certificate may be from, besides those everybody believes.
    pub ca_file: Option<PathBuf>,
}

/// A gateway for short messages.
#[derive(Clone, Debug)]
pub struct Sms {
    /// Where they are posted.
    pub gateway: Url,
    /// The number or service they come from.
    pub from: String,
    /// Who we are to it.
    pub login: Login,
}

/// A user name with its password.
#[derive(Clone, Debug)]
pub struct Login {
    /// The name.
    pub user: String,
    /// The password.
    pub password: Password,
}

/// Where a password comes from.
#[derive(Clone, Debug)]
pub enum Password {
    /// From the configuration itself.
    Text(Masked),
    /// From a file.
    File(PathBuf),
}

impl Password {
    /// The password, or why it cannot be read.
    pub fn reveal(&self) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text.reveal().to_owned()),
            Self::File(path) => {
                let read = private_file::read(path);
                let text = read.map_err(|error| format!("the file {}: {error}", path.display()))?;
                let line = text.lines().next().unwrap_or_default();
                if line.is_empty() {
                    Err(format!("the file {} is empty", path.display()))
                } else {
                    Ok(line.to_owned())
                }
            }
        }
    }

    /// The file it is read from.
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Text(_) => None,
            Self::File(path) => Some(path),
        }
    }
}

impl Written {
    pub(super) fn mail(&self) -> Option<Mail> {
        Some(Mail {
            server: self.value(&keys::MAIL_SERVER)?,
            from: self.value(&keys::MAIL_FROM)?,
            login: self.login(&keys::MAIL_USER, &keys::MAIL_PASSWORD, &keys::MAIL_PASSWORD_FILE),
            ca_file: self.value(&keys::MAIL_CA_FILE),
        })
    }

    pub(super) fn sms(&self) -> Option<Sms> {
        Some(Sms {
            gateway: self.value(&keys::SMS_GATEWAY)?,
            from: self.value(&keys::SMS_FROM)?,
            login: self.login(&keys::SMS_USER, &keys::SMS_PASSWORD, &keys::SMS_PASSWORD_FILE)?,
        })
    }

    fn login(&self, user: &Key<String>, password: &Key<Masked>, file: &Key<PathBuf>) -> Option<Login> {
        let password = match (self.value(password), self.value(file)) {
            (Some(text), _) => Password::Text(text),
            (None, Some(path)) => Password::File(path),
            (None, None) => return None,
        };
        Some(Login { user: self.value(user)?, password })
    }
}
