//! The rows for directories: SCIM 2.0.

use super::manage::{does, makes, shows};
use crate::route::ApiConvention::{Changes, Tagged};
use crate::route::RouteMethod::{Delete, Get, Patch, Post, Put};
use crate::route::{
    ApiOperation, CallerKind, CorsPolicy, ErrorFormat, HandlerFn, OperationTag, QueryParameter,
    RateLimitKind, RequestBodyKind, RequiredPermission, RouteAvailability, RouteEntry, RouteHandler,
    RouteListener, RouteMethod, RouteRateLimits, RouteWeight,
};
use crate::schema::NamedSchema;
use crate::scim::{self, discovery, resources};
use serde_json::json;
use sinete_core::refusal::RefusalCode;
use sinete_core::scim::ScimResourceType::{Group, User};

pub(super) const ROUTES: &[RouteEntry] = &super::joined::<{ super::count(PARTS) }>(PARTS);

const PARTS: &[&[RouteEntry]] = &[DISCOVERY, USERS, GROUPS, TOGETHER];

const DISCOVERY: &[RouteEntry] = &[
    RouteEntry {
        description: "Says what the service for directories can do.",
        ..provisions(
            Get,
            "/scim/v2/ServiceProviderConfig",
            told("getScimService", &scim::SERVICE),
            |state, call| Box::pin(discovery::service(state, call)),
        )
    },
    RouteEntry {
        description: "Lists the kinds of things that directories provision.",
        ..provisions(
            Get,
            "/scim/v2/ResourceTypes",
            told("listScimResourceTypes", &scim::LIST),
            |state, call| Box::pin(discovery::resource_types(state, call)),
        )
    },
    RouteEntry {
        description: "Shows a kind of things that directories provision.",
        ..provisions(
            Get,
            "/scim/v2/ResourceTypes/{resource_type}",
            told("getScimResourceType", &scim::SERVICE),
            |state, call| Box::pin(discovery::resource_type(state, call)),
        )
    },
    RouteEntry {
        description: "Lists what users and groups consist of.",
        ..provisions(Get, "/scim/v2/Schemas", told("listScimSchemas", &scim::LIST), |state, call| {
            Box::pin(discovery::schemas(state, call))
        })
    },
    RouteEntry {
        description: "Shows what users or groups consist of.",
        ..provisions(
            Get,
            "/scim/v2/Schemas/{schema}",
            told("getScimSchema", &scim::SERVICE),
            |state, call| Box::pin(discovery::schema(state, call)),
        )
    },
];

const USERS: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists users.",
        ..provisions(Get, "/scim/v2/Users", lists("listScimUsers"), |state, call| {
            Box::pin(resources::list(state, call, User))
        })
    },
    RouteEntry {
        description: "Makes a user: a membership that belongs to nobody yet.",
        ..provisions(
            Post,
            "/scim/v2/Users",
            adds("createScimUser", &scim::NEW_USER, &scim::USER),
            |state, call| Box::pin(resources::create(state, call, User)),
        )
    },
    RouteEntry {
        description: "Lists users, asked for in a body.",
        ..provisions(Post, "/scim/v2/Users/.search", finds("searchScimUsers"), |state, call| {
            Box::pin(resources::find(state, call, User))
        })
    },
    RouteEntry {
        description: "Shows a user.",
        ..provisions(Get, "/scim/v2/Users/{user}", one("getScimUser", &scim::USER), |state, call| {
            Box::pin(resources::show(state, call, User))
        })
    },
    RouteEntry {
        description: "Puts a user in the place of one.",
        ..provisions(
            Put,
            "/scim/v2/Users/{user}",
            alters("replaceScimUser", &scim::NEW_USER, &scim::USER),
            |state, call| Box::pin(resources::replace(state, call, User)),
        )
    },
    RouteEntry {
        description: "Changes parts of a user.",
        ..provisions(
            Patch,
            "/scim/v2/Users/{user}",
            alters("updateScimUser", &scim::PATCH, &scim::USER),
            |state, call| Box::pin(resources::patch(state, call, User)),
        )
    },
    RouteEntry {
        description: "Removes a user: the membership ends for good.",
        ..provisions(Delete, "/scim/v2/Users/{user}", ends("deleteScimUser"), |state, call| {
            Box::pin(resources::remove(state, call, User))
        })
    },
];

const GROUPS: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists groups, which are the roles of the organization.",
        ..provisions(Get, "/scim/v2/Groups", lists("listScimGroups"), |state, call| {
            Box::pin(resources::list(state, call, Group))
        })
    },
    RouteEntry {
        description: "Makes a group: a role that confers nothing until somebody says what.",
        ..provisions(
            Post,
            "/scim/v2/Groups",
            adds("createScimGroup", &scim::NEW_GROUP, &scim::GROUP),
            |state, call| Box::pin(resources::create(state, call, Group)),
        )
    },
    RouteEntry {
        description: "Lists groups, asked for in a body.",
        ..provisions(Post, "/scim/v2/Groups/.search", finds("searchScimGroups"), |state, call| {
            Box::pin(resources::find(state, call, Group))
        })
    },
    RouteEntry {
        description: "Shows a group.",
        ..provisions(Get, "/scim/v2/Groups/{group}", one("getScimGroup", &scim::GROUP), |state, call| {
            Box::pin(resources::show(state, call, Group))
        })
    },
    RouteEntry {
        description: "Puts a group in the place of one.",
        ..provisions(
            Put,
            "/scim/v2/Groups/{group}",
            alters("replaceScimGroup", &scim::NEW_GROUP, &scim::GROUP),
            |state, call| Box::pin(resources::replace(state, call, Group)),
        )
    },
    RouteEntry {
        description: "Changes parts of a group, such as who is in it.",
        ..provisions(
            Patch,
            "/scim/v2/Groups/{group}",
            alters("updateScimGroup", &scim::PATCH, &scim::GROUP),
            |state, call| Box::pin(resources::patch(state, call, Group)),
        )
    },
    RouteEntry {
        description: "Removes a group that a directory made.",
        ..provisions(Delete, "/scim/v2/Groups/{group}", ends("deleteScimGroup"), |state, call| {
            Box::pin(resources::remove(state, call, Group))
        })
    },
];

