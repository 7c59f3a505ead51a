//! The operator's templates. A template that fails in any way is reported and the built-in text is sent, so that
//! a template can never keep anyone from signing in.

use super::layout::escape_html;
use super::{EmailAction, EmailContent, EmailKind};
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Error, Output, State, UndefinedBehavior};
use serde::Serialize;
use sinete_core::accounts::language::Language;
use sinete_core::organizations::OrganizationSlug;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The name of a template that applies to every kind of message.
const GENERIC_TEMPLATE_NAME: &str = "message";
/// The folder with one folder for each organization.
const ORGANIZATIONS_FOLDER: &str = "organizations";
/// Maximum steps of one template, so that a loop cannot keep a request busy.
const STEPS_MAX: u64 = 100_000;
/// Maximum size of a rendered part, in bytes.
const PART_BYTES_MAX: usize = 128 * 1024;
/// Maximum characters of a subject.
const SUBJECT_CHARACTERS_MAX: usize = 200;

/// The templates of an instance. Cheap to clone.
#[derive(Clone, Default)]
pub struct EmailTemplates {
    environment: Option<Arc<Environment<'static>>>,
    names: Arc<BTreeSet<String>>,
}

/// A template that is not used, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TemplateProblem {
    /// The path of the template below the folder.
    pub template: String,
    /// What is wrong.
    pub reason: String,
}

/// A part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmailPart {
    Subject,
    Text,
    Html,
}

/// The variables of a template. `docs/guides/email-templates.md` describes them.
#[derive(Serialize)]
struct TemplateVariables<'a> {
    kind: &'a str,
    language: &'a str,
    subject: &'a str,
    preheader: &'a str,
    greeting: &'a str,
    lead: &'a str,
    facts: Vec<TemplateFact<'a>>,
    link: Option<&'a str>,
    link_lead: Option<&'a str>,
    link_label: Option<&'a str>,
    code: Option<&'a str>,
    code_lead: Option<&'a str>,
    closing: &'a str,
    service: &'a str,
    issuer: &'a str,
    host: &'a str,
    logo: Option<&'a str>,
    accent: &'a str,
    background: &'a str,
    organization: Option<&'a str>,
    inviter: Option<&'a str>,
    application: Option<&'a str>,
    address: Option<&'a str>,
    name: Option<&'a str>,
    time: Option<&'a str>,
}

#[derive(Serialize)]
struct TemplateFact<'a> {
    name: &'a str,
    value: &'a str,
}

impl EmailTemplates {
    /// Compiles files: their paths below the folder with `/`, and their contents. What cannot be used is left
    /// out and reported.
    pub fn compile(files: impl IntoIterator<Item = (String, String)>) -> (Self, Vec<TemplateProblem>) {
        let (mut environment, mut names, mut problems) = (new_environment(), BTreeSet::new(), Vec::new());
        for (path, source) in files {
            let added = check_path(&path).and_then(|()| {
                environment.add_template_owned(path.clone(), source).map_err(|error| error.to_string())
            });
            match added {
                Ok(()) => drop(names.insert(path)),
                Err(reason) => problems.push(TemplateProblem { template: path, reason }),
            }
        }
        (Self { environment: Some(Arc::new(environment)), names: Arc::new(names) }, problems)
    }

    /// The slugs of the organizations that have templates.
    pub fn organizations(&self) -> BTreeSet<&str> {
        self.names
            .iter()
            .filter_map(|name| name.strip_prefix(ORGANIZATIONS_FOLDER)?.strip_prefix('/')?.split_once('/'))
            .map(|(slug, _)| slug)
            .collect()
    }

    /// Renders a part with the most specific template that works: of the organization before the instance's,
    /// of the kind before `message`, of the language before any. What fails on the way is reported.
    pub(super) fn render(
        &self,
        part: EmailPart,
        content: &EmailContent<'_>,
        problems: &mut Vec<TemplateProblem>,
    ) -> Option<String> {
        let environment = self.environment.as_ref()?;
        for name in candidates(part, content).into_iter().filter(|name| self.names.contains(name)) {
            let rendered = environment
                .get_template(&name)
                .and_then(|template| template.render(TemplateVariables::from_content(content)))
                .map_err(|error| error.to_string())
                .and_then(|text| check_part(part, text, content));
            match rendered {
                Ok(text) => return Some(text),
                Err(reason) => problems.push(TemplateProblem { template: name, reason }),
            }
        }
        None
    }
}

impl std::fmt::Debug for EmailTemplates {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_set().entries(self.names.iter()).finish()
    }
}

impl std::fmt::Display for TemplateProblem {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.template, self.reason)
    }
}

impl EmailPart {
    const fn extension(self) -> &'static str {
        match self {
            Self::Subject => "subject",
            Self::Text => "txt",
            Self::Html => "html",
        }
    }
}

