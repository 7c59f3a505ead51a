//! Whether messages can leave. Only `doctor` asks: a mail server that is away keeps nobody from starting.

use crate::boot::judgement::{DoctorCheck, DoctorFinding, FindingSeverity};
use crate::config::Config;
use crate::config::values::ConfiguredMode;
use crate::os::SystemClock;
use crate::outbound::sms::SmsGateway;
use crate::outbound::smtp::SmtpMailer;
use std::sync::Arc;

/// How mail and short messages stand, after a word with the mail server.
pub async fn findings(config: &Config) -> Vec<DoctorFinding> {
    let mail = match &config.mail {
        None => nowhere(config.mode, "mail", "set mail.server and mail.from"),
        Some(mail) => match SmtpMailer::new(mail) {
            Err(why) => unable(&why, "mend the keys that begin with mail."),
            Ok(mailer) => match mailer.greet().await {
                Ok(()) => well(format!("{} takes mail from {}", mail.server.host, mail.from)),
                Err(why) => unable(&why, "check mail.server, its password and that it runs"),
            },
        },
    };
    let texts = config.sms.as_ref().map(|sms| match SmsGateway::new(sms, Arc::new(SystemClock)) {
        Ok(_) => well(format!("short messages go to {}", sms.gateway.host_str().unwrap_or_default())),
        Err(why) => unable(&why, "mend the keys that begin with sms."),
    });
    std::iter::once(mail).chain(texts).collect()
}

fn nowhere(mode: ConfiguredMode, what: &str, mend: &str) -> DoctorFinding {
    match mode {
        ConfiguredMode::Development => well(format!("{what} is shown at /dev/mail")),
        ConfiguredMode::Production => {
            finding(FindingSeverity::Warning, format!("no {what} is sent"), Some(mend))
        }
    }
}

fn unable(why: &str, mend: &str) -> DoctorFinding {
    finding(FindingSeverity::Warning, format!("mail cannot be handed over: {why}"), Some(mend))
}

fn well(what: String) -> DoctorFinding {
    finding(FindingSeverity::Passed, what, None)
}

fn finding(verdict: FindingSeverity, what: String, mend: Option<&str>) -> DoctorFinding {
    DoctorFinding {
        check: DoctorCheck::Delivery,
        verdict,
        what,
        mend: mend.map(str::to_owned),
        is_broken: false,
    }
}
