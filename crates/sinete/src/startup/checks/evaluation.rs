//! Evaluates the facts of an instance: blockers for production, warnings and passed checks.
//!
//! A pure function. `serve` in production refuses to start on any blocker; `doctor` prints everything.

mod network;

use crate::startup::checks::facts::{
    DatabaseFact, FileFact, InstanceKeyFact, InstanceKeyMatch, LogVerificationFact, LookupFileFact,
    LookupFileKind, SigningKeyFact, StartupFacts, UsableKeyFact,
};
use crate::startup::file_exposure::FileExposure;
use serde::Serialize;
use sinete_core::limits::CLOCK_OFFSET_MAX;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_store::StoreFailure;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// The check.
    pub check: DoctorCheck,
    /// The severity.
    pub verdict: FindingSeverity,
    /// What was found, in one sentence without a final period.
    #[serde(rename = "what")]
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// Whether not even a development instance can start.
    #[serde(skip)]
    pub is_broken: bool,
}

/// The checks. The names are part of the public interface: scripts read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DoctorCheck {
    /// The issuer.
    Issuer,
    /// The instance key.
    InstanceKey,
    /// The signing keys.
    SigningKeys,
    /// The database and its schema.
    Database,
    /// Whether commits are durable.
    Durability,
    /// When the security log was last verified.
    SecurityLog,
    /// The clock difference to the database.
    Clock,
    /// The permissions of secret files.
    Files,
    /// The TLS certificate.
    Certificate,
    /// The network settings.
    Network,
    /// The log level.
    Log,
    /// The lookup files.
    Lists,
    /// The branding.
    Looks,
    /// E-mail and SMS delivery.
    Delivery,
    /// The identity providers.
    Providers,
    /// The domain verification records.
    Domains,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingSeverity {
    /// Production must not start.
    Blocker,
    /// Needs attention.
    Warning,
    /// Passed.
    Passed,
}

/// All blockers for production.
pub fn find_blockers(facts: &StartupFacts) -> Vec<DoctorFinding> {
    evaluate_facts(facts).into_iter().filter(|finding| finding.verdict == FindingSeverity::Blocker).collect()
}

/// All findings, blockers first.
pub fn evaluate_facts(facts: &StartupFacts) -> Vec<DoctorFinding> {
    let mut findings = vec![check_issuer(facts)];
    findings.push(check_instance_key(&facts.instance_key));
    findings.extend(check_signing_keys(&facts.signing));
    findings.extend(check_database(&facts.database));
    findings.extend(check_log_verification(facts.log_verification));
    findings.extend(check_files(&facts.files));
    findings.extend(facts.lookup_files.iter().map(check_list));
    findings.extend(facts.branding.as_ref().map(check_branding));
    findings.extend(network::check_network(facts));
    findings.sort_by_key(|finding| finding.verdict);
    findings
}

fn blocker(check: DoctorCheck, summary: impl Into<String>, remedy: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        check,
        verdict: FindingSeverity::Blocker,
        message: summary.into(),
        remedy: Some(remedy.into()),
        is_broken: false,
    }
}

/// A finding that also keeps a development instance from starting.
fn fatal(check: DoctorCheck, summary: impl Into<String>, remedy: impl Into<String>) -> DoctorFinding {
    DoctorFinding { is_broken: true, ..blocker(check, summary, remedy) }
}

fn warning(check: DoctorCheck, summary: impl Into<String>, remedy: impl Into<String>) -> DoctorFinding {
    DoctorFinding { verdict: FindingSeverity::Warning, ..blocker(check, summary, remedy) }
}

fn passed(check: DoctorCheck, summary: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        check,
        verdict: FindingSeverity::Passed,
        message: summary.into(),
        remedy: None,
        is_broken: false,
    }
}

fn check_issuer(facts: &StartupFacts) -> DoctorFinding {
    let issuer = &facts.issuer;
    if issuer.is_https() {
        return passed(DoctorCheck::Issuer, format!("the issuer is {issuer}"));
    }
    let summary = format!("the issuer {issuer} is not https");
    blocker(
        DoctorCheck::Issuer,
        summary,
        "set base_url to the https URL that users use, as in https://id.example.com",
    )
}

/// The finding and fix if the instance key of a database is missing. Generating another key does not help.
pub const LOST_KEY: (&str, &str) = (
    "there is no instance key, and this database was used with one",
    "put that key into the file that instance_key_file names, or in development back into data_dir as instance.key",
);

