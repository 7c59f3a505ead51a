//! What stands in the fields of a form about a connection, and what the management API makes of it.

use super::super::left::FlashForm;
use super::super::shown::{SubmittedForm, carried};
use super::super::{ActionError, PageContext};
use super::{MANAGE, speaks};
use crate::extract::pairs::FormParams;
use crate::manage::connections::{CONNECTION_PATCH, ConnectionInput, NEW_CONNECTION, NewConnectionInput};
use crate::manage::merge::merged;
use crate::schema::NamedSchema;
use serde_json::{Map, Value, json};
use sinete_core::provider::connection::{ConnectionProtocol, ProviderAuthMethod};
use sinete_core::provider::saml::settings::NAME_ID;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::connections::{ConnectionDraft, ConnectionOverview};
use sinete_screens::console::FormGate;
use sinete_screens::console::connections::{ConnectionFields, ProviderProtocol};
use sinete_screens::console::said::ConsoleNotice;

/// The domains that lead to a provider. They are no part of its connection's version.
const DOMAINS: &str = "domains";

/// The fields that are typed into or chosen from, and shown again. The domains are the last of them.
const TEXTS: [&str; 9] =
    ["name", "issuer", "client_id", "authentication", "scopes", "subject", "email", "full_name", DOMAINS];

/// What is typed and never shown: what a provider gave, and what it says about itself.
const SECRET: &str = "client_secret";
const METADATA: &str = "metadata";

/// What stands in the fields.
#[derive(Clone)]
pub(super) struct ConnectionForm {
    speaks: ProviderProtocol,
    exists: bool,
    decides: bool,
    has_secret: bool,
    /// Whether somebody sent this form, and it was not done.
    sent: bool,
    /// Whether they typed something that is not kept.
    again: bool,
    texts: [String; TEXTS.len()],
}

impl ConnectionForm {
    /// Of a connection that is not there yet: with what was typed where it was not done.
    pub(super) fn new(work: &PageContext<'_>, speaks: ProviderProtocol) -> Self {
        let mut filled = Self {
            speaks,
            exists: false,
            decides: true,
            has_secret: false,
            sent: false,
            again: false,
            texts: Default::default(),
        };
        filled.put("authentication", "client_secret");
        filled.put("scopes", "openid email profile");
        filled.put("subject", NAME_ID);
        filled.with(work.left.as_ref(), named(speaks))
    }

    /// Of one that is there, as it is.
    pub(super) fn of(work: &PageContext<'_>, shown: &ConnectionOverview) -> Self {
        let chosen = &shown.connection.chosen;
        let speaks = speaks(chosen);
        let mut filled = Self {
            speaks,
            exists: true,
            decides: work.at.acting().is_owner,
            has_secret: shown.connection.has_secret,
            sent: false,
            again: false,
            texts: Default::default(),
        };
        filled.put("name", &chosen.name);
        match &chosen.protocol {
            ConnectionProtocol::OpenId(open_id) => {
                filled.put("client_id", &open_id.client_id);
                filled.put(
                    "authentication",
                    match open_id.authentication {
                        ProviderAuthMethod::ClientSecret => "client_secret",
                        ProviderAuthMethod::PrivateKey => "private_key",
                    },
                );
                filled.put("scopes", &open_id.scopes.join(" "));
            }
            ConnectionProtocol::Saml(saml) => {
                filled.put("subject", &saml.subject);
                filled.put("email", saml.email.as_deref().unwrap_or_default());
                filled.put("full_name", saml.full_name.as_deref().unwrap_or_default());
            }
        }
        filled.put(DOMAINS, &lines(shown));
        filled
    }

    /// The same with what somebody changed, where it was not done. What they did not change is as it is now.
    pub(super) fn changed(&self, work: &PageContext<'_>) -> Self {
        self.clone().with(work.left.as_ref(), "change")
    }

    fn with(mut self, left: Option<&FlashForm>, form: &str) -> Self {
        // Also where it was too long to be kept: what was wrong with it is told all the same.
        self.sent =
            left.is_some_and(|left| left.opens(form) && left.said().is_some_and(|it| it.is_trouble()));
        let Some(retyped) = SubmittedForm::of(left, form) else { return self };
        let never = if self.speaks == ProviderProtocol::Saml { METADATA } else { SECRET };
        self.again = left.is_some_and(|left| left.asks_again(form, never));
        for name in TEXTS {
            if let Some(typed) = retyped.text(name) {
                self.put(name, typed);
            }
        }
        self
    }

    fn put(&mut self, name: &str, text: &str) {
        if let Some((_, place)) = TEXTS.iter().zip(&mut self.texts).find(|(known, _)| **known == name) {
            text.clone_into(place);
        }
    }

