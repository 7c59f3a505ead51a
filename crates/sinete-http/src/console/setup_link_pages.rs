//! The pages of a set-up link. The link is opened by a form, not by following it, because programs follow links in
//! messages; then a cookie binds it to this browser. The pages show the name of the organization and what was prepared
//! here, and nothing else of it.

pub(crate) mod routes;

use crate::console::connections::{
    find_provider, parse_prepared_connection, prepared_connection_notice, wizard_provider,
};
use crate::screens::{PageRenderContext, see_other};
use crate::state::{HttpState, RoutedRequest};
use axum::http::StatusCode;
use axum::http::header::{COOKIE, HeaderValue, SET_COOKIE};
use axum::response::Response;
use sinete_core::identity_providers::provider_presets::ProviderPreset;
use sinete_core::limits::SETUP_LINK_LIFETIME_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::identity_providers::setup_links;
use sinete_engine::identity_providers::setup_links::{SETUP_PATH, SetupHolder};
use sinete_engine::identity_providers::{callback_url, saml};
use sinete_engine::{Engine, Error, UseCaseResult as _};
use sinete_screens::console::connections::{ConnectionFields, ProviderProtocol};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::{ConsoleLayout, ConsoleSection, StepUpFormState};
use sinete_screens::display_time::DisplayTime;
use sinete_screens::setup_link::{SetupLinkView, SetupStartView, UnopenedLink};
use sinete_server::extract::params::FormParams;
use sinete_server::extract::same_origin;
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::security_headers::IssuerScheme;

/// The result of a form.
#[derive(Default)]
struct FormResult {
    notice: Option<ConsoleNotice>,
    /// What was found at the provider, in English; empty for nothing.
    detail: String,
    /// A SCIM token that was just prepared.
    token: String,
}

/// The page: to open a link, or of the link that this browser opened.
pub(crate) async fn show_setup_page(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    if let Some(token) = query.get("token") {
        let organization = setup_links::find_unopened(state.engine(), token).await?;
        let link = organization.as_deref().map(|organization| UnopenedLink { organization, token });
        if link.is_some() || find_holder(&state, &request).await?.is_none() {
            let status = if link.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
            return Ok(start_page(&state, &request, &query, status, link));
        }
    }
    match find_holder(&state, &request).await? {
        Some(holder) => Ok(link_page(&state, &request, &query, &holder, &query, FormResult::default())),
        None => Ok(start_page(&state, &request, &query, StatusCode::OK, None)),
    }
}

