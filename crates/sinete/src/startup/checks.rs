//! The checks of `doctor` and `serve`.

pub mod evaluation;
pub mod examination;
pub mod facts;
pub mod identity_providers;
pub mod message_delivery;

use crate::config::Config;
use evaluation::{DoctorFinding, evaluate_facts};
use examination::examine_instance;
use sinete_core::time::Timestamp;

/// Runs all checks, blockers first. Those that connect to other machines run only if wanted.
pub async fn run_checks(config: &Config, now: Timestamp, contacts_others: bool) -> Vec<DoctorFinding> {
    let mut findings = evaluate_facts(&examine_instance(config, now).await.startup_facts);
    if contacts_others {
        findings.extend(message_delivery::check_message_delivery(config).await);
        findings.extend(identity_providers::check_providers_and_domains(config).await);
    }
    findings.sort_by_key(|finding| finding.verdict);
    findings
}
