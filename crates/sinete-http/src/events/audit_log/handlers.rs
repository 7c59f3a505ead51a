//! Handlers of the audit log: in pages, or as a file.

use crate::events::security_log::handlers::{ADDRESS_PARAMETER, address_param};
use crate::management_api::pagination::ResourceView;
use crate::management_api::request::{ManagementRequest, PAGING_PARAMS};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue, VARY};
use serde::Serialize;
use serde_json::json;
use sinete_core::events::security_event::EventKind;
use sinete_core::limits::CLIENT_DOCUMENT_URL_BYTES_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::events::audit_log;
use sinete_engine::events::audit_log::entry::{AuditLogLine, CSV_HEADER, to_csv_row, to_json_line};
use sinete_engine::events::audit_log::names::AuditLogNames;
use sinete_engine::events::audit_log::{AuditLogEntry, AuditLogExport, AuditLogFilter};
use sinete_engine::{Engine, Failure};
use sinete_server::extract::accept::preferred_media_type;
use sinete_server::extract::time_parameter::TimeParameter;
use sinete_server::reply::stream::{self, StreamSender};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_audit_log(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let access = management_request.enter_organization().await?;
    let filter = parse_filter(&management_request)?;
    let Some(file) = requested_file(&management_request)? else {
        let page = management_request.page_request(Some(access.organization.id))?;
        let read =
            audit_log::list(management_request.engine(), &access, &filter, page.after()?, page.fetch_limit())
                .await?;
        return page.to_response(management_request.engine(), read);
    };
    let export = audit_log::export(management_request.engine(), &access, &filter).await?;
    let (mut response, pieces) = stream::streaming_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(file.disposition));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    tokio::spawn(write_export(management_request.engine().clone(), export, file, pieces));
    Ok(response)
}

/// Formats an entry of a file, which contains names beside the ids.
type EntryFormatter = fn(&AuditLogEntry, &AuditLogNames) -> Result<String, Failure>;

/// A file format of an export.
#[derive(Clone, Copy)]
struct AuditLogFile {
    /// The name in `format`.
    name: &'static str,
    media_type: &'static str,
    content_type: &'static str,
    disposition: &'static str,
    header_line: &'static str,
    format_entry: EntryFormatter,
}

const FILES: [AuditLogFile; 2] = [
    AuditLogFile {
        name: "jsonl",
        media_type: "application/jsonl",
        content_type: "application/jsonl",
        disposition: "attachment; filename=\"audit.jsonl\"",
        header_line: "",
        format_entry: to_json_line,
    },
    AuditLogFile {
        name: "csv",
        media_type: "text/csv",
        content_type: "text/csv; charset=utf-8; header=present",
        disposition: "attachment; filename=\"audit.csv\"",
        header_line: CSV_HEADER,
        format_entry: to_csv_row,
    },
];

/// The requested file format, by `format` or else by `Accept`; `None` for a page.
fn requested_file(management_request: &ManagementRequest) -> Result<Option<AuditLogFile>, HandlerError> {
    let refuse = |text| Err(Refusal::because(RequestRefusal::ParameterInvalid(text), "a bad format").into());
    let file = match management_request.query_param("format") {
        Some("json") => None,
        Some(name) => match FILES.into_iter().find(|file| file.name == name) {
            Some(file) => Some(file),
            None => {
                return refuse("The query parameter format has an unknown value. Send json, jsonl or csv.");
            }
        },
        None => {
            let offers = [&["application/json"][..], &FILES.map(|file| file.media_type)].concat();
            let liked = preferred_media_type(management_request.header(&ACCEPT).unwrap_or_default(), &offers);
            FILES.into_iter().find(|file| file.media_type == liked)
        }
    };
    if file.is_some() && PAGING_PARAMS.iter().any(|name| management_request.query_param(name).is_some()) {
        return refuse("A file contains the whole audit log, without pages. Leave limit and after out.");
    }
    Ok(file)
}

