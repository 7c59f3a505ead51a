//! Every message we write to people, in both languages, as plain text and as a page. What comes from outside is cut,
//! cleaned and escaped here; every address in a message begins at the issuer or at the configured screens.

mod credential;
mod layout;
mod locales;
mod sign_in_sighting;

pub use credential::EmailedCredential;
pub use sign_in_sighting::SignInSighting;

use crate::ports::{OutgoingEmail, OutgoingSms};
use locales::{EmailPhrases, EmailTemplatePhrases};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::sign_in::sessions::device;
use sinete_core::time::Lifetime;
use sinete_core::validation::is_misleading_character;

/// The most of a text from outside that a message quotes, in characters.
const QUOTED_CHARACTERS_MAX: usize = 120;

/// A message to be written down.
#[derive(Debug)]
pub struct EmailMessage<'a> {
    /// What it is about.
    pub kind: EmailKind<'a>,
    /// The service that writes, as people know it.
    pub issuer: &'a str,
    /// The language it is written in.
    pub language: Language,
    /// How its reader answers; some letters only tell something.
    pub proof: Option<EmailProof>,
}

/// Everything we ever write about.
#[derive(Clone, Copy, Debug)]
pub enum EmailKind<'a> {
    /// Somebody is invited into an organization.
    Invitation {
        /// Its name.
        organization: &'a str,
    },
    /// Somebody is to run the instance.
    FirstOperator,
    /// Somebody wants to sign in.
    SignIn,
    /// Somebody wants an account at this address.
    SignUp,
    /// Somebody wants an account at an address that has one.
    AccountExists,
    /// Somebody wants to show that the address is theirs.
    VerifyEmail,
    /// Somebody wants to set a new password.
    ResetPassword,
    /// Somebody wants to be reached at this address from now on.
    ChangeEmail,
    /// Somebody is reached at another address now; this is the old one.
    EmailChanged {
        /// The new one.
        address: &'a str,
    },
    /// Somebody signed in on a device that was not seen before.
    NewDevice(&'a SignInSighting),
    /// Somebody signed in from farther away than anybody travels.
    ImpossibleTravel(&'a SignInSighting),
    /// Somebody allowed an application on another device than their own browser's.
    DeviceAllowed {
        /// What the application calls itself.
        application: &'a str,
        /// The device that asked.
        asked: &'a SignInSighting,
    },
    /// An application asks for somebody's approval.
    ApprovalAsked {
        /// What the application calls itself.
        application: &'a str,
        /// From where it asked.
        asked: &'a SignInSighting,
    },
    /// Somebody approved what an application asked for.
    RequestApproved {
        /// What the application calls itself.
        application: &'a str,
        /// From where it asked.
        asked: &'a SignInSighting,
    },
    /// A password was set.
    PasswordChanged,
    /// A way to sign in was added.
    CredentialAdded(EmailedCredential<'a>),
    /// A way to sign in was removed.
    CredentialRemoved(EmailedCredential<'a>),
    /// An address or a number was added, and proven.
    ContactAdded {
        /// Which.
        address: &'a str,
    },
    /// This provider knows from now on whose the account is.
    IdentityLinked(&'a str),
    /// This provider no longer knows whose the account is.
    IdentityUnlinked(&'a str),
    /// An operator asks somebody to set a new password.
    ResetStarted,
    /// A webhook is told of nothing any more.
    WebhookPaused {
        /// Where it is.
        address: &'a str,
    },
    /// The last recovery code was used.
    RecoveryCodesUsedUp,
}

/// How a reader shows that the message reached them.
#[derive(Clone, Debug)]
pub struct EmailProof {
    /// What they are given.
    pub kind: EmailProofKind,
    /// How long it works.
    pub lifetime: Lifetime,
}

/// What the reader of a message is given.
#[derive(Clone)]
pub enum EmailProofKind {
    /// An address to open.
    Link(String),
    /// Digits, or a longer code, to type or paste where they were asked for.
    Code(String),
    /// Both: one of them is used.
    Either {
        /// An address to open.
        link: String,
        /// Digits to type where they were asked for.
        code: String,
    },
}

impl std::fmt::Debug for EmailProofKind {
    /// Not the thing itself: it signs somebody in.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Link(_) => "Link(…)",
            Self::Code(_) => "Code(…)",
            Self::Either { .. } => "Either(…)",
        })
    }
}

impl EmailKind<'_> {
    /// The name under which the sending of it is shown to those who run the instance.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invitation { .. } => "invitation",
            Self::FirstOperator => "first_operator",
            Self::SignIn => "sign_in",
            Self::SignUp => "sign_up",
            Self::AccountExists => "account_exists",
            Self::VerifyEmail => "verify_email",
            Self::ResetPassword => "reset_password",
            Self::ChangeEmail => "change_email",
            Self::EmailChanged { .. } => "email_changed",
            Self::NewDevice(_) => "new_device",
            Self::ImpossibleTravel(_) => "impossible_travel",
            Self::DeviceAllowed { .. } => "device_allowed",
            Self::ApprovalAsked { .. } => "approval_asked",
            Self::RequestApproved { .. } => "request_approved",
            Self::PasswordChanged => "password_changed",
            Self::CredentialAdded(_) => "credential_added",
            Self::CredentialRemoved(_) => "credential_removed",
            Self::ContactAdded { .. } => "contact_added",
            Self::IdentityLinked(_) => "identity_linked",
            Self::IdentityUnlinked(_) => "identity_unlinked",
            Self::ResetStarted => "reset_started",
            Self::WebhookPaused { .. } => "webhook_paused",
            Self::RecoveryCodesUsedUp => "recovery_codes_used_up",
        }
    }

    const fn phrases(self, words: &'static EmailPhrases) -> &'static EmailTemplatePhrases {
        match self {
            Self::Invitation { .. } => &words.invitation,
            Self::FirstOperator => &words.first_operator,
            Self::SignIn => &words.sign_in,
            Self::SignUp => &words.sign_up,
            Self::AccountExists => &words.account_exists,
            Self::VerifyEmail => &words.verify_email,
            Self::ResetPassword => &words.reset_password,
            Self::ChangeEmail => &words.change_email,
            Self::EmailChanged { .. } => &words.email_changed,
            Self::NewDevice(_) => &words.new_device,
            Self::ImpossibleTravel(_) => &words.impossible_travel,
            Self::DeviceAllowed { .. } => &words.device_allowed,
            Self::ApprovalAsked { .. } => &words.approval_asked,
            Self::RequestApproved { .. } => &words.request_approved,
            Self::PasswordChanged => &words.password_changed,
            Self::CredentialAdded(_) => &words.credential_added,
            Self::CredentialRemoved(_) => &words.credential_removed,
            Self::ContactAdded { .. } => &words.contact_added,
            Self::IdentityLinked(_) => &words.identity_linked,
            Self::IdentityUnlinked(_) => &words.identity_unlinked,
            Self::ResetStarted => &words.reset_started,
            Self::WebhookPaused { .. } => &words.webhook_paused,
            Self::RecoveryCodesUsedUp => &words.recovery_codes_used_up,
        }
    }

    /// The texts from outside that stand in the letter, under the names its phrases give them.
    fn external_values(self, words: &EmailPhrases) -> Vec<(&'static str, String)> {
        match self {
            Self::Invitation { organization } => vec![("organization", sanitize_text(organization))],
            Self::DeviceAllowed { application, .. }
            | Self::ApprovalAsked { application, .. }
            | Self::RequestApproved { application, .. } => vec![("application", sanitize_text(application))],
            Self::EmailChanged { address }
            | Self::ContactAdded { address }
            | Self::WebhookPaused { address } => {
                vec![("address", sanitize_text(address))]
            }
            Self::IdentityLinked(provider) | Self::IdentityUnlinked(provider) => {
                vec![("name", sanitize_text(provider))]
            }
            Self::CredentialAdded(credential) | Self::CredentialRemoved(credential) => {
                vec![("name", credential.describe(words))]
            }
            Self::FirstOperator
            | Self::SignIn
            | Self::SignUp
            | Self::AccountExists
            | Self::VerifyEmail
            | Self::ResetPassword
            | Self::ChangeEmail
            | Self::NewDevice(_)
            | Self::ImpossibleTravel(_)
            | Self::PasswordChanged
            | Self::ResetStarted
            | Self::RecoveryCodesUsedUp => Vec::new(),
        }
    }

    /// What was seen, as rows of a name and a value.
    fn fact_rows(self, language: Language) -> Vec<(&'static str, String)> {
        let (Self::NewDevice(seen)
        | Self::ImpossibleTravel(seen)
        | Self::DeviceAllowed { asked: seen, .. }
        | Self::ApprovalAsked { asked: seen, .. }
        | Self::RequestApproved { asked: seen, .. }) = self
        else {
            return Vec::new();
        };
        let words = EmailPhrases::for_language(language);
        let rows = [
            (words.seen_at, seen.at.map(|at| at.to_string())),
            (
                words.seen_device,
                seen.device.as_deref().map(|device| device::localize_device_label(device, language)),
            ),
            (words.seen_place, seen.place.clone()),
            (words.seen_address, seen.address.clone()),
        ];
        rows.into_iter().filter_map(|(name, value)| Some((name, sanitize_text(&value?)))).collect()
    }
}

