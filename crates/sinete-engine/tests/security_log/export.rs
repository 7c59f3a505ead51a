//! Exports can be verified by anyone, and later changes are found.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{MINUTE, ORGANIZATION, World};
use sinete_core::events::log_chain::{LogChainAnchor, LogDefect};
use sinete_core::events::security_event::{EventKind, SecurityEventActor, SecurityEventTarget};
use sinete_core::id::OrganizationId;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::events::security_log::{
    EventSelection, ExportVerification, LogExport, PersonalDataMode, SecurityLogError, VerificationProgress,
    parse_noted_heads, verify_export,
};

both_engines!(
    security_log_export_is_verified_from_the_file_alone,
    security_log_export_tampering_is_detected,
    security_log_export_filter_selects_and_is_verifiable,
    security_log_export_continues_after_an_earlier_one,
    security_log_export_of_personal_data_is_recorded_first,
    security_log_exports_before_and_after_erasure_both_verify,
    security_log_that_was_tampered_with_is_not_exported_as_signed
);

async fn export(
    world: &World,
    selection: EventSelection,
    personal: PersonalDataMode,
) -> Result<String, SecurityLogError> {
    let mut out = Vec::new();
    let export = LogExport { at: world.now(), selection, personal };
    world.log.export(&export, &mut out, &mut |_| {}).await?;
    Ok(String::from_utf8(out).unwrap())
}

async fn export_all(world: &World) -> String {
    export(world, EventSelection::default(), PersonalDataMode::Excluded).await.unwrap()
}

fn check(file: &str, key: Option<&str>, anchors: &[LogChainAnchor]) -> (Vec<LogDefect>, ExportVerification) {
    let mut findings = Vec::new();
    let mut tell = |progress| {
        if let VerificationProgress::Finding(finding) = progress {
            findings.push(finding.defect);
        }
    };
    let verification = verify_export(&mut file.as_bytes(), key, anchors, &mut tell).unwrap();
    assert_eq!(verification.findings, findings.len() as u64);
    (findings, verification)
}

fn finds(file: &str) -> Vec<LogDefect> {
    check(file, None, &[]).0
}

fn positions(file: &str) -> Vec<i64> {
    let lines = file.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.filter_map(|line| line["position"].as_i64()).collect()
}

async fn security_log_export_is_verified_from_the_file_alone(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    let head = world.log.signed_head().await.unwrap();
    let file = export_all(&world).await;
    assert_eq!(positions(&file), (1..=10).collect::<Vec<_>>());
    let (findings, verification) = check(&file, Some(&head.kid), &[head.to_head().anchor()]);
    assert_eq!(findings, []);
    assert_eq!((verification.tally.links, verification.tally.anchors), (10, 1));
    assert_eq!((verification.head, verification.kid.as_str()), (head.to_head(), head.kid.as_str()));
    assert!(!verification.has_gaps);
    // It contains no personal data.
    assert!(!file.contains("2001:db8") && !file.contains("curl"));
    // The output of `sinete log head` is a recorded head.
    let printed = serde_json::to_string(&head).unwrap();
    assert_eq!(parse_noted_heads(&printed), [head.to_head().anchor()]);
    let elsewhere = LogChainAnchor { position: 4, ..head.to_head().anchor() };
    assert_eq!(check(&file, None, &[elsewhere]).0, [LogDefect::AnchorDiffers(elsewhere)]);
    let beyond = LogChainAnchor { position: 11, ..elsewhere };
    assert_eq!(check(&file, None, &[beyond]).0, [LogDefect::AnchorMissing(beyond)]);
}

