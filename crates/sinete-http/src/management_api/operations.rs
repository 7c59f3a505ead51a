//! How the routes of the management API and their operations are written.

use crate::state::{HandlerFn, RouteEntry};
use sinete_server::application::RouteHandler;
use sinete_server::route::ApiConvention::{Etag, IfMatch, Mutation, Paged};
use sinete_server::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, OperationOutcome, OperationTag, RequestBodyKind,
    RequiredPermission, RouteAvailability, RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};
use sinete_server::schema::NamedSchema;

/// A route of the management API; its requirements follow from the method. The description is its own.
pub(crate) const fn management_route(
    method: RouteMethod,
    path: &'static str,
    needs: RequiredPermission,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        method,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Bearer(needs),
        request_body: match (method, operation.request) {
            (_, None) => RequestBodyKind::Nothing,
            (RouteMethod::Patch, Some(_)) => RequestBodyKind::MergePatch,
            (RouteMethod::Get | RouteMethod::Post | RouteMethod::Put | RouteMethod::Delete, Some(_)) => {
                RequestBodyKind::Json
            }
        },
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Full,
        rate_limits: MANAGEMENT_RATE_LIMITS,
        description: "",
        operation: Some(operation),
        handler: RouteHandler::Handler(handler),
    }
}

/// Management requires a credential and a permission, and each change is in the audit log of its
/// organization. Reads of operators by assignment are recorded there too.
const MANAGEMENT_RATE_LIMITS: RouteRateLimits = RouteRateLimits::Unlimited(
    "requires a member or operator with a permission, whose every change is in the audit log",
);

/// An operation that shows a resource.
pub(crate) const fn show_operation(
    id: &'static str,
    tag: OperationTag,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation {
        id,
        tag,
        request: None,
        outcome: OperationOutcome::Resource(schema),
        conventions: &[],
        query: &[],
        extra_refusals: &[],
    }
}

/// An operation that lists resources.
pub(crate) const fn list_operation(
    id: &'static str,
    tag: OperationTag,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation { conventions: &[Paged], ..show_operation(id, tag, schema) }
}

/// An operation that creates a resource.
pub(crate) const fn create_operation(
    id: &'static str,
    tag: OperationTag,
    request: &'static NamedSchema,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation {
        request: Some(request),
        outcome: OperationOutcome::Created(schema),
        ..show_operation(id, tag, schema)
    }
}

/// An operation that changes one version of a resource.
pub(crate) const fn update_operation(
    id: &'static str,
    tag: OperationTag,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation { conventions: &[Etag, IfMatch, Mutation], ..show_operation(id, tag, schema) }
}

/// An operation without a response body.
pub(crate) const fn command_operation(id: &'static str, tag: OperationTag) -> ApiOperation {
    ApiOperation {
        id,
        tag,
        request: None,
        outcome: OperationOutcome::NoContent,
        conventions: &[],
        query: &[],
        extra_refusals: &[],
    }
}
