//! Every message we write to people, in both languages, as plain text and as a page. What comes from outside is cut,
//! cleaned and escaped here; every address in a message begins at the issuer or at the configured screens.

mod credential;
mod kind;
mod layout;
mod locales;
mod sign_in_sighting;

pub use credential::EmailedCredential;
pub use kind::EmailKind;
pub use sign_in_sighting::SignInSighting;

use crate::ports::{OutgoingEmail, OutgoingSms};
use locales::{EmailPhrases, EmailTemplatePhrases};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::accounts::language::Language;
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
