//! The signing keys of the instance.

use crate::console::operations::form::{FieldKind, FormField, PageForm, build_form};
use crate::console::operations::values::{cell_at, code_at, items_at, state_at, time_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{CellTone, PageBlock, TableBlock, TableRow};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/keys",
    section: ConsoleSection::SigningKeys,
    reads: &["listKeys"],
    forms: &[ROTATE],
    show: |context, _| Box::pin(list_keys(context)),
}];

const ROTATE: PageForm = PageForm {
    action: "rotate",
    operation: "rotateKey",
    title: |w| w.instance.key_rotate,
    introduction: |w| w.instance.key_rotate_lead,
    button: |w| w.instance.key_rotate_now,
    fields: &[FormField {
        pointer: "/algorithm",
        label: |w| w.instance.algorithm,
        kind: FieldKind::Choice(&[
            ("ES256", |w| w.instance.algorithm_es256),
            ("RS256", |w| w.instance.algorithm_rs256),
            ("EdDSA", |w| w.instance.algorithm_eddsa),
            ("PS256", |w| w.instance.algorithm_ps256),
        ]),
        hint: |w| w.instance.key_algorithm_hint,
        ..FormField::TEXT
    }],
    notice: ConsoleNotice::KeyRotated,
    is_collapsed: true,
    ..PageForm::BUTTON
};

async fn list_keys(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let keys = context.send(context.operation("listKeys")).await?.body;
    let phases = [
        ("announced", phrases.instance.phase_announced, CellTone::Plain),
        ("signing", phrases.instance.phase_signing, CellTone::Good),
        ("retiring", phrases.instance.phase_retiring, CellTone::Plain),
        ("withdrawn", phrases.instance.phase_withdrawn, CellTone::Plain),
    ];
    let purposes = [
        ("tokens", phrases.instance.purpose_tokens, CellTone::Plain),
        ("log", phrases.instance.purpose_log, CellTone::Plain),
    ];
    let row = |it: &Value| TableRow {
        cells: vec![
            code_at(it, "/kid"),
            cell_at(it, "/algorithm"),
            state_at(it, "/purpose", &purposes),
            state_at(it, "/phase", &phases).append(cell_at(it, "/unusable")),
            time_at(it, "/signs_from"),
            time_at(it, "/signs_until"),
            cell_at(it, "/source"),
        ],
        button: None,
    };
    let columns = [
        phrases.instance.key_id,
        phrases.instance.algorithm,
        phrases.instance.key_purpose,
        phrases.console.state,
        phrases.instance.signs_from,
        phrases.instance.signs_until,
        phrases.instance.source,
    ];
    let table = TableBlock {
        id: "keys".to_owned(),
        title: phrases.instance.keys_all.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: items_at(&keys, "/items").iter().map(row).collect(),
        ..TableBlock::default()
    };
    let blocks = [Some(PageBlock::Table(table)), build_form(context, &ROTATE, None)];
    Ok(PageContent {
        title: phrases.instance.keys.to_owned(),
        introduction: phrases.instance.keys_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}
