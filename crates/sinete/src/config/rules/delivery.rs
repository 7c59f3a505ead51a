//! Consistency rules of e-mail and SMS delivery.

use super::{is_set, problem_with_key};
use crate::config::ConfigSources;
use crate::config::keys;
use crate::config::problem::ConfigProblem;
use crate::config::values::{ConfiguredMode, MailSecurity, is_loopback_host};

/// All rules.
pub(super) const RULES: [fn(&ConfigSources) -> Option<ConfigProblem>; 7] = [
    check_email_sender,
    check_email_server,
    check_email_login,
    check_single_password,
    check_email_encryption,
    check_sms_settings,
    check_sms_encryption,
];

fn check_email_sender(origins: &ConfigSources) -> Option<ConfigProblem> {
    if !is_set(origins, &keys::MAIL_SERVER) || is_set(origins, &keys::MAIL_FROM) {
        return None;
    }
    problem_with_key(
        origins,
        &keys::MAIL_SERVER,
        "is set without mail.from".to_owned(),
        "set both, or neither",
    )
}

fn check_email_server(origins: &ConfigSources) -> Option<ConfigProblem> {
    if is_set(origins, &keys::MAIL_SERVER) || !is_set(origins, &keys::MAIL_FROM) {
        return None;
    }
    problem_with_key(
        origins,
        &keys::MAIL_FROM,
        "is set without mail.server".to_owned(),
        "set both, or neither",
    )
}

fn check_email_login(origins: &ConfigSources) -> Option<ConfigProblem> {
    let password = is_set(origins, &keys::MAIL_PASSWORD) || is_set(origins, &keys::MAIL_PASSWORD_FILE);
    match (is_set(origins, &keys::MAIL_USER), password) {
        (true, false) => problem_with_key(
            origins,
            &keys::MAIL_USER,
            "is set without a password".to_owned(),
            "set mail.password_file too, or neither",
        ),
        (false, true) => problem_with_key(
            origins,
            &keys::MAIL_USER,
            "is missing beside the password".to_owned(),
            "set mail.user too, or neither",
        ),
        (true, true) | (false, false) => None,
    }
}

fn check_single_password(origins: &ConfigSources) -> Option<ConfigProblem> {
    for (text, file, name) in [
        (&keys::MAIL_PASSWORD, &keys::MAIL_PASSWORD_FILE, "mail.password_file"),
        (&keys::SMS_PASSWORD, &keys::SMS_PASSWORD_FILE, "sms.password_file"),
    ] {
        if is_set(origins, text) && is_set(origins, file) {
            return problem_with_key(origins, text, format!("is set, and so is {name}"), "keep one of them");
        }
    }
    None
}

/// E-mail contains sign-in codes, so it is not sent unencrypted.
fn check_email_encryption(origins: &ConfigSources) -> Option<ConfigProblem> {
    let server = origins.get(&keys::MAIL_SERVER)?;
    let mode = origins.require(&keys::MODE).ok()?;
    if server.security != MailSecurity::Plain
        || (mode == ConfiguredMode::Development && is_loopback_host(&server.host))
    {
        return None;
    }
    let message = "mail would not be encrypted".to_owned();
    problem_with_key(origins, &keys::MAIL_SERVER, message, "use smtp:// or smtps://, which encrypt")
}

fn check_sms_settings(origins: &ConfigSources) -> Option<ConfigProblem> {
    let login = is_set(origins, &keys::SMS_USER)
        && (is_set(origins, &keys::SMS_PASSWORD) || is_set(origins, &keys::SMS_PASSWORD_FILE));
    let is_complete = is_set(origins, &keys::SMS_FROM) && login;
    if !is_set(origins, &keys::SMS_GATEWAY) || is_complete {
        return None;
    }
    let message = "is set without sms.from, sms.user or a password".to_owned();
    problem_with_key(origins, &keys::SMS_GATEWAY, message, "set sms.from, sms.user and sms.password_file too")
}

fn check_sms_encryption(origins: &ConfigSources) -> Option<ConfigProblem> {
    let gateway = origins.get(&keys::SMS_GATEWAY)?;
    let mode = origins.require(&keys::MODE).ok()?;
    let near = gateway.host_str().is_some_and(is_loopback_host);
    if gateway.scheme() == "https" || (mode == ConfiguredMode::Development && near) {
        return None;
    }
    let message = "short messages would not be encrypted".to_owned();
    problem_with_key(origins, &keys::SMS_GATEWAY, message, "use the https address of the gateway")
}