/// A letter in words, before it is set as text or as a page.
struct EmailContent<'a> {
    language: Language,
    subject: String,
    greeting: &'static str,
    lead: String,
    facts: Vec<(&'static str, String)>,
    actions: Vec<EmailCallToAction<'a>>,
    closing: String,
    issuer: &'a str,
}

/// What the reader is asked to do.
struct EmailCallToAction<'a> {
    lead: String,
    action: EmailAction<'a>,
}

/// How they do it.
enum EmailAction<'a> {
    /// By opening this address, which the button with this label leads to.
    Open { link: &'a str, label: &'static str },
    /// By typing this.
    Type(&'a str),
}

impl EmailMessage<'_> {
    /// The message to this address.
    pub fn to_message(&self, address: &EmailAddress) -> OutgoingEmail {
        let written = self.to_content();
        OutgoingEmail {
            to: address.smtp_address(),
            text: layout::render_text(&written),
            html: layout::render_html(&written),
            subject: written.subject,
        }
    }

    fn to_content(&self) -> EmailContent<'_> {
        let words = EmailPhrases::for_language(self.language);
        let letter = self.kind.phrases(words);
        let mut values = self.kind.external_values(words);
        values.push(("issuer", self.issuer.to_owned()));
        if let Some(proof) = &self.proof {
            values.push(("time", format_lifetime(words, proof.lifetime)));
        }
        EmailContent {
            language: self.language,
            subject: fill_placeholders(letter.subject, &values),
            greeting: words.greeting,
            lead: fill_placeholders(letter.lead, &values),
            facts: self.kind.fact_rows(self.language),
            actions: self
                .proof
                .as_ref()
                .map_or_else(Vec::new, |proof| build_actions(proof, letter, words, &values)),
            closing: fill_placeholders(letter.closing, &values),
            issuer: self.issuer,
        }
    }
}

