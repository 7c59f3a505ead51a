use super::*;
use crate::config::values::BaseUrl;
use crate::startup::checks::facts::{MtlsFact, NetworkFact, OpenFileShortage};
use sinete_core::time::Timestamp;
use sinete_store::{ClockOffset, DatabaseEngine};

fn key(origin: &str, algorithm: SigningAlgorithm) -> SigningKeyFact {
    let key = UsableKeyFact { algorithm, is_development: false, is_sample: false };
    SigningKeyFact { origin: origin.to_owned(), key: Ok(key) }
}

fn instance_key_of(change: impl Fn(&mut bool, &mut bool, &mut InstanceKeyMatch)) -> InstanceKeyFact {
    let (mut is_sample, mut is_generated, mut fit) = (false, false, InstanceKeyMatch::Right);
    change(&mut is_sample, &mut is_generated, &mut fit);
    let origin = "SINETE_INSTANCE_KEY".to_owned();
    InstanceKeyFact::Usable { origin, is_sample, is_generated, is_beside_data: false, key_match: fit }
}

fn open_database() -> DatabaseFact {
    DatabaseFact::Open {
        engine: DatabaseEngine::Postgres,
        version: "16.4".to_owned(),
        durability_risk: None,
        pending: 0,
        migrates: true,
        offset: ClockOffset::NONE,
        is_private: true,
        write_failure: None,
    }
}

fn sound() -> StartupFacts {
    StartupFacts {
        issuer: BaseUrl::parse("https://id.example.com").unwrap(),
        instance_key: instance_key_of(|_, _, _| ()),
        signing: vec![key("a.pem", SigningAlgorithm::Es256), key("b.pem", SigningAlgorithm::Rs256)],
        database: open_database(),
        log_verification: LogVerificationFact::Never,
        files: vec![file(FileExposure::OwnerOnly, true)],
        lookup_files: vec![list(LookupFileKind::BreachedPasswords, None), list(LookupFileKind::GeoIp, None)],
        branding: Some(Ok(())),
        network: NetworkFact::default(),
        verbose_log: false,
    }
}

fn file(exposure: FileExposure, grave: bool) -> FileFact {
    FileFact {
        contents: "a signing key".to_owned(),
        path: "a.pem".into(),
        exposure,
        blocks_production: grave,
    }
}

fn list(list: LookupFileKind, unusable: Option<&str>) -> LookupFileFact {
    LookupFileFact { kind: list, path: "list".into(), unusable: unusable.map(str::to_owned) }
}

#[test]
fn security_log_verification_is_reported_and_findings_are_a_warning() {
    let at = Timestamp::from_seconds(1_700_000_000);
    let recorded = |findings| {
        let fact = LogVerificationFact::Recorded { at, findings, position: Some(812) };
        let doctor_findings = evaluate_facts(&StartupFacts { log_verification: fact, ..sound() });
        doctor_findings.into_iter().find(|finding| finding.check == DoctorCheck::SecurityLog).unwrap()
    };
    let intact = recorded(0);
    assert_eq!(intact.verdict, FindingSeverity::Passed);
    assert!(intact.message.contains("812") && intact.message.contains(&at.to_string()), "{intact:?}");
    let damaged = recorded(2);
    assert_eq!(damaged.verdict, FindingSeverity::Warning, "a server starts all the same");
    assert!(damaged.message.contains("2 findings"), "{damaged:?}");
    let none = StartupFacts { log_verification: LogVerificationFact::Unknown, ..sound() };
    assert!(evaluate_facts(&none).iter().all(|finding| finding.check != DoctorCheck::SecurityLog));
}

#[test]
fn unusable_branding_files_block_the_start() {
    let reason = "screens.logo: logo.svg cannot be read";
    let facts = StartupFacts { branding: Some(Err(reason.to_owned())), ..sound() };
    let [finding] = &find_blockers(&facts)[..] else { panic!("{:?}", find_blockers(&facts)) };
    assert!(
        finding.is_broken && finding.check == DoctorCheck::Looks && finding.message == reason,
        "{finding:?}"
    );
    assert!(find_blockers(&StartupFacts { branding: None, ..sound() }).is_empty());
}

#[test]
fn unusable_lists_block_the_start_and_unsafe_ones_block_production_only() {
    for (which, description) in [
        (LookupFileKind::BreachedPasswords, "passwords.breached_file cannot be used: list: it is empty"),
        (LookupFileKind::GeoIp, "alerts.geoip_file cannot be used: list: it is empty"),
    ] {
        let facts = StartupFacts { lookup_files: vec![list(which, Some("list: it is empty"))], ..sound() };
        let [finding] = &find_blockers(&facts)[..] else { panic!("{:?}", find_blockers(&facts)) };
        assert!(
            finding.is_broken && finding.check == DoctorCheck::Lists && finding.message == description,
            "{finding:?}"
        );
        assert!(
            finding.remedy.as_deref().is_some_and(|remedy| remedy.contains(which.config_key())),
            "{finding:?}"
        );
    }
    let readable = StartupFacts { files: vec![file(FileExposure::Others(0o640), true)], ..sound() };
    assert!(find_blockers(&readable).iter().all(|finding| !finding.is_broken));
    let looked_up = |passed_finding: &(DoctorCheck, String)| passed_finding.0 == DoctorCheck::Lists;
    assert_eq!(seen(&sound(), FindingSeverity::Passed).into_iter().filter(looked_up).count(), 2);
}