async fn security_log_export_tampering_is_detected(database: Database) {
    let world = World::with_sealed_events(database, 6).await;
    let file = export_all(&world).await;
    let lines: Vec<_> = file.split_inclusive('\n').collect();
    assert_eq!((lines.len(), finds(&file)), (9, vec![]));
    for gone in 1..lines.len() {
        let without: String =
            lines.iter().enumerate().filter(|(index, _)| *index != gone).map(|(_, line)| *line).collect();
        assert!(!finds(&without).is_empty(), "line {gone} removed");
        let mut twice = lines.clone();
        twice.insert(gone, lines[gone]);
        assert!(!finds(&twice.concat()).is_empty(), "line {gone} doubled");
        let mut swapped = lines.clone();
        swapped.swap(gone, gone - usize::from(gone > 1));
        assert_eq!(finds(&swapped.concat()).is_empty(), gone == 1, "line {gone} swapped");
    }
    for (was, becomes) in [
        ("\"attempts\":3", "\"attempts\":4"),
        ("credential.failed", "session.ended"),
        ("\"ana\"", "\"eve\""),
        ("\"exported_at\":\"2", "\"exported_at\":\"3"),
        ("\"with_personal\":false", "\"with_personal\":true"),
        ("\"kinds\":[]", "\"kinds\":[\"x\"]"),
        ("\"lines\":8", "\"lines\":7"),
    ] {
        assert!(file.contains(was), "{was}");
        assert!(!finds(&file.replacen(was, becomes, 1)).is_empty(), "{was} became {becomes}");
    }
    // Every byte counts: white space that JSON ignores is a change too.
    assert_eq!(finds(&file.replacen(",\"kind\"", ", \"kind\"", 1)), [LogDefect::ExportAltered]);
    assert_eq!(finds(&lines[..8].concat()), [LogDefect::ExportCutOff]);
    assert_eq!(finds(&lines[..3].concat()), [LogDefect::ExportCutOff]);
    assert!(matches!(finds(&format!("{file}{{}}\n"))[..], [LogDefect::LineUnreadable { .. }]));
    for nothing in ["", "{}\n", "not an export\n", &lines[1..].concat()] {
        let refused = verify_export(&mut nothing.as_bytes(), None, &[], &mut |_| {});
        assert!(matches!(refused, Err(SecurityLogError::NotAnExport)), "{nothing}");
    }
    let long = format!("{}{}", lines[0], "x".repeat(2 << 20));
    let refused = verify_export(&mut long.as_bytes(), None, &[], &mut |_| {});
    assert!(matches!(refused, Err(SecurityLogError::LineTooLong { line: 2 })));
    // Another key in place of ours: identified by its thumbprint, regardless of its `kid`.
    let kid = world.log.signed_head().await.unwrap().kid;
    let other = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap();
    let x = |key: &serde_json::Value| key["x"].as_str().unwrap().to_owned();
    let ours = world.log.signed_head().await.unwrap().key;
    let forged = file.replace(&x(&ours), &x(&other.public_jwk()));
    let findings = check(&forged, Some(&kid), &[]).0;
    assert!(
        findings.contains(&LogDefect::ExportKeyUnexpected { kid: other.kid().to_owned() }),
        "{findings:?}"
    );
    assert!(findings.contains(&LogDefect::HeadForged) && findings.contains(&LogDefect::ExportAltered));
}

async fn security_log_export_filter_selects_and_is_verifiable(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    let links = world.links().await;
    let at = |position: usize| links[position - 1].event.as_ref().unwrap().at;
    let all = EventSelection::default;
    let elsewhere = OrganizationId::from_bytes([4; 16]);
    for (selection, expected) in [
        (EventSelection { kinds: vec![EventKind::SigningKeyGenerated], ..all() }, vec![1]),
        (
            EventSelection {
                kinds: vec![EventKind::SigningKeyGenerated, EventKind::CredentialFailed],
                ..all()
            },
            (1..=10).collect(),
        ),
        (EventSelection { organization: Some(ORGANIZATION), ..all() }, (2..=10).collect()),
        (EventSelection { organization: Some(elsewhere), ..all() }, vec![]),
        (EventSelection { since: Some(at(4)), ..all() }, (4..=10).collect()),
        (EventSelection { until: Some(at(4)), ..all() }, vec![1, 2, 3]),
        (EventSelection { since: Some(at(4)), until: Some(at(6)), after: 4, ..all() }, vec![5]),
        (EventSelection { since: Some(at(10).plus(MINUTE)), ..all() }, vec![]),
    ] {
        let file = export(&world, selection.clone(), PersonalDataMode::Excluded).await.unwrap();
        assert_eq!(positions(&file), expected, "{selection:?}");
        let (findings, verification) = check(&file, None, &[]);
        assert_eq!((findings, verification.has_gaps), (vec![], true));
        for line in file.lines().filter(|line| line.contains("\"position\":5,")) {
            let changed = file.replace(line, &line.replace("ana", "eve"));
            assert_eq!(finds(&changed), [LogDefect::Changed, LogDefect::ExportAltered]);
            let without = file.replace(&format!("{line}\n"), "");
            assert_eq!(finds(&without), [LogDefect::ExportAltered]);
        }
    }
}

async fn security_log_export_continues_after_an_earlier_one(database: Database) {
    let world = World::with_sealed_events(database, 4).await;
    let noted = world.log.signed_head().await.unwrap().to_head().anchor();
    let full_export = export_all(&world).await;
    for _ in 0..3 {
        world.happens().await;
    }
    world.seal().await.unwrap();
    let after = |after| EventSelection { after, ..EventSelection::default() };
    let rest = export(&world, after(5), PersonalDataMode::Excluded).await.unwrap();
    assert_eq!((positions(&full_export), positions(&rest)), (vec![1, 2, 3, 4, 5], vec![6, 7, 8]));
    // The second begins where the first ended.
    let (findings, verification) = check(&rest, None, &[noted]);
    assert_eq!((findings, verification.tally.anchors), (vec![], 1));
    let nothing_new = export(&world, after(8), PersonalDataMode::Excluded).await.unwrap();
    assert_eq!((positions(&nothing_new), finds(&nothing_new)), (vec![], vec![]));
    let head = world.log.signed_head().await.unwrap().to_head().anchor();
    assert_eq!(check(&nothing_new, None, &[head]).1.tally.anchors, 1);
    let earlier = check(&nothing_new, None, &[noted]).1.tally;
    assert_eq!((earlier.anchors, earlier.anchors_out_of_reach), (0, 1));
    let refused = export(&world, after(9), PersonalDataMode::Excluded).await;
    assert!(matches!(refused, Err(SecurityLogError::BeyondHead { after: 9, head: 8 })));
    // Unsealed events are left to the next export.
    world.happens().await;
    assert_eq!(positions(&export_all(&world).await).len(), 8);
}

