//! The model of an API in words: relations with their subjects, and actions with the relations that allow them.

use crate::console::operations::values::{items_at, text_at};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::block_page::{BlockCell, TableBlock, TableRow};

/// The object types of the API as a table.
pub(super) fn build_model(context: &PageContext<'_>, api: &Value) -> TableBlock {
    let phrases = context.phrases();
    let types = api.pointer("/object_types").and_then(Value::as_object).into_iter().flatten();
    let rows = types.flat_map(|(name, it)| {
        let members = |kind: &str| it.pointer(kind).and_then(Value::as_object).into_iter().flatten();
        let relations = members("/relations").map(|(relation, definition)| {
            [name.clone(), relation.clone(), relation_text(context, definition)]
        });
        let actions = members("/actions").map(|(action, definition)| {
            let allowed = phrases.relationships.allowed_for(text_at(definition, "/relations"));
            [name.clone(), action.clone(), allowed]
        });
        relations.chain(actions).collect::<Vec<_>>()
    });
    TableBlock {
        id: "model".to_owned(),
        title: phrases.relationships.model.to_owned(),
        introduction: phrases.relationships.model_lead.to_owned(),
        columns: [
            phrases.relationships.object_type,
            phrases.relationships.name,
            phrases.relationships.meaning,
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: rows
            .map(|cells| TableRow { cells: cells.map(BlockCell::text).to_vec(), button: None })
            .collect(),
        empty: phrases.relationships.model_none.to_owned(),
        ..TableBlock::default()
    }
}

/// Who has a relation: its subjects, the relations it includes, and those through another object.
fn relation_text(context: &PageContext<'_>, definition: &Value) -> String {
    let phrases = context.phrases();
    let direct = Some(text_at(definition, "/subjects")).filter(|text| !text.is_empty());
    let included = Some(text_at(definition, "/includes")).filter(|text| !text.is_empty());
    let through = items_at(definition, "/through")
        .iter()
        .map(|it| phrases.relationships.through(text_at(it, "/holders_of"), text_at(it, "/relation")));
    let parts = direct
        .map(|text| phrases.relationships.subjects(text))
        .into_iter()
        .chain(included.map(|text| phrases.relationships.includes(text)))
        .chain(through);
    parts.collect::<Vec<_>>().join(" ")
}