fn parse_filter(management_request: &ManagementRequest) -> Result<AuditLogFilter, HandlerError> {
    let kind = management_request.query_param("kind").map(|name| {
        EventKind::ALL
            .iter()
            .copied()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Refusal::because(RequestRefusal::EventKindUnknown, "an unknown kind"))
    });
    let (actor, subject) =
        (management_request.query_param("actor"), management_request.query_param("subject"));
    if [actor, subject].into_iter().flatten().any(|id| !is_possible_id(id)) {
        return Err(
            Refusal::because(RequestRefusal::ActorFilterInvalid, "an actor of a kind without ids").into()
        );
    }
    let with_sign_ins = match management_request.query_param("sign_ins") {
        None | Some("exclude") => false,
        Some("include") => true,
        Some(_) => {
            let text = "The query parameter sign_ins has an unknown value. Send include or exclude.";
            return Err(Refusal::because(RequestRefusal::ParameterInvalid(text), "a bad value").into());
        }
    };
    Ok(AuditLogFilter {
        since: management_request.parse_query_param::<TimeParameter>("since")?.map(|TimeParameter(at)| at),
        until: management_request.parse_query_param::<TimeParameter>("until")?.map(|TimeParameter(at)| at),
        actor: actor.map(str::to_owned),
        subject: subject.map(str::to_owned),
        address: address_param(management_request)?,
        with_sign_ins,
        kind: kind.transpose()?,
        ..AuditLogFilter::default()
    })
}

/// Whether the text can be an id.
pub(crate) fn is_possible_id(text: &str) -> bool {
    text.len() <= CLIENT_DOCUMENT_URL_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Streams the audit log until its end or until the client disconnects.
async fn write_export(engine: Engine, mut export: AuditLogExport, file: AuditLogFile, pieces: StreamSender) {
    if pieces.send_chunk(file.header_line).await.is_err() {
        return;
    }
    loop {
        let lines: Result<String, Failure> = match export.next_page(&engine).await {
            Ok(None) => return,
            Ok(Some(entries)) => export
                .load_names(&engine, &entries)
                .await
                .and_then(|names| entries.iter().map(|entry| (file.format_entry)(entry, names)).collect()),
            Err(failed) => Err(failed),
        };
        match lines {
            Ok(lines) => {
                if pieces.send_chunk(lines).await.is_err() {
                    return;
                }
            }
            Err(failed) => {
                tracing::error!(%failed, "the export of an audit log could not be completed");
                return pieces.abort().await;
            }
        }
    }
}

impl ResourceView for AuditLogEntry {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(AuditLogLine::from_entry(self)?)
    }
}

/// The query of the list.
pub(crate) const QUERY: &[QueryParameter] = &[
    QueryParameter {
        name: "since",
        description: "Only entries at this time or later.",
        is_required: false,
        schema: || json!({"type": "string", "format": "date-time"}),
    },
    QueryParameter {
        name: "until",
        description: "Only entries before this time.",
        is_required: false,
        schema: || json!({"type": "string", "format": "date-time"}),
    },
    QueryParameter {
        name: "actor",
        description: "Only entries of the actor with this id.",
        is_required: false,
        schema: || json!({"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[!-~]+$"}),
    },
    QueryParameter {
        name: "subject",
        description: "Only entries about the resource with this id. A sign-in is about its client.",
        is_required: false,
        schema: || json!({"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[!-~]+$"}),
    },
    ADDRESS_PARAMETER,
    QueryParameter {
        name: "sign_ins",
        description: "Whether sign-ins to applications of the organization are included. They are entries of the kind \
                      grant.given, kept as long as the security log is.",
        is_required: false,
        schema: || json!({"type": "string", "enum": ["include", "exclude"], "default": "exclude"}),
    },
    QueryParameter {
        name: "kind",
        description: "Only entries of this kind.",
        is_required: false,
        schema: || {
            let kinds: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
            json!({"type": "string", "enum": kinds})
        },
    },
    QueryParameter {
        name: "format",
        description: "Exports the whole audit log as a file instead of a page, like the Accept header.",
        is_required: false,
        schema: || json!({"type": "string", "enum": ["json", "jsonl", "csv"], "default": "json"}),
    },
];

/// The media types of the files.
pub(crate) const EXPORTS: &[&str] = &[FILES[0].media_type, FILES[1].media_type];

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&AUDIT_ENTRY];

/// The schema of the resource.
pub(crate) const AUDIT_ENTRY: NamedSchema = NamedSchema::response::<AuditLogLine<'_>>("AuditEntry")
    .with_example(
        r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6076", "at": "2026-11-15T02:52:03.000042Z",
        "kind": "role.created", "actor": {"kind": "api_key", "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6074"},
        "subject": {"kind": "role", "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6072"}, "reason": "",
        "detail": {"name": "clerk", "permissions": ["members:read"]},
        "address": "192.0.2.7", "user_agent": null
    }"#,
    );
