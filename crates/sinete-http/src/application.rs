//! The application: the state with the tables of routes and schemas, and the implementation of the server's
//! `Application` trait.

#[cfg(feature = "screens")]
use crate::accounts::account_pages;
use crate::authzen;
#[cfg(feature = "screens")]
use crate::console;
use crate::pages;
use crate::router::ROUTES;
use crate::schema::SCHEMA_REGISTRY;
#[cfg(feature = "screens")]
use crate::state::ResumablePages;
use crate::state::{ApiTables, Backend, HttpSettings, HttpState, InstancePurpose, RouteEntry, RoutedRequest};
use axum::response::Response;
use metrics_exporter_prometheus::PrometheusHandle;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::oauth::dpop;
use sinete_engine::scim::SCIM_PATH;
use sinete_server::application::{Application, OversizedFormFuture};
use sinete_server::context::ServerContext;
use sinete_server::request_context::RequestContext;
use sinete_server::route::{ErrorFormat, RouteAvailability};
use std::sync::Arc;

impl HttpState {
    /// Creates the state. Metrics are recorded by the recorder installed at this time.
    pub fn new(backend: Arc<dyn Backend>, settings: HttpSettings, metrics: PrometheusHandle) -> Self {
        let tables = ApiTables {
            routes: ROUTES,
            schemas: &SCHEMA_REGISTRY,
            #[cfg(feature = "screens")]
            resumable: ResumablePages {
                resume_account_form: |form| Box::pin(account_pages::resume_action(form)),
                resume_console_form: |page, form| Box::pin(console::resume_action(page, form)),
                is_console_page: console::is_console_page,
            },
        };
        Self::with_tables(backend, settings, metrics, tables)
    }
}

impl Application for HttpState {
    fn server(&self) -> &Arc<ServerContext> {
        Self::server(self)
    }

    fn serves(&self, availability: RouteAvailability) -> bool {
        match availability {
            RouteAvailability::Always => true,
            RouteAvailability::WithInteraction => self.has_interaction(),
            RouteAvailability::WithScreens => self.serves_screens(),
            RouteAvailability::WithConsole => self.serves_console(),
            RouteAvailability::InDevelopment => self.settings().purpose == InstancePurpose::Development,
        }
    }

    fn shows_pages(&self) -> bool {
        self.serves_screens()
    }

    fn dpop_nonce(&self) -> Option<String> {
        dpop::issue_nonce(self.engine())
    }

    fn repeats_request_id(&self, route: &RouteEntry) -> bool {
        authzen::evaluation::routes::is_authzen_route(route)
    }

    fn error_format_at(&self, path: &str) -> ErrorFormat {
        if path.starts_with(SCIM_PATH) { ErrorFormat::Scim } else { ErrorFormat::Problem }
    }

    fn refusal_page(&self, code: RefusalCode, context: &RequestContext) -> Option<Response> {
        pages::render_refusal_page(code, context, self)
    }

    #[cfg(feature = "screens")]
    fn oversized_form(&self, request: RoutedRequest, refusal: Refusal) -> OversizedFormFuture {
        let state = self.clone();
        Box::pin(async move {
            match request.context().prefers_page() {
                true => console::reject_oversized_form(&state, request, refusal).await,
                false => Err(refusal),
            }
        })
    }

    #[cfg(not(feature = "screens"))]
    fn oversized_form(&self, _: RoutedRequest, refusal: Refusal) -> OversizedFormFuture {
        Box::pin(std::future::ready(Err(refusal)))
    }
}
