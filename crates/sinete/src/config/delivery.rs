//! The settings of e-mail and SMS delivery.

use crate::config::key::ConfigKey;
use crate::config::values::{MailServer, MaskedText};
use crate::config::{ConfigSources, keys};
use crate::private_file;
use std::path::PathBuf;
use url::Url;

/// The mail server and sender.
#[derive(Clone, Debug)]
pub struct EmailConfig {
    /// The server.
    pub server: MailServer,
    /// The sender of our e-mail.
    pub from: String,
    /// The login, if required.
    pub login: Option<ServiceLogin>,
    /// An additional CA for its certificate.
    pub ca_file: Option<PathBuf>,
}

/// The SMS gateway.
#[derive(Clone, Debug)]
pub struct SmsConfig {
    /// The URL that messages are posted to.
    pub gateway: Url,
    /// The sender number or service.
    pub from: String,
    /// The login.
    pub login: ServiceLogin,
}

/// A user name with its password.
#[derive(Clone, Debug)]
pub struct ServiceLogin {
    /// The user name.
    pub user: String,
    /// The password.
    pub password: PasswordSource,
}

/// The source of a password.
#[derive(Clone, Debug)]
pub enum PasswordSource {
    /// The configuration itself.
    Text(MaskedText),
    /// A file.
    File(PathBuf),
}

impl PasswordSource {
    /// Reads the password.
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

    /// The file it is read from, if any.
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Text(_) => None,
            Self::File(path) => Some(path),
        }
    }
}

impl ConfigSources {
    pub(super) fn email(&self) -> Option<EmailConfig> {
        Some(EmailConfig {
            server: self.get(&keys::MAIL_SERVER)?,
            from: self.get(&keys::MAIL_FROM)?,
            login: self.login(&keys::MAIL_USER, &keys::MAIL_PASSWORD, &keys::MAIL_PASSWORD_FILE),
            ca_file: self.get(&keys::MAIL_CA_FILE),
        })
    }

    pub(super) fn sms(&self) -> Option<SmsConfig> {
        Some(SmsConfig {
            gateway: self.get(&keys::SMS_GATEWAY)?,
            from: self.get(&keys::SMS_FROM)?,
            login: self.login(&keys::SMS_USER, &keys::SMS_PASSWORD, &keys::SMS_PASSWORD_FILE)?,
        })
    }

    fn login(
        &self,
        user: &ConfigKey<String>,
        password: &ConfigKey<MaskedText>,
        file: &ConfigKey<PathBuf>,
    ) -> Option<ServiceLogin> {
        let password = match (self.get(password), self.get(file)) {
            (Some(text), _) => PasswordSource::Text(text),
            (None, Some(path)) => PasswordSource::File(path),
            (None, None) => return None,
        };
        Some(ServiceLogin { user: self.get(user)?, password })
    }
}
