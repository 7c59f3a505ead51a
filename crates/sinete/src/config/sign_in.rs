//! How people sign in and up, as it is configured.

use super::problem::ConfigProblem;
use super::values::ConfiguredMode;
use super::{ConfigOrigins, keys};
use sinete_engine::sign_in::credentials::passkey;
use sinete_engine::sign_in::credentials::passkey::TotpTolerance;
use sinete_engine::sign_in::credentials::password;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{InteractionTarget, SignUpPolicy};
use std::path::PathBuf;
use url::Url;

/// The most memory that hashing takes where nobody says how many are hashed at once, in KiB.
const HASHING_MEMORY_KIB: u32 = 256 * 1024;

/// How people sign in and up.
#[derive(Clone, Debug)]
pub struct SignInConfig {
    /// Who may make an account.
    pub sign_up: SignUpPolicy,
    /// Fewest characters in a password.
    pub length_min: usize,
    /// How much memory a hash takes.
    pub memory_kib: u32,
    /// How many passes.
    pub passes: u32,
    hashing_concurrency: Option<usize>,
    service_name: String,
    /// A list of breached passwords.
    pub breached_file: Option<PathBuf>,
    /// A service that knows breached passwords.
    pub breached_service: Option<Url>,
    /// Whose pages may walk through flows by cookie.
    pub allowed_origins: Vec<String>,
    /// Where people are led without the hosted screens.
    pub interaction_url: Option<Url>,
    /// How passkeys and authenticator applications are used.
    pub passkeys: passkey::PasskeySettings,
}

impl SignInConfig {
    pub(super) fn from_origins(written: &ConfigOrigins, mode: ConfiguredMode) -> Result<Self, ConfigProblem> {
        Ok(Self {
            sign_up: written.get(&keys::ACCOUNTS_SIGN_UP).unwrap_or(match mode {
                ConfiguredMode::Development => SignUpPolicy::Open,
                ConfiguredMode::Production => SignUpPolicy::InvitationOnly,
            }),
            length_min: written.require(&keys::PASSWORDS_LENGTH_MIN)?,
            memory_kib: written.require(&keys::PASSWORDS_MEMORY_KIB)?,
            passes: written.require(&keys::PASSWORDS_PASSES)?,
            hashing_concurrency: written.get(&keys::PASSWORDS_HASHED_AT_ONCE),
            service_name: service_name(written)?,
            breached_file: written.get(&keys::PASSWORDS_BREACHED_FILE),
            breached_service: written.get(&keys::PASSWORDS_BREACHED_SERVICE),
            allowed_origins: written.get(&keys::FLOWS_ALLOWED_ORIGINS).unwrap_or_default(),
            interaction_url: written.get(&keys::FLOWS_INTERACTION_URL),
            passkeys: passkey::PasskeySettings {
                domain: written.get(&keys::WEBAUTHN_RP_ID),
                origins: written.get(&keys::WEBAUTHN_ORIGINS).unwrap_or_default(),
                totp_tolerance: match written.require(&keys::TOTP_STEPS_LATE)? {
                    0 => TotpTolerance::None,
                    _ => TotpTolerance::OneStep,
                },
            },
        })
    }

    /// How many passwords are hashed at once: as many as there are cores, as far as memory allows.
    pub fn hashing_concurrency(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let fit = usize::try_from(HASHING_MEMORY_KIB / self.memory_kib.max(1)).unwrap_or(1);
        self.hashing_concurrency.unwrap_or_else(|| cores.min(fit).max(1))
    }

    /// How passwords are kept.
    pub fn password_settings(&self) -> password::PasswordSettings {
        let usual = password::PasswordSettings::default();
        let (memory_kib, passes) = (self.memory_kib, self.passes);
        password::PasswordSettings {
            parameters: password::Argon2Parameters { memory_kib, passes, ..usual.parameters },
            characters_min: self.length_min,
            slots: self.hashing_concurrency(),
            service_name: self.service_name.clone(),
        }
    }

    /// Where people are led, given whether the hosted screens are served, and whether short messages leave.
    pub fn flow_settings(&self, screens: bool, texts: flows::SmsDelivery) -> flows::FlowSettings {
        let interaction = match (&self.interaction_url, screens) {
            (_, true) => InteractionTarget::Hosted,
            (Some(address), false) => InteractionTarget::External(address.to_string()),
            (None, false) => InteractionTarget::Headless,
        };
        flows::FlowSettings { sign_up: self.sign_up, interaction, sms: texts }
    }
}

/// What the service is called on its screens, where it has some.
#[cfg(feature = "screens")]
fn service_name(written: &ConfigOrigins) -> Result<String, ConfigProblem> {
    written.require(&keys::SCREENS_NAME)
}

#[cfg(not(feature = "screens"))]
fn service_name(_: &ConfigOrigins) -> Result<String, ConfigProblem> {
    Ok(String::new())
}