async fn security_log_export_of_personal_data_is_recorded_first(database: Database) {
    let world = World::with_sealed_events(database, 4).await;
    let selection =
        EventSelection { after: 1, organization: Some(ORGANIZATION), ..EventSelection::default() };
    let recorded = world.log.record_export(&selection, world.now(), &world.entropy).await.unwrap();
    let unsealed_count = world.log.count_unsealed(world.now()).await.unwrap();
    assert_eq!(unsealed_count, 1);
    let file = export(&world, selection, PersonalDataMode::Included(recorded)).await.unwrap();
    assert_eq!(file.matches("2001:db8::7").count(), 4);
    let (findings, verification) = check(&file, None, &[]);
    assert_eq!((findings, verification.tally.without_personal), (vec![], 0));
    let changed = file.replacen("2001:db8::7", "2001:db8::8", 1);
    assert_eq!(finds(&changed), [LogDefect::PersonalDataChanged, LogDefect::ExportAltered]);
    world.seal().await.unwrap();
    let links = world.links().await;
    let event = links.last().unwrap().event.as_ref().unwrap();
    assert_eq!((event.kind.as_str(), event.organization), ("log.exported", Some(ORGANIZATION)));
    assert_eq!(event.detail, r#"{"after":1,"kinds":[],"since":null,"until":null,"with_personal":true}"#);
}

async fn security_log_exports_before_and_after_erasure_both_verify(database: Database) {
    let world = World::with_sealed_events(database, 6).await;
    let included = async || {
        let recorded = world.log.record_export(&EventSelection::default(), world.now(), &world.entropy).await;
        let personal = PersonalDataMode::Included(recorded.unwrap());
        export(&world, EventSelection::default(), personal).await.unwrap()
    };
    let lines = |file: &str| -> Vec<serde_json::Value> {
        let lines = file.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.filter(|line| line["position"].as_i64().is_some_and(|position| position <= 7)).collect()
    };
    let (before, bare_before) = (included().await, export_all(&world).await);
    let ana = SecurityEventTarget { kind: "account", id: "ana".into() };
    world
        .log
        .erase_personal_data(&ana, SecurityEventActor::System, world.now(), &world.entropy)
        .await
        .unwrap();
    world.seal().await.unwrap();
    let (after, bare_after) = (included().await, export_all(&world).await);

    for (file, without) in [(&before, 0), (&after, 6), (&bare_before, 6), (&bare_after, 6)] {
        let (findings, verification) = check(file, None, &[]);
        assert_eq!((findings, verification.tally.without_personal), (vec![], without));
    }
    assert_eq!((before.matches("2001:db8::7").count(), before.matches("curl/8").count()), (6, 6));
    assert!(!after.contains("2001:db8") && !after.contains("curl"));
    // Other fields and hashes of the events are unchanged.
    assert_eq!(lines(&bare_before), lines(&bare_after));
    let stripped: Vec<_> = lines(&before)
        .into_iter()
        .map(|mut line| {
            line.as_object_mut().unwrap().remove("personal");
            line
        })
        .collect();
    assert_eq!((stripped.len(), stripped), (7, lines(&after)));
}

async fn security_log_that_was_tampered_with_is_not_exported_as_signed(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    world.database.disarm().await;
    let id = world.database.bytes(world.links().await[3].event_id.as_bytes());
    world.database.run(&format!("UPDATE security_log SET detail = 'altered' WHERE id = {id}")).await;
    // Not even if the altered event was not selected.
    let others = EventSelection { kinds: vec![EventKind::SigningKeyGenerated], ..EventSelection::default() };
    for selection in [EventSelection::default(), others] {
        let mut out = Vec::new();
        let export = LogExport { at: world.now(), selection, personal: PersonalDataMode::Excluded };
        let refused = world.log.export(&export, &mut out, &mut |_| {}).await.unwrap_err();
        assert!(
            matches!(refused, SecurityLogError::Tampered(finding) if finding.defect == LogDefect::Changed)
        );
        let export_text = String::from_utf8(out).unwrap();
        assert!(
            !export_text.contains("signature\":") || finds(&export_text).contains(&LogDefect::ExportCutOff)
        );
    }
    // Later events are not affected.
    let after = EventSelection { after: 4, ..EventSelection::default() };
    let file = export(&world, after, PersonalDataMode::Excluded).await.unwrap();
    assert_eq!((positions(&file).len(), finds(&file)), (6, vec![]));
    world.database.run("UPDATE log_head SET sealed_at = sealed_at + 1").await;
    let refused = export(&world, EventSelection::default(), PersonalDataMode::Excluded).await;
    assert!(
        matches!(refused, Err(SecurityLogError::Tampered(finding)) if finding.defect == LogDefect::HeadForged)
    );
}
