//! Every phrase of every letter. A language that lacks one does not compile. Names in braces are gaps.

mod english;
mod portuguese;

use sinete_core::accounts::language::Language;

/// The phrases of one language.
#[derive(Debug)]
pub(super) struct EmailPhrases {
    /// Before a code that does as well as the link above it.
    pub(super) or_code: &'static str,
    /// How every letter begins.
    pub(super) greeting: &'static str,
    /// One day, and several.
    pub(super) days: [&'static str; 2],
    /// One hour, and several.
    pub(super) hours: [&'static str; 2],
    /// One minute, and several.
    pub(super) minutes: [&'static str; 2],
    /// Before the time somebody was seen at.
    pub(super) seen_at: &'static str,
    /// Before the device.
    pub(super) seen_device: &'static str,
    /// Before the place on earth.
    pub(super) seen_place: &'static str,
    /// Before the network address.
    pub(super) seen_address: &'static str,
    /// What is signed in with, in the middle of a sentence.
    pub(super) passkey: &'static str,
    /// The same.
    pub(super) password: &'static str,
    /// An application that shows digits.
    pub(super) application: &'static str,
    /// Codes for when everything else is lost.
    pub(super) recovery_codes: &'static str,
    /// The whole of a short message with a code: `code` and `issuer`.
    pub(super) code_by_sms: &'static str,

    /// An invitation into `organization`.
    pub(super) invitation: EmailTemplatePhrases,
    /// The link that makes an operator.
    pub(super) first_operator: EmailTemplatePhrases,
    /// Signing in.
    pub(super) sign_in: EmailTemplatePhrases,
    /// A new account.
    pub(super) sign_up: EmailTemplatePhrases,
    /// A new account where there is one.
    pub(super) account_exists: EmailTemplatePhrases,
    /// An address to be proven.
    pub(super) verify_email: EmailTemplatePhrases,
    /// A new password to be set.
    pub(super) reset_password: EmailTemplatePhrases,
    /// Another address, to that address.
    pub(super) change_email: EmailTemplatePhrases,
    /// Another address, to the old one; it is `address`.
    pub(super) email_changed: EmailTemplatePhrases,
    /// An unknown device.
    pub(super) new_device: EmailTemplatePhrases,
    /// A place too far away.
    pub(super) impossible_travel: EmailTemplatePhrases,
    /// An application, `application`, that was allowed on another device.
    pub(super) device_allowed: EmailTemplatePhrases,
    /// An application, `application`, that asks for somebody's approval.
    pub(super) approval_asked: EmailTemplatePhrases,
    /// An application, `application`, that got it.
    pub(super) request_approved: EmailTemplatePhrases,
    /// A password that was set.
    pub(super) password_changed: EmailTemplatePhrases,
    /// A way to sign in that was added; it is called `name`.
    pub(super) credential_added: EmailTemplatePhrases,
    /// A way to sign in that was removed; it was called `name`.
    pub(super) credential_removed: EmailTemplatePhrases,
    /// An address or a number, `address`, that was added and proven.
    pub(super) contact_added: EmailTemplatePhrases,
    /// A provider, `name`, that knows whose the account is.
    pub(super) identity_linked: EmailTemplatePhrases,
    /// A provider, `name`, that no longer does.
    pub(super) identity_unlinked: EmailTemplatePhrases,
    /// A new password that an operator asks for.
    pub(super) reset_started: EmailTemplatePhrases,
    /// A webhook that is told of nothing any more; it is at `address`.
    pub(super) webhook_paused: EmailTemplatePhrases,
    /// The last recovery code, used.
    pub(super) recovery_codes_used_up: EmailTemplatePhrases,
}

/// The phrases of one letter. Each may name the `issuer`; the leads also the `time` within which.
#[derive(Debug)]
pub(super) struct EmailTemplatePhrases {
    /// What it is about.
    pub(super) subject: &'static str,
    /// What has happened, or what somebody wants.
    pub(super) lead: &'static str,
    /// Before a link.
    pub(super) link_lead: &'static str,
    /// On the button that is the link.
    pub(super) link_label: &'static str,
    /// Before a code.
    pub(super) code_lead: &'static str,
    /// What else there is to know.
    pub(super) closing: &'static str,
}

impl EmailPhrases {
    /// The phrases of a language.
    pub(super) const fn for_language(language: Language) -> &'static Self {
        match language {
            Language::English => &english::PHRASES,
            Language::Portuguese => &portuguese::PHRASES,
        }
    }

    /// Every letter, in the order of the fields.
    #[cfg(test)]
    pub(super) const fn all_templates(&self) -> [&EmailTemplatePhrases; 23] {
        [
            &self.invitation,
            &self.first_operator,
            &self.sign_in,
            &self.sign_up,
            &self.account_exists,
            &self.verify_email,
            &self.reset_password,
            &self.change_email,
            &self.email_changed,
            &self.new_device,
            &self.impossible_travel,
            &self.device_allowed,
            &self.approval_asked,
            &self.request_approved,
            &self.password_changed,
            &self.credential_added,
            &self.credential_removed,
            &self.contact_added,
            &self.identity_linked,
            &self.identity_unlinked,
            &self.reset_started,
            &self.webhook_paused,
            &self.recovery_codes_used_up,
        ]
    }
}
