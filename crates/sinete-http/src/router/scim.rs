//! The rows for directories: SCIM 2.0.

use super::manage::{does, makes, shows};
use crate::route::Convention::{Changes, Tagged};
use crate::route::Verb::{Delete, Get, Patch, Post, Put};
use crate::route::{
    Answers, Caller, Handler, Listener, Needs, Operation, Origins, Parameter, RateLimit, RateLimits,
    RefusalShape, Route, Served, Tag, Takes, Verb, Weight,
};
use crate::schema::Schema;
use crate::scim::{self, discovery, resources};
use serde_json::json;
use sinete_core::refusal::RefusalCode;
use sinete_core::scim::ResourceKind::{Group, User};

pub(super) const ROUTES: &[Route] = &super::joined::<{ super::count(PARTS) }>(PARTS);

const PARTS: &[&[Route]] = &[DISCOVERY, USERS, GROUPS, TOGETHER];

const DISCOVERY: &[Route] = &[
    Route {
        description: "Says what the service for directories can do.",
        ..provisions(
            Get,
            "/scim/v2/ServiceProviderConfig",
            told("getScimService", &scim::SERVICE),
            |state, call| Box::pin(discovery::service(state, call)),
        )
    },
    Route {
        description: "Lists the kinds of things that directories provision.",
        ..provisions(
            Get,
            "/scim/v2/ResourceTypes",
            told("listScimResourceTypes", &scim::LIST),
            |state, call| Box::pin(discovery::resource_types(state, call)),
        )
    },
    Route {
        description: "Shows a kind of things that directories provision.",
        ..provisions(
            Get,
            "/scim/v2/ResourceTypes/{resource_type}",
            told("getScimResourceType", &scim::SERVICE),
            |state, call| Box::pin(discovery::resource_type(state, call)),
        )
    },
    Route {
        description: "Lists what users and groups consist of.",
        ..provisions(Get, "/scim/v2/Schemas", told("listScimSchemas", &scim::LIST), |state, call| {
            Box::pin(discovery::schemas(state, call))
        })
    },
    Route {
        description: "Shows what users or groups consist of.",
        ..provisions(
            Get,
            "/scim/v2/Schemas/{schema}",
            told("getScimSchema", &scim::SERVICE),
            |state, call| Box::pin(discovery::schema(state, call)),
        )
    },
];

const USERS: &[Route] = &[
    Route {
        description: "Lists users.",
        ..provisions(Get, "/scim/v2/Users", lists("listScimUsers"), |state, call| {
            Box::pin(resources::list(state, call, User))
        })
    },
    Route {
        description: "Makes a user: a membership that belongs to nobody yet.",
        ..provisions(
            Post,
            "/scim/v2/Users",
            adds("createScimUser", &scim::NEW_USER, &scim::USER),
            |state, call| Box::pin(resources::create(state, call, User)),
        )
    },
    Route {
        description: "Lists users, asked for in a body.",
        ..provisions(Post, "/scim/v2/Users/.search", finds("searchScimUsers"), |state, call| {
            Box::pin(resources::find(state, call, User))
        })
    },
    Route {
        description: "Shows a user.",
        ..provisions(Get, "/scim/v2/Users/{user}", one("getScimUser", &scim::USER), |state, call| {
            Box::pin(resources::show(state, call, User))
        })
    },
    Route {
        description: "Puts a user in the place of one.",
        ..provisions(
            Put,
            "/scim/v2/Users/{user}",
            alters("replaceScimUser", &scim::NEW_USER, &scim::USER),
            |state, call| Box::pin(resources::replace(state, call, User)),
        )
    },
    Route {
        description: "Changes parts of a user.",
        ..provisions(
            Patch,
            "/scim/v2/Users/{user}",
            alters("updateScimUser", &scim::PATCH, &scim::USER),
            |state, call| Box::pin(resources::patch(state, call, User)),
        )
    },
    Route {
        description: "Removes a user: the membership ends for good.",
        ..provisions(Delete, "/scim/v2/Users/{user}", ends("deleteScimUser"), |state, call| {
            Box::pin(resources::remove(state, call, User))
        })
    },
];