fn check_instance_key(fact: &InstanceKeyFact) -> DoctorFinding {
    let check = DoctorCheck::InstanceKey;
    match fact {
        InstanceKeyFact::Missing => blocker(
            check,
            "there is no instance key, so secrets cannot be encrypted",
            "make one with `sinete keys instance-key`, keep it in a file of your own and set instance_key_file",
        ),
        InstanceKeyFact::Lost => fatal(check, LOST_KEY.0, LOST_KEY.1),
        InstanceKeyFact::Unusable(reason) => fatal(
            check,
            format!("the instance key cannot be used: {reason}"),
            "fix instance_key_file or its content",
        ),
        InstanceKeyFact::Usable { key_match: InstanceKeyMatch::Wrong, .. } => fatal(
            check,
            "the instance key is not the one this database was used with",
            "configure the key it was used with; if the key was replaced, add the old one to previous_instance_keys",
        ),
        InstanceKeyFact::Usable { is_sample: true, .. } => blocker(
            check,
            "the instance key is the example of our documentation, which is public",
            "make your own with `sinete keys instance-key`",
        ),
        InstanceKeyFact::Usable { is_generated: true, origin, .. } => blocker(
            check,
            format!("the instance key {origin} was generated beside the data it protects"),
            "set instance_key_file to a file that is not in data_dir, so that a copy of the data is not enough",
        ),
        InstanceKeyFact::Usable { is_beside_data: true, origin, .. } => warning(
            check,
            format!("the instance key comes from {origin}, beside the data it protects"),
            "keep it in another folder, so that a copy of the data is not enough",
        ),
        InstanceKeyFact::Usable { origin, .. } => {
            passed(check, format!("the instance key comes from {origin}"))
        }
    }
}

fn check_signing_keys(keys: &[SigningKeyFact]) -> Vec<DoctorFinding> {
    let check = DoctorCheck::SigningKeys;
    let mut findings: Vec<DoctorFinding> = keys.iter().map(check_signing_key).collect();
    let signs =
        |algorithm| keys.iter().any(|fact| usable_key(fact).is_some_and(|key| key.algorithm == algorithm));
    for algorithm in SigningAlgorithm::REQUIRED.into_iter().filter(|algorithm| !signs(*algorithm)) {
        let summary = format!("there is no signing key for {algorithm}");
        let remedy =
            format!("run `sinete keys generate --algorithm {algorithm}`, or name a file in signing.keys");
        findings.push(blocker(check, summary, remedy));
    }
    findings
}

fn usable_key(fact: &SigningKeyFact) -> Option<&UsableKeyFact> {
    fact.key.as_ref().ok()
}

fn check_signing_key(fact: &SigningKeyFact) -> DoctorFinding {
    let check = DoctorCheck::SigningKeys;
    let origin = &fact.origin;
    match &fact.key {
        Err(reason) => fatal(
            check,
            format!("the signing key {origin} cannot be used: {reason}"),
            "replace it, for example with one that `sinete keys generate` makes",
        ),
        Ok(UsableKeyFact { is_development: true, .. }) => blocker(
            check,
            format!("the signing key {origin} is a development key"),
            "make a real one with `sinete keys generate`, on a database that never served development",
        ),
        Ok(UsableKeyFact { is_sample: true, .. }) => blocker(
            check,
            format!("the signing key {origin} is an example from a public document"),
            "make your own with `sinete keys generate`",
        ),
        Ok(UsableKeyFact { algorithm, .. }) => passed(check, format!("{origin} signs {algorithm}")),
    }
}

fn check_database(fact: &DatabaseFact) -> Vec<DoctorFinding> {
    let check = DoctorCheck::Database;
    match fact {
        DatabaseFact::Absent => vec![passed(check, "there is no database yet; starting makes it")],
        DatabaseFact::Unreadable(failed) => vec![database_failure(failed)],
        DatabaseFact::Open {
            engine,
            version,
            durability_risk: at_risk,
            pending,
            migrates,
            offset,
            is_private: private,
            write_failure: unwritable,
        } => {
            let mut findings = vec![match (pending, migrates) {
                (0, _) => passed(check, format!("{engine} {version} has the schema of this program")),
                (due, true) => {
                    passed(check, format!("{engine} {version} gets {due} migrations at the next start"))
                }
                (due, false) => {
                    let what = format!("{due} migrations are due and database.migrate_on_start is false");
                    blocker(check, what, "run `sinete migrate`")
                }
            }];
            findings.extend(unwritable.as_ref().map(database_failure));
            findings.push(match at_risk {
                None => passed(DoctorCheck::Durability, "acknowledged writes are on disk"),
                Some(setting) => blocker(
                    DoctorCheck::Durability,
                    format!("{setting}: acknowledged writes can be lost"),
                    "set synchronous_commit and fsync to on, for the server, the database and the role",
                ),
            });
            if offset.exceeds(CLOCK_OFFSET_MAX) {
                let seconds = offset.micros() / 1_000_000;
                let summary = format!(
                    "the database's clock is {seconds} seconds from this node's, which issues no tokens"
                );
                findings.push(warning(
                    DoctorCheck::Clock,
                    summary,
                    "synchronize both with the same time service",
                ));
            }
            if !private {
                let summary = "the connection to the database is not encrypted";
                findings.push(warning(check, summary, "add ?sslmode=verify-full to database_url"));
            }
            findings
        }
    }
}

