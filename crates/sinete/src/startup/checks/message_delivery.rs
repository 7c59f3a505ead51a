//! Checks message delivery. Only `doctor` runs this check: an unavailable mail server does not keep the
//! server from starting.

use crate::config::Config;
use crate::config::values::ConfiguredMode;
use crate::os::SystemClock;
use crate::outbound::sms::SmsGateway;
use crate::outbound::smtp::SmtpMailer;
use crate::startup::checks::evaluation::{DoctorCheck, DoctorFinding, FindingSeverity};
use std::sync::Arc;

/// Checks e-mail and SMS delivery, connecting to the mail server.
pub async fn check_message_delivery(config: &Config) -> Vec<DoctorFinding> {
    let mail = match &config.email {
        None => missing_transport_finding(config.mode, "mail", "set mail.server and mail.from"),
        Some(mail) => match SmtpMailer::new(mail) {
            Err(reason) => failed_transport_finding(&reason, "fix the keys that begin with mail."),
            Ok(mailer) => match mailer.check_connection().await {
                Ok(()) => passed_finding(format!("{} accepts mail from {}", mail.server.host, mail.from)),
                Err(reason) => {
                    failed_transport_finding(&reason, "check mail.server, its password and that it runs")
                }
            },
        },
    };
    let doctor_finding = config.sms.as_ref().map(|sms| match SmsGateway::new(sms, Arc::new(SystemClock)) {
        Ok(_) => {
            passed_finding(format!("short messages go to {}", sms.gateway.host_str().unwrap_or_default()))
        }
        Err(reason) => failed_transport_finding(&reason, "fix the keys that begin with sms."),
    });
    std::iter::once(mail).chain(doctor_finding).collect()
}

fn missing_transport_finding(mode: ConfiguredMode, message_kind: &str, remedy: &str) -> DoctorFinding {
    match mode {
        ConfiguredMode::Development => passed_finding(format!("{message_kind} is shown at /dev/mail")),
        ConfiguredMode::Production => {
            delivery_finding(FindingSeverity::Warning, format!("no {message_kind} is sent"), Some(remedy))
        }
    }
}

fn failed_transport_finding(reason: &str, remedy: &str) -> DoctorFinding {
    delivery_finding(FindingSeverity::Warning, format!("mail cannot be delivered: {reason}"), Some(remedy))
}

fn passed_finding(summary: String) -> DoctorFinding {
    delivery_finding(FindingSeverity::Passed, summary, None)
}

fn delivery_finding(verdict: FindingSeverity, summary: String, remedy: Option<&str>) -> DoctorFinding {
    DoctorFinding {
        check: DoctorCheck::Delivery,
        verdict,
        message: summary,
        remedy: remedy.map(str::to_owned),
        is_broken: false,
    }
}
