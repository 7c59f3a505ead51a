//! Forms of operation pages: the fields of an operation's body, filled from the resource and from rejected input.

use super::Phrase;
use super::values::{is_true, items_at, text_at};
use crate::console::flash_form::FlashForm;
use crate::console::page_context::PageContext;
use crate::console::submitted_form::{SubmittedForm, encode_original_values};
use serde_json::Value;
use sinete_screens::console::block_page::{BlockCell, BlockField, FieldInput, FormBlock, PageBlock};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::route::{ApiConvention, OperationOutcome, RouteMethod};

/// A form.
#[derive(Debug)]
pub(in crate::console) struct PageForm {
    /// The value of `action`.
    pub(in crate::console) action: &'static str,
    /// The operation it calls.
    pub(in crate::console) operation: &'static str,
    /// Whether it needs recent authentication, as everything that gives access.
    pub(in crate::console) requires_fresh_authentication: bool,
    pub(in crate::console) title: Phrase,
    pub(in crate::console) introduction: Phrase,
    pub(in crate::console) button: Phrase,
    pub(in crate::console) fields: &'static [FormField],
    /// Values of the body that the user does not choose, by their pointers.
    pub(in crate::console) fixed_values: &'static [(&'static str, FixedValue)],
    /// The notice after it.
    pub(in crate::console) notice: ConsoleNotice,
    pub(in crate::console) next: NextPage,
    pub(in crate::console) is_danger: bool,
    pub(in crate::console) is_collapsed: bool,
}

/// A value that the user does not choose.
#[derive(Clone, Copy, Debug)]
pub(in crate::console) enum FixedValue {
    /// This text.
    Text(&'static str),
    /// The membership of the user.
    OwnMembership,
}

/// The page after a form.
#[derive(Clone, Copy, Debug)]
pub(in crate::console) enum NextPage {
    /// The same.
    Same,
    /// The list.
    List,
    /// The page of what was created, below this one; its id is at this pointer.
    Created(&'static str),
    /// The secrets as for `Secret`, then the page below this path of what has the id at the pointer.
    SecretBelow(&'static str, &'static str, &'static [(&'static str, Phrase)]),
    /// The secrets at these pointers, shown once; then the page of what has the id at the first pointer, or this
    /// one.
    Secret(&'static str, &'static [(&'static str, Phrase)]),
}

/// A field.
#[derive(Debug)]
pub(in crate::console) struct FormField {
    /// The place in the body.
    pub(in crate::console) pointer: &'static str,
    pub(in crate::console) label: Phrase,
    pub(in crate::console) hint: Phrase,
    pub(in crate::console) kind: FieldKind,
    pub(in crate::console) is_required: bool,
    /// The value if the resource has none.
    pub(in crate::console) initial: &'static str,
}

/// A kind of field.
#[derive(Clone, Copy, Debug)]
pub(in crate::console) enum FieldKind {
    Text,
    /// A line of text that is stored also if it was emptied.
    TextOrEmpty,
    Email,
    Number,
    /// A number of days, sent in seconds.
    Days,
    /// A day, sent as its end in UTC.
    Day,
    /// A list, one entry to a line.
    Lines,
    /// One of these values.
    Choice(&'static [(&'static str, Phrase)]),
    /// Any of these values.
    Checkboxes(&'static [(&'static str, Phrase)]),
    /// Yes or no.
    Checkbox,
    /// A JSON value.
    Json,
    /// A parameter of the operation's path, not part of the body.
    Path,
}

/// The seconds of a day.
pub(super) const DAY_SECONDS: i64 = 24 * 60 * 60;

/// No phrase.
pub(in crate::console) const NO_PHRASE: Phrase = |_| "";

impl PageForm {
    /// A form with one button, which changes the page's resource.
    pub(in crate::console) const BUTTON: Self = Self {
        action: "",
        operation: "",
        requires_fresh_authentication: true,
        title: NO_PHRASE,
        introduction: NO_PHRASE,
        button: NO_PHRASE,
        fields: &[],
        fixed_values: &[],
        notice: ConsoleNotice::Done,
        next: NextPage::Same,
        is_danger: false,
        is_collapsed: false,
    };
}

impl FormField {
    /// A line of text.
    pub(in crate::console) const TEXT: Self = Self {
        pointer: "",
        label: NO_PHRASE,
        hint: NO_PHRASE,
        kind: FieldKind::Text,
        is_required: false,
        initial: "",
    };

