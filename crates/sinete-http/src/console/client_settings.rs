//! All settings of a client, of an organization or of the instance: every field that the management API accepts is on a
//! form, in parts that are saved separately, or is shown to users who may only read
//! (docs/contribute/decisions/0320-console-every-client-field-in-parts.md).

pub(super) mod fields;

use super::operations::form::{FormField, NextPage, PageForm, build_allowed_form};
use super::operations::values::text_at;
use super::operations::{OperationPage, PageContent, Phrase};
use super::page_context::PageContext;
use serde_json::{Value, json};
use sinete_core::access_control::built_in_permissions::{MANAGE_AGENTS, MANAGE_CLIENTS};
use sinete_core::oauth::client_metadata::GrantType;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockLink, FactsBlock, PageBlock};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const ORGANIZATION_PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/applications/{client}/settings",
    section: ConsoleSection::Applications,
    reads: &["getClient"],
    forms: ORGANIZATION_FORMS,
    show: |context, id| Box::pin(show_settings(context, id)),
}];

pub(super) const INSTANCE_PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/applications/{client}/settings",
    section: ConsoleSection::InstanceApplications,
    reads: &["getInstanceClient"],
    forms: INSTANCE_FORMS,
    show: |context, id| Box::pin(show_settings(context, id)),
}];

const ORGANIZATION_FORMS: &[PageForm] = &settings_forms("updateClient", fields::SIGN_IN);
const INSTANCE_FORMS: &[PageForm] = &settings_forms("updateInstanceClient", fields::INSTANCE_SIGN_IN);

/// A new secret, which the response to a change contains if the client needs one from then on.
const NEW_SECRET: NextPage = NextPage::Secret("", &[("/client_secret", |w| w.instance.client_secret)]);

/// The action of the form for the owner, which only an agent has.
const OWNER_ACTION: &str = "owner";

/// The parts. Fields that depend on each other are in the same one, so that every state can be reached part by part.
const fn settings_forms(operation: &'static str, sign_in: &'static [FormField]) -> [PageForm; 8] {
    [
        settings_form(operation, "about", |w| w.client_settings.about, fields::DISPLAY_FIELDS),
        settings_form(operation, "addresses", |w| w.client_settings.addresses, fields::GRANT_AND_URL_FIELDS),
        settings_form(operation, "sign_in", |w| w.client_settings.sign_in, sign_in),
        settings_form(operation, "tokens", |w| w.client_settings.tokens, fields::TOKENS),
        settings_form(operation, "logout", |w| w.client_settings.logout, fields::LOGOUT),
        settings_form(operation, "keys", |w| w.client_settings.keys, fields::KEYS),
        settings_form(operation, "advanced", |w| w.client_settings.advanced, fields::ADVANCED),
        settings_form(operation, OWNER_ACTION, |w| w.applications.owner, &[fields::OWNER]),
    ]
}

const fn settings_form(
    operation: &'static str,
    action: &'static str,
    title: Phrase,
    fields: &'static [FormField],
) -> PageForm {
    PageForm {
        action,
        operation,
        title,
        button: |w| w.applications.save,
        fields,
        notice: ConsoleNotice::ApplicationChanged,
        next: NEW_SECRET,
        is_collapsed: true,
        ..PageForm::BUTTON
    }
}

async fn show_settings(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let (forms, read) = match context.is_of_instance() {
        true => (INSTANCE_FORMS, "getInstanceClient"),
        false => (ORGANIZATION_FORMS, "getClient"),
    };
    let client = with_effective_grants(context.send(context.operation(read).path("client", id)).await?.body);
    let is_agent = text_at(&client, "/kind") == "agent";
    let forms = forms.iter().filter(|form| form.action != OWNER_ACTION || is_agent);
    let blocks = match can_change(context, &client) {
        true => forms.map(|form| build_allowed_form(context, form, Some(&client))).collect(),
        false => {
            forms.filter_map(|form| describe_part(context, form, &client)).map(PageBlock::Facts).collect()
        }
    };
    Ok(PageContent {
        title: format!("{}: {}", text_at(&client, "/metadata/client_name"), phrases.client_settings.title),
        introduction: phrases.client_settings.lead.to_owned(),
        blocks,
    })
}

/// Whether the user may change this client. Operators change only the clients that they registered.
pub(super) fn can_change(context: &PageContext<'_>, client: &Value) -> bool {
    if context.is_of_instance() {
        return text_at(client, "/origin") == "operator" && context.can_call("updateInstanceClient");
    }
    let is_agent = text_at(client, "/kind") == "agent";
    context.access.can_change(if is_agent { MANAGE_AGENTS } else { MANAGE_CLIENTS })
}

/// The client with the grant types that apply if it registered none.
pub(super) fn with_effective_grants(mut client: Value) -> Value {
    if client.pointer("/metadata/grant_types").is_none() {
        client["metadata"]["grant_types"] = json!(GrantType::DEFAULTS.map(GrantType::as_str));
    }
    client
}

