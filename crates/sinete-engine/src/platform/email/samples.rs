//! A sample of every message, for previews, for pictures and to check templates.

use super::templates::TemplateProblem;
use super::{
    EmailBrandingAndTemplates, EmailKind, EmailMessage, EmailOrganization, EmailOrigin, EmailReader,
    EmailedLinkOrCode, LinkOrCodeKind, NotifiedCredential, SignInDetails,
};
use crate::ports::OutgoingEmail;
use sinete_core::accounts::language::Language;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::sign_in::credentials::StoredCredentialKind;
use std::collections::BTreeSet;

/// The details of a sample sign-in.
pub(super) fn sample_sighting() -> SignInDetails {
    SignInDetails {
        at: Some(Timestamp::from_seconds(1_700_000_000)),
        device: Some("Firefox on Linux".into()),
        location: Some("Recife, Brazil".into()),
        address: Some("203.0.113.9".into()),
    }
}

/// A sample of every kind.
pub(super) fn sample_kinds(details: &SignInDetails) -> [EmailKind<'_>; EmailKind::NAMES.len()] {
    let passkey = NotifiedCredential { kind: StoredCredentialKind::Passkey, name: "Yubikey" };
    [
        EmailKind::Invitation { organization: "Padaria", inviter: Some("Bruno Lima"), roles: &[] },
        EmailKind::FirstOperator,
        EmailKind::SignIn,
        EmailKind::SignUp,
        EmailKind::AccountExists,
        EmailKind::VerifyEmail,
        EmailKind::ResetPassword,
        EmailKind::ChangeEmail,
        EmailKind::EmailChanged { address: "new@example.com" },
        EmailKind::NewDevice(details),
        EmailKind::ImpossibleTravel(details),
        EmailKind::DeviceAllowed { application: "Ledger TV", request_details: details },
        EmailKind::ApprovalRequested { application: "Ledger agent", request_details: details },
        EmailKind::RequestApproved { application: "Ledger agent", request_details: details },
        EmailKind::PasswordChanged,
        EmailKind::CredentialAdded(passkey),
        EmailKind::CredentialRemoved(passkey),
        EmailKind::ContactAdded { address: "+5581999990000" },
        EmailKind::IdentityLinked("Padaria SSO"),
        EmailKind::IdentityUnlinked("Padaria SSO"),
        EmailKind::ResetStarted,
        EmailKind::WebhookPaused { address: "https://hooks.example/x" },
        EmailKind::RecoveryCodesUsedUp,
    ]
}

/// The link or code that a message of this kind has, with hosted screens.
fn sample_proof(kind: EmailKind<'_>, issuer: &str) -> Option<EmailedLinkOrCode> {
    let link = |path: &str| format!("{issuer}{path}?token=sample");
    let (kind, lifetime) = match kind {
        EmailKind::AccountExists | EmailKind::WebhookPaused { .. } => return None,
        EmailKind::SignIn
        | EmailKind::SignUp
        | EmailKind::VerifyEmail
        | EmailKind::ResetPassword
        | EmailKind::ChangeEmail => (
            LinkOrCodeKind::Either { link: link("/link"), code: "12345678".to_owned() },
            Lifetime::from_minutes(10),
        ),
        EmailKind::Invitation { .. } => {
            (LinkOrCodeKind::Link(link("/accept-invitation")), Lifetime::from_hours(24))
        }
        EmailKind::FirstOperator => {
            (LinkOrCodeKind::Link(link("/first-operator")), Lifetime::from_minutes(15))
        }
        EmailKind::ApprovalRequested { .. } => {
            (LinkOrCodeKind::Link(link("/approve")), Lifetime::from_minutes(5))
        }
        EmailKind::ResetStarted => {
            (LinkOrCodeKind::Link(format!("{issuer}/reset-password")), Lifetime::from_hours(24))
        }
        EmailKind::EmailChanged { .. } => (LinkOrCodeKind::Link(link("/undo-email")), Lifetime::from_days(7)),
        EmailKind::NewDevice(_)
        | EmailKind::ImpossibleTravel(_)
        | EmailKind::DeviceAllowed { .. }
        | EmailKind::RequestApproved { .. }
        | EmailKind::PasswordChanged
        | EmailKind::CredentialAdded(_)
        | EmailKind::CredentialRemoved(_)
        | EmailKind::ContactAdded { .. }
        | EmailKind::IdentityLinked(_)
        | EmailKind::IdentityUnlinked(_)
        | EmailKind::RecoveryCodesUsedUp => (LinkOrCodeKind::Link(link("/not-me")), Lifetime::from_days(7)),
    };
    Some(EmailedLinkOrCode { kind, lifetime })
}

/// Renders a sample of the message with this name; `None` if there is no such message.
pub fn render_sample(name: &str, origin: EmailOrigin<'_>, reader: &EmailReader) -> Option<OutgoingEmail> {
    let details = sample_sighting();
    let kind = sample_kinds(&details).into_iter().find(|kind| kind.name() == name)?;
    let proof = sample_proof(kind, origin.issuer);
    let message = EmailMessage { kind, origin, reader: reader.clone(), proof };
    Some(message.render("ana@example.com".to_owned(), &mut Vec::new()))
}

/// Everything that is wrong with the templates when each message is rendered in each language.
pub fn find_template_problems(
    settings: &EmailBrandingAndTemplates,
    issuer: &str,
) -> BTreeSet<TemplateProblem> {
    let details = sample_sighting();
    let organizations: Vec<EmailOrganization> = settings
        .templates
        .organizations()
        .into_iter()
        .map(|slug| EmailOrganization { slug: slug.to_owned(), branding: settings.branding.clone() })
        .collect();
    let mut problems = Vec::new();
    for organization in organizations.iter().map(Some).chain([None]) {
        let origin = EmailOrigin { issuer, settings, organization };
        for language in Language::ALL {
            for kind in sample_kinds(&details) {
                let proof = sample_proof(kind, issuer);
                let message = EmailMessage { kind, origin, reader: language.into(), proof };
                drop(message.render(String::new(), &mut problems));
            }
        }
    }
    problems.into_iter().collect()
}
