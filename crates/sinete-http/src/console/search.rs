//! One search for everything that a page of the console shows, by name or id.

use crate::console::operations::list::search_field;
use crate::console::operations::values::{code_at, items_at, text_at};
use crate::console::operations::{OperationPage, PageContent, Phrase};
use crate::console::page_context::PageContext;
use crate::console::refused_requests::find_refused_row;
use serde_json::Value;
use sinete_screens::console::block_page::{BlockCell, CellTone, PageBlock, TableBlock, TableRow};
use sinete_screens::console::{ConsoleSection, build_query};
use sinete_server::reply::HandlerError;

/// The rows of each kind that are shown at most.
const RESULTS_MAX: usize = 10;
/// How many pages of a list without a search of its own are read: 1,000 rows.
const PAGES_MAX: usize = 5;
const PAGE_ROWS: &str = "200";
const SEARCHED_ROWS: &str = "10";

pub(super) const INSTANCE_PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/search",
    section: ConsoleSection::InstanceOverview,
    reads: &[],
    forms: &[],
    show: |context, _| Box::pin(show_results(context, INSTANCE_SOURCES)),
}];

pub(super) const ORGANIZATION_PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/search",
    section: ConsoleSection::Overview,
    reads: &[],
    forms: &[],
    show: |context, _| Box::pin(show_results(context, ORGANIZATION_SOURCES)),
}];

/// A list that is searched.
struct SearchSource {
    operation: &'static str,
    kind: Phrase,
    /// Whether the operation searches; otherwise its list is read and compared.
    can_search: bool,
    /// Where the names are, the best first.
    names: &'static [&'static str],
    /// Where the id is.
    id: &'static str,
    /// The path below the area: of the page of an item if it ends with a slash.
    path: &'static str,
}

const INSTANCE_SOURCES: &[SearchSource] = &[
    SearchSource {
        operation: "listAccounts",
        kind: |w| w.instance.users,
        can_search: true,
        names: &["/name", "/email", "/id"],
        id: "/id",
        path: "/users/",
    },
    SearchSource {
        operation: "listOrganizations",
        kind: |w| w.instance.organizations,
        can_search: true,
        names: &["/name"],
        id: "/id",
        path: "/organizations/",
    },
    SearchSource {
        operation: "listInstanceClients",
        kind: |w| w.applications.title,
        can_search: false,
        names: &["/metadata/client_name", "/id"],
        id: "/id",
        path: "/applications/",
    },
    SearchSource {
        operation: "listInstanceApis",
        kind: |w| w.instance.apis,
        can_search: false,
        names: &["/name", "/identifier"],
        id: "/id",
        path: "/apis/",
    },
    SearchSource {
        operation: "listInstanceWebhooks",
        kind: |w| w.webhooks.title,
        can_search: false,
        names: &["/address"],
        id: "/id",
        path: "/webhooks/",
    },
    SearchSource {
        operation: "listKeys",
        kind: |w| w.instance.keys,
        can_search: false,
        names: &["/kid"],
        id: "/kid",
        path: "/keys",
    },
];

const ORGANIZATION_SOURCES: &[SearchSource] = &[
    SearchSource {
        operation: "listMembers",
        kind: |w| w.console.members,
        can_search: true,
        names: &["/profile/name", "/profile/email", "/client_id", "/id"],
        id: "/id",
        path: "/members/",
    },
    SearchSource {
        operation: "listClients",
        kind: |w| w.applications.title,
        can_search: false,
        names: &["/metadata/client_name", "/id"],
        id: "/id",
        path: "/applications/",
    },
    SearchSource {
        operation: "listRoles",
        kind: |w| w.console.roles,
        can_search: false,
        names: &["/name"],
        id: "/id",
        path: "/roles/",
    },
    SearchSource {
        operation: "listApiKeys",
        kind: |w| w.api_keys.title,
        can_search: false,
        names: &["/name"],
        id: "/id",
        path: "/keys",
    },
    SearchSource {
        operation: "listApis",
        kind: |w| w.instance.apis,
        can_search: false,
        names: &["/name", "/identifier"],
        id: "/id",
        path: "/apis/",
    },
    SearchSource {
        operation: "listConnections",
        kind: |w| w.connections.title,
        can_search: false,
        names: &["/name", "/issuer"],
        id: "/id",
        path: "/connections/",
    },
    SearchSource {
        operation: "listWebhooks",
        kind: |w| w.webhooks.title,
        can_search: false,
        names: &["/address"],
        id: "/id",
        path: "/webhooks/",
    },
];