    /// The name in the form.
    pub(in crate::console) fn name(&self) -> &'static str {
        self.pointer.trim_start_matches('/')
    }

    /// The value in a resource, as it is typed.
    fn typed_value(&self, resource: Option<&Value>) -> String {
        let Some(value) = resource.and_then(|resource| resource.pointer(self.pointer)) else {
            return self.initial.to_owned();
        };
        let lines = || match value {
            Value::Array(items) => items.iter().map(|item| text_at(item, "")).collect::<Vec<_>>().join("\n"),
            other => text_at(other, ""),
        };
        match self.kind {
            FieldKind::Lines => lines(),
            FieldKind::Json => serde_json::to_string_pretty(value).unwrap_or_default(),
            FieldKind::Day => text_at(value, "").chars().take(10).collect(),
            FieldKind::Checkboxes(_) | FieldKind::Checkbox => String::new(),
            FieldKind::Text
            | FieldKind::TextOrEmpty
            | FieldKind::Email
            | FieldKind::Number
            | FieldKind::Choice(_)
            | FieldKind::Path => text_at(value, ""),
            FieldKind::Days => {
                value.as_i64().map(|seconds| (seconds / DAY_SECONDS).to_string()).unwrap_or_default()
            }
        }
    }

    /// The names of the ticked boxes.
    fn ticked_boxes(&self, resource: Option<&Value>) -> Vec<String> {
        let value = resource.and_then(|resource| resource.pointer(self.pointer));
        match self.kind {
            FieldKind::Checkboxes(options) => {
                let values = resource.map(|resource| items_at(resource, self.pointer)).unwrap_or_default();
                let is_held = |option: &str| values.iter().any(|item| item.as_str() == Some(option));
                let ticked_options = options.iter().filter(|(option, _)| is_held(option));
                ticked_options.map(|(option, _)| format!("{}.{option}", self.name())).collect()
            }
            FieldKind::Checkbox => {
                let is = value.and_then(Value::as_bool).unwrap_or(self.initial == "on");
                if is { vec![self.name().to_owned()] } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    fn to_block(
        &self,
        context: &PageContext<'_>,
        resource: Option<&Value>,
        retyped: Option<&SubmittedForm>,
        is_wrong: bool,
    ) -> BlockField {
        let phrases = context.phrases();
        let ticked_names = self.ticked_boxes(resource);
        let is_ticked = |name: &str| {
            let is_stored = ticked_names.iter().any(|box_name| box_name == name);
            retyped.and_then(|retyped| retyped.changed_tick(name)).unwrap_or(is_stored)
        };
        let value = retyped.and_then(|retyped| retyped.changed_text(self.name())).map(str::to_owned);
        let input = match self.kind {
            FieldKind::Text | FieldKind::TextOrEmpty | FieldKind::Path => FieldInput::Text,
            FieldKind::Email => FieldInput::Email,
            FieldKind::Number | FieldKind::Days => FieldInput::Number,
            FieldKind::Day => FieldInput::Day,
            FieldKind::Lines => FieldInput::Lines(3),
            FieldKind::Json => FieldInput::Lines(8),
            FieldKind::Choice(options) => {
                let options =
                    options.iter().map(|(value, text)| ((*value).to_owned(), text(phrases).to_owned()));
                FieldInput::Choice(options.collect())
            }
            FieldKind::Checkboxes(options) => {
                let option = |(value, text): &(&'static str, Phrase)| {
                    let is_selected = is_ticked(&format!("{}.{value}", self.name()));
                    ((*value).to_owned(), text(phrases).to_owned(), is_selected)
                };
                FieldInput::Checkboxes(options.iter().map(option).collect())
            }
            FieldKind::Checkbox => FieldInput::Checkbox(is_ticked(self.name())),
        };
        BlockField {
            name: self.name().to_owned(),
            label: (self.label)(phrases).to_owned(),
            hint: (self.hint)(phrases).to_owned(),
            input,
            stored: self.describe_conflict(context, resource, retyped),
            value: value.unwrap_or_else(|| self.typed_value(resource)),
            is_required: self.is_required,
            error: is_wrong.then(|| phrases.blocks.invalid.to_owned()),
        }
    }

    /// The value in a resource, for users who may only read it; empty if there is none.
    pub(in crate::console) fn display_cell(&self, context: &PageContext<'_>, resource: &Value) -> BlockCell {
        let phrases = context.phrases();
        match self.kind {
            FieldKind::Choice(options) => {
                let current = self.typed_value(Some(resource));
                let option = options.iter().find(|(value, _)| !value.is_empty() && *value == current);
                BlockCell::text(option.map_or(current, |(_, text)| text(phrases).to_owned()))
            }
            FieldKind::Checkboxes(options) => {
                let values = items_at(resource, self.pointer);
                let ticked_options = options.iter().filter(|(value, _)| values.iter().any(|it| it == value));
                BlockCell::text(ticked_options.map(|(_, text)| text(phrases)).collect::<Vec<_>>().join(", "))
            }
            FieldKind::Checkbox => BlockCell::text(if is_true(resource, self.pointer) {
                phrases.client_settings.yes
            } else {
                ""
            }),
            _ => BlockCell::text(text_at(resource, self.pointer)),
        }
    }

    /// After a conflict, what someone else saved in this field since the form was opened; empty if nothing.
    fn describe_conflict(
        &self,
        context: &PageContext<'_>,
        resource: Option<&Value>,
        retyped: Option<&SubmittedForm>,
    ) -> String {
        let is_conflict = context.flash.as_ref().and_then(FlashForm::notice) == Some(ConsoleNotice::Changed);
        let (Some(retyped), true) = (retyped, is_conflict) else { return String::new() };
        let (phrases, current) = (context.phrases(), self.typed_value(resource));
        let boxes = || match self.kind {
            FieldKind::Checkboxes(options) => {
                options.iter().map(|(option, _)| format!("{}.{option}", self.name())).collect()
            }
            _ => vec![self.name().to_owned()],
        };
        let (is_changed, is_replaced) = match self.kind {
            FieldKind::Checkboxes(_) | FieldKind::Checkbox => {
                let ticked_names = self.ticked_boxes(resource);
                let is_changed =
                    boxes().iter().any(|name| ticked_names.contains(name) != retyped.was_ticked(name));
                (is_changed, false)
            }
            _ => {
                let is_changed = !retyped.was_original(self.name(), &current);
                let submitted_text = retyped.changed_text(self.name());
                (
                    is_changed,
                    submitted_text.is_some_and(|submitted_text| submitted_text.trim() != current.trim()),
                )
            }
        };
        let display_text = match self.kind {
            FieldKind::Choice(options) => options
                .iter()
                .find(|(value, _)| *value == current)
                .map_or(current, |(_, text)| text(phrases).to_owned()),
            _ => current,
        };
        match (is_changed, is_replaced) {
            (false, _) => String::new(),
            (true, true) if display_text.is_empty() => phrases.blocks.stored_empty.to_owned(),
            (true, true) => phrases.blocks.stored_over(display_text),
            (true, false) => phrases.blocks.stored.to_owned(),
        }
    }
}

/// The form, filled in from the resource, if the user may call its operation.
pub(in crate::console) fn build_form(
    context: &PageContext<'_>,
    form: &PageForm,
    resource: Option<&Value>,
) -> Option<PageBlock> {
    context.can_call(form.operation).then(|| build_allowed_form(context, form, resource))
}

/// The same for an operation that the user is known to be able to call.
pub(in crate::console) fn build_allowed_form(
    context: &PageContext<'_>,
    form: &PageForm,
    resource: Option<&Value>,
) -> PageBlock {
    let phrases = context.phrases();
    let flash = context.flash.as_ref();
    let retyped = SubmittedForm::from_flash(flash, form.action);
    let is_open = flash.is_some_and(|flash| flash.is_form_open(form.action));
    let is_wrong =
        |field: &FormField| flash.is_some_and(|flash| flash.is_field_wrong(form.action, field.name()));
    let mut hidden = Vec::new();
    let route = context.find_operation(form.operation);
    let operation = route.and_then(|route| route.operation.as_ref());
    if operation.is_some_and(|operation| operation.has_convention(ApiConvention::IfMatch)) {
        let current = resource.and_then(|resource| resource.pointer("/version")).and_then(Value::as_i64);
        let current = current.unwrap_or_default();
        let version = flash.map_or(current, |flash| flash.form_version(form.action, current));
        hidden.push(("version".to_owned(), version.to_string()));
    }
    if route.is_some_and(|route| route.method == RouteMethod::Patch) {
        let field_values: Vec<(&str, String)> = form
            .fields
            .iter()
            .filter(|field| !matches!(field.kind, FieldKind::Checkboxes(_) | FieldKind::Checkbox))
            .map(|field| (field.name(), field.typed_value(resource)))
            .collect();
        let field_values = field_values.iter().map(|(name, text)| (*name, text.as_str()));
        let ticked_names = form.fields.iter().flat_map(|field| field.ticked_boxes(resource));
        hidden.push(("shown".to_owned(), encode_original_values(field_values, ticked_names)));
    }
    if operation.is_some_and(|operation| matches!(operation.outcome, OperationOutcome::Created(_))) {
        hidden.push(("once".to_owned(), context.new_form_token()));
    }
    let fields = form.fields.iter();
    let fields = fields.map(|field| field.to_block(context, resource, retyped.as_ref(), is_wrong(field)));
    PageBlock::Form(FormBlock {
        action: form.action.to_owned(),
        title: (form.title)(phrases).to_owned(),
        introduction: (form.introduction)(phrases).to_owned(),
        fields: fields.collect(),
        hidden,
        button: (form.button)(phrases).to_owned(),
        other_button: None,
        is_danger: form.is_danger,
        open: form.is_collapsed.then_some(is_open),
    })
}
