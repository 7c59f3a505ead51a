//! Relationships at an API: in the organization that the API belongs to, and in those that an API of the instance's is
//! offered to.

mod wire;

pub(crate) use wire::{CHANGES, QUERY, RELATIONSHIP, RELATIONSHIPS_CHANGED, SCHEMAS};

use super::errand::{ManagementRequest, ManagementScope};
use crate::call::RoutedRequest;
use crate::reply::json::{answer, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use sinete_core::limits::SUBJECT_ID_BYTES_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::relation::{RelationObject, is_name};
use sinete_engine::relationships::{self, RelationshipListFilter, RelationshipStore};
use wire::{RelationshipChangeView, RelationshipChangesInput};

/// A page of relationships, inside an organization.
pub(crate) async fn list(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    shown(&errand, &manager, None).await
}

/// Changes relationships of the organization's own API.
pub(crate) async fn change(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    changed(&errand, &manager, None).await
}

/// A page of relationships of an organization at an API of the instance's.
pub(crate) async fn list_of(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = ManagementScope::Instance(errand.operating());
    shown(&errand, &manager, Some(errand.named("organization"))).await
}

/// Changes relationships of an organization at an API of the instance's.
pub(crate) async fn change_of(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = ManagementScope::Instance(errand.operating());
    changed(&errand, &manager, Some(errand.named("organization"))).await
}

async fn shown(
    errand: &ManagementRequest,
    manager: &ManagementScope,
    organization: Option<&str>,
) -> HandlerResult {
    let kept = RelationshipStore { api: errand.id("api")?, organization };
    let page = errand.page(manager.organization())?;
    let (listed, place) = (listed(errand)?, (page.after()?, page.to_read()));
    let read = relationships::list(errand.engine(), manager.managing(), kept, &listed, place).await??;
    page.answer(errand.engine(), read)
}

async fn changed(
    errand: &ManagementRequest,
    manager: &ManagementScope,
    organization: Option<&str>,
) -> HandlerResult {
    let kept = RelationshipStore { api: errand.id("api")?, organization };
    let changes = errand.body::<RelationshipChangesInput>()?.changes();
    let done = relationships::change(errand.engine(), manager.managing(), kept, &changes).await??;
    Ok(answer(StatusCode::OK, written(&RelationshipChangeView::of(done))?))
}

/// What the list is filtered by: an object, or somebody, and both of them by type and id.
fn listed(errand: &ManagementRequest) -> Result<RelationshipListFilter, HandlerError> {
    let asked = ["object_type", "object_id", "subject_type", "subject_id"].map(|name| errand.asked(name));
    let refuse = |public| Refusal::new(RefusalCode::InvalidRequest, public, public);
    match asked {
        [None, None, None, None] => Ok(RelationshipListFilter::All),
        [Some(of_type), Some(id), None, None] => RelationObject::new(of_type, id)
            .map(RelationshipListFilter::Of)
            .map_err(|_| refuse("object_type and object_id name no object").into()),
        [None, None, Some(of_type), Some(id)] if is_name(of_type) && is_id(id) => {
            Ok(RelationshipListFilter::With(of_type.to_owned(), id.to_owned()))
        }
        [None, None, Some(_), Some(_)] => Err(refuse("subject_type and subject_id name no subject").into()),
        _ => Err(refuse("the list is filtered by the type and id of an object, or of a subject").into()),
    }
}

/// Whether it can be the id of somebody or something that stands in a relation.
fn is_id(text: &str) -> bool {
    text.len() <= SUBJECT_ID_BYTES_MAX && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
