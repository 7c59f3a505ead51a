//! The recent activity on the account page.

use crate::display_time::DisplayTime;
use crate::language::UiLanguage;

/// An activity entry.
#[derive(Clone, Copy, Debug)]
pub struct ActivityItem<'a> {
    /// What happened, as display text.
    pub event: &'a str,
    /// The name of the object involved, if known.
    pub object: &'a str,
    /// The time.
    pub at: DisplayTime,
    /// The location, if known.
    pub location: &'a str,
}

/// The text for an event of this kind, as shown to the account holder; `None` for kinds that concern only
/// operators.
pub fn activity_text(kind: &str, language: UiLanguage) -> Option<&'static str> {
    let phrases = &language.phrases().activity;
    Some(match kind {
        "account.created" => phrases.account_created,
        "session.started" => phrases.session_started,
        "session.renewed" => phrases.session_renewed,
        "session.ended" => phrases.session_ended,
        "sign_in.new_device" => phrases.new_device,
        "sign_in.impossible_travel" => phrases.impossible_travel,
        "sign_in.disavowed" => phrases.disavowed,
        "credential.failed" => phrases.credential_failed,
        "credential.added" => phrases.credential_added,
        "credential.renamed" => phrases.credential_renamed,
        "credential.removed" => phrases.credential_removed,
        "credential.disabled" => phrases.credential_disabled,
        "password.set" => phrases.password_set,
        "contact.added" => phrases.contact_added,
        "contact.verified" => phrases.contact_verified,
        "contact.made_primary" => phrases.contact_made_primary,
        "contact.removed" => phrases.contact_removed,
        "email.changed" => phrases.email_changed,
        "email.restored" => phrases.email_restored,
        "account.changed" => phrases.account_changed,
        "account.exported" => phrases.account_exported,
        "account.disabled" => phrases.account_disabled,
        "account.enabled" => phrases.account_enabled,
        "account.sessions_ended" => phrases.account_sessions_ended,
        "account.reset_started" => phrases.account_reset_started,
        "consent.given" => phrases.consent_given,
        "consent.denied" => phrases.consent_denied,
        "device.allowed" => phrases.device_allowed,
        "device.denied" => phrases.device_denied,
        "approval.given" => phrases.approval_given,
        "approval.denied" => phrases.approval_denied,
        "application.removed" => phrases.application_removed,
        "invitation.accepted" => phrases.invitation_accepted,
        "membership.ended" => phrases.membership_ended,
        _ => return None,
    })
}