const TOGETHER: &[RouteEntry] = &[
    RouteEntry {
        description: "Lists users and groups, asked for in a body.",
        ..provisions(Post, "/scim/v2/.search", finds("searchScim"), |state, call| {
            Box::pin(resources::find_all(state, call))
        })
    },
    RouteEntry {
        description: "Does what many requests ask for, each by itself.",
        takes: RequestBodyKind::ScimBulk,
        ..provisions(Post, "/scim/v2/Bulk", BULK, |state, call| Box::pin(resources::bulk(state, call)))
    },
];

/// A row for directories; what it takes follows from how it is asked. The description is the row's own.
const fn provisions(
    verb: RouteMethod,
    path: &'static str,
    operation: ApiOperation,
    handler: HandlerFn,
) -> RouteEntry {
    RouteEntry {
        verb,
        path,
        listener: RouteListener::Public,
        served: RouteAvailability::Always,
        caller: CallerKind::Bearer(RequiredPermission::InOwnOrganization("scim:provision")),
        takes: match operation.request {
            None => RequestBodyKind::Nothing,
            Some(_) => RequestBodyKind::Scim,
        },
        refuses: ErrorFormat::Scim,
        origins: CorsPolicy::Own,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::Limited { by: &[RateLimitKind::ProvisioningByCredential], log_rows: 2 },
        description: "",
        operation: Some(operation),
        answers: RouteHandler::Works(handler),
    }
}

const fn told(id: &'static str, schema: &'static NamedSchema) -> ApiOperation {
    ApiOperation { refuses: &[RefusalCode::Forbidden], ..shows(id, OperationTag::Provisioning, schema) }
}

const fn one(id: &'static str, schema: &'static NamedSchema) -> ApiOperation {
    ApiOperation { follows: &[Tagged], query: SHOWN, ..shows(id, OperationTag::Provisioning, schema) }
}

const fn lists(id: &'static str) -> ApiOperation {
    ApiOperation { query: LISTED, refuses: UNLISTED, ..shows(id, OperationTag::Provisioning, &scim::LIST) }
}

const fn finds(id: &'static str) -> ApiOperation {
    ApiOperation { query: &[], request: Some(&scim::SEARCH), ..lists(id) }
}

const fn adds(id: &'static str, request: &'static NamedSchema, schema: &'static NamedSchema) -> ApiOperation {
    ApiOperation {
        follows: &[Tagged, Changes],
        query: SHOWN,
        refuses: UNCHANGED,
        ..makes(id, OperationTag::Provisioning, request, schema)
    }
}

const fn alters(
    id: &'static str,
    request: &'static NamedSchema,
    schema: &'static NamedSchema,
) -> ApiOperation {
    ApiOperation {
        request: Some(request),
        follows: &[Tagged, Changes],
        query: SHOWN,
        refuses: UNCHANGED,
        ..shows(id, OperationTag::Provisioning, schema)
    }
}

const fn ends(id: &'static str) -> ApiOperation {
    ApiOperation { follows: &[Changes], refuses: UNCHANGED, ..does(id, OperationTag::Provisioning) }
}

const BULK: ApiOperation = ApiOperation {
    request: Some(&scim::BULK_REQUEST),
    follows: &[Changes],
    ..shows("bulkScim", OperationTag::Provisioning, &scim::BULK_OUTCOME)
};

/// What a list is refused for.
const UNLISTED: &[RefusalCode] =
    &[RefusalCode::InvalidFilter, RefusalCode::InvalidPath, RefusalCode::InvalidValue, RefusalCode::TooMany];

/// What a change is refused for. What is spoken of and is not there is not found.
const UNCHANGED: &[RefusalCode] = &[
    RefusalCode::InvalidFilter,
    RefusalCode::InvalidPath,
    RefusalCode::Mutability,
    RefusalCode::NoTarget,
    RefusalCode::NotFound,
    RefusalCode::PreconditionFailed,
    RefusalCode::TooMany,
    RefusalCode::Uniqueness,
];

const SHOWN: &[QueryParameter] = &[ATTRIBUTES, EXCLUDED];

const LISTED: &[QueryParameter] = &[
    text("filter", "What they must be like (RFC 7644 §3.4.2.2)."),
    text("sortBy", "The attribute they are ordered by."),
    text("sortOrder", "`ascending` or `descending`."),
    number("startIndex", "The number of the first, counted from one."),
    number("count", "How many at most, up to 200."),
    ATTRIBUTES,
    EXCLUDED,
];

const ATTRIBUTES: QueryParameter =
    text("attributes", "What is told, besides what always is, separated by commas.");
const EXCLUDED: QueryParameter = text("excludedAttributes", "What is not told, separated by commas.");

const fn text(name: &'static str, description: &'static str) -> QueryParameter {
    QueryParameter { name, description, is_required: false, schema: || json!({"type": "string"}) }
}

const fn number(name: &'static str, description: &'static str) -> QueryParameter {
    QueryParameter { name, description, is_required: false, schema: || json!({"type": "integer"}) }
}
