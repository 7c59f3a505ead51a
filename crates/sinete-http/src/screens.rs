//! The routes of the hosted screens, not served while they are disabled.

pub(crate) mod flash;
pub(crate) mod flow_cookies;
pub(crate) mod form_cookie;
pub(crate) mod organization_branding;
pub(crate) mod pending_form;
pub(crate) mod saved_return_to;

pub use crate::state::branding;

use crate::state::RoutedRequest;
use crate::state::{HttpState, InstancePurpose};
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue, LOCATION};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::accounts::language::Language;
use sinete_core::entropy::draw_bytes;
use sinete_core::refusal::Refusal;
use sinete_engine::organizations::branding::OrganizationBranding;
use sinete_engine::sign_in::long_lived_access::{LongLivedAccess, LongLivedAccessKind};
use sinete_screens::assets::{ASSETS, StaticAsset, fingerprint};
use sinete_screens::branding::PageBranding;
use sinete_screens::display_time::DisplayTime;
use sinete_screens::language::UiLanguage;
use sinete_screens::long_lived_access::LongLivedAccessItem;
use sinete_screens::notice::OutcomeNotice;
use sinete_screens::page::PageFrame;
use sinete_screens::platform::landing;
use sinete_screens::platform::landing::LandingView;
use sinete_server::reply::document::StaticDocument;
use sinete_server::reply::{HandlerResult, page};
use sinete_server::request_context::RequestContext;
use sinete_server::security_headers::{IssuerScheme, page_csp};
use std::sync::LazyLock;

/// The page frame for a request.
pub(crate) fn page_frame<'a>(context: &RequestContext, state: &'a HttpState) -> PageFrame<'a> {
    PageFrame::without_script(context.language(), state.base_address().path(), state.branding().brand())
}

/// The landing page.
pub(crate) async fn show_landing_page(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let address = state.base_address();
    let purpose = match state.settings().purpose {
        InstancePurpose::Development => landing::LandingPurpose::Development,
        InstancePurpose::Production => landing::LandingPurpose::Production,
    };
    let view = LandingView { issuer: address.issuer(), purpose, has_console: state.serves_console() };
    let frame = PageFrame { current_path: "/", ..page_frame(request.context(), &state) };
    Ok(page::html_response(StatusCode::OK, view.render(&frame)))
}

/// The page after signing out.
pub(crate) async fn show_signed_out_page(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let reader = PageRenderContext::new(&state, &request, [query.get("ui_locales")]);
    Ok(page::html_response(
        StatusCode::OK,
        OutcomeNotice::SignedOut.render(&reader.plain_frame("/signed-out")),
    ))
}

/// Lasting access, for display.
pub(crate) fn access_choice(access: &LongLivedAccess) -> LongLivedAccessItem<'_> {
    LongLivedAccessItem {
        id: &access.id,
        name: &access.name,
        organization: &access.organization_name,
        is_key: access.kind == LongLivedAccessKind::ApiKey,
        since: DisplayTime(access.granted_at.seconds()),
    }
}

/// The query value for a step-up whose action was not performed.
pub(crate) const ACTION_NOT_PERFORMED: &str = "proof";

/// The reader of a page: language and CSP nonce.
pub(crate) struct PageRenderContext<'a> {
    pub(crate) state: &'a HttpState,
    pub(crate) language: UiLanguage,
    pub(crate) nonce: String,
    /// The branding of the organization.
    pub(crate) brand: Option<PageBranding>,
}

impl<'a> PageRenderContext<'a> {
    /// Selects the first supported language of these lists, or else that of the browser.
    pub(crate) fn new<const LISTS: usize>(
        state: &'a HttpState,
        request: &RoutedRequest,
        locale_lists: [Option<&str>; LISTS],
    ) -> Self {
        let language = locale_lists.into_iter().flatten().find_map(Language::from_locale_list);
        Self {
            state,
            language: language.unwrap_or_else(|| request.context().language()),
            nonce: URL_SAFE_NO_PAD.encode(draw_bytes::<16>(state.backend().entropy())),
            brand: None,
        }
    }

    /// Sets the branding of an organization.
    pub(crate) fn with_organization_branding(mut self, look: Option<&OrganizationBranding>) -> Self {
        self.brand =
            look.map(|look| organization_branding::organization_brand(self.state.branding().brand(), look));
        self
    }

    pub(crate) fn frame<'b>(&'b self, path_and_query: &'b str) -> PageFrame<'b> {
        let base_path = self.state.base_address().path();
        let brand = self.brand.as_ref().unwrap_or_else(|| self.state.branding().brand());
        PageFrame {
            nonce: &self.nonce,
            current_path: path_and_query,
            ..PageFrame::without_script(self.language, base_path, brand)
        }
    }

    /// The frame of a page without a script.
    pub(crate) fn plain_frame<'b>(&'b self, path_and_query: &'b str) -> PageFrame<'b> {
        PageFrame { nonce: "", ..self.frame(path_and_query) }
    }

    /// A response with a page that has a script.
    pub(crate) fn script_page_response(&self, status: StatusCode, text: String) -> Response {
        let mut response = page::html_response(status, text);
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, page_csp(&self.nonce));
        response
    }
}

/// The token of a flow in this browser.
pub(crate) fn flow_token_from_cookie(
    headers: &HeaderMap,
    scheme: IssuerScheme,
    id: &str,
) -> Result<Option<String>, Refusal> {
    Ok(flow_cookies::find_flow_token(headers, scheme, id)?.map(|token| token.token.to_owned()))
}

/// A redirect that is followed with GET, to a path and query below the base URL.
pub(crate) fn see_other(state: &HttpState, address: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    // The base URL, our paths and ids are valid header values.
    if let Ok(location) = HeaderValue::try_from(format!("{}{address}", state.base_address().path())) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// An asset whose path contains a hash of its content never changes.
pub(crate) async fn serve_asset(asset: StaticAsset, request: RoutedRequest) -> HandlerResult {
    static READY_ASSETS: LazyLock<[(&str, StaticDocument); ASSETS.len()]> =
        LazyLock::new(|| ASSETS.map(ready_asset));
    let ready = READY_ASSETS.iter().find(|(path, _)| *path == asset.path);
    Ok(ready.map_or_else(
        || self::ready_asset(asset).1.to_response(request.headers()),
        |(_, it)| it.to_response(request.headers()),
    ))
}

/// An asset as a document, with its path.
fn ready_asset(asset: StaticAsset) -> (&'static str, StaticDocument) {
    const IMMUTABLE_CACHE_CONTROL: &str = "public, max-age=31536000, immutable";
    let number = fingerprint(asset.bytes);
    (
        asset.path,
        StaticDocument::with_version_number(asset.bytes, number, asset.content_type, IMMUTABLE_CACHE_CONTROL)
            .with_gzip(),
    )
}

/// The logo of the instance.
pub(crate) async fn serve_logo(state: HttpState, request: RoutedRequest) -> HandlerResult {
    Ok(state.branding().logo().to_response(request.headers()))
}

/// The colors of the instance.
pub(crate) async fn serve_colors(state: HttpState, request: RoutedRequest) -> HandlerResult {
    Ok(state.branding().colors().to_response(request.headers()))
}

/// The additional style sheet of the instance.
pub(crate) async fn serve_stylesheet(state: HttpState, request: RoutedRequest) -> HandlerResult {
    Ok(state.branding().style().to_response(request.headers()))
}