/// What the reader is asked to do, one thing or either of two.
fn build_actions<'a>(
    proof: &'a EmailProof,
    letter: &EmailTemplatePhrases,
    words: &EmailPhrases,
    values: &[(&'static str, String)],
) -> Vec<EmailCallToAction<'a>> {
    let open = |link: &'a str| EmailCallToAction {
        lead: fill_placeholders(letter.link_lead, values),
        action: EmailAction::Open { link, label: letter.link_label },
    };
    match &proof.kind {
        EmailProofKind::Link(link) => vec![open(link)],
        EmailProofKind::Code(code) => {
            vec![EmailCallToAction {
                lead: fill_placeholders(letter.code_lead, values),
                action: EmailAction::Type(code),
            }]
        }
        EmailProofKind::Either { link, code } => {
            vec![
                open(link),
                EmailCallToAction { lead: words.or_code.to_owned(), action: EmailAction::Type(code) },
            ]
        }
    }
}

/// The short message with a code to this number. It names whom it is for, so that nobody types it elsewhere.
pub fn build_code_sms(number: &str, digits: &str, issuer: &str, language: Language) -> OutgoingSms {
    let host = issuer.split("://").nth(1).unwrap_or(issuer);
    let values = [("code", digits.to_owned()), ("issuer", host.to_owned())];
    OutgoingSms {
        to: number.to_owned(),
        text: fill_placeholders(EmailPhrases::for_language(language).code_by_sms, &values),
    }
}

/// A text from outside, in one line, cut, without what could mislead, and without anything a mail program would
/// make a link of.
fn sanitize_text(text: &str) -> String {
    let clean =
        text.chars().filter(|character| !is_misleading_character(*character)).take(QUOTED_CHARACTERS_MAX);
    clean.collect::<String>().replace("://", ": //")
}

/// The phrase with its gaps filled. What is filled in is not looked at for gaps again.
fn fill_placeholders(phrase: &str, values: &[(&'static str, String)]) -> String {
    let mut text = String::with_capacity(phrase.len());
    let mut rest = phrase;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let (name, after) = behind.split_once('}').unwrap_or((behind, ""));
        text.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        rest = after;
    }
    text.push_str(rest);
    text
}

/// How long something works, in whole days, hours or minutes, never more than it does.
fn format_lifetime(words: &EmailPhrases, lifetime: Lifetime) -> String {
    let minutes = lifetime.seconds() / 60;
    let (number, [one, many]) = if minutes >= 2 * 24 * 60 {
        (minutes / (24 * 60), words.days)
    } else if minutes % 60 == 0 || minutes >= 120 {
        (minutes / 60, words.hours)
    } else {
        (minutes, words.minutes)
    };
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests;
