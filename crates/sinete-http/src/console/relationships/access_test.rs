//! The test of access: what the AuthZEN endpoint would answer, and the relationships that give the access.

use super::place::RelationshipPlace;
use super::{object_types, plain_choice};
use crate::console::page::parse_page_id;
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_core::authzen::RelationObject;
use sinete_core::authzen::evaluation::{RelationshipEdge, RelationshipEdgeTarget};
use sinete_engine::Error;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::authzen::evaluation;
use sinete_engine::authzen::evaluation::{EvaluationDecision, ExplainedDecision, RequestedSubject};
use sinete_engine::authzen::relationships::RelationshipApiScope;
use sinete_screens::console::block_page::{BlockCell, BlockField, FieldInput, TableBlock, TableRow};
use sinete_server::reply::HandlerError;

/// The test, and its result if the query contains one.
pub(super) async fn build_access_test(
    context: &PageContext<'_>,
    relationship_place: RelationshipPlace<'_>,
    api: &Value,
) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let field_value = |name: &str| context.query.get(name).unwrap_or_default().trim().to_owned();
    let is_asked = context.query.get("test_action").is_some();
    let object = RelationObject::new(&field_value("test_object_type"), &field_value("test_object_id"));
    let result = match object {
        Ok(object) if is_asked => {
            let subject = match field_value("test_subject_type").as_str() {
                "client" => RequestedSubject::Client(field_value("test_subject_id")),
                _ => RequestedSubject::Member(field_value("test_subject_id")),
            };
            let instance_admin = InstanceAdmin::new(context.engine(), context.access.caller());
            let scope = match relationship_place.organization {
                Some(_) => AdminScope::Instance(&instance_admin),
                None => AdminScope::Organization(context.access.organization_access()),
            };
            let api_scope = RelationshipApiScope {
                api: parse_page_id(relationship_place.api)?,
                organization: relationship_place.organization,
            };
            let action = field_value("test_action");
            match evaluation::explain(context.engine(), scope, api_scope, subject, action, object).await {
                Ok(explained) => decision_text(context, &explained),
                Err(Error::Refused(refusal)) => (refusal.public_text().into_owned(), Vec::new()),
                Err(Error::Failed(failure)) => return Err(failure.into()),
            }
        }
        Ok(_) => (phrases.relationships.test_none.to_owned(), Vec::new()),
        Err(relation_object) if is_asked => (relation_object.to_string(), Vec::new()),
        Err(_) => (phrases.relationships.test_none.to_owned(), Vec::new()),
    };
    let (text, rows) = result;
    let is_allowed = !rows.is_empty();
    Ok(TableBlock {
        id: "access-test".to_owned(),
        title: phrases.relationships.test.to_owned(),
        introduction: if is_allowed { text.clone() } else { phrases.relationships.test_lead.to_owned() },
        columns: [
            phrases.relationships.object,
            phrases.relationships.relation,
            phrases.relationships.subject,
        ]
        .map(str::to_owned)
        .to_vec(),
        rows,
        empty: text,
        filters: test_fields(context, api),
        ..TableBlock::default()
    })
}

fn decision_text(context: &PageContext<'_>, explained: &ExplainedDecision) -> (String, Vec<TableRow>) {
    let phrases = context.phrases();
    let text = match explained.decision {
        EvaluationDecision::Permit => phrases.relationships.allowed,
        EvaluationDecision::Deny => phrases.relationships.not_allowed,
        EvaluationDecision::NoSuchType => phrases.relationships.no_type,
        EvaluationDecision::NoSuchAction => phrases.relationships.no_action,
    };
    (text.to_owned(), explained.path.iter().map(|edge| path_row(context, edge)).collect())
}

/// A relationship on the path.
fn path_row(context: &PageContext<'_>, edge: &RelationshipEdge) -> TableRow {
    let text = |object: &RelationObject| format!("{}:{}", object.object_type(), object.id());
    let subject = match &edge.target {
        RelationshipEdgeTarget::ToEvaluatedSubject => {
            context.phrases().relationships.tested_subject.to_owned()
        }
        RelationshipEdgeTarget::ToObject(object) => text(object),
        RelationshipEdgeTarget::ToSet(object, relation) => format!("{}#{relation}", text(object)),
    };
    let cells = [text(&edge.object), edge.relation.clone(), subject];
    TableRow { cells: cells.map(BlockCell::text).to_vec(), button: None }
}

fn test_fields(context: &PageContext<'_>, api: &Value) -> Vec<BlockField> {
    let phrases = context.phrases();
    let field = |name: &str, label: &str, input: FieldInput| BlockField {
        name: name.to_owned(),
        label: label.to_owned(),
        input,
        value: context.query.get(name).unwrap_or_default().to_owned(),
        ..BlockField::default()
    };
    let subjects = ["member", "client"].map(str::to_owned);
    vec![
        field("test_subject_type", phrases.relationships.subject_type, plain_choice(subjects)),
        field("test_subject_id", phrases.relationships.subject_id, FieldInput::Text),
        field("test_action", phrases.relationships.action, plain_choice(list_actions(api))),
        field("test_object_type", phrases.relationships.object_type, plain_choice(object_types(api))),
        field("test_object_id", phrases.relationships.object_id, FieldInput::Text),
    ]
}

/// The actions of all object types, each once.
fn list_actions(api: &Value) -> Vec<String> {
    let types = api.pointer("/object_types").and_then(Value::as_object).into_iter().flatten();
    let names = types.flat_map(|(_, it)| it.pointer("/actions").and_then(Value::as_object)).flatten();
    let mut names: Vec<String> = names.map(|(name, _)| name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
