//! Relationships at an API, for its organization or for operators: the model, the list with its filters, changes, and a
//! test of access with the relationships that decide
//! (docs/contribute/decisions/0310-console-access-test-names-the-relationships.md).

mod access_test;
mod model;
mod organizations;
mod place;

use self::access_test::build_access_test;
use self::model::build_model;
use self::organizations::list_organizations;
use self::place::RelationshipPlace;
use crate::console::action::{ActionError, ActionOutcome, CompletedAction, Outcome};
use crate::console::operations::list::{OperationList, load_table};
use crate::console::operations::values::{text_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockField, FieldInput, FormBlock, PageBlock, RowButton, TableRow,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

/// The page on which operators choose an organization.
const ORGANIZATIONS_PATH: &str = "/instance/apis/{api}/relationships";

/// The pages.
pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/console/{organization}/apis/{api}/relationships",
        section: ConsoleSection::Apis,
        reads: &["listRelationships", "getApi"],
        forms: &[],
        show: |context, id| Box::pin(show_relationships(context, id)),
    },
    OperationPage {
        path: ORGANIZATIONS_PATH,
        section: ConsoleSection::InstanceApis,
        reads: &["getInstanceApi", "listApiOffers", "listOrganizations"],
        forms: &[],
        show: |context, id| Box::pin(list_organizations(context, id)),
    },
    OperationPage {
        path: "/instance/apis/{api}/organizations/{organization}/relationships",
        section: ConsoleSection::InstanceApis,
        reads: &["listInstanceRelationships", "getInstanceApi"],
        forms: &[],
        show: |context, id| Box::pin(show_relationships(context, id)),
    },
];

/// The `action`s of the forms.
const ADD: &str = "add";
const REMOVE: &str = "remove";

/// The fields of a relationship, with the places of their errors.
const FIELDS: [(&str, &str); 6] = [
    ("object_type", "/changes/0/object/type"),
    ("object_id", "/changes/0/object/id"),
    ("subject_type", "/changes/0/subject/type"),
    ("subject_id", "/changes/0/subject/id"),
    ("subject_relation", "/changes/0/subject/relation"),
    // Also what the model does not allow.
    ("relation", "/changes/0"),
];

/// Whether the page has the forms of relationships.
pub(super) fn is_relationships_page(page: &OperationPage) -> bool {
    page.path != ORGANIZATIONS_PATH && PAGES.iter().any(|operation_page| operation_page.path == page.path)
}

async fn show_relationships(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let relationship_place = RelationshipPlace::from_page_id(id);
    let api = context.send(relationship_place.show_call(context)).await?.body;
    let may_change = relationship_place.can_change(context, &api);
    let list = OperationList {
        id: "relationships",
        call: relationship_place.list_call(context),
        title: phrases.relationships.all,
        introduction: phrases.relationships.all_lead,
        empty: phrases.relationships.none,
        columns: vec![
            phrases.relationships.object,
            phrases.relationships.relation,
            phrases.relationships.subject,
            phrases.instance.created_at,
        ],
        filters: list_filters(context),
    };
    let table = load_table(context, list, |it| TableRow {
        cells: vec![
            BlockCell::text(reference_text(it, "/object")),
            BlockCell::text(text_at(it, "/relation")),
            BlockCell::text(reference_text(it, "/subject")),
            time_at(it, "/created_at"),
        ],
        button: may_change.then(|| RowButton {
            action: REMOVE.to_owned(),
            item: encode_relationship(it),
            text: phrases.relationships.remove.to_owned(),
            row_name: format!("{} {}", reference_text(it, "/object"), reference_text(it, "/subject")),
        }),
    });
    let mut blocks = vec![PageBlock::Table(table.await?)];
    if may_change {
        blocks.push(PageBlock::Form(add_form(context, &api)));
    }
    blocks.push(PageBlock::Table(build_access_test(context, relationship_place, &api).await?));
    blocks.push(PageBlock::Table(build_model(context, &api)));
    let introduction = relationship_place
        .organization
        .map(|organization| phrases.relationships.of_organization(organization));
    Ok(PageContent {
        title: format!("{}: {}", phrases.relationships.title, text_at(&api, "/name")),
        introduction: introduction.unwrap_or_else(|| phrases.relationships.lead.to_owned()),
        blocks,
    })
}

/// An object or a subject as a text: type and id, with the relation of a subject set.
fn reference_text(value: &Value, pointer: &str) -> String {
    let text = |name: &str| text_at(value, &format!("{pointer}/{name}"));
    let relation = text("relation");
    let set = if relation.is_empty() { String::new() } else { format!("#{relation}") };
    format!("{}:{}{set}", text("type"), text("id"))
}

fn list_filters(context: &PageContext<'_>) -> Vec<BlockField> {
    let phrases = context.phrases();
    let field = |name: &str, label: &str| BlockField {
        name: name.to_owned(),
        label: label.to_owned(),
        ..BlockField::default()
    };
    vec![
        field("object_type", phrases.relationships.object_type),
        field("object_id", phrases.relationships.object_id),
        field("subject_type", phrases.relationships.subject_type),
        field("subject_id", phrases.relationships.subject_id),
    ]
}

/// The names of the object types of the API.
fn object_types(api: &Value) -> Vec<String> {
    let types = api.pointer("/object_types").and_then(Value::as_object);
    types.map(|types| types.keys().cloned().collect()).unwrap_or_default()
}

/// Choices that are shown as they are.
fn plain_choice(names: impl IntoIterator<Item = String>) -> FieldInput {
    FieldInput::Choice(names.into_iter().map(|name| (name.clone(), name)).collect())
}

