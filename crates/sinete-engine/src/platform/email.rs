//! All e-mail messages in every language, as plain text and HTML. External text is shortened, sanitized and
//! escaped here; every URL begins with the issuer or the configured interaction URL.

mod branding;
mod credential;
mod kind;
mod layout;
mod reader;
pub mod samples;
mod sign_in_details;
mod templates;

pub use branding::{EmailBranding, EmailBrandingAndTemplates, EmailOrganization, EmailOrigin};
pub use credential::NotifiedCredential;
pub use kind::EmailKind;
pub use reader::EmailReader;
pub use sign_in_details::SignInDetails;
pub use templates::{EmailTemplates, TemplateProblem};

use crate::ports::{OutgoingEmail, OutgoingSms};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
use sinete_core::time::Lifetime;
use sinete_core::validation::is_misleading_character;
use sinete_locales::{MailPhrases, MailTemplate};
use templates::EmailPart;

/// Maximum characters of external text in a message.
const QUOTED_CHARACTERS_MAX: usize = 120;

/// An e-mail message to render.
#[derive(Debug)]
pub struct EmailMessage<'a> {
    /// The kind.
    pub kind: EmailKind<'a>,
    /// Who it is from.
    pub origin: EmailOrigin<'a>,
    /// The recipient.
    pub reader: EmailReader,
    /// The link or code, if the message asks for an action.
    pub proof: Option<EmailedLinkOrCode>,
}

/// The link or code of a message.
#[derive(Clone, Debug)]
pub struct EmailedLinkOrCode {
    /// The link or code.
    pub kind: LinkOrCodeKind,
    /// The lifetime.
    pub lifetime: Lifetime,
}

/// A link, a code, or both.
#[derive(Clone)]
pub enum LinkOrCodeKind {
    /// A link.
    Link(String),
    /// A code to enter or paste.
    Code(String),
    /// Both, of which one is used.
    Either {
        /// The link.
        link: String,
        /// The code.
        code: String,
    },
}

impl std::fmt::Debug for LinkOrCodeKind {
    /// Omits the secret: it signs the user in.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Link(_) => "Link(…)",
            Self::Code(_) => "Code(…)",
            Self::Either { .. } => "Either(…)",
        })
    }
}

/// The content of a message, before rendering.
struct EmailContent<'a> {
    kind: &'static str,
    language: Language,
    brand: EmailBranding,
    organization: Option<&'a str>,
    /// The arguments of the phrases.
    values: Vec<(&'static str, String)>,
    subject: String,
    greeting: &'static str,
    introduction: String,
    facts: Vec<(&'static str, String)>,
    actions: Vec<EmailCallToAction<'a>>,
    closing: String,
    issuer: &'a str,
    host: &'a str,
}

/// The requested action.
struct EmailCallToAction<'a> {
    introduction: String,
    action: EmailAction<'a>,
}

/// The kind of action.
enum EmailAction<'a> {
    /// Opening a link, with the label of its button.
    OpenLink { link: &'a str, label: String },
    /// Entering a code.
    EnterCode(&'a str),
}

impl EmailAction<'_> {
    /// The link or code, which the message is useless without.
    const fn secret(&self) -> &str {
        match self {
            Self::OpenLink { link: secret, .. } | Self::EnterCode(secret) => secret,
        }
    }
}