    /// What the form carries of what is shown. Domains that come back as they were typed are still marked as they were
    /// shown to whoever typed them: no version says what others did with them meanwhile. Where it was noticed, the page
    /// shows how they stand.
    pub(super) fn carried(&self, left: Option<&FlashForm>) -> String {
        let texts = TEXTS.into_iter().zip(self.texts.iter().map(String::as_str));
        let typed =
            SubmittedForm::of(left.filter(|left| left.said() != Some(ConsoleNotice::Changed)), "change");
        let typed = typed.filter(|typed| typed.text(DOMAINS).is_some());
        match typed.as_ref().and_then(|typed| typed.marks(TEXTS.len())?.last()) {
            Some(before) => carried(texts.filter(|(name, _)| *name != DOMAINS), []) + before,
            None => carried(texts, []),
        }
    }

    /// Whether what was wrong is in a field that only owners find.
    pub(super) const fn hides(&self, said: ConsoleNotice) -> bool {
        !self.decides
            && matches!(
                said,
                ConsoleNotice::BadMetadata
                    | ConsoleNotice::BadSubject
                    | ConsoleNotice::BadAttribute
                    | ConsoleNotice::BadNameAttribute
                    | ConsoleNotice::BadClientId
                    | ConsoleNotice::BadScopes
            )
    }

    pub(super) fn view<'a>(&'a self, form: &'a str, stands: FormGate) -> ConnectionFields<'a> {
        let [name, issuer, client_id, authentication, scopes, subject, email, full_name, domains] =
            self.texts.each_ref().map(String::as_str);
        let Self { speaks, exists, decides, has_secret, sent, again, .. } = *self;
        ConnectionFields {
            form,
            stands,
            sent,
            again,
            speaks,
            exists,
            decides,
            has_secret,
            name,
            issuer,
            client_id,
            authentication,
            scopes,
            subject,
            email,
            full_name,
            domains,
        }
    }
}

/// The domains that lead to a provider, one to a line.
fn lines(shown: &ConnectionOverview) -> String {
    let domains: Vec<String> = shown.domains.iter().map(|domain| domain.shown()).collect();
    domains.join("\n")
}

/// What the form for connecting such a provider is called.
const fn named(speaks: ProviderProtocol) -> &'static str {
    match speaks {
        ProviderProtocol::OpenId => "open_id",
        ProviderProtocol::Saml => "saml",
    }
}

/// What a form says about a connection, as the API writes it. What is not in it is not said.
fn written(form: &FormParams, is_saml: bool) -> Map<String, Value> {
    let (mut body, mut saml) = (Map::new(), Map::new());
    let typed = |name: &str| form.iter().find(|(known, _)| *known == name).map(|(_, text)| text.trim());
    let words = |text: &str| json!(text.split_whitespace().collect::<Vec<_>>());
    let or_null = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    for (name, text) in TEXTS.into_iter().filter_map(|name| Some((name, typed(name)?))) {
        match (name, is_saml) {
            ("name", _) => drop(body.insert("name".to_owned(), json!(text))),
            (DOMAINS, _) => drop(body.insert(name.to_owned(), words(text))),
            ("subject", true) => drop(saml.insert(name.to_owned(), json!(text))),
            ("email" | "full_name", true) => drop(saml.insert(name.to_owned(), or_null(text))),
            ("scopes", false) => drop(body.insert(name.to_owned(), words(text))),
            ("issuer" | "client_id" | "authentication", false) => {
                drop(body.insert(name.to_owned(), json!(text)));
            }
            _ => {}
        }
    }
    if !saml.is_empty() {
        body.insert("saml".to_owned(), Value::Object(saml));
    }
    // Left empty, what there is stays. A secret is taken as it was typed; around a document blanks mean nothing.
    if let Some(secret) = form.get(SECRET).filter(|_| !is_saml) {
        body.insert(SECRET.to_owned(), json!(secret));
    }
    if let Some(document) = form.get(METADATA).filter(|_| is_saml) {
        body.insert(METADATA.to_owned(), json!(document.trim()));
    }
    body
}

/// The connection that a form asks for, with who the provider is where the form says so.
pub(super) fn wanted(form: &FormParams) -> Result<(Option<String>, ConnectionDraft), ActionError> {
    let is_saml = match form.get("action") {
        Some("saml") => true,
        Some("open_id") => false,
        Some(_) | None => return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    };
    let mut body = written(form, is_saml);
    if is_saml && !body.contains_key(METADATA) {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::BadMetadata));
    }
    if let Some(saml) = body.get_mut("saml").and_then(Value::as_object_mut) {
        saml.retain(|_, value| !value.is_null());
    }
    let body = Value::Object(body);
    fits(&NEW_CONNECTION, &body)?;
    let new: NewConnectionInput =
        serde_json::from_value(body).map_err(|_| ActionError::ConsoleNotice(ConsoleNotice::NotPossible))?;
    new.wanted().map_err(unread)
}