fn seen(facts: &StartupFacts, verdict: FindingSeverity) -> Vec<(DoctorCheck, String)> {
    let of = evaluate_facts(facts).into_iter().filter(|finding| finding.verdict == verdict);
    of.map(|finding| (finding.check, finding.message)).collect()
}

#[test]
fn doctor_reports_a_valid_instance_without_blockers_or_warnings() {
    let facts = sound();
    assert_eq!(find_blockers(&facts), []);
    assert_eq!(seen(&facts, FindingSeverity::Warning), []);
    let passed: Vec<_> = seen(&facts, FindingSeverity::Passed).into_iter().map(|(check, _)| check).collect();
    for check in [
        DoctorCheck::Issuer,
        DoctorCheck::InstanceKey,
        DoctorCheck::SigningKeys,
        DoctorCheck::Database,
        DoctorCheck::Durability,
    ] {
        assert!(passed.contains(&check), "{check:?}");
    }
}

/// Each of these facts blocks with the given reason, on this check only, and names a fix.
fn blocks(check: DoctorCheck, table: impl IntoIterator<Item = (StartupFacts, &'static str)>) {
    for (facts, words) in table {
        let doctor_findings = find_blockers(&facts);
        assert!(
            doctor_findings.iter().any(|finding| finding.message.contains(words)),
            "{words}: {doctor_findings:#?}"
        );
        for finding in &doctor_findings {
            assert_eq!(finding.check, check, "one fault, one check: {doctor_findings:#?}");
            assert!(finding.remedy.as_ref().is_some_and(|remedy| remedy.len() > 10), "{finding:?}");
        }
    }
}

#[test]
fn issuer_without_tls_blocks_the_start() {
    let facts = StartupFacts { issuer: BaseUrl::localhost(8080), ..sound() };
    blocks(DoctorCheck::Issuer, [(facts, "the issuer http://localhost:8080 is not https")]);
}

#[test]
fn instance_key_missing_unusable_wrong_public_or_generated_blocks_the_start() {
    let with = |fact| StartupFacts { instance_key: fact, ..sound() };
    blocks(
        DoctorCheck::InstanceKey,
        [
            (with(InstanceKeyFact::Missing), "there is no instance key"),
            (with(InstanceKeyFact::Lost), "this database was used with one"),
            (with(InstanceKeyFact::Unusable("no such file".to_owned())), "cannot be used: no such file"),
            (
                with(instance_key_of(|_, _, fit| *fit = InstanceKeyMatch::Wrong)),
                "not the one this database was used with",
            ),
            (with(instance_key_of(|sample, _, _| *sample = true)), "the example of our documentation"),
            (with(instance_key_of(|_, generated, _| *generated = true)), "generated beside the data"),
        ],
    );
}

#[test]
fn signing_key_missing_unusable_public_or_development_blocks_the_start() {
    let with = |change: fn(&mut SigningKeyFact)| {
        let mut facts = sound();
        change(&mut facts.signing[0]);
        facts
    };
    let one_only = StartupFacts { signing: vec![key("a.pem", SigningAlgorithm::Es256)], ..sound() };
    blocks(
        DoctorCheck::SigningKeys,
        [
            (one_only, "there is no signing key for RS256"),
            (
                with(|fact| fact.key = Err("the RSA key is too weak".to_owned())),
                "a.pem cannot be used: the RSA key is too weak",
            ),
            (with(|fact| fact.key.as_mut().unwrap().is_development = true), "a.pem is a development key"),
            (
                with(|fact| fact.key.as_mut().unwrap().is_sample = true),
                "a.pem is an example from a public document",
            ),
        ],
    );
}

#[test]
fn database_that_is_unusable_blocks_the_start() {
    let failed = |failed| StartupFacts { database: DatabaseFact::Unreadable(failed), ..sound() };
    let due = changed(|database| {
        if let DatabaseFact::Open { pending, migrates, .. } = database {
            (*pending, *migrates) = (2, false);
        }
    });
    blocks(
        DoctorCheck::Database,
        [
            (failed(StoreFailure::Unreachable), "the database cannot be reached"),
            (
                failed(StoreFailure::TooNew { applied_version: 9, known_version: 6 }),
                "at version 9 and this program knows 6",
            ),
            (failed(StoreFailure::Damaged("page 3".to_owned())), "the database is damaged: page 3"),
            (failed(StoreFailure::ReadOnly), "cannot be written"),
            (StartupFacts { database: due, ..sound() }, "2 migrations are due"),
        ],
    );
    let at_risk = changed(|database| {
        if let DatabaseFact::Open { durability_risk: at_risk, .. } = database {
            *at_risk = Some("synchronous_commit = off".to_owned());
        }
    });
    blocks(
        DoctorCheck::Durability,
        [(
            StartupFacts { database: at_risk, ..sound() },
            "synchronous_commit = off: acknowledged writes can be lost",
        )],
    );
}

#[test]
fn secret_file_readable_by_others_and_unusable_certificate_block_the_start() {
    let readable = StartupFacts { files: vec![file(FileExposure::Others(0o640), true)], ..sound() };
    blocks(
        DoctorCheck::Files,
        [(readable, "a.pem (a signing key) can be read by others than its owner, mode 640")],
    );
    let network = NetworkFact { certificate: Some("it has expired".to_owned()), ..NetworkFact::default() };
    blocks(
        DoctorCheck::Certificate,
        [(StartupFacts { network, ..sound() }, "the certificate cannot be used: it has expired")],
    );
}

fn changed(change: impl Fn(&mut DatabaseFact)) -> DatabaseFact {
    let mut database = open_database();
    change(&mut database);
    database
}

#[test]
fn doctor_reports_all_blockers_at_once() {
    let facts = StartupFacts {
        issuer: BaseUrl::localhost(8080),
        instance_key: InstanceKeyFact::Missing,
        signing: Vec::new(),
        database: DatabaseFact::Unreadable(StoreFailure::Unreachable),
        files: vec![file(FileExposure::Others(0o644), true)],
        ..sound()
    };
    let checks: Vec<_> = find_blockers(&facts).into_iter().map(|finding| finding.check).collect();
    assert_eq!(
        checks,
        [
            DoctorCheck::Issuer,
            DoctorCheck::InstanceKey,
            DoctorCheck::SigningKeys,
            DoctorCheck::SigningKeys,
            DoctorCheck::Database,
            DoctorCheck::Files
        ]
    );
}

#[test]
fn doctor_warnings_do_not_block_the_start() {
    let late = ClockOffset::between(Timestamp::from_seconds(103), Timestamp::from_seconds(100));
    let facts = StartupFacts {
        database: changed(|database| {
            if let DatabaseFact::Open { offset, is_private: private, .. } = database {
                (*offset, *private) = (late, false);
            }
        }),
        instance_key: InstanceKeyFact::Usable {
            origin: "the file data/key".to_owned(),
            is_sample: false,
            is_generated: false,
            is_beside_data: true,
            key_match: InstanceKeyMatch::Right,
        },
        files: vec![file(FileExposure::Others(0o755), false)],
        network: NetworkFact {
            admin_is_public: true,
            trusts_every_proxy: true,
            mtls: None,
            certificate: None,
            open_file_shortage: Some(OpenFileShortage {
                allowed: 1024,
                configured: 10_000,
                connections: 760,
            }),
        },
        verbose_log: true,
        ..sound()
    };
    assert_eq!(find_blockers(&facts), []);
    assert_eq!(seen(&facts, FindingSeverity::Warning).len(), 8);
}

#[test]
fn absent_database_and_pending_migrations_do_not_block_where_starting_fixes_them() {
    let pending = changed(|database| {
        if let DatabaseFact::Open { pending, .. } = database {
            *pending = 2;
        }
    });
    for database in [DatabaseFact::Absent, pending] {
        assert_eq!(find_blockers(&StartupFacts { database, ..sound() }), []);
    }
}

#[test]
fn mtls_configuration_is_reported() {
    let finding = |asks_everybody, is_sample| {
        let address = "https://mtls.id.example.com".to_owned();
        let mutual_tls = Some(MtlsFact { address, requests_from_everyone: asks_everybody, is_sample });
        let facts =
            StartupFacts { network: NetworkFact { mtls: mutual_tls, ..NetworkFact::default() }, ..sound() };
        evaluate_facts(&facts).into_iter().find(|finding| finding.check == DoctorCheck::Network).unwrap()
    };
    let doctor_finding = finding(false, false);
    assert_eq!((doctor_finding.verdict, doctor_finding.remedy), (FindingSeverity::Passed, None));
    assert!(doctor_finding.message.contains("https://mtls.id.example.com"));
    assert_eq!(finding(true, false).verdict, FindingSeverity::Warning);
    assert_eq!(finding(true, true).verdict, FindingSeverity::Blocker);
    let unusable = StartupFacts {
        lookup_files: vec![list(LookupFileKind::ClientAuthorities, Some("x: it holds nothing"))],
        ..sound()
    };
    assert_eq!(
        find_blockers(&unusable)[0].message,
        "mutual_tls.authorities cannot be used: x: it holds nothing"
    );
}
