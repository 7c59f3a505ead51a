//! All phrases of all messages. A language that lacks one does not compile. Names in braces are placeholders.

mod english;
mod portuguese;

use sinete_core::accounts::language::Language;

/// The phrases of one language.
#[derive(Debug)]
pub(super) struct EmailPhrases {
    /// Before a code that is an alternative to the link above.
    pub(super) or_code: &'static str,
    /// The greeting.
    pub(super) greeting: &'static str,
    /// One day, and several.
    pub(super) days: [&'static str; 2],
    /// One hour, and several.
    pub(super) hours: [&'static str; 2],
    /// One minute, and several.
    pub(super) minutes: [&'static str; 2],
    /// The label of the time.
    pub(super) seen_at: &'static str,
    /// The label of the device.
    pub(super) seen_device: &'static str,
    /// The label of the location.
    pub(super) seen_place: &'static str,
    /// The label of the IP address.
    pub(super) seen_address: &'static str,
    /// A passkey, within a sentence.
    pub(super) passkey: &'static str,
    /// A password, within a sentence.
    pub(super) password: &'static str,
    /// An authenticator app, within a sentence.
    pub(super) application: &'static str,
    /// Recovery codes, within a sentence.
    pub(super) recovery_codes: &'static str,
    /// The SMS with a code: `code` and `issuer`.
    pub(super) code_by_sms: &'static str,

    /// An invitation to `organization`.
    pub(super) invitation: EmailTemplatePhrases,
    /// The link that creates the first operator.
    pub(super) first_operator: EmailTemplatePhrases,
    /// Sign-in.
    pub(super) sign_in: EmailTemplatePhrases,
    /// Sign-up.
    pub(super) sign_up: EmailTemplatePhrases,
    /// Sign-up with an existing account.
    pub(super) account_exists: EmailTemplatePhrases,
    /// E-mail verification.
    pub(super) verify_email: EmailTemplatePhrases,
    /// Password reset.
    pub(super) reset_password: EmailTemplatePhrases,
    /// E-mail change, to the new address.
    pub(super) change_email: EmailTemplatePhrases,
    /// E-mail change, to the previous address; the new one is `address`.
    pub(super) email_changed: EmailTemplatePhrases,
    /// A new device.
    pub(super) new_device: EmailTemplatePhrases,
    /// Impossible travel.
    pub(super) impossible_travel: EmailTemplatePhrases,
    /// A device authorization of `application` that was approved.
    pub(super) device_allowed: EmailTemplatePhrases,
    /// A CIBA request of `application`.
    pub(super) approval_asked: EmailTemplatePhrases,
    /// An approved CIBA request of `application`.
    pub(super) request_approved: EmailTemplatePhrases,
    /// A changed password.
    pub(super) password_changed: EmailTemplatePhrases,
    /// An added credential called `name`.
    pub(super) credential_added: EmailTemplatePhrases,
    /// A removed credential called `name`.
    pub(super) credential_removed: EmailTemplatePhrases,
    /// An added and verified contact, `address`.
    pub(super) contact_added: EmailTemplatePhrases,
    /// A linked identity at the provider `name`.
    pub(super) identity_linked: EmailTemplatePhrases,
    /// An unlinked identity at the provider `name`.
    pub(super) identity_unlinked: EmailTemplatePhrases,
    /// A password reset requested by an operator.
    pub(super) reset_started: EmailTemplatePhrases,
    /// A paused webhook at `address`.
    pub(super) webhook_paused: EmailTemplatePhrases,
    /// The last recovery code was used.
    pub(super) recovery_codes_used_up: EmailTemplatePhrases,
}

/// The phrases of one message. Each may contain `issuer`; the lead-ins also `time`, the lifetime.
#[derive(Debug)]
pub(super) struct EmailTemplatePhrases {
    /// The subject.
    pub(super) subject: &'static str,
    /// What happened or was requested.
    pub(super) lead: &'static str,
    /// The text before a link.
    pub(super) link_lead: &'static str,
    /// The label of the button.
    pub(super) link_label: &'static str,
    /// The text before a code.
    pub(super) code_lead: &'static str,
    /// The closing text.
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

    /// All messages, in the order of the fields.
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