async fn show_results(
    context: &PageContext<'_>,
    sources: &'static [SearchSource],
) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let text = context.query.get("q").unwrap_or_default().trim();
    let text: String = text.chars().take(100).collect();
    let mut rows = Vec::new();
    for source in sources.iter().filter(|source| !text.is_empty() && context.can_call(source.operation)) {
        rows.extend(find_rows(context, source, &text).await?);
    }
    if !text.is_empty() {
        rows.extend(find_refused_row(context, &text).await?);
    }
    let mut field = search_field(context, "q", phrases.blocks.seek_hint);
    field.value.clone_from(&text);
    let results = TableBlock {
        id: "results".to_owned(),
        title: phrases.blocks.seek_results.to_owned(),
        columns: [phrases.instance.name, phrases.console.kind, phrases.blocks.id].map(str::to_owned).to_vec(),
        rows,
        empty: phrases.blocks.seek_empty.to_owned(),
        filters: vec![field],
        is_filtered: !text.is_empty(),
        ..TableBlock::default()
    };
    Ok(PageContent {
        title: phrases.blocks.search.to_owned(),
        introduction: String::new(),
        blocks: vec![PageBlock::Table(results)],
    })
}

/// The items of a list that match, as rows. An operation that searches is called once; where it stopped before the end,
/// the last row leads to its list.
async fn find_rows(
    context: &PageContext<'_>,
    source: &SearchSource,
    text: &str,
) -> Result<Vec<TableRow>, HandlerError> {
    let (lowercase_text, mut rows) = (text.to_lowercase(), Vec::new());
    let (mut after, reads) = (String::new(), if source.can_search { 1 } else { PAGES_MAX });
    for _ in 0..reads {
        let mut operation_call = context.operation(source.operation);
        if source.operation != "listKeys" {
            // An operation that searches is asked for no more than is shown.
            let limit = if source.can_search { SEARCHED_ROWS } else { PAGE_ROWS };
            operation_call = operation_call.query("limit", limit).query("after", &after);
        }
        operation_call =
            if source.can_search { operation_call.query("search", text) } else { operation_call };
        let page = context.send(operation_call).await?.body;
        let items = items_at(&page, "/items")
            .iter()
            .filter(|it| source.can_search || matches(it, source, &lowercase_text));
        rows.extend(items.map(|it| to_row(context, source, it)).take(RESULTS_MAX - rows.len()));
        after = text_at(&page, "/next");
        if after.is_empty() || rows.len() >= RESULTS_MAX {
            break;
        }
    }
    if source.can_search && !after.is_empty() && rows.len() < RESULTS_MAX {
        rows.push(continue_row(context, source, text));
    }
    Ok(rows)
}

/// The link to the list that continues a search.
fn continue_row(context: &PageContext<'_>, source: &SearchSource, text: &str) -> TableRow {
    let (phrases, area) = (context.phrases(), context.return_to.organization_path());
    let path = format!("{area}{}?{}", source.path.trim_end_matches('/'), build_query([("search", text)]));
    TableRow {
        cells: vec![
            BlockCell::link(phrases.console.look_further, path),
            BlockCell::tag((source.kind)(phrases), CellTone::Plain),
            BlockCell::default(),
        ],
        button: None,
    }
}

/// Whether a name contains the text or the id begins with it.
fn matches(it: &Value, source: &SearchSource, lowercase_text: &str) -> bool {
    let is_named = |name: &&str| text_at(it, name).to_lowercase().contains(lowercase_text);
    source.names.iter().any(is_named) || text_at(it, source.id).to_lowercase().starts_with(lowercase_text)
}

fn to_row(context: &PageContext<'_>, source: &SearchSource, it: &Value) -> TableRow {
    let area = context.return_to.organization_path();
    let names = source.names.iter().map(|name| text_at(it, name));
    let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| text_at(it, source.id));
    let path = match source.path.ends_with('/') {
        true => format!("{area}{}{}", source.path, text_at(it, source.id)),
        false => format!("{area}{}", source.path),
    };
    TableRow {
        cells: vec![
            BlockCell::link(name, path),
            BlockCell::tag((source.kind)(context.phrases()), CellTone::Plain),
            code_at(it, source.id),
        ],
        button: None,
    }
}