fn add_form(context: &PageContext<'_>, api: &Value) -> FormBlock {
    let phrases = context.phrases();
    let flash = context.flash.as_ref().filter(|flash| flash.has_input_of(ADD));
    let field = |name: &str, label: &str, hint: &str, input: FieldInput| BlockField {
        name: name.to_owned(),
        label: label.to_owned(),
        hint: hint.to_owned(),
        input,
        value: flash.and_then(|flash| flash.typed_field(name)).unwrap_or_default().to_owned(),
        stored: String::new(),
        is_required: name != "subject_relation",
        error: flash
            .filter(|flash| flash.is_field_wrong(ADD, name))
            .map(|_| phrases.blocks.invalid.to_owned()),
    };
    let types = object_types(api);
    let subjects = ["member", "client", "role"].map(str::to_owned).into_iter().chain(types.clone());
    FormBlock {
        action: ADD.to_owned(),
        title: phrases.relationships.add.to_owned(),
        introduction: phrases.relationships.add_lead.to_owned(),
        fields: vec![
            field("object_type", phrases.relationships.object_type, "", plain_choice(types)),
            field("object_id", phrases.relationships.object_id, "", FieldInput::Text),
            field(
                "relation",
                phrases.relationships.relation,
                phrases.relationships.relation_hint,
                FieldInput::Text,
            ),
            field("subject_type", phrases.relationships.subject_type, "", plain_choice(subjects)),
            field(
                "subject_id",
                phrases.relationships.subject_id,
                phrases.relationships.subject_id_hint,
                FieldInput::Text,
            ),
            field(
                "subject_relation",
                phrases.relationships.subject_relation,
                phrases.relationships.subject_relation_hint,
                FieldInput::Text,
            ),
        ],
        button: phrases.relationships.add_now.to_owned(),
        open: Some(flash.is_some()),
        ..FormBlock::default()
    }
}

/// Adds or removes a relationship.
pub(super) async fn submit_relationship_form(
    context: &PageContext<'_>,
    id: &str,
    form: &FormParams,
) -> Outcome {
    let (change, notice) = match form.get("action") {
        Some(ADD) => {
            // A relationship gives access.
            context.access.require_fresh_caller(context.engine()).await?;
            (typed_relationship(form), ConsoleNotice::Created)
        }
        Some(REMOVE) => (decode_relationship(form.get("item").unwrap_or_default()), ConsoleNotice::Deleted),
        _ => return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    };
    let Value::Object(mut change) = change else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    };
    change.insert("change".to_owned(), json!(form.get("action")));
    let operation_call = RelationshipPlace::from_page_id(id).change_call(context);
    let operation_call = operation_call.body(Some(json!({"changes": [change]})));
    match context.send(operation_call).await {
        Ok(_) => Ok(ActionOutcome::Redirect(CompletedAction { notice, return_path: context.path.clone() })),
        Err(HandlerError::Refused(refusal)) => {
            let errors = refusal.validation_errors();
            let wrong = errors.iter().filter_map(|fault| find_field(&fault.pointer)).collect();
            let first = errors.iter().next().map(|fault| fault.text.to_string());
            Err(match first {
                Some(detail) => ActionError::Fields { invalid_fields: wrong, detail },
                None => ActionError::Refused(refusal),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// A relationship as the id of its row: the API names it by its parts.
fn encode_relationship(it: &Value) -> String {
    let relationship = json!({"object": it["object"], "relation": it["relation"], "subject": it["subject"]});
    URL_SAFE_NO_PAD.encode(relationship.to_string())
}

fn decode_relationship(item: &str) -> Value {
    let bytes = URL_SAFE_NO_PAD.decode(item).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// The field of an error.
fn find_field(pointer: &str) -> Option<&'static str> {
    FIELDS.iter().find(|(_, prefix)| pointer.starts_with(prefix)).map(|(name, _)| *name)
}

/// The relationship in the form.
fn typed_relationship(form: &FormParams) -> Value {
    let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
    let mut subject = json!({"type": text("subject_type"), "id": text("subject_id")});
    let relation = text("subject_relation");
    if !relation.is_empty() {
        subject["relation"] = json!(relation);
    }
    json!({
        "object": {"type": text("object_type"), "id": text("object_id")},
        "relation": text("relation"),
        "subject": subject,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relationship_error_is_beside_the_field_it_is_about() {
        assert_eq!(find_field("/changes/0/object/id"), Some("object_id"));
        assert_eq!(find_field("/changes/0/relation"), Some("relation"));
        assert_eq!(find_field("/changes/0"), Some("relation"));
        assert_eq!(find_field("/only_if/0"), None);
    }

    #[test]
    fn relationship_of_a_row_round_trips_without_its_id() {
        let it = json!({"id": "1", "object": {"type": "a", "id": "b"}, "relation": "c", "subject": {"type": "d", "id": "e"}});
        let decoded = decode_relationship(&encode_relationship(&it));
        assert_eq!(decoded["object"], it["object"]);
        assert_eq!((decoded["subject"].clone(), decoded.get("id")), (it["subject"].clone(), None));
        assert_eq!(decode_relationship("not base64!"), Value::Null);
    }

    #[test]
    fn relationship_is_written_with_its_subject_set() {
        let it = json!({"subject": {"type": "team", "id": "design", "relation": "member"}});
        assert_eq!(reference_text(&it, "/subject"), "team:design#member");
        let it = json!({"object": {"type": "folder", "id": "plans"}});
        assert_eq!(reference_text(&it, "/object"), "folder:plans");
    }
}
