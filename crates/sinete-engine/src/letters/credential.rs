//! Something to sign in with, as letters name it.

use super::quoted;
use super::words::Words;
use sinete_store::credentials::Kind;

/// Something to sign in with.
#[derive(Clone, Copy, Debug)]
pub struct Credential<'a> {
    /// What it is.
    pub kind: Kind,
    /// What its owner calls it; nothing where they call it by its kind.
    pub name: &'a str,
}

impl Credential<'_> {
    /// It, as its owner knows it.
    pub(super) fn told(&self, words: &Words) -> String {
        let kind = match self.kind {
            Kind::Passkey => words.passkey,
            Kind::Password => words.password,
            Kind::Totp => words.application,
            Kind::RecoveryCodes => words.recovery_codes,
        };
        let is_named = !self.name.is_empty() && !USUAL_NAMES.contains(&self.name);
        if is_named { format!("{kind} ({})", quoted(self.name)) } else { kind.to_owned() }
    }
}

/// What credentials are called whose owners gave them no name.
const USUAL_NAMES: [&str; 3] = ["passkey", "authenticator application", "recovery codes"];
