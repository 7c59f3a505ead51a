//! Mail and short messages, as they are configured.

use crate::config::key::ConfigKey;
use crate::config::values::{MailServer, MaskedText};
use crate::config::{ConfigOrigins, keys};
use crate::private_file;
use std::path::PathBuf;
use url::Url;

/// A mail server and who writes.
#[derive(Clone, Debug)]
pub struct EmailConfig {
    /// The server.
    pub server: MailServer,
    /// Who our mail is from.
    pub from: String,
    /// Who we are to it.
    pub login: Option<ServiceLogin>,
    /// An authority that its certificate may be from, besides those everybody believes.
    pub ca_file: Option<PathBuf>,
}

/// A gateway for short messages.
#[derive(Clone, Debug)]
pub struct SmsConfig {
    /// Where they are posted.
    pub gateway: Url,
    /// The number or service they come from.
    pub from: String,
    /// Who we are to it.
    pub login: ServiceLogin,
}

/// A user name with its password.
#[derive(Clone, Debug)]
pub struct ServiceLogin {
    /// The name.
    pub user: String,
    /// The password.
    pub password: PasswordSource,
}

/// Where a password comes from.
#[derive(Clone, Debug)]
pub enum PasswordSource {
    /// From the configuration itself.
    Text(MaskedText),
    /// From a file.
    File(PathBuf),
}

impl PasswordSource {
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

impl ConfigOrigins {
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
