//! The page about assurance lists the level of every sign-in method. The levels are computed and compared with its
//! table.

use super::markdown::cells;
use super::source_tree::{File, files, sample};
use super::{expect_complaint, expect_silence};
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};

const PAGE: &str = "docs/reference/assurance.md";

/// The name of a proof in settings. A new proof does not compile until it is added here.
const fn named(proof: &AuthenticationProof) -> &'static str {
    match proof {
        AuthenticationProof::Passkey { user_verified: true, .. } => "passkey",
        AuthenticationProof::Passkey { user_verified: false, .. } => "passkey, unverified",
        AuthenticationProof::Password => "password",
        AuthenticationProof::Totp => "totp",
        AuthenticationProof::RecoveryCode => "recovery_code",
        AuthenticationProof::SmsCode => "sms_code",
        AuthenticationProof::EmailCode => "email_code",
        AuthenticationProof::MagicLink => "magic_link",
        AuthenticationProof::SingleSignOn { .. } => "single_sign_on",
    }
}

fn proofs() -> Vec<AuthenticationProof> {
    let passkey = |user_verified| AuthenticationProof::Passkey { user_verified, device_bound: false };
    vec![
        passkey(true),
        passkey(false),
        AuthenticationProof::Password,
        AuthenticationProof::Totp,
        AuthenticationProof::RecoveryCode,
        AuthenticationProof::SmsCode,
        AuthenticationProof::EmailCode,
        AuthenticationProof::MagicLink,
        AuthenticationProof::SingleSignOn {
            assurance: AssuranceLevel::One,
            organization: sinete_core::id::OrganizationId::from_bytes([7; 16]),
        },
    ]
}

fn level(evidence: &AuthenticationEvidence) -> &'static str {
    match evidence.assurance_level() {
        Some(AssuranceLevel::One) => "`aal1`",
        Some(AssuranceLevel::Two) => "`aal2`",
        None => "–",
    }
}

/// What the page gets wrong or leaves out: a row for each proof, with its name in quotes, its level alone, after a
/// password and after an e-mail code, and its `amr`.
fn untrue(page: &File) -> Vec<String> {
    let rows: Vec<_> = page.text.lines().filter_map(cells).collect();
    let mut complaints = Vec::new();
    for proof in proofs() {
        let name = format!("`{}`", named(&proof));
        let Some(row) = rows.iter().find(|row| row[0] == name && row.len() == 6) else {
            complaints.push(format!("{name} has no row"));
            continue;
        };
        let alone = AuthenticationEvidence::from_proof(proof);
        let after = |first| AuthenticationEvidence::from_proof(first).with_proof(proof);
        let methods: Vec<_> = alone.amr_values().iter().map(|method| format!("`{method}`")).collect();
        let expected = [
            level(&alone),
            level(&after(AuthenticationProof::Password)),
            level(&after(AuthenticationProof::EmailCode)),
            &methods.join(" "),
        ]
        .map(str::to_owned);
        if row[1..5].iter().zip(&expected).any(|(actual, is)| actual != is) {
            complaints.push(format!("{name} is {expected:?}, not {:?}", &row[1..5]));
        }
    }
    complaints
}

#[test]
fn assurance_document_lists_every_method_with_its_level() {
    let files = files();
    let page = files.iter().find(|file| file.path == PAGE).unwrap();
    expect_silence(&untrue(page));
}

#[test]
fn assurance_document_check_finds_a_wrong_level() {
    let page = files().into_iter().find(|file| file.path == PAGE).unwrap().text;
    let changed = |from: &str, to: &str| untrue(&sample(PAGE, &page.replace(from, to)));
    let (row, stronger) = ("| `email_code` | `aal1` |", "| `email_code` | `aal2` |");
    expect_complaint(&changed(row, stronger), "`email_code` is");
    expect_complaint(&changed("| `totp` |", "| `digits` |"), "`totp` has no row");
}