/// The link to the settings of a client.
pub(super) fn settings_link(context: &PageContext<'_>, id: &str) -> BlockLink {
    let area = context.return_to.organization_path();
    BlockLink {
        text: context.phrases().client_settings.title.to_owned(),
        path: format!("{area}/applications/{id}/settings"),
    }
}

/// The values of a part, for users who may only read; nothing if none is set.
fn describe_part(context: &PageContext<'_>, form: &PageForm, client: &Value) -> Option<FactsBlock> {
    let fact = |field: &FormField| {
        let cell = field.display_cell(context, client);
        (!cell.0.is_empty()).then(|| ((field.label)(context.phrases()).to_owned(), cell))
    };
    let facts: Vec<_> = form.fields.iter().filter_map(fact).collect();
    (!facts.is_empty()).then(|| FactsBlock {
        id: form.action.to_owned(),
        title: (form.title)(context.phrases()).to_owned(),
        facts,
        links: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SCHEMA_REGISTRY;
    use std::collections::BTreeSet;

    /// The members of a change that a settings page has no field for, with the reason.
    const WITHOUT_FIELD: &[(&str, &str, &str)] = &[
        ("updateClient", "/roles", "the page of the application has the roles of the organization"),
        ("updateInstanceClient", "/roles", "a client of the instance has no roles"),
        ("updateClient", "/metadata/serves", "it has an effect only on clients of the instance"),
        ("updateClient", "/metadata/backchannel_user_code_parameter", "only false is supported"),
        ("updateInstanceClient", "/metadata/backchannel_user_code_parameter", "only false is supported"),
    ];

    fn members_of(schema: &str) -> BTreeSet<String> {
        let schema = SCHEMA_REGISTRY.find(schema).unwrap();
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    }

    /// The members of the body of a change, as JSON pointers.
    fn patch_members() -> BTreeSet<String> {
        let outer = members_of("ClientPatch").into_iter().filter(|name| name != "metadata");
        let metadata = members_of("ClientMetadataPatch").into_iter().map(|name| format!("metadata/{name}"));
        outer.chain(metadata).map(|name| format!("/{name}")).collect()
    }

    #[test]
    fn client_settings_have_a_field_or_a_reason_for_every_member_of_the_api() {
        for page in [&ORGANIZATION_PAGES[0], &INSTANCE_PAGES[0]] {
            let operation = page.forms[0].operation;
            let fields: Vec<&str> =
                page.forms.iter().flat_map(|form| form.fields).map(|field| field.pointer).collect();
            let is_listed =
                |member: &str| WITHOUT_FIELD.iter().any(|(of, name, _)| *of == operation && *name == member);
            let members = patch_members();
            assert!(members.len() > 40, "{members:?}");
            for member in &members {
                let has_field = fields.contains(&member.as_str());
                assert!(has_field != is_listed(member), "{operation}: {member} is on a form: {has_field}");
            }
            for field in &fields {
                assert!(members.contains(*field), "{operation}: {field} is no member");
            }
            let once: BTreeSet<&str> = fields.iter().copied().collect();
            assert_eq!(once.len(), fields.len(), "{operation}: a field is on two forms");
        }
        for (_, member, _) in WITHOUT_FIELD {
            assert!(patch_members().contains(*member), "{member} is no member");
        }
    }

    #[test]
    fn client_settings_choices_are_those_of_the_schema() {
        use crate::console::operations::form::FieldKind;
        let schema = SCHEMA_REGISTRY.find("ClientMetadata").unwrap();
        for field in INSTANCE_PAGES[0].forms.iter().flat_map(|form| form.fields) {
            let (FieldKind::Choice(options) | FieldKind::Checkboxes(options)) = field.kind else { continue };
            let offered_values: BTreeSet<&str> =
                options.iter().map(|(value, _)| *value).filter(|value| !value.is_empty()).collect();
            let member = &schema["properties"][field.pointer.trim_start_matches("/metadata/")];
            let accepted: BTreeSet<&str> = enum_values(member);
            assert_eq!(offered_values, accepted, "{}: {member}", field.pointer);
        }
    }

    /// The values that a schema lists, at any depth.
    fn enum_values(schema: &Value) -> BTreeSet<&str> {
        match schema {
            Value::Object(members) => {
                let own_values =
                    ["enum"].iter().filter_map(|name| members.get(*name)).filter_map(Value::as_array);
                let own_values = own_values.flatten().chain(members.get("const")).filter_map(Value::as_str);
                let inner = members.iter().filter(|(name, _)| *name != "enum" && *name != "const");
                own_values.chain(inner.flat_map(|(_, inner)| enum_values(inner))).collect()
            }
            Value::Array(items) => items.iter().flat_map(enum_values).collect(),
            _ => BTreeSet::new(),
        }
    }
}
