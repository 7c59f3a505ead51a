//! The routes to which identity providers send their responses.

use crate::identity_providers::callback::handlers;
use crate::sign_in::flows::routes::BROWSER_FLOW_ACTION_LIMITS;
use crate::state::RouteEntry;
use sinete_engine::identity_providers::CALLBACK_PATH;
use sinete_engine::identity_providers::saml::METADATA_PATH;
use sinete_server::application::RouteHandler;
use sinete_server::route::{
    CallerKind, CorsPolicy, ErrorFormat, RequestBodyKind, RouteAvailability, RouteListener, RouteMethod,
    RouteRateLimits, RouteWeight,
};

pub(crate) const ROUTES: &[RouteEntry] = &[
    RouteEntry {
        method: RouteMethod::Get,
        path: CALLBACK_PATH,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Browser,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Full,
        rate_limits: BROWSER_FLOW_ACTION_LIMITS,
        description: "Receives the response of an identity provider (redirect URI of a connection).",
        operation: None,
        handler: RouteHandler::Handler(|state, request| Box::pin(handlers::oidc_callback(state, request))),
    },
    RouteEntry {
        method: RouteMethod::Post,
        path: CALLBACK_PATH,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Browser,
        request_body: RequestBodyKind::Form,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Full,
        rate_limits: BROWSER_FLOW_ACTION_LIMITS,
        description: "Receives the SAML response of an identity provider (ACS URL of a connection).",
        operation: None,
        handler: RouteHandler::Handler(|state, request| Box::pin(handlers::saml_acs(state, request))),
    },
    RouteEntry {
        method: RouteMethod::Get,
        path: METADATA_PATH,
        listener: RouteListener::Public,
        availability: RouteAvailability::Always,
        caller: CallerKind::Anyone,
        request_body: RequestBodyKind::Nothing,
        error_format: ErrorFormat::Problem,
        cors: CorsPolicy::SameOrigin,
        weight: RouteWeight::Full,
        rate_limits: RouteRateLimits::ReadOnly,
        description: "Returns the SAML service provider metadata of a connection.",
        operation: None,
        handler: RouteHandler::Handler(|state, request| Box::pin(handlers::saml_metadata(state, request))),
    },
];
