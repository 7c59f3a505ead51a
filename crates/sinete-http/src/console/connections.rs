//! Identity provider connections on the console: list, create, show, change, test, enable, disable, delete.

mod form;
mod input;
pub(super) mod sign_in_test;
pub(super) mod wizard;

pub(super) use input::{parse_prepared_connection, prepared_connection_notice};
pub(super) use wizard::{find_provider, wizard_provider};

use super::{
    ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext, parse_page_id,
};
use crate::console::connections::form::ConnectionForm;
use crate::console::connections::input::{
    connection_error, parse_connection_changes, parse_new_connection, with_enabled, with_fetched_metadata,
};
use crate::console::flash_form::FlashForm;
use crate::console::list_order::{OrderChoice, TIME_OR_NAME_ORDERS};
use crate::console::page_context::FormClaim;
use crate::console::pagination::ConsolePaging;
use sinete_core::access_control::built_in_permissions::MANAGE_SSO;
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::connections::{
    ConnectionProtocol, ConnectionSettings, ProviderAuthMethod,
};
use sinete_core::limits::CERTIFICATE_WARNING;
use sinete_core::oauth::discovery::KEYS_PATH;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::time::Timestamp;
use sinete_engine::Error;
use sinete_engine::identity_providers::connection_check::{ConnectionCheck, ConnectionFinding};
use sinete_engine::identity_providers::connections;
use sinete_engine::identity_providers::connections::{ConnectionOverview, DiscoveryPolicy};
use sinete_engine::identity_providers::{callback_url, saml};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::connections::{
    CertificateExpiry, CertificateItem, ConnectionDetailView, ConnectionDomainItem, ConnectionItem,
    ConnectionListView, ConnectionSettingsView, NewConnectionForm, ProviderProtocol,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Lists the connections, with forms for owners.
pub(super) async fn list_connections(context: &PageContext<'_>) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let order = OrderChoice::from_query(context, TIME_OR_NAME_ORDERS, &[]);
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    let after = if order.is_sorted_in_memory() { None } else { paging.after()? };
    let mut read = connections::list(engine, access, after, order.read_limit(&paging)).await?;
    let cut = order.cut_page(&paging, &mut read)?;
    let ids: Vec<String> = read.iter().map(|overview| overview.connection.id.to_string()).collect();
    let lines: Vec<ConnectionItem<'_>> =
        read.iter().zip(&ids).map(|(overview, id)| connection_item(overview, id)).collect();
    let may_change = context.access.can_change(MANAGE_PERMISSION);
    let (open_id, saml) = (
        ConnectionForm::new(context, ProviderProtocol::OpenId),
        ConnectionForm::new(context, ProviderProtocol::Saml),
    );
    let (once, is_proven) = (context.new_form_token(), context.is_recently_authenticated(may_change).await?);
    let stands = |form| context.step_up_form_state(form, is_proven);
    let connect = NewConnectionForm {
        idempotency_key: &once,
        oidc: open_id.to_fields("open_id", stands("open_id")),
        saml: saml.to_fields("saml", stands("saml")),
    };
    let opens = |flash: &FlashForm| flash.is_form_open("saml") || flash.is_form_open("open_id");
    let is_others = !access.is_owner && context.flash.as_ref().is_some_and(opens);
    let finds = if may_change && is_others {
        FlashVisibility::NonOwnerForm
    } else {
        FlashVisibility::from_form_presence(may_change)
    };
    let page = ConnectionListView {
        layout: context.form_layout(ConsoleSection::Connections, finds),
        connections: &lines,
        pages: order.to_cut_view(&paging, &cut, lines.len()),
        new_connection: (may_change && access.is_owner).then_some(connect),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

const fn provider_protocol(settings: &ConnectionSettings) -> ProviderProtocol {
    match settings.protocol {
        ConnectionProtocol::OpenId(_) => ProviderProtocol::OpenId,
        ConnectionProtocol::Saml(_) => ProviderProtocol::Saml,
    }
}

fn connection_item<'a>(overview: &'a ConnectionOverview, id: &'a str) -> ConnectionItem<'a> {
    let connection = &overview.connection;
    ConnectionItem {
        id,
        name: &connection.settings.name,
        issuer: connection.issuer.as_str(),
        protocol: provider_protocol(&connection.settings),
        is_disabled: !connection.is_enabled,
    }
}

/// Shows a connection, with the values to register at the provider.
pub(super) async fn show_connection(context: &PageContext<'_>, id: &str) -> HandlerResult {
    let engine = context.engine();
    let overview =
        connections::show(engine, context.access.organization_access(), parse_page_id(id)?).await?;
    let (connection, settings) = (&overview.connection, &overview.connection.settings);
    let certificates = settings.saml_settings().map(saml::parse_certificates).unwrap_or_default();
    let prints: Vec<(String, Timestamp)> =
        certificates.iter().map(|it| (it.fingerprint(), it.expires_at())).collect();
    let prints: Vec<CertificateItem<'_>> =
        prints.iter().map(|(print, at)| certificate_item(print, *at, engine.now())).collect();
    let (entity_id, keys) =
        (saml::entity_id(engine, connection.id), format!("{}{KEYS_PATH}", engine.settings().issuer));
    let scopes = match &settings.protocol {
        ConnectionProtocol::OpenId(open_id) => open_id.scopes.join(" "),
        ConnectionProtocol::Saml(_) => String::new(),
    };
    let set = match &settings.protocol {
        ConnectionProtocol::OpenId(open_id) => ConnectionSettingsView::OpenId {
            client_id: &open_id.client_id,
            jwks_url: match open_id.authentication {
                ProviderAuthMethod::ClientSecret => "",
                ProviderAuthMethod::PrivateKey => &keys,
            },
            scopes: &scopes,
        },
        ConnectionProtocol::Saml(saml) => ConnectionSettingsView::Saml {
            entity_id: &entity_id,
            sso_url: &saml.sso_url,
            certificates: &prints,
            subject: &saml.subject,
            email: saml.email.as_deref().unwrap_or_default(),
            full_name: saml.full_name.as_deref().unwrap_or_default(),
        },
    };
    let domains = load_routed_domains(context, connection.id).await?;
    let domains: Vec<ConnectionDomainItem<'_>> =
        domains.iter().map(|(name, verified)| ConnectionDomainItem { name, verified: *verified }).collect();
    let name = connection.id.to_string();
    let may_change = context.access.can_change(MANAGE_PERMISSION);
    let is = ConnectionForm::from_connection(context, &overview);
    // Unsaved input is shown again if the user may still change the connection; otherwise the stored values.
    let filled = if may_change { is.with_submitted_changes(context) } else { is.clone() };
    let flash = context.flash.as_ref();
    let is_others = flash.and_then(FlashForm::notice).is_some_and(|notice| filled.is_hidden_field(notice));
    let finds = if may_change && is_others {
        FlashVisibility::NonOwnerForm
    } else {
        FlashVisibility::from_form_presence(may_change)
    };
    let page = ConnectionDetailView {
        layout: context.form_layout(ConsoleSection::Connections, finds),
        connection: connection_item(&overview, &name),
        set,
        domains: &domains,
        has_unlisted_settings: has_unlisted_settings(settings),
        callback: &callback_url(engine, connection.id),
        since: DisplayTime(connection.created_at.seconds()),
        version: flash.map_or(connection.version, |flash| flash.form_version("change", connection.version)),
        fields: filled.to_fields(
            "change",
            context.step_up_form_state("change", context.is_recently_authenticated(may_change).await?),
        ),
        original_values: &is.original_values(flash),
        may_change,
        test_error: flash
            .filter(|flash| flash.has_input_of("test"))
            .and_then(|flash| flash.typed_field("wrong"))
            .unwrap_or_default(),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// The domains of a connection in Unicode, and whether each is verified.
async fn load_routed_domains(
    context: &PageContext<'_>,
    id: ConnectionId,
) -> Result<Vec<(String, bool)>, Error> {
    let access = context.access.organization_access();
    let domains = connections::list_routed_domains(context.engine(), access, id).await?;
    Ok(domains.iter().map(|domain| (domain.name.to_unicode(), domain.is_verified)).collect())
}

const MANAGE_PERMISSION: &str = MANAGE_SSO;

fn certificate_item(fingerprint: &str, at: Timestamp, now: Timestamp) -> CertificateItem<'_> {
    let expiry = match () {
        () if at <= now => CertificateExpiry::Expired,
        () if at <= now.plus(CERTIFICATE_WARNING) => CertificateExpiry::Soon,
        () => CertificateExpiry::Later,
    };
    CertificateItem { fingerprint, expires_at: DisplayTime(at.seconds()), expiry }
}

/// Whether there are settings that neither the page nor the form shows.
fn has_unlisted_settings(settings: &ConnectionSettings) -> bool {
    let of_saml = settings.saml_settings().is_some_and(|saml| {
        saml.given_name.is_some() || saml.family_name.is_some() || !saml.contexts.is_empty()
    });
    let two = &settings.two_factors;
    of_saml || !two.acr.is_empty() || !two.amr.is_empty() || settings.external_id_claim.is_some()
}

/// Creates a connection.
pub(super) async fn create_connection(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let mint = async || Ok(ConnectionId::mint(context.engine().now(), context.engine().entropy()));
    create_from_form(context, form, form, mint).await
}

/// Creates a connection with an id: the form as it was sent, and with what a guide fills in.
async fn create_from_form(
    context: &PageContext<'_>,
    params: &FormParams,
    form: &FormParams,
    choose_id: impl AsyncFnOnce() -> Result<ConnectionId, ActionError>,
) -> Outcome {
    let engine = context.engine();
    // A connection decides who is signed in as a member, so it requires recent authentication. This is
    // checked before the input, because errors are shown in the form, which is available only afterwards.
    let access = context.access.require_fresh_access(engine).await?;
    let form = with_fetched_metadata(context, form).await?;
    let (issuer, draft) = parse_new_connection(&form)?;
    let claim = match context.claim_form_token(params).await? {
        FormClaim::New(claim) => claim,
        FormClaim::Repeated(outcome) => return Ok(outcome),
    };
    let id = choose_id().await?;
    let access = access.with_claim(Some(claim.clone()));
    let discovery = DiscoveryPolicy::Required;
    match connections::create_with_id(engine, &access, id, discovery, issuer.as_deref(), &draft).await {
        Ok(_) => {
            let list = ConsoleSection::Connections.path();
            Ok(ActionOutcome::Redirect(CompletedAction {
                notice: ConsoleNotice::ProviderConnected,
                return_path: format!("{}{list}/{id}", context.return_to.organization_path()),
            }))
        }
        Err(Error::Refused(refusal)) => match context.find_earlier_result(&claim).await? {
            Some(outcome) => Ok(outcome),
            None => Err(connection_error(params, refusal)),
        },
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Handles a form of a connection.
pub(super) async fn submit_connection_form(
    context: &PageContext<'_>,
    id: &str,
    form: &FormParams,
) -> Outcome {
    let (engine, id) = (context.engine(), parse_page_id::<ConnectionId>(id)?);
    let action = form.get("action").unwrap_or_default();
    let result = match action {
        // These settings decide who is signed in as a member.
        "change" | "enable" => context.access.require_fresh_access(engine).await,
        _ => Ok(context.access.organization_access()),
    };
    let access = result?;
    match action {
        "change" => {
            let expected_version = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
            let before = connections::find_changeable(engine, access, id, expected_version).await?;
            save_connection(context, &before, form).await
        }
        "enable" | "disable" => set_connection_enabled(context, id, form).await,
        "test" => {
            let tried = connections::test_connection(engine, access, id).await;
            Ok(test_result_redirect(context, &tried?))
        }
        "sign_in" => sign_in_test::start_test(context, access, id).await,
        "remove" => {
            let to =
                format!("{}{}", context.return_to.organization_path(), ConsoleSection::Connections.path());
            connections::remove(engine, access, id).await?;
            Ok(ActionOutcome::Redirect(CompletedAction {
                notice: ConsoleNotice::ConnectionDeleted,
                return_path: to,
            }))
        }
        _ => Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    }
}

/// Changes a connection, if its version is the displayed one.
async fn save_connection(
    context: &PageContext<'_>,
    before: &ConnectionOverview,
    form: &FormParams,
) -> Outcome {
    let form = &with_fetched_metadata(context, form).await?;
    let draft = parse_connection_changes(before, form)?;
    let result =
        connections::change(context.engine(), context.access.organization_access(), before, &draft).await;
    let result = result.map(|_| {
        ActionOutcome::Redirect(CompletedAction {
            notice: ConsoleNotice::ConnectionChanged,
            return_path: context.path.clone(),
        })
    });
    result.map_err(|error| ActionError::from_engine(error, |refusal| connection_error(form, refusal)))
}

/// Enables or disables a connection and leaves the rest unchanged. A concurrent change is retried once.
async fn set_connection_enabled(context: &PageContext<'_>, id: ConnectionId, form: &FormParams) -> Outcome {
    let on = form.get("action") == Some("enable");
    let mut tried = change_enabled(context, id, on).await;
    let was_outrun = |error: &Error| {
        let code = error.refusal().map(Refusal::code);
        matches!(code, Some(RefusalCode::PreconditionFailed | RefusalCode::Unprocessable))
    };
    if tried.as_ref().is_err_and(was_outrun) {
        tried = change_enabled(context, id, on).await;
    }
    let is_enabled = on && tried.is_ok();
    let notice = if is_enabled { enabled_notice(context, id).await? } else { ConsoleNotice::ConnectionOff };
    let result = tried
        .map(|()| ActionOutcome::Redirect(CompletedAction { notice, return_path: context.path.clone() }));
    let show = |refusal| match connection_error(form, refusal) {
        error @ ActionError::ConsoleNotice(ConsoleNotice::OverTheApi) => error,
        // This form has no field to show the error at.
        ActionError::ConsoleNotice(_) => ActionError::ConsoleNotice(ConsoleNotice::ChangeItFirst),
        other @ (ActionError::Fields { .. } | ActionError::Refused(..) | ActionError::Handler(_)) => other,
    };
    result.map_err(|error| ActionError::from_engine(error, show))
}

/// What an enabled connection does: it is used by addresses in its verified domains only.
async fn enabled_notice(context: &PageContext<'_>, id: ConnectionId) -> Result<ConsoleNotice, ActionError> {
    let access = context.access.organization_access();
    let domains = connections::list_routed_domains(context.engine(), access, id).await?;
    let is_used = !domains.is_empty() && domains.iter().all(|domain| domain.is_verified);
    Ok(if is_used { ConsoleNotice::ConnectionOn } else { ConsoleNotice::ConnectionOnUnverified })
}

async fn change_enabled(context: &PageContext<'_>, id: ConnectionId, on: bool) -> Result<(), Error> {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let before = connections::show(engine, access, id).await?;
    let draft = with_enabled(&before, on);
    connections::change(engine, access, &before, &draft).await.map(drop)
}

/// Redirects to the page with the first failed check.
fn test_result_redirect(context: &PageContext<'_>, findings: &[ConnectionFinding]) -> ActionOutcome {
    let Some((check, wrong)) = findings.iter().find_map(|it| Some((it.check, it.problem.clone()?))) else {
        let is_saml = findings.iter().any(|it| it.check == ConnectionCheck::Certificates);
        let notice = if is_saml { ConsoleNotice::CertificatesValid } else { ConsoleNotice::ConnectionWorks };
        return ActionOutcome::Redirect(CompletedAction { notice, return_path: context.path.clone() });
    };
    let notice = match check {
        ConnectionCheck::Metadata => ConsoleNotice::NoDescription,
        ConnectionCheck::Keys => ConsoleNotice::NoProviderKeys,
        ConnectionCheck::Credentials => ConsoleNotice::NotTaken,
        ConnectionCheck::Certificates => ConsoleNotice::BadCertificates,
    };
    problem_redirect(context, notice, &wrong)
}

/// Redirects to the page with a problem of the provider.
fn problem_redirect(context: &PageContext<'_>, notice: ConsoleNotice, wrong: &str) -> ActionOutcome {
    let pairs = [("action", "test"), ("wrong", wrong)].map(|(name, text)| (name.to_owned(), text.to_owned()));
    let form = FormParams::from_pairs(pairs.into());
    ActionOutcome::Response(
        context.redirect_with_flash(&context.path, FlashForm::failure(&context.path, notice, &form)),
    )
}

/// Redirects to the page of a provider that cannot be reached.
fn provider_away_redirect(context: &PageContext<'_>, wrong: &str) -> ActionOutcome {
    problem_redirect(context, ConsoleNotice::NoDescription, wrong)
}
