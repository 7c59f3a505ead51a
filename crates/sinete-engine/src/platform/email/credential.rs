//! Something to sign in with, as letters name it.

use super::locales::EmailPhrases;
use super::sanitize_text;
use sinete_store::sign_in::credentials::StoredCredentialKind;

/// Something to sign in with.
#[derive(Clone, Copy, Debug)]
pub struct EmailedCredential<'a> {
    /// What it is.
    pub kind: StoredCredentialKind,
    /// What its owner calls it; nothing where they call it by its kind.
    pub name: &'a str,
}

impl EmailedCredential<'_> {
    /// It, as its owner knows it.
    pub(super) fn describe(&self, words: &EmailPhrases) -> String {
        let kind = match self.kind {
            StoredCredentialKind::Passkey => words.passkey,
            StoredCredentialKind::Password => words.password,
            StoredCredentialKind::Totp => words.application,
            StoredCredentialKind::RecoveryCodes => words.recovery_codes,
        };
        let is_named = !self.name.is_empty() && !USUAL_NAMES.contains(&self.name);
        if is_named { format!("{kind} ({})", sanitize_text(self.name)) } else { kind.to_owned() }
    }
}

/// What credentials are called whose owners gave them no name.
const USUAL_NAMES: [&str; 3] = ["passkey", "authenticator application", "recovery codes"];