const GROUPS: &[Route] = &[
    Route {
        description: "Lists groups, which are the roles of the organization.",
        ..provisions(Get, "/scim/v2/Groups", lists("listScimGroups"), |state, call| {
            Box::pin(resources::list(state, call, Group))
        })
    },
    Route {
        description: "Makes a group: a role that confers nothing until somebody says what.",
        ..provisions(
            Post,
            "/scim/v2/Groups",
            adds("createScimGroup", &scim::NEW_GROUP, &scim::GROUP),
            |state, call| Box::pin(resources::create(state, call, Group)),
        )
    },
    Route {
        description: "Lists groups, asked for in a body.",
        ..provisions(Post, "/scim/v2/Groups/.search", finds("searchScimGroups"), |state, call| {
            Box::pin(resources::find(state, call, Group))
        })
    },
    Route {
        description: "Shows a group.",
        ..provisions(Get, "/scim/v2/Groups/{group}", one("getScimGroup", &scim::GROUP), |state, call| {
            Box::pin(resources::show(state, call, Group))
        })
    },
    Route {
        description: "Puts a group in the place of one.",
        ..provisions(
            Put,
            "/scim/v2/Groups/{group}",
            alters("replaceScimGroup", &scim::NEW_GROUP, &scim::GROUP),
            |state, call| Box::pin(resources::replace(state, call, Group)),
        )
    },
    Route {
        description: "Changes parts of a group, such as who is in it.",
        ..provisions(
            Patch,
            "/scim/v2/Groups/{group}",
            alters("updateScimGroup", &scim::PATCH, &scim::GROUP),
            |state, call| Box::pin(resources::patch(state, call, Group)),
        )
    },
    Route {
        description: "Removes a group that a directory made.",
        ..provisions(Delete, "/scim/v2/Groups/{group}", ends("deleteScimGroup"), |state, call| {
            Box::pin(resources::remove(state, call, Group))
        })
    },
];

const TOGETHER: &[Route] = &[
    Route {
        description: "Lists users and groups, asked for in a body.",
        ..provisions(Post, "/scim/v2/.search", finds("searchScim"), |state, call| {
            Box::pin(resources::find_all(state, call))
        })
    },
    Route {
        description: "Does what many requests ask for, each by itself.",
        takes: Takes::ScimBulk,
        ..provisions(Post, "/scim/v2/Bulk", BULK, |state, call| Box::pin(resources::bulk(state, call)))
    },
];

/// A row for directories; what it takes follows from how it is asked. The description is the row's own.
const fn provisions(verb: Verb, path: &'static str, operation: Operation, handler: Handler) -> Route {
    Route {
        verb,
        path,
        listener: Listener::Public,
        served: Served::Always,
        caller: Caller::Bearer(Needs::InOwnOrganization("scim:provision")),
        takes: match operation.request {
            None => Takes::Nothing,
            Some(_) => Takes::Scim,
        },
        refuses: RefusalShape::Scim,
        origins: Origins::Own,
        weight: Weight::Full,
        rate_limits: RateLimits::Limited { by: &[RateLimit::ProvisioningByCredential], log_rows: 2 },
        description: "",
        operation: Some(operation),
        answers: Answers::Works(handler),
    }
}

const fn told(id: &'static str, schema: &'static Schema) -> Operation {
    Operation { refuses: &[RefusalCode::Forbidden], ..shows(id, Tag::Provisioning, schema) }
}

const fn one(id: &'static str, schema: &'static Schema) -> Operation {
    Operation { follows: &[Tagged], query: SHOWN, ..shows(id, Tag::Provisioning, schema) }
}

const fn lists(id: &'static str) -> Operation {
    Operation { query: LISTED, refuses: UNLISTED, ..shows(id, Tag::Provisioning, &scim::LIST) }
}

const fn finds(id: &'static str) -> Operation {
    Operation { query: &[], request: Some(&scim::SEARCH), ..lists(id) }
}

const fn adds(id: &'static str, request: &'static Schema, schema: &'static Schema) -> Operation {
    Operation {
        follows: &[Tagged, Changes],
        query: SHOWN,
        refuses: UNCHANGED,
        ..makes(id, Tag::Provisioning, request, schema)
    }
}

const fn alters(id: &'static str, request: &'static Schema, schema: &'static Schema) -> Operation {
    Operation {
        request: Some(request),
        follows: &[Tagged, Changes],
        query: SHOWN,
        refuses: UNCHANGED,
        ..shows(id, Tag::Provisioning, schema)
    }
}

const fn ends(id: &'static str) -> Operation {
    Operation { follows: &[Changes], refuses: UNCHANGED, ..does(id, Tag::Provisioning) }
}

const BULK: Operation = Operation {
    request: Some(&scim::BULK_REQUEST),
    follows: &[Changes],
    ..shows("bulkScim", Tag::Provisioning, &scim::BULK_OUTCOME)
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

const SHOWN: &[Parameter] = &[ATTRIBUTES, EXCLUDED];

const LISTED: &[Parameter] = &[
    text("filter", "What they must be like (RFC 7644 §3.4.2.2)."),
    text("sortBy", "The attribute they are ordered by."),
    text("sortOrder", "`ascending` or `descending`."),
    number("startIndex", "The number of the first, counted from one."),
    number("count", "How many at most, up to 200."),
    ATTRIBUTES,
    EXCLUDED,
];

const ATTRIBUTES: Parameter =
    text("attributes", "What is told, besides what always is, separated by commas.");
const EXCLUDED: Parameter = text("excludedAttributes", "What is not told, separated by commas.");

const fn text(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, description, is_required: false, schema: || json!({"type": "string"}) }
}

const fn number(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, description, is_required: false, schema: || json!({"type": "integer"}) }
}
