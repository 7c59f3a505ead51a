//! The kinds of credentials with which a user authenticates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CredentialKind {
    /// A passkey.
    Passkey,
    /// A magic link sent by e-mail.
    MagicLink,
    /// A code sent by e-mail.
    EmailCode,
    /// A code sent by SMS.
    SmsCode,
    /// A code from an authenticator app.
    Totp,
    /// A recovery code.
    RecoveryCode,
    /// A password.
    Password,
    /// The organization's own identity provider.
    SingleSignOn,
}
