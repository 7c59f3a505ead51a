//! The routes of SCIM 2.0.

use crate::management_api::operations::{command_operation, create_operation, show_operation};
use crate::scim;
use crate::scim::discovery::handlers;
use crate::scim::resources::handlers as resources;
use crate::state::{HandlerFn, RouteEntry};
use serde_json::json;
use sinete_core::access_control::built_in_permissions::PROVISION_SCIM;
use sinete_core::refusal::RefusalCode;
use sinete_core::scim::ScimResourceType::{Group, User};
use sinete_server::application::RouteHandler;
use sinete_server::route::ApiConvention::{Etag, Mutation};
use sinete_server::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use sinete_server::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, OperationTag, QueryParameter, RateLimitKind,
    RequestBodyKind, RequiredPermission, RouteAvailability, RouteListener, RouteMethod, RouteRateLimits,
    RouteWeight,
};
use sinete_server::schema::NamedSchema;

pub(crate) const ROUTES: &[RouteEntry] =
    &crate::route_table::join_routes::<{ crate::route_table::count_routes(PARTS) }>(PARTS);

const PARTS: &[&[RouteEntry]] = &[DISCOVERY, USERS, GROUPS, BULK_AND_SEARCH];

const DISCOVERY: &[RouteEntry] = &[
    RouteEntry {
        description: "Retrieves the service provider configuration (RFC 7643 §5).",
        ..scim_route(
            Get,
            "/scim/v2/ServiceProviderConfig",
            scim_discovery_operation("getScimService", &scim::DISCOVERY_RESPONSE),
            |state, request| Box::pin(handlers::service_provider_config(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the resource types.",
        ..scim_route(
            Get,
            "/scim/v2/ResourceTypes",
            scim_discovery_operation("listScimResourceTypes", &scim::LIST),
            |state, request| Box::pin(handlers::list_resource_types(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a resource type.",
        ..scim_route(
            Get,
            "/scim/v2/ResourceTypes/{resource_type}",
            scim_discovery_operation("getScimResourceType", &scim::DISCOVERY_RESPONSE),
            |state, request| Box::pin(handlers::show_resource_type(state, request)),
        )
    },
    RouteEntry {
        description: "Lists the schemas.",
        ..scim_route(
            Get,
            "/scim/v2/Schemas",
            scim_discovery_operation("listScimSchemas", &scim::LIST),
            |state, request| Box::pin(handlers::list_schemas(state, request)),
        )
    },
    RouteEntry {
        description: "Retrieves a schema.",
        ..scim_route(
            Get,
            "/scim/v2/Schemas/{schema}",
            scim_discovery_operation("getScimSchema", &scim::DISCOVERY_RESPONSE),
            |state, request| Box::pin(handlers::show_schema(state, request)),
        )
    },
];

const USERS: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists users.",
        ..scim_route(Get, "/scim/v2/Users", scim_list_operation("listScimUsers"), |state, request| {
            Box::pin(resources::list_resources(state, request, User))
        })
    },
    RouteEntry {
        description: "Creates a user: a membership without an account.",
        ..scim_route(
            Post,
            "/scim/v2/Users",
            scim_create_operation("createScimUser", &scim::NEW_USER, &scim::USER),
            |state, request| Box::pin(resources::create_resource(state, request, User)),
        )
    },
    RouteEntry {
        description: "Searches users.",
        ..scim_route(
            Post,
            "/scim/v2/Users/.search",
            scim_search_operation("searchScimUsers"),
            |state, request| Box::pin(resources::search_resources(state, request, User)),
        )
    },
    RouteEntry {
        description: "Retrieves a user.",
        ..scim_route(
            Get,
            "/scim/v2/Users/{user}",
            scim_resource_operation("getScimUser", &scim::USER),
            |state, request| Box::pin(resources::show_resource(state, request, User)),
        )
    },
    RouteEntry {
        description: "Replaces a user.",
        ..scim_route(
            Put,
            "/scim/v2/Users/{user}",
            scim_update_operation("replaceScimUser", &scim::NEW_USER, &scim::USER),
            |state, request| Box::pin(resources::replace_resource(state, request, User)),
        )
    },
    RouteEntry {
        description: "Updates parts of a user.",
        ..scim_route(
            Patch,
            "/scim/v2/Users/{user}",
            scim_update_operation("updateScimUser", &scim::PATCH, &scim::USER),
            |state, request| Box::pin(resources::patch_resource(state, request, User)),
        )
    },
    RouteEntry {
        description: "Deletes a user: the membership ends permanently.",
        ..scim_route(
            Delete,
            "/scim/v2/Users/{user}",
            scim_delete_operation("deleteScimUser"),
            |state, request| Box::pin(resources::delete_resource(state, request, User)),
        )
    },
];

const GROUPS: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists groups, which are the roles of the organization.",
        ..scim_route(Get, "/scim/v2/Groups", scim_list_operation("listScimGroups"), |state, request| {
            Box::pin(resources::list_resources(state, request, Group))
        })
    },
    RouteEntry {
        description: "Creates a group: a role without permissions.",
        ..scim_route(
            Post,
            "/scim/v2/Groups",
            scim_create_operation("createScimGroup", &scim::NEW_GROUP, &scim::GROUP),
            |state, request| Box::pin(resources::create_resource(state, request, Group)),
        )
    },
    RouteEntry {
        description: "Searches groups.",
        ..scim_route(
            Post,
            "/scim/v2/Groups/.search",
            scim_search_operation("searchScimGroups"),
            |state, request| Box::pin(resources::search_resources(state, request, Group)),
        )
    },
    RouteEntry {
        description: "Retrieves a group.",
        ..scim_route(
            Get,
            "/scim/v2/Groups/{group}",
            scim_resource_operation("getScimGroup", &scim::GROUP),
            |state, request| Box::pin(resources::show_resource(state, request, Group)),
        )
    },
    RouteEntry {
        description: "Replaces a group.",
        ..scim_route(
            Put,
            "/scim/v2/Groups/{group}",
            scim_update_operation("replaceScimGroup", &scim::NEW_GROUP, &scim::GROUP),
            |state, request| Box::pin(resources::replace_resource(state, request, Group)),
        )
    },
    RouteEntry {
        description: "Updates parts of a group, such as its members.",
        ..scim_route(
            Patch,
            "/scim/v2/Groups/{group}",
            scim_update_operation("updateScimGroup", &scim::PATCH, &scim::GROUP),
            |state, request| Box::pin(resources::patch_resource(state, request, Group)),
        )
    },
    RouteEntry {
        description: "Deletes a group that a directory created.",
        ..scim_route(
            Delete,
            "/scim/v2/Groups/{group}",
            scim_delete_operation("deleteScimGroup"),
            |state, request| Box::pin(resources::delete_resource(state, request, Group)),
        )
    },
];

const BULK_AND_SEARCH: &[RouteEntry] = &[
    RouteEntry {
        description: "Searches users and groups.",
        ..scim_route(Post, "/scim/v2/.search", scim_search_operation("searchScim"), |state, request| {
            Box::pin(resources::search_all_resources(state, request))
        })
    },
    RouteEntry {
        description: "Performs a bulk request, each operation in its own transaction.",
        request_body: RequestBodyKind::ScimBulk,
        ..scim_route(Post, "/scim/v2/Bulk", BULK, |state, request| {
            Box::pin(resources::process_bulk(state, request))
        })
    },
];

/// A SCIM route; its requirements follow from the method. The description is its own.
const fn scim_route(
    method: RouteMethod,
    path: &'static str,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        method,
        path,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Bearer(RequiredPermission::InCredentialOrganization(PROVISION_SCIM)),
        request_body: match operation.request {
            None => RequestBodyKind::Nothing,
            Some(_) => RequestBodyKind::Scim,
        },
        error_format: ErrorFormat::Scim,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::Limited {
            kinds: &[RateLimitKind::ProvisioningByCredential],
            log_rows: 2,
        },
        description: "",
        operation: Some(operation),
        handler: RouteHandler::Handler(handler),
    }
}

const fn scim_discovery_operation(id: &'static str, schema: &'static NamedSchema) -> ApiOperation {
    ApiOperation {
        extra_refusals: &[RefusalCode::Forbidden],
        ..show_operation(id, OperationTag::Provisioning, schema)
    }
}

const fn scim_resource_operation(id: &'static str, schema: &'static NamedSchema) -> ApiOperation {
    ApiOperation {
        conventions: &[Etag],
        query: RESOURCE_PARAMS,
        ..show_operation(id, OperationTag::Provisioning, schema)
    }
}

const fn scim_list_operation(id: &'static str) -> ApiOperation {
    ApiOperation {
        query: LIST_PARAMS,
        extra_refusals: LIST_REFUSALS,
        ..show_operation(id, OperationTag::Provisioning, &scim::LIST)
    }
}

const fn scim_search_operation(id: &'static str) -> ApiOperation {
    ApiOperation { query: &[], request: Some(&scim::SEARCH), ..scim_list_operation(id) }
}

const fn scim_create_operation(
    id: &'static str,
    request: &'static NamedSchema,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation {
        conventions: &[Etag, Mutation],
        query: RESOURCE_PARAMS,
        extra_refusals: CHANGE_REFUSALS,
        ..create_operation(id, OperationTag::Provisioning, request, schema)
    }
}

