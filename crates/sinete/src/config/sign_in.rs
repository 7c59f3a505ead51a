//! The settings of sign-in and sign-up.

use super::problem::ConfigProblem;
use super::values::ConfiguredMode;
use super::{ConfigSources, keys};
use sinete_engine::sign_in::credentials::passkey;
use sinete_engine::sign_in::credentials::passkey::TotpTolerance;
use sinete_engine::sign_in::credentials::password;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{InteractionTarget, MessageRateLimitPolicy, SignUpPolicy};
use std::path::PathBuf;
use url::Url;

/// Maximum memory for password hashing if its concurrency is not configured, in KiB.
const HASHING_MEMORY_KIB: u32 = 256 * 1024;

/// The settings of sign-in and sign-up.
#[derive(Clone, Debug)]
pub struct SignInConfig {
    /// Who may sign up.
    pub sign_up: SignUpPolicy,
    /// Minimum characters in a password.
    pub length_min: usize,
    /// The memory cost of a hash, in KiB.
    pub memory_kib: u32,
    /// The passes of a hash.
    pub passes: u32,
    hashing_concurrency: Option<usize>,
    service_name: String,
    /// A file of breached passwords.
    pub breached_file: Option<PathBuf>,
    /// A breached password service.
    pub breached_service: Option<Url>,
    /// The origins that may use the flow API with cookies.
    pub allowed_origins: Vec<String>,
    /// The URL of a custom sign-in interface, in place of the hosted screens.
    pub interaction_url: Option<Url>,
    /// The settings of passkeys and TOTP.
    pub passkeys: passkey::PasskeySettings,
    /// Whose messages are limited.
    pub message_budget: MessageRateLimitPolicy,
}

impl SignInConfig {
    pub(super) fn from_origins(origins: &ConfigSources, mode: ConfiguredMode) -> Result<Self, ConfigProblem> {
        Ok(Self {
            sign_up: origins.get(&keys::ACCOUNTS_SIGN_UP).unwrap_or(match mode {
                ConfiguredMode::Development => SignUpPolicy::Open,
                ConfiguredMode::Production => SignUpPolicy::InvitationOnly,
            }),
            length_min: origins.require(&keys::PASSWORDS_LENGTH_MIN)?,
            memory_kib: origins.require(&keys::PASSWORDS_MEMORY_KIB)?,
            passes: origins.require(&keys::PASSWORDS_PASSES)?,
            hashing_concurrency: origins.get(&keys::PASSWORDS_HASHED_AT_ONCE),
            service_name: service_name(origins)?,
            breached_file: origins.get(&keys::PASSWORDS_BREACHED_FILE),
            breached_service: origins.get(&keys::PASSWORDS_BREACHED_SERVICE),
            allowed_origins: origins.get(&keys::FLOWS_ALLOWED_ORIGINS).unwrap_or_default(),
            interaction_url: origins.get(&keys::FLOWS_INTERACTION_URL),
            message_budget: message_budget(origins, mode),
            passkeys: passkey::PasskeySettings {
                domain: origins.get(&keys::WEBAUTHN_RP_ID),
                origins: origins.get(&keys::WEBAUTHN_ORIGINS).unwrap_or_default(),
                totp_tolerance: match origins.require(&keys::TOTP_STEPS_LATE)? {
                    0 => TotpTolerance::None,
                    _ => TotpTolerance::OneStep,
                },
            },
        })
    }

    /// The number of passwords hashed concurrently: one per core, as far as memory allows.
    pub fn hashing_concurrency(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let fit = usize::try_from(HASHING_MEMORY_KIB / self.memory_kib.max(1)).unwrap_or(1);
        self.hashing_concurrency.unwrap_or_else(|| cores.min(fit).max(1))
    }

    /// The password settings.
    pub fn password_settings(&self) -> password::PasswordSettings {
        let defaults = password::PasswordSettings::default();
        let (memory_kib, passes) = (self.memory_kib, self.passes);
        password::PasswordSettings {
            parameters: password::Argon2Parameters { memory_kib, passes, ..defaults.parameters },
            characters_min: self.length_min,
            slots: self.hashing_concurrency(),
            service_name: self.service_name.clone(),
        }
    }

    /// The flow settings, depending on whether the hosted screens are served and SMS can be delivered.
    pub fn flow_settings(&self, screens: bool, sms_delivery: flows::SmsDelivery) -> flows::FlowSettings {
        let interaction = match (&self.interaction_url, screens) {
            (_, true) => InteractionTarget::Hosted,
            (Some(address), false) => InteractionTarget::External(address.to_string()),
            (None, false) => InteractionTarget::Headless,
        };
        let message_budget = self.message_budget;
        flows::FlowSettings { sign_up: self.sign_up, interaction, sms: sms_delivery, message_budget }
    }
}

/// Whose messages are limited: in production everyone's.
fn message_budget(origins: &ConfigSources, mode: ConfiguredMode) -> MessageRateLimitPolicy {
    let budget_setting = origins.get(&keys::RATE_LIMITS_MESSAGE_BUDGET);
    let is_on = budget_setting.or(origins.get(&keys::RATE_LIMITS_ENABLED)) == Some(true);
    match mode {
        ConfiguredMode::Development if !is_on => MessageRateLimitPolicy::ExceptLoopback,
        ConfiguredMode::Development | ConfiguredMode::Production => MessageRateLimitPolicy::Everyone,
    }
}

/// The name of the service, if the screens are served.
#[cfg(feature = "screens")]
fn service_name(origins: &ConfigSources) -> Result<String, ConfigProblem> {
    origins.require(&keys::SCREENS_NAME)
}

#[cfg(not(feature = "screens"))]
fn service_name(_: &ConfigSources) -> Result<String, ConfigProblem> {
    Ok(String::new())
}