impl EmailMessage<'_> {
    /// Renders the message to this address. Templates that fail are logged and not used.
    pub fn to_message(&self, address: &EmailAddress) -> OutgoingEmail {
        let mut problems = Vec::new();
        let message = self.render(address.smtp_address(), &mut problems);
        for TemplateProblem { template, reason } in problems {
            tracing::warn!(%template, %reason, "an e-mail template was not used");
        }
        message
    }

    fn render(&self, to: String, problems: &mut Vec<TemplateProblem>) -> OutgoingEmail {
        let templates = &self.origin.settings.templates;
        let mut content = self.to_content();
        if let Some(subject) = templates.render(EmailPart::Subject, &content, problems) {
            content.subject = subject;
        }
        let text = templates.render(EmailPart::Text, &content, problems);
        let html = templates.render(EmailPart::Html, &content, problems);
        OutgoingEmail {
            to,
            text: text.unwrap_or_else(|| layout::render_text(&content)),
            html: html.unwrap_or_else(|| layout::render_html(&content)),
            subject: content.subject,
        }
    }

    fn to_content(&self) -> EmailContent<'_> {
        let phrases = &self.reader.language.phrases().mail;
        let template = self.kind.phrases(phrases);
        let brand = self.origin.branding();
        let brand = EmailBranding { name: sanitize_text(&brand.name), ..brand.clone() };
        let mut values = self.kind.external_values(phrases);
        // An invitation names the organization beside the service.
        let service = if matches!(self.kind, EmailKind::Invitation { .. }) {
            sanitize_text(&self.origin.settings.branding.name)
        } else {
            brand.name.clone()
        };
        values.push(("service", service));
        if let Some(proof) = &self.proof {
            values.push(("time", format_lifetime(phrases, proof.lifetime)));
        }
        let (subject, lead) = self.kind.render_opening(phrases, template, &values);
        EmailContent {
            kind: self.kind.name(),
            language: self.reader.language,
            brand,
            organization: self.origin.organization.map(|it| it.slug.as_str()),
            subject,
            greeting: phrases.greeting,
            introduction: lead,
            facts: self.kind.fact_rows(&self.reader),
            actions: self
                .proof
                .as_ref()
                .map_or_else(Vec::new, |proof| build_actions(proof, template, phrases, &values)),
            closing: template.closing.fill(&values),
            issuer: self.origin.issuer,
            host: self.origin.host(),
            values,
        }
    }
}

/// The requested actions: one, or two alternatives.
fn build_actions<'a>(
    proof: &'a EmailedLinkOrCode,
    template: &MailTemplate,
    phrases: &MailPhrases,
    values: &[(&'static str, String)],
) -> Vec<EmailCallToAction<'a>> {
    let open = |link: &'a str| EmailCallToAction {
        introduction: template.link_lead.fill(values),
        action: EmailAction::OpenLink { link, label: template.link_label.fill(values) },
    };
    match &proof.kind {
        LinkOrCodeKind::Link(link) => vec![open(link)],
        LinkOrCodeKind::Code(code) => {
            vec![EmailCallToAction {
                introduction: template.code_lead.fill(values),
                action: EmailAction::EnterCode(code),
            }]
        }
        LinkOrCodeKind::Either { link, code } => {
            vec![
                open(link),
                EmailCallToAction {
                    introduction: phrases.or_code.to_owned(),
                    action: EmailAction::EnterCode(code),
                },
            ]
        }
    }
}

/// Builds the SMS with a code. It names the issuer, so that users do not enter the code elsewhere.
pub fn build_code_sms(number: &str, digits: &str, issuer: &str, language: Language) -> OutgoingSms {
    let host = issuer.split("://").nth(1).unwrap_or(issuer);
    OutgoingSms { to: number.to_owned(), text: language.phrases().mail.code_by_sms(digits, host) }
}

/// Sanitizes external text: one line, shortened, without misleading characters and without anything that mail
/// programs turn into links.
fn sanitize_text(text: &str) -> String {
    let clean =
        text.chars().filter(|character| !is_misleading_character(*character)).take(QUOTED_CHARACTERS_MAX);
    clean.collect::<String>().replace("://", ": //")
}

/// Formats a lifetime in whole days, hours or minutes, rounded down.
fn format_lifetime(phrases: &MailPhrases, lifetime: Lifetime) -> String {
    let minutes = lifetime.seconds() / 60;
    if minutes >= 2 * 24 * 60 {
        phrases.days(minutes / (24 * 60))
    } else if minutes % 60 == 0 || minutes >= 120 {
        phrases.hours(minutes / 60)
    } else {
        phrases.minutes(minutes)
    }
}

#[cfg(test)]
mod tests;