const fn scim_update_operation(
    id: &'static str,
    request: &'static NamedSchema,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation {
        request: Some(request),
        conventions: &[Etag, Mutation],
        query: RESOURCE_PARAMS,
        extra_refusals: CHANGE_REFUSALS,
        ..show_operation(id, OperationTag::Provisioning, schema)
    }
}

const fn scim_delete_operation(id: &'static str) -> ApiOperation {
    ApiOperation {
        conventions: &[Mutation],
        extra_refusals: CHANGE_REFUSALS,
        ..command_operation(id, OperationTag::Provisioning)
    }
}

const BULK: ApiOperation = ApiOperation {
    request: Some(&scim::BULK_REQUEST),
    conventions: &[Mutation],
    ..show_operation("bulkScim", OperationTag::Provisioning, &scim::BULK_OUTCOME)
};

/// The refusals of a list.
const LIST_REFUSALS: &[RefusalCode] =
    &[RefusalCode::InvalidFilter, RefusalCode::InvalidPath, RefusalCode::InvalidValue, RefusalCode::TooMany];

/// The refusals of a change. A reference to a missing resource is not found.
const CHANGE_REFUSALS: &[RefusalCode] = &[
    RefusalCode::InvalidFilter,
    RefusalCode::InvalidPath,
    RefusalCode::Mutability,
    RefusalCode::NoTarget,
    RefusalCode::NotFound,
    RefusalCode::PreconditionFailed,
    RefusalCode::TooMany,
    RefusalCode::Uniqueness,
];

