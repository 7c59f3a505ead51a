//! How the routes of the management API and their operations are written.

use crate::route::ApiConvention::{Etag, IfMatch, Mutation, Paged};
use crate::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, HandlerFn, OperationOutcome, OperationTag,
    RequestBodyKind, RequiredPermission, RouteAvailability, RouteEntry, RouteHandler, RouteListener,
    RouteMethod, RouteRateLimits, RouteWeight,
};
use crate::schema::NamedSchema;

/// A row of the management API; what it takes follows from how it is asked. The description is the row's own.
pub(crate) const fn management_route(
    verb: RouteMethod,
    path: &'static str,
    needs: RequiredPermission,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        method: verb,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Bearer(needs),
        request_body: match (verb, operation.request) {
            (_, None) => RequestBodyKind::Nothing,
            (RouteMethod::Patch, Some(_)) => RequestBodyKind::MergePatch,
            (RouteMethod::Get | RouteMethod::Post | RouteMethod::Put | RouteMethod::Delete, Some(_)) => {
                RequestBodyKind::Json
            }
        },
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: MANAGEMENT_RATE_LIMITS,
        description: "",
        operation: Some(operation),
        handler: RouteHandler::Handler(handler),
    }
}

/// Whoever manages something shows a credential and holds a permission for it, and each change is in the audit log of the
/// organization it belongs to. What operators only look at by assignment is recorded there as well.
const MANAGEMENT_RATE_LIMITS: RouteRateLimits =
    RouteRateLimits::Unlimited("a member or operator with a permission, whose every act is in the audit log");

/// An operation that shows something.
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

/// An operation that shows a page of things.
pub(crate) const fn list_operation(
    id: &'static str,
    tag: OperationTag,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation { conventions: &[Paged], ..show_operation(id, tag, schema) }
}

/// An operation that makes something.
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

/// An operation that changes one version of something.
pub(crate) const fn update_operation(
    id: &'static str,
    tag: OperationTag,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation { conventions: &[Etag, IfMatch, Mutation], ..show_operation(id, tag, schema) }
}

/// An operation after which there is nothing to show.
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
