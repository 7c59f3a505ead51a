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
    show: |work, _| Box::pin(list_keys(work)),
}];

const ROTATE: PageForm = PageForm {
    action: "rotate",
    operation: "rotateKey",
    title: |w| w.instance.key_rotate,
    lead: |w| w.instance.key_rotate_lead,
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

async fn list_keys(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let keys = work.send(work.operation("listKeys")).await?.body;
    let phases = [
        ("announced", words.instance.phase_announced, CellTone::Plain),
        ("signing", words.instance.phase_signing, CellTone::Good),
        ("retiring", words.instance.phase_retiring, CellTone::Plain),
        ("withdrawn", words.instance.phase_withdrawn, CellTone::Plain),
    ];
    let purposes = [
        ("tokens", words.instance.purpose_tokens, CellTone::Plain),
        ("log", words.instance.purpose_log, CellTone::Plain),
    ];
    let row = |it: &Value| TableRow {
        cells: vec![
            code_at(it, "/kid"),
            cell_at(it, "/algorithm"),
            state_at(it, "/purpose", &purposes),
            state_at(it, "/phase", &phases).and(cell_at(it, "/unusable")),
            time_at(it, "/signs_from"),
            time_at(it, "/signs_until"),
            cell_at(it, "/source"),
        ],
        button: None,
    };
    let columns = [
        words.instance.key_id,
        words.instance.algorithm,
        words.instance.key_purpose,
        words.console.state,
        words.instance.signs_from,
        words.instance.signs_until,
        words.instance.source,
    ];
    let table = TableBlock {
        id: "keys".to_owned(),
        title: words.instance.keys_all.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: items_at(&keys, "/items").iter().map(row).collect(),
        ..TableBlock::default()
    };
    let blocks = [Some(PageBlock::Table(table)), build_form(work, &ROTATE, None)];
    Ok(PageContent {
        title: words.instance.keys.to_owned(),
        lead: words.instance.keys_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}
