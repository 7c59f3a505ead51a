//! Credentials: passkeys, passwords, authenticator apps, recovery codes.

pub mod breached_password;
pub mod foreign_password;
pub mod password;
pub mod recovery_codes;
pub mod totp;
pub mod webauthn;