/// Opens a link in this browser, or prepares something.
pub(crate) async fn submit_setup_form(state: HttpState, request: RoutedRequest) -> HandlerResult {
    state.rate_limit(&request).check_flow_start_by_address()?;
    let (query, form) = (request.query_params()?, request.form_params()?);
    same_origin::check_same_origin_headers(request.headers(), state.base_address().origin(), &[])?;
    if form.get("action") == Some("open") {
        return open_link(&state, &request, &query, form.get("token").unwrap_or_default()).await;
    }
    let Some(holder) = find_holder(&state, &request).await? else {
        return Ok(start_page(&state, &request, &query, StatusCode::NOT_FOUND, None));
    };
    let result = match prepare(state.engine(), &holder, &form).await {
        Ok(result) => result,
        Err(Error::Refused(refusal)) if is_about_link(&refusal) => {
            request.context().record_refusal(&refusal);
            return Ok(start_page(&state, &request, &query, StatusCode::NOT_FOUND, None));
        }
        Err(Error::Refused(refusal)) => {
            request.context().record_refusal(&refusal);
            let notice = match form.get("action") {
                Some("domain") => Some(ConsoleNotice::BadDomain),
                _ => prepared_connection_notice(&refusal),
            };
            let notice = notice.unwrap_or(ConsoleNotice::NotPossible);
            let detail = match notice {
                ConsoleNotice::NotDiscovered => refusal.public_text().into_owned(),
                _ => String::new(),
            };
            FormResult { notice: Some(notice), detail, ..FormResult::default() }
        }
        Err(Error::Failed(failure)) => return Err(failure.into()),
    };
    let is_error = result.notice.is_some_and(|notice| notice.is_error());
    // Shown in the response itself: a token appears nowhere else.
    let holder = find_holder(&state, &request).await?.unwrap_or(holder);
    let mut response = link_page(&state, &request, &query, &holder, &form, result);
    if is_error {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}

fn is_about_link(refusal: &Refusal) -> bool {
    refusal.code() == RefusalCode::NotFound
}

async fn open_link(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    token: &str,
) -> HandlerResult {
    match setup_links::open_setup_link(state.engine(), token, &request.origin()).await {
        Ok(opened) => {
            let mut response = see_other(state, SETUP_PATH);
            set_session_cookie(&mut response, state.scheme(), &opened.session.reveal());
            Ok(response)
        }
        Err(Error::Refused(refusal)) => {
            request.context().record_refusal(&refusal);
            Ok(start_page(state, request, query, StatusCode::NOT_FOUND, None))
        }
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Prepares what the form contains.
async fn prepare(engine: &Engine, holder: &SetupHolder, form: &FormParams) -> Result<FormResult, Error> {
    let saved = FormResult { notice: Some(ConsoleNotice::Saved), ..FormResult::default() };
    match form.get("action") {
        Some("domain") => {
            let name = form.get("domain").unwrap_or_default();
            setup_links::prepare_domain(engine, holder, name).await.map(|()| saved)
        }
        Some("scim") => {
            let secret = setup_links::prepare_scim_token(engine, holder).await?;
            Ok(FormResult { token: secret.reveal(), ..saved })
        }
        Some("open_id" | "saml") => prepare_connection(engine, holder, form, saved).await,
        _ => Ok(FormResult { notice: Some(ConsoleNotice::NotPossible), ..FormResult::default() }),
    }
}

async fn prepare_connection(
    engine: &Engine,
    holder: &SetupHolder,
    form: &FormParams,
    saved: FormResult,
) -> Result<FormResult, Error> {
    let invalid = |notice| Ok(FormResult { notice: Some(notice), ..FormResult::default() });
    let preset = find_provider(form.get("provider").unwrap_or_default())?;
    let issuer = preset.build_issuer(form.get("issuer").unwrap_or_default());
    let pairs = form.iter().filter(|(name, _)| *name != "issuer");
    let mut pairs: Vec<(String, String)> =
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    pairs.push(("issuer".to_owned(), issuer));
    let url = form.get("metadata_url").map(str::trim).filter(|url| !url.is_empty());
    if let Some(url) = url.filter(|_| form.get("metadata").is_none()) {
        match setup_links::fetch_metadata(engine, holder, url).await.unless_refused()? {
            Some(document) => pairs.push(("metadata".to_owned(), document)),
            None => return invalid(ConsoleNotice::BadMetadataUrl),
        }
    }
    let (issuer, draft) = match parse_prepared_connection(&FormParams::from_pairs(pairs)) {
        Ok(parsed) => parsed,
        Err(notice) => return invalid(notice),
    };
    setup_links::prepare_connection(engine, holder, issuer.as_deref(), &draft).await.map(|()| saved)
}

/// The name of the cookie that binds a link to a browser.
const fn cookie_name(scheme: IssuerScheme) -> &'static str {
    match scheme {
        IssuerScheme::Https => "__Host-setup",
        IssuerScheme::Http => "sinete_setup",
    }
}

fn set_session_cookie(response: &mut Response, scheme: IssuerScheme, token: &str) {
    let (name, seconds) = (cookie_name(scheme), SETUP_LINK_LIFETIME_MAX.seconds());
    let secure = match scheme {
        IssuerScheme::Https => "; Secure",
        IssuerScheme::Http => "",
    };
    let line = format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    // Names and values consist of our own characters, so this cannot fail.
    if let Ok(line) = HeaderValue::try_from(line) {
        response.headers_mut().append(SET_COOKIE, line);
    }
}

/// The holder of an open link, if this browser opened it.
async fn find_holder(
    state: &HttpState,
    request: &RoutedRequest,
) -> Result<Option<SetupHolder>, HandlerError> {
    let lines = request.headers().get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let name = cookie_name(state.scheme());
    let Some((_, token)) = pairs.find(|(key, _)| key.trim() == name) else { return Ok(None) };
    let result = SetupHolder::authenticate(state.engine(), token.trim(), &request.origin()).await;
    Ok(result.unless_refused()?)
}

fn start_page(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    status: StatusCode,
    link: Option<UnopenedLink<'_>>,
) -> Response {
    let reader = PageRenderContext::new(state, request, [query.get("ui_locales")]);
    let page = SetupStartView { form_path: SETUP_PATH, link };
    // No links to other languages: they would lose the token.
    reader.script_page_response(status, page.render(&reader.frame("")))
}

fn link_page(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    holder: &SetupHolder,
    form: &FormParams,
    result: FormResult,
) -> Response {
    let reader = PageRenderContext::new(state, request, [query.get("ui_locales")]);
    let (engine, id) = (state.engine(), holder.link.connection);
    let preset = form.get("provider").or_else(|| query.get("provider"));
    let preset = preset.and_then(ProviderPreset::from_slug);
    let is_error = result.notice.is_some_and(|notice| notice.is_error());
    let is_connection = is_error && matches!(form.get("action"), Some("open_id" | "saml"));
    let scim_endpoint = format!("{}/scim/v2", state.base_address().issuer().trim_end_matches('/'));
    let record =
        holder.record.as_ref().map(|it| (it.domain.to_unicode(), it.domain.record_name(), &it.value));
    let page = SetupLinkView {
        layout: ConsoleLayout {
            organization: &holder.organization,
            slug: "",
            suspended: false,
            sections: &[],
            section: ConsoleSection::Connections,
            url_language: query
                .get("ui_locales")
                .and_then(sinete_core::accounts::language::Language::from_locale_list),
            current_path: SETUP_PATH,
            csrf: "",
            notice: result.notice,
            is_input_lost: false,
            detail: &result.detail,
            is_operator: false,
        },
        expires_at: DisplayTime(holder.link.expires_at.seconds()),
        provider: preset.map(wizard_provider),
        callback: &callback_url(engine, id),
        entity_id: &saml::entity_id(engine, id),
        fields: connection_fields(preset, form, is_connection),
        connection: holder.connection.as_ref().map(|it| (it.settings.name.as_str(), it.issuer.as_str())),
        scim_endpoint: &scim_endpoint,
        has_scim: holder.link.scim.is_some(),
        scim_token: &result.token,
        domain: record.as_ref().map(|(name, record, value)| (name.as_str(), record.as_str(), value.as_str())),
        typed_domain: form.get("domain").unwrap_or_default(),
    };
    reader.script_page_response(StatusCode::OK, page.render(&reader.frame(SETUP_PATH)))
}

/// The fields of the connection, with what was typed and refused. A secret is typed again.
fn connection_fields<'a>(
    preset: Option<ProviderPreset>,
    form: &'a FormParams,
    was_refused: bool,
) -> ConnectionFields<'a> {
    let is_saml = preset == Some(ProviderPreset::Saml);
    let text = |name: &str, otherwise: &'a str| form.get(name).unwrap_or(otherwise);
    let never = if is_saml { "metadata" } else { "client_secret" };
    ConnectionFields {
        form: if is_saml { "saml" } else { "open_id" },
        form_state: StepUpFormState::Open,
        was_submitted: was_refused,
        needs_retyping: was_refused && form.get(never).is_some(),
        protocol: if is_saml { ProviderProtocol::Saml } else { ProviderProtocol::OpenId },
        guide: preset.map(wizard_provider),
        is_for_setup_link: true,
        exists: false,
        can_change_trust: true,
        has_secret: false,
        name: text("name", preset.map_or("", ProviderPreset::suggested_name)),
        issuer: text("issuer", ""),
        metadata_url: text("metadata_url", ""),
        client_id: text("client_id", ""),
        authentication: text("authentication", "client_secret"),
        scopes: text("scopes", "openid email profile"),
        subject: text("subject", "NameID"),
        email: text("email", ""),
        full_name: text("full_name", ""),
        domains: "",
    }
}
