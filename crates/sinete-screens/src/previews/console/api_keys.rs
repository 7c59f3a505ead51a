//! Preview of the API keys.

use super::{sample_layout, select_text};
use crate::console::api_keys::{ApiKeyItem, ApiKeyListView, ApiKeyScope, ApiKeyState, NewApiKeyForm};
use crate::console::notices::ConsoleNotice;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::display_time::DisplayTime;
use crate::page::PageFrame;

const LEDGER_KEY: ApiKeyItem<'static> = ApiKeyItem {
    id: "1",
    name: "Ledger",
    holder: None,
    scope: "members:read audit:read",
    state: ApiKeyState::Active,
    at: DisplayTime(1_771_143_505),
    used: Some(DisplayTime(1_763_143_505)),
};

pub(super) fn render_api_keys(frame: &PageFrame<'_>, notice: Option<ConsoleNotice>) -> String {
    let scope = |permission, english, portuguese| ApiKeyScope {
        permission,
        description: select_text(frame.language, english, portuguese),
        is_selected: permission == "members:read",
    };
    let scopes = [
        scope("organization:read", "See the organization", "Ver a organização"),
        scope("members:read", "See the members", "Ver os membros"),
        scope("audit:read", "Read the audit log", "Ler o log de auditoria"),
        ApiKeyScope { permission: "invoices:*", description: "", is_selected: false },
    ];
    let holder = Some("01936f5e-7c2a-7def-8a1b-2c3d4e5f6075");
    let old = ApiKeyItem {
        id: "2",
        name: "Old import",
        holder,
        state: ApiKeyState::Revoked,
        used: None,
        ..LEDGER_KEY
    };
    ApiKeyListView {
        layout: ConsoleLayout { notice, ..sample_layout(ConsoleSection::ApiKeys) },
        api_keys: &[LEDGER_KEY, old],
        pages: ListPaging::default(),
        create_form: Some(NewApiKeyForm {
            idempotency_key: "once",
            name: "",
            scopes: &scopes,
            days: 90,
            holder: None,
        }),
    }
    .render(frame)
}
