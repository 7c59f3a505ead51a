//! Credentials as named in messages.

use super::sanitize_text;
use sinete_locales::MailPhrases;
use sinete_store::sign_in::credentials::StoredCredentialKind;

/// A credential.
#[derive(Clone, Copy, Debug)]
pub struct NotifiedCredential<'a> {
    /// The kind.
    pub kind: StoredCredentialKind,
    /// The user's name for it; empty if it has the default name.
    pub name: &'a str,
}

impl NotifiedCredential<'_> {
    /// The text for the credential.
    pub(super) fn describe(&self, phrases: &MailPhrases) -> String {
        let kind = match self.kind {
            StoredCredentialKind::Passkey => phrases.passkey,
            StoredCredentialKind::Password => phrases.password,
            StoredCredentialKind::Totp => phrases.application,
            StoredCredentialKind::RecoveryCodes => phrases.recovery_codes,
        };
        let is_named = !self.name.is_empty() && !DEFAULT_NAMES.contains(&self.name);
        if is_named { format!("{kind} ({})", sanitize_text(self.name)) } else { kind.to_owned() }
    }
}

/// The default names of credentials.
const DEFAULT_NAMES: [&str; 3] = ["passkey", "authenticator application", "recovery codes"];