fn database_failure(failed: &StoreFailure) -> DoctorFinding {
    let (summary, remedy) = match failed {
        StoreFailure::Unreachable | StoreFailure::OutcomeUnknown => {
            ("the database cannot be reached".to_owned(), "check database_url and that the server is running")
        }
        StoreFailure::Locked => ("another process holds the database".to_owned(), "stop the other one"),
        StoreFailure::Full => ("the disk of the database is full".to_owned(), "make room"),
        StoreFailure::ReadOnly => (
            "the database cannot be written".to_owned(),
            "give this process's user the right to write its file and the folder around it",
        ),
        StoreFailure::TooNew { applied_version: database_version, known_version: supported_version } => (
            format!("the schema is at version {database_version} and this program knows {supported_version}"),
            "run the program that wrote it, or a newer one",
        ),
        StoreFailure::Damaged(reason) => {
            (format!("the database is damaged: {reason}"), "restore a backup with `sinete restore`")
        }
        StoreFailure::Overloaded => {
            ("the database has too much to do to answer".to_owned(), "try again later")
        }
        StoreFailure::Unstorable(reason) | StoreFailure::Other(reason) => {
            (reason.clone(), "see that database_url leads to a database of Sinete's own")
        }
    };
    fatal(DoctorCheck::Database, summary, remedy)
}

/// A verification with findings needs attention, but keeps no server from starting: users still need to sign in.
fn check_log_verification(fact: LogVerificationFact) -> Option<DoctorFinding> {
    let check = DoctorCheck::SecurityLog;
    match fact {
        LogVerificationFact::Unknown => None,
        LogVerificationFact::Never => {
            let summary = "no verification of the security log is recorded; `sinete log verify` records one";
            Some(passed(check, summary))
        }
        LogVerificationFact::Recorded { at, findings: 0, position } => {
            let up_to = position.map(|position| format!(" up to position {position}")).unwrap_or_default();
            Some(passed(check, format!("the security log was verified{up_to} at {at}, without findings")))
        }
        LogVerificationFact::Recorded { at, findings, .. } => {
            let noun = if findings == 1 { "finding" } else { "findings" };
            let summary = format!("the verification of the security log at {at} had {findings} {noun}");
            Some(warning(check, summary, "run `sinete log verify`, and see the incident playbooks"))
        }
    }
}

fn check_files(files: &[FileFact]) -> Vec<DoctorFinding> {
    let check = DoctorCheck::Files;
    let open = files.iter().filter(|file| file.exposure.is_readable_by_others());
    let mut findings: Vec<DoctorFinding> = open
        .map(|FileFact { contents: holds, path, exposure, blocks_production: grave }| {
            let summary =
                format!("{} ({holds}) can be read by others than its owner, {exposure}", path.display());
            let remedy = format!("run `chmod go-rwx {}`", path.display());
            if *grave { blocker(check, summary, remedy) } else { warning(check, summary, remedy) }
        })
        .collect();
    let private_count = files.iter().filter(|file| file.exposure == FileExposure::OwnerOnly).count();
    if findings.is_empty() && private_count > 0 {
        findings.push(passed(check, "only their owner can read files with secrets in them"));
    }
    findings
}

fn check_list(LookupFileFact { kind: list, path, unusable }: &LookupFileFact) -> DoctorFinding {
    let (well, expected_contents) = match list {
        LookupFileKind::BreachedPasswords => {
            ("new passwords are looked up in", "SHA-1 hashes, one a line, ordered by hash")
        }
        LookupFileKind::GeoIp => ("network addresses are looked up in", "places in MaxMind's format"),
        LookupFileKind::ClientAuthorities => ("client certificates are verified with", "certificates in PEM"),
    };
    match unusable {
        None => passed(DoctorCheck::Lists, format!("{well} {}", path.display())),
        Some(reason) => {
            let (key, remedy) = (
                list.config_key(),
                format!("name a file of {expected_contents}, or leave {} out", list.config_key()),
            );
            fatal(DoctorCheck::Lists, format!("{key} cannot be used: {reason}"), remedy)
        }
    }
}

fn check_branding(read: &Result<(), String>) -> DoctorFinding {
    match read {
        Ok(()) => passed(DoctorCheck::Looks, "the branding files can be used"),
        Err(reason) => {
            let remedy = "name a file that can be read and is of that kind, or leave the key out";
            fatal(DoctorCheck::Looks, reason.clone(), remedy)
        }
    }
}

#[cfg(test)]
mod tests;