const RESOURCE_PARAMS: &[QueryParameter] = &[ATTRIBUTES, EXCLUDED_ATTRIBUTES];

const LIST_PARAMS: &[QueryParameter] = &[
    text_parameter("filter", "The filter (RFC 7644 §3.4.2.2)."),
    text_parameter("sortBy", "The attribute to sort by."),
    text_parameter("sortOrder", "`ascending` or `descending`."),
    integer_parameter("startIndex", "The index of the first result, starting at 1."),
    integer_parameter("count", "The maximum number of results, up to 200."),
    ATTRIBUTES,
    EXCLUDED_ATTRIBUTES,
];

const ATTRIBUTES: QueryParameter = text_parameter(
    "attributes",
    "The attributes to return in addition to those that always are, separated by commas.",
);
const EXCLUDED_ATTRIBUTES: QueryParameter =
    text_parameter("excludedAttributes", "The attributes to leave out, separated by commas.");

const fn text_parameter(name: &'static str, description: &'static str) -> QueryParameter {
    QueryParameter { name, description, is_required: false, schema: || json!({"type": "string"}) }
}

const fn integer_parameter(name: &'static str, description: &'static str) -> QueryParameter {
    QueryParameter { name, description, is_required: false, schema: || json!({"type": "integer"}) }
}