/// What a form makes of a connection. What nobody changed in it stays as it is, and so does what it does not speak of.
pub(super) fn patched(
    before: &ConnectionOverview,
    form: &FormParams,
) -> Result<ConnectionDraft, ActionError> {
    let is_saml = before.connection.chosen.saml().is_some();
    let sent = SubmittedForm::sent(form.clone());
    // A form that does not say what was shown cannot say what was changed.
    sent.marks(TEXTS.len()).ok_or(ActionError::ConsoleNotice(ConsoleNotice::Changed))?;
    let same = |(name, text): &(&str, &str)| TEXTS.contains(name) && sent.showed(name, text);
    let changed = form.iter().filter(|field| !same(field));
    let changed = FormParams::of(changed.map(|(name, text)| (name.to_owned(), text.to_owned())).collect());
    // Others take domains to another connection without changing this one.
    if changed.iter().any(|(name, _)| name == DOMAINS) && !sent.showed(DOMAINS, &lines(before)) {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::Changed));
    }
    let mut patch = written(&changed, is_saml);
    // Who the provider is stays.
    patch.remove("issuer");
    let patch = Value::Object(patch);
    fits(&CONNECTION_PATCH, &patch)?;
    merged_with(before, patch)
}

/// The same connection, switched on or off.
pub(super) fn switched(before: &ConnectionOverview, on: bool) -> ConnectionDraft {
    ConnectionDraft {
        chosen: before.connection.chosen.clone(),
        secret: None,
        domains: before.domains.iter().map(ToString::to_string).collect(),
        is_enabled: on,
        metadata: None,
    }
}

fn merged_with(before: &ConnectionOverview, patch: Value) -> Result<ConnectionDraft, ActionError> {
    let impossible = |_| ActionError::ConsoleNotice(ConsoleNotice::NotPossible);
    let body = serde_json::to_value(ConnectionInput::of(before)).map_err(impossible)?;
    let text: ConnectionInput = serde_json::from_value(merged(body, patch)).map_err(impossible)?;
    text.wanted().map_err(unread)
}

/// What the API's own schema does not allow in what a form makes.
fn fits(schema: &NamedSchema, body: &Value) -> Result<(), ActionError> {
    match schema.check(body).iter().next() {
        Some(fault) => Err(ActionError::ConsoleNotice(said_of(&fault.pointer))),
        None => Ok(()),
    }
}

fn unread(refusal: Refusal) -> ActionError {
    let first = refusal.faults().iter().next().map(|fault| said_of(&fault.pointer));
    first.map_or(ActionError::Refused(refusal, ConsoleNotice::NotPossible), ActionError::ConsoleNotice)
}

/// A form about a connection was refused. The first thing that is wrong is told beside its field.
pub(super) fn trouble(
    work: &PageContext<'_>,
    form: &FormParams,
    refusal: Refusal,
    conflict: ConsoleNotice,
) -> ActionError {
    match refusal.code() {
        RefusalCode::Unprocessable => match (unread(refusal), form.get("action")) {
            // Who such a provider is stands in what it says about itself.
            (ActionError::ConsoleNotice(ConsoleNotice::BadIssuer), Some("saml")) => {
                ActionError::ConsoleNotice(ConsoleNotice::ProviderTaken)
            }
            (trouble, _) => trouble,
        },
        // Whoever may manage connections and is refused wanted to decide by whose word members are signed in.
        RefusalCode::InsufficientScope if work.at.may_change(MANAGE) => {
            ActionError::ConsoleNotice(ConsoleNotice::OwnersDecide)
        }
        _ => ActionError::Refused(refusal, conflict),
    }
}

/// What is wrong at this place of the document that the API takes.
fn said_of(pointer: &str) -> ConsoleNotice {
    let mut places = pointer.trim_start_matches('/').split('/');
    match (places.next().unwrap_or_default(), places.next()) {
        ("name", _) => ConsoleNotice::NoName,
        ("issuer", _) => ConsoleNotice::BadIssuer,
        ("client_id", _) => ConsoleNotice::BadClientId,
        (SECRET, _) => ConsoleNotice::BadClientSecret,
        ("scopes", _) => ConsoleNotice::BadScopes,
        (METADATA, _) | ("saml", Some("sso_url" | "certificates")) => ConsoleNotice::BadMetadata,
        ("saml", Some("subject")) => ConsoleNotice::BadSubject,
        ("saml", Some("email")) => ConsoleNotice::BadAttribute,
        ("saml", Some("full_name")) => ConsoleNotice::BadNameAttribute,
        (DOMAINS, _) => ConsoleNotice::BadDomains,
        _ => ConsoleNotice::OverTheApi,
    }
}