impl<'a> TemplateVariables<'a> {
    fn from_content(content: &'a EmailContent<'_>) -> Self {
        let value =
            |key: &str| content.values.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
        let link = content.actions.iter().find_map(|it| match &it.action {
            EmailAction::OpenLink { link, label } => Some((*link, it.introduction.as_str(), label.as_str())),
            EmailAction::EnterCode(_) => None,
        });
        let code = content.actions.iter().find_map(|it| match &it.action {
            EmailAction::OpenLink { .. } => None,
            EmailAction::EnterCode(code) => Some((*code, it.introduction.as_str())),
        });
        Self {
            kind: content.kind,
            language: content.language.tag(),
            subject: &content.subject,
            preheader: &content.introduction,
            greeting: content.greeting,
            lead: &content.introduction,
            facts: content.facts.iter().map(|(name, value)| TemplateFact { name, value }).collect(),
            link: link.map(|it| it.0),
            link_lead: link.map(|it| it.1),
            link_label: link.map(|it| it.2),
            code: code.map(|it| it.0),
            code_lead: code.map(|it| it.1),
            closing: &content.closing,
            service: &content.brand.name,
            issuer: content.issuer,
            host: content.host,
            logo: content.brand.logo.as_deref(),
            accent: &content.brand.accent,
            background: &content.brand.background,
            organization: value("organization"),
            inviter: value("inviter"),
            application: value("application"),
            address: value("address"),
            name: value("name"),
            time: value("time"),
        }
    }
}

fn new_environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(STEPS_MAX));
    environment.set_formatter(write_value);
    environment.set_auto_escape_callback(|name| {
        if name.ends_with(".html") { AutoEscape::Html } else { AutoEscape::None }
    });
    // Names of organizations and users are untrusted, so nothing is exempt from escaping.
    environment.remove_filter("safe");
    environment
}

/// Writes a value: nothing for what the message does not have, and escaped in HTML.
fn write_value(out: &mut Output<'_>, state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    if value.is_none() {
        return Ok(());
    }
    let text = value.to_string();
    // The name decides and not the state, which a template can change with an autoescape block.
    if !state.name().ends_with(".html") || value.is_safe() {
        write!(out, "{text}")?;
    } else {
        write!(out, "{}", escape_html(&text))?;
    }
    Ok(())
}

/// The names of the templates for a part, the most specific first.
fn candidates(part: EmailPart, content: &EmailContent<'_>) -> Vec<String> {
    let organization_folder = content.organization.map(|slug| format!("{ORGANIZATIONS_FOLDER}/{slug}/"));
    let (tag, extension) = (content.language.tag(), part.extension());
    let mut names = Vec::new();
    for folder in organization_folder.iter().map(String::as_str).chain([""]) {
        for kind in [content.kind, GENERIC_TEMPLATE_NAME] {
            names.push(format!("{folder}{kind}.{tag}.{extension}"));
            names.push(format!("{folder}{kind}.{extension}"));
        }
    }
    names
}

/// Checks the path of a template, so that a misspelled one is noticed.
fn check_path(path: &str) -> Result<(), String> {
    let file = match path.split('/').collect::<Vec<_>>()[..] {
        [file] => file,
        [ORGANIZATIONS_FOLDER, slug, file] if slug.parse::<OrganizationSlug>().is_ok() => file,
        _ => {
            return Err(format!("a template is in the folder itself or in {ORGANIZATIONS_FOLDER}/<slug>"));
        }
    };
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    if !["subject", "txt", "html"].contains(&extension) {
        return Err("the name of a template ends with .subject, .txt or .html".to_owned());
    }
    if stem.starts_with('_') {
        return Ok(());
    }
    let (kind, tag) = stem.split_once('.').map_or((stem, None), |(kind, tag)| (kind, Some(tag)));
    if kind != GENERIC_TEMPLATE_NAME && !EmailKind::NAMES.contains(&kind) {
        return Err(format!("there is no message {kind}; there are {}", EmailKind::NAMES.join(", ")));
    }
    let tags = Language::ALL.map(Language::tag);
    match tag {
        Some(tag) if !tags.contains(&tag) => {
            Err(format!("there is no language {tag}; there are {}", tags.join(", ")))
        }
        Some(_) | None => Ok(()),
    }
}

/// Checks that a rendered part can be sent: a subject of one line without a secret, and a body with everything
/// that the recipient needs.
fn check_part(part: EmailPart, text: String, content: &EmailContent<'_>) -> Result<String, String> {
    if text.len() > PART_BYTES_MAX {
        return Err(format!("the result is larger than {PART_BYTES_MAX} bytes"));
    }
    let secrets = || content.actions.iter().map(|it| it.action.secret());
    match part {
        EmailPart::Subject => {
            let subject = text.trim();
            if subject.is_empty() || subject.chars().any(char::is_control) {
                return Err("a subject is one line".to_owned());
            }
            if subject.chars().count() > SUBJECT_CHARACTERS_MAX {
                return Err(format!("a subject has at most {SUBJECT_CHARACTERS_MAX} characters"));
            }
            if secrets().any(|secret| subject.contains(secret)) {
                return Err("a subject contains neither link nor code".to_owned());
            }
            Ok(subject.to_owned())
        }
        EmailPart::Text if secrets().any(|secret| !text.contains(secret)) => {
            Err("it must contain {{ link }} and {{ code }} where the message has them".to_owned())
        }
        EmailPart::Html if secrets().any(|secret| !text.contains(&escape_html(secret))) => {
            Err("it must contain {{ link }} and {{ code }} where the message has them".to_owned())
        }
        EmailPart::Text | EmailPart::Html => Ok(text),
    }
}

#[cfg(test)]
mod tests;
