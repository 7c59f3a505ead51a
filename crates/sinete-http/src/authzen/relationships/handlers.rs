//! Handlers of relationships at an API: in the organization that owns the API, or in those that an API of the
//! instance is offered to.

pub(crate) use crate::authzen::relationships::dto::{
    CHANGES, QUERY, RELATIONSHIP, RELATIONSHIPS_CHANGED, SCHEMAS,
};

use crate::authzen::relationships::dto::{RelationshipChangeView, RelationshipChangesInput};
use crate::management_api::request::{ManagementRequest, ManagementScope};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use sinete_core::authzen::{RelationObject, is_valid_name};
use sinete_core::limits::SUBJECT_ID_BYTES_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::authzen::relationships;
use sinete_engine::authzen::relationships::{RelationshipApiScope, RelationshipListFilter};
use sinete_server::reply::json::{json_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};

/// Lists relationships in an organization.
pub(crate) async fn list_relationships(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    relationships_response(&management_request, &manager, None).await
}

/// Changes relationships of the organization's own API.
pub(crate) async fn change_relationships(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    apply_relationship_changes(&management_request, &manager, None).await
}

/// Lists relationships of an organization at an API of the instance.
pub(crate) async fn list_organization_relationships(
    state: HttpState,
    request: RoutedRequest,
) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = ManagementScope::Instance(management_request.instance_admin());
    relationships_response(&management_request, &manager, Some(management_request.path_param("organization")))
        .await
}

/// Changes relationships of an organization at an API of the instance.
pub(crate) async fn change_organization_relationships(
    state: HttpState,
    request: RoutedRequest,
) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = ManagementScope::Instance(management_request.instance_admin());
    apply_relationship_changes(
        &management_request,
        &manager,
        Some(management_request.path_param("organization")),
    )
    .await
}

async fn relationships_response(
    management_request: &ManagementRequest,
    manager: &ManagementScope,
    organization: Option<&str>,
) -> HandlerResult {
    let scope = RelationshipApiScope { api: management_request.path_id("api")?, organization };
    let page = management_request.page_request(manager.organization())?;
    let (filter, after, limit) =
        (parse_relationship_filter(management_request)?, page.after()?, page.fetch_limit());
    let admin_scope = manager.admin_scope();
    let read =
        relationships::list(management_request.engine(), admin_scope, scope, &filter, after, limit).await?;
    page.to_response(management_request.engine(), read)
}

async fn apply_relationship_changes(
    management_request: &ManagementRequest,
    manager: &ManagementScope,
    organization: Option<&str>,
) -> HandlerResult {
    let scope = RelationshipApiScope { api: management_request.path_id("api")?, organization };
    let changes = management_request.parse_body::<RelationshipChangesInput>()?.into_changes();
    let relationship_tally =
        relationships::change(management_request.engine(), manager.admin_scope(), scope, &changes).await?;
    Ok(json_response(
        StatusCode::OK,
        serialize_json(&RelationshipChangeView::from_changes(relationship_tally))?,
    ))
}

/// Parses the filter: an object or a subject, each by type and id.
fn parse_relationship_filter(
    management_request: &ManagementRequest,
) -> Result<RelationshipListFilter, HandlerError> {
    let filters = ["object_type", "object_id", "subject_type", "subject_id"]
        .map(|name| management_request.query_param(name));
    let refuse = |text| Refusal::because(RequestRefusal::ParameterInvalid(text), "");
    match filters {
        [None, None, None, None] => Ok(RelationshipListFilter::All),
        [Some(of_type), Some(id), None, None] => {
            RelationObject::new(of_type, id).map(RelationshipListFilter::OfObject).map_err(|_| {
                refuse(
                    "The query parameters object_type and object_id name no object. Send the type \
                                 and id of one.",
                )
                .into()
            })
        }
        [None, None, Some(of_type), Some(id)] if is_valid_name(of_type) && is_relationship_id(id) => {
            Ok(RelationshipListFilter::WithSubject(of_type.to_owned(), id.to_owned()))
        }
        [None, None, Some(_), Some(_)] => Err(refuse(
            "The query parameters subject_type and subject_id name \
            no subject. Send the type and id of one.",
        )
        .into()),
        _ => Err(refuse(
            "The list needs a filter. Send object_type and object_id, or subject_type and \
                         subject_id.",
        )
        .into()),
    }
}

/// Whether the text can be the id of an object or a subject.
fn is_relationship_id(text: &str) -> bool {
    text.len() <= SUBJECT_ID_BYTES_MAX && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
