//! Applications, services and agents on the console: list, register, change, secrets, enable, disable,
//! delete.

mod changes;
mod form;
pub(super) mod test_sign_in;
mod view;

use super::{
    ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext, parse_page_id,
};
use crate::console::applications::view::{ApplicationForm, ApplicationText};
use crate::console::list_order::{CLIENT_ORDERS, OrderChoice};
use crate::console::page_context::FormClaim;
use crate::console::pagination::ConsolePaging;
use axum::response::Response;
use sinete_core::access_control::built_in_permissions::{CREATE_CLIENTS, MANAGE_AGENTS, MANAGE_CLIENTS};
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::oauth::client_metadata::{ClientAuthMethod, ClientMetadata};
use sinete_core::oauth::redirect_uri::RedirectUri;
use sinete_core::refusal::Refusal;
use sinete_core::time::Lifetime;
use sinete_engine::Error;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::oauth::authorize::list_refused_requests;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::{ClientOverview, ClientRow};
use sinete_engine::platform::idempotency::IdempotencyClaim;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::application_types::ApplicationTypeChoice;
use sinete_screens::console::applications::{
    ApplicationDetailView, ApplicationItem, ApplicationKind, ApplicationListView, RegisterApplicationForm,
};
use sinete_screens::console::client_secrets::{ClientSecretItem, NewClientSecretView};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::quickstarts::{QuickstartSettings, SampleSelection};
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Lists the applications, with a form if the user may register one.
pub(super) async fn list_applications(context: &PageContext<'_>) -> HandlerResult {
    let (engine, admin_scope) =
        (context.engine(), AdminScope::Organization(context.access.organization_access()));
    let order = OrderChoice::from_query(context, CLIENT_ORDERS, &[]);
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    let after: Option<ClientId> = if order.is_sorted_in_memory() { None } else { paging.after()? };
    let mut read = clients::list(engine, admin_scope, after.as_ref(), order.read_limit(&paging)).await?;
    let cut = order.cut_page(&paging, &mut read)?;
    let application_texts: Vec<ApplicationText> =
        read.iter().map(ApplicationText::from_client).collect::<Result<_, _>>()?;
    let applications: Vec<ApplicationItem<'_>> =
        application_texts.iter().map(ApplicationText::to_item).collect();
    let (types, kinds) = (registrable_types(context), registrable_kinds(context));
    let filled = ApplicationForm::new(context).await?;
    let roles = filled.role_choices();
    let once = context.new_form_token();
    let kind_name = context.flash.as_ref().and_then(|flash| flash.typed_field("kind"));
    let application_kind = kinds.iter().copied().find(|kind| Some(kind.name()) == kind_name);
    let register = kinds.first().map(|first| RegisterApplicationForm {
        idempotency_key: &once,
        open: context.flash.as_ref().is_some_and(|flash| flash.is_form_open("register")),
        types: &types,
        chosen_type: form::chosen_type(context.flash.as_ref(), &types),
        kinds: &kinds,
        kind: application_kind.unwrap_or(*first),
        fields: filled.to_fields(&roles),
    });
    let page = ApplicationListView {
        layout: context.form_layout(
            ConsoleSection::Applications,
            FlashVisibility::from_form_presence(register.is_some()),
        ),
        applications: &applications,
        pages: order.to_cut_view(&paging, &cut, applications.len()),
        registration_form: register,
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// What the user may register.
fn registrable_types(context: &PageContext<'_>) -> Vec<ApplicationTypeChoice> {
    let mut types = Vec::new();
    if context.access.can_change(CREATE_CLIENTS) {
        types.extend([
            ApplicationTypeChoice::Web,
            ApplicationTypeChoice::Spa,
            ApplicationTypeChoice::Native,
            ApplicationTypeChoice::Service,
        ]);
    }
    if context.access.can_change(MANAGE_AGENTS) {
        types.push(ApplicationTypeChoice::Agent);
    }
    types.push(ApplicationTypeChoice::Custom);
    types
}

/// The kinds that the user may register.
fn registrable_kinds(context: &PageContext<'_>) -> Vec<ApplicationKind> {
    let may = |permission: &'static str| context.access.can_change(permission);
    let mut kinds = Vec::new();
    if may(CREATE_CLIENTS) {
        kinds.extend([ApplicationKind::Application, ApplicationKind::Service]);
    }
    if may(MANAGE_AGENTS) {
        kinds.push(ApplicationKind::Agent);
    }
    kinds
}

/// Whether the user may change this kind.
fn can_change(context: &PageContext<'_>, kind: ClientKind) -> bool {
    context.access.can_change(match kind {
        ClientKind::Agent => MANAGE_AGENTS,
        ClientKind::Application | ClientKind::Service => MANAGE_CLIENTS,
    })
}

/// Shows an application.
pub(super) async fn show_application(context: &PageContext<'_>, id: &str) -> HandlerResult {
    let (engine, admin_scope, id) = (
        context.engine(),
        AdminScope::Organization(context.access.organization_access()),
        parse_page_id(id)?,
    );
    let overview: ClientOverview = clients::show(engine, admin_scope, &id).await?;
    let application_text = ApplicationText::from_client(&overview.client)?;
    let secrets = clients::list_secrets(engine, admin_scope, &id).await?;
    let secrets: Vec<ClientSecretItem<'_>> = secrets
        .iter()
        .map(|it| ClientSecretItem {
            id: &it.id,
            since: DisplayTime(it.created_at.seconds()),
            expires_at: it.expires_at.map(|at| DisplayTime(at.seconds())),
        })
        .collect();
    let may_change = can_change(context, overview.client.kind);
    let stands = ApplicationForm::from_client(context, &overview, &application_text.metadata).await?;
    // Unsaved input is shown again if the user may still change the application; otherwise the stored values.
    let filled = if may_change { stands.with_submitted_changes(context) } else { stands.clone() };
    let (roles, carried_on, once) =
        (filled.role_choices(), stands.original_values(), context.new_form_token());
    let owner = view::agent_owner(context, overview.client.owner).await?;
    let assigned_roles = overview
        .member
        .as_ref()
        .map(|member| super::overview::role_names(&member.roles, context.reader.language));
    let addresses = RedirectLines::from_metadata(&application_text.metadata);
    let sample = context.query.get("sample").unwrap_or_default();
    let refused = list_refused_requests(engine, &id);
    let refused: Vec<_> = refused.iter().map(view::to_refused_item).collect();
    let page = ApplicationDetailView {
        layout: context
            .form_layout(ConsoleSection::Applications, FlashVisibility::from_form_presence(may_change)),
        application: application_text.to_item(),
        roles: assigned_roles.as_deref().unwrap_or_default(),
        owner: owner.as_ref().map(|(id, name)| (id.as_str(), name.as_str())),
        since: DisplayTime(overview.client.created_at.seconds()),
        version: overview.client.version,
        stored_fields: stands.to_fields(&[]),
        fields: filled.to_fields(&roles),
        original_values: &carried_on,
        secrets: application_text.metadata.token_endpoint_auth_method.needs_secret().then_some(&secrets[..]),
        quickstart: quickstart_settings(context, &overview.client, &application_text.metadata, &addresses)
            .map(|it| QuickstartSettings { samples: SampleSelection::One(sample), ..it }),
        refused_requests: &refused,
        may_change,
        may_test: may_change && context.access.can_change(CREATE_CLIENTS),
        idempotency_key: &once,
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// Registers an application.
pub(super) async fn register_application(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let engine = context.engine();
    if form.get("action") != Some("register") {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    }
    let request = form::parse_new_application(context, form)?;
    let access = context.access.require_fresh_access(engine).await?;
    let claim = match context.claim_form_token(form).await? {
        FormClaim::New(claim) => claim,
        FormClaim::Repeated(outcome) => return Ok(outcome),
    };
    let access = access.with_claim(Some(claim.clone()));
    match clients::create(engine, AdminScope::Organization(&access), &request).await {
        Ok(client) => {
            let to = load_application(context, &client.overview.client.id);
            let outcome = ActionOutcome::Redirect(CompletedAction {
                notice: ConsoleNotice::Registered,
                return_path: to,
            });
            Ok(client.secret.map_or(outcome, |secret| {
                new_secret_page(context, &client.overview.client, &secret.reveal())
            }))
        }
        Err(Error::Refused(refusal)) => replay_or_error(context, &claim, form, refusal).await,
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Handles a form of an application.
pub(super) async fn submit_application_form(
    context: &PageContext<'_>,
    id: &str,
    form: &FormParams,
) -> Outcome {
    let (engine, id, page_path) = (context.engine(), parse_page_id::<ClientId>(id)?, context.path.clone());
    let taking = AdminScope::Organization(context.access.organization_access());
    if let Some(secret) = form.get("revoke") {
        clients::revoke_secret(engine, taking, &id, secret).await?;
        let notice = ConsoleNotice::SecretRevoked;
        return Ok(ActionOutcome::Redirect(CompletedAction { notice, return_path: page_path }));
    }
    let action = form.get("action").unwrap_or_default();
    let result = match action {
        // Granting access and changing how the application authenticates require recent authentication.
        "change" | "add_secret" | "enable" | "test" => context.access.require_fresh_access(engine).await,
        _ => Ok(context.access.organization_access()),
    };
    let access = result?;
    let admin_scope = AdminScope::Organization(access);
    let (result, notice) = match action {
        "change" => return save_application(context, &id, form).await,
        "add_secret" => return add_client_secret(context, &id, form).await,
        "test" => return test_sign_in::start_test(context, access, &id).await,
        "enable" => (clients::enable(engine, admin_scope, &id).await, ConsoleNotice::ApplicationOn),
        "disable" => (clients::disable(engine, admin_scope, &id).await, ConsoleNotice::ApplicationOff),
        "remove" => (clients::remove(engine, admin_scope, &id).await, ConsoleNotice::ApplicationDeleted),
        _ => return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    };
    let to = match notice {
        ConsoleNotice::ApplicationDeleted => {
            format!("{}{}", context.return_to.organization_path(), ConsoleSection::Applications.path())
        }
        _ => page_path,
    };
    result?;
    Ok(ActionOutcome::Redirect(CompletedAction { notice, return_path: to }))
}

/// Changes an application, if its version is the displayed one.
async fn save_application(context: &PageContext<'_>, id: &ClientId, form: &FormParams) -> Outcome {
    let (engine, admin_scope) =
        (context.engine(), AdminScope::Organization(context.access.organization_access()));
    let expected_version = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
    let before = clients::find_changeable(engine, admin_scope, id, expected_version).await?;
    let changed = form::parse_application_changes(&before, form)?;
    let client = clients::change(engine, admin_scope, id, expected_version, &changed)
        .await
        .map_err(|error| ActionError::from_engine(error, |refusal| form::application_error(refusal, form)))?;
    let outcome = ActionOutcome::Redirect(CompletedAction {
        notice: ConsoleNotice::ApplicationChanged,
        return_path: context.path.clone(),
    });
    Ok(client
        .secret
        .map_or(outcome, |secret| new_secret_page(context, &client.overview.client, &secret.reveal())))
}

/// Adds a client secret.
async fn add_client_secret(context: &PageContext<'_>, id: &ClientId, form: &FormParams) -> Outcome {
    let engine = context.engine();
    let overlap = form.get("overlap").map(|text| text.parse::<u32>().map(Lifetime::from_seconds));
    let Ok(overlap) = overlap.transpose() else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    };
    let claim = match context.claim_form_token(form).await? {
        FormClaim::New(claim) => claim,
        FormClaim::Repeated(outcome) => return Ok(outcome),
    };
    let access = context.access.organization_access().with_claim(Some(claim.clone()));
    let admin_scope = AdminScope::Organization(&access);
    match clients::add_secret(engine, admin_scope, id, overlap).await {
        // Nothing that could fail happens between creating a secret and showing it.
        Ok(secret) => Ok(new_secret_page(context, &secret.client, &secret.secret.reveal())),
        Err(Error::Refused(refusal)) => replay_or_error(context, &claim, form, refusal).await,
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Converts a refusal, unless a concurrent duplicate was first.
async fn replay_or_error(
    context: &PageContext<'_>,
    claim: &IdempotencyClaim,
    form: &FormParams,
    refusal: Refusal,
) -> Outcome {
    let earlier = context.find_earlier_result(claim).await?;
    earlier.ok_or_else(|| form::application_error(refusal, form))
}

fn load_application(context: &PageContext<'_>, id: &ClientId) -> String {
    format!("{}{}/{id}", context.return_to.organization_path(), ConsoleSection::Applications.path())
}

/// Shows the secret in the response itself, the only place where it appears.
fn new_secret_page(context: &PageContext<'_>, client: &ClientRow, secret: &str) -> ActionOutcome {
    // The secret is shown even if the rest cannot be.
    let metadata: Option<ClientMetadata> = client.metadata.parse().ok();
    let addresses = metadata.as_ref().map(RedirectLines::from_metadata).unwrap_or_default();
    let page = NewClientSecretView {
        layout: context.layout(ConsoleSection::Applications),
        id: client.id.as_str(),
        name: &client.name,
        secret,
        quickstart: metadata.as_ref().and_then(|it| quickstart_settings(context, client, it, &addresses)),
    };
    let response: Response = context.page_response(page.render(&context.reader.frame("")));
    ActionOutcome::Response(response)
}

/// The registered redirect URIs and post-logout redirect URIs, one per line.
#[derive(Default)]
struct RedirectLines {
    redirect: String,
    post_logout: String,
}

impl RedirectLines {
    fn from_metadata(metadata: &ClientMetadata) -> Self {
        let lines =
            |uris: &[RedirectUri]| uris.iter().map(RedirectUri::as_str).collect::<Vec<_>>().join("\n");
        Self {
            redirect: lines(&metadata.redirect_uris),
            post_logout: lines(&metadata.post_logout_redirect_uris),
        }
    }
}

/// What an application is configured with, if users sign in to it.
fn quickstart_settings<'a>(
    context: &'a PageContext<'_>,
    client: &'a ClientRow,
    metadata: &ClientMetadata,
    addresses: &'a RedirectLines,
) -> Option<QuickstartSettings<'a>> {
    (client.kind == ClientKind::Application).then(|| QuickstartSettings {
        issuer: &context.engine().settings().issuer,
        id: client.id.as_str(),
        redirect_uris: &addresses.redirect,
        post_logout_redirect_uris: &addresses.post_logout,
        is_public: metadata.token_endpoint_auth_method == ClientAuthMethod::None,
        samples: SampleSelection::All,
    })
}
