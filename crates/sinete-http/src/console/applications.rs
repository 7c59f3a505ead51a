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
    ApplicationDetailView, ApplicationItem, ApplicationKind, ApplicationListView, ClientSecretItem as Line,
    NewClientSecretView, RegisterApplicationForm,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::quickstarts::{QuickstartSettings, SampleSelection};
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Lists the applications, with a form if the user may register one.
pub(super) async fn list_applications(work: &PageContext<'_>) -> HandlerResult {
    let (engine, managing) = (work.engine(), AdminScope::Organization(work.access.organization_access()));
    let order = OrderChoice::from_query(work, CLIENT_ORDERS, &[]);
    let paging = ConsolePaging::from_filtered_query(work, &order.query)?;
    let after: Option<ClientId> = if order.is_sorted_in_memory() { None } else { paging.after()? };
    let mut read = clients::list(engine, managing, after.as_ref(), order.read_limit(&paging)).await?;
    let cut = order.cut_page(&paging, &mut read)?;
    let seen: Vec<ApplicationText> =
        read.iter().map(ApplicationText::from_client).collect::<Result<_, _>>()?;
    let applications: Vec<ApplicationItem<'_>> = seen.iter().map(ApplicationText::to_item).collect();
    let (types, kinds) = (registrable_types(work), registrable_kinds(work));
    let filled = ApplicationForm::new(work).await?;
    let roles = filled.role_choices();
    let once = work.new_form_token();
    let typed = work.flash.as_ref().and_then(|left| left.typed_field("kind"));
    let chosen = kinds.iter().copied().find(|kind| Some(kind.name()) == typed);
    let register = kinds.first().map(|first| RegisterApplicationForm {
        once: &once,
        open: work.flash.as_ref().is_some_and(|left| left.is_form_open("register")),
        types: &types,
        chosen_type: form::chosen_type(work.flash.as_ref(), &types),
        kinds: &kinds,
        kind: chosen.unwrap_or(*first),
        fields: filled.to_fields(&roles),
    });
    let page = ApplicationListView {
        desk: work
            .form_layout(ConsoleSection::Applications, FlashVisibility::form_or_nothing(register.is_some())),
        applications: &applications,
        pages: order.to_cut_view(&paging, &cut, applications.len()),
        register,
    };
    Ok(work.page_response(page.render(&work.frame())))
}

/// What the user may register.
fn registrable_types(work: &PageContext<'_>) -> Vec<ApplicationTypeChoice> {
    let mut types = Vec::new();
    if work.access.can_change(CREATE_CLIENTS) {
        types.extend([
            ApplicationTypeChoice::Web,
            ApplicationTypeChoice::Spa,
            ApplicationTypeChoice::Native,
            ApplicationTypeChoice::Service,
        ]);
    }
    if work.access.can_change(MANAGE_AGENTS) {
        types.push(ApplicationTypeChoice::Agent);
    }
    types.push(ApplicationTypeChoice::Custom);
    types
}

/// The kinds that the user may register.
fn registrable_kinds(work: &PageContext<'_>) -> Vec<ApplicationKind> {
    let may = |permission: &'static str| work.access.can_change(permission);
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
fn can_change(work: &PageContext<'_>, kind: ClientKind) -> bool {
    work.access.can_change(match kind {
        ClientKind::Agent => MANAGE_AGENTS,
        ClientKind::Application | ClientKind::Service => MANAGE_CLIENTS,
    })
}

/// Shows an application.
pub(super) async fn show_application(work: &PageContext<'_>, id: &str) -> HandlerResult {
    let (engine, managing, id) =
        (work.engine(), AdminScope::Organization(work.access.organization_access()), parse_page_id(id)?);
    let shown: ClientOverview = clients::show(engine, managing, &id).await?;
    let seen = ApplicationText::from_client(&shown.client)?;
    let secrets = clients::list_secrets(engine, managing, &id).await?;
    let secrets: Vec<Line<'_>> = secrets
        .iter()
        .map(|it| Line {
            id: &it.id,
            since: DisplayTime(it.created_at.seconds()),
            until: it.expires_at.map(|at| DisplayTime(at.seconds())),
        })
        .collect();
    let may_change = can_change(work, shown.client.kind);
    let stands = ApplicationForm::from_client(work, &shown, &seen.metadata).await?;
    // Unsaved input is shown again if the user may still change the application; otherwise the stored values.
    let filled = if may_change { stands.with_submitted_changes(work) } else { stands.clone() };
    let (roles, carried_on, once) = (filled.role_choices(), stands.original_values(), work.new_form_token());
    let owner = view::agent_owner(work, shown.client.owner).await?;
    let carried =
        shown.member.as_ref().map(|member| super::overview::role_names(&member.roles, work.reader.language));
    let addresses = RedirectLines::from_metadata(&seen.metadata);
    let sample = work.query.get("sample").unwrap_or_default();
    let refused = list_refused_requests(engine, &id);
    let refused: Vec<_> = refused.iter().map(view::to_refused_item).collect();
    let page = ApplicationDetailView {
        desk: work.form_layout(ConsoleSection::Applications, FlashVisibility::form_or_nothing(may_change)),
        application: seen.to_item(),
        roles: carried.as_deref().unwrap_or_default(),
        owner: owner.as_ref().map(|(id, name)| (id.as_str(), name.as_str())),
        since: DisplayTime(shown.client.created_at.seconds()),
        version: shown.client.version,
        stands: stands.to_fields(&[]),
        fields: filled.to_fields(&roles),
        shown: &carried_on,
        secrets: seen.metadata.token_endpoint_auth_method.needs_secret().then_some(&secrets[..]),
        connect: connection_of(work, &shown.client, &seen.metadata, &addresses)
            .map(|it| QuickstartSettings { samples: SampleSelection::One(sample), ..it }),
        refused: &refused,
        may_change,
        may_test: may_change && work.access.can_change(CREATE_CLIENTS),
        once: &once,
    };
    Ok(work.page_response(page.render(&work.frame())))
}

/// Registers an application.
pub(super) async fn register_application(work: &PageContext<'_>, form: &FormParams) -> Outcome {
    let engine = work.engine();
    if form.get("action") != Some("register") {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    }
    let wanted = form::parse_new_application(work, form)?;
    let acting = work.access.require_fresh_access(engine).await?;
    let claim = match work.claim_form_token(form).await? {
        FormClaim::New(claim) => claim,
        FormClaim::Repeated(made) => return Ok(made),
    };
    let acting = acting.with_claim(Some(claim.clone()));
    match clients::create(engine, AdminScope::Organization(&acting), &wanted).await {
        Ok(settled) => {
            let to = load_application(work, &settled.overview.client.id);
            let done = ActionOutcome::Redirect(CompletedAction {
                notice: ConsoleNotice::Registered,
                return_path: to,
            });
            Ok(settled
                .secret
                .map_or(done, |secret| new_secret_page(work, &settled.overview.client, &secret.reveal())))
        }
        Err(Error::Refused(refusal)) => replay_or_error(work, &claim, form, refusal).await,
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Handles a form of an application.
pub(super) async fn submit_application_form(work: &PageContext<'_>, id: &str, form: &FormParams) -> Outcome {
    let (engine, id, here) = (work.engine(), parse_page_id::<ClientId>(id)?, work.path.clone());
    let taking = AdminScope::Organization(work.access.organization_access());
    if let Some(secret) = form.get("revoke") {
        clients::revoke_secret(engine, taking, &id, secret).await?;
        let notice = ConsoleNotice::SecretRevoked;
        return Ok(ActionOutcome::Redirect(CompletedAction { notice, return_path: here }));
    }
    let action = form.get("action").unwrap_or_default();
    let acting = match action {
        // Granting access and changing how the application authenticates require recent authentication.
        "change" | "add_secret" | "enable" | "test" => work.access.require_fresh_access(engine).await,
        _ => Ok(work.access.organization_access()),
    };
    let acting = acting?;
    let managing = AdminScope::Organization(acting);
    let (done, said) = match action {
        "change" => return save_application(work, &id, form).await,
        "add_secret" => return add_client_secret(work, &id, form).await,
        "test" => return test_sign_in::start_test(work, acting, &id).await,
        "enable" => (clients::enable(engine, managing, &id).await, ConsoleNotice::ApplicationOn),
        "disable" => (clients::disable(engine, managing, &id).await, ConsoleNotice::ApplicationOff),
        "remove" => (clients::remove(engine, managing, &id).await, ConsoleNotice::ApplicationDeleted),
        _ => return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    };
    let to = match said {
        ConsoleNotice::ApplicationDeleted => {
            format!("{}{}", work.return_to.organization_path(), ConsoleSection::Applications.path())
        }
        _ => here,
    };
    done?;
    Ok(ActionOutcome::Redirect(CompletedAction { notice: said, return_path: to }))
}

/// Changes an application, if its version is the displayed one.
async fn save_application(work: &PageContext<'_>, id: &ClientId, form: &FormParams) -> Outcome {
    let (engine, managing) = (work.engine(), AdminScope::Organization(work.access.organization_access()));
    let seen = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
    let before = clients::find_changeable(engine, managing, id, seen).await?;
    let changed = form::parse_application_changes(&before, form)?;
    let settled = clients::change(engine, managing, id, seen, &changed)
        .await
        .map_err(|error| ActionError::from_engine(error, |refusal| form::application_error(refusal, form)))?;
    let done = ActionOutcome::Redirect(CompletedAction {
        notice: ConsoleNotice::ApplicationChanged,
        return_path: work.path.clone(),
    });
    Ok(settled
        .secret
        .map_or(done, |secret| new_secret_page(work, &settled.overview.client, &secret.reveal())))
}

/// Adds a client secret.
async fn add_client_secret(work: &PageContext<'_>, id: &ClientId, form: &FormParams) -> Outcome {
    let engine = work.engine();
    let overlap = form.get("overlap").map(|text| text.parse::<u32>().map(Lifetime::from_seconds));
    let Ok(overlap) = overlap.transpose() else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    };
    let claim = match work.claim_form_token(form).await? {
        FormClaim::New(claim) => claim,
        FormClaim::Repeated(made) => return Ok(made),
    };
    let acting = work.access.organization_access().with_claim(Some(claim.clone()));
    let managing = AdminScope::Organization(&acting);
    match clients::add_secret(engine, managing, id, overlap).await {
        // Nothing that could fail happens between creating a secret and showing it.
        Ok(made) => Ok(new_secret_page(work, &made.client, &made.secret.reveal())),
        Err(Error::Refused(refusal)) => replay_or_error(work, &claim, form, refusal).await,
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

/// Converts a refusal, unless a concurrent duplicate was first.
async fn replay_or_error(
    work: &PageContext<'_>,
    claim: &IdempotencyClaim,
    form: &FormParams,
    refusal: Refusal,
) -> Outcome {
    let earlier = work.find_earlier_result(claim).await?;
    earlier.ok_or_else(|| form::application_error(refusal, form))
}

fn load_application(work: &PageContext<'_>, id: &ClientId) -> String {
    format!("{}{}/{id}", work.return_to.organization_path(), ConsoleSection::Applications.path())
}

/// Shows the secret in the response itself, the only place where it appears.
fn new_secret_page(work: &PageContext<'_>, client: &ClientRow, secret: &str) -> ActionOutcome {
    // The secret is shown even if the rest cannot be.
    let metadata: Option<ClientMetadata> = client.metadata.parse().ok();
    let addresses = metadata.as_ref().map(RedirectLines::from_metadata).unwrap_or_default();
    let page = NewClientSecretView {
        desk: work.layout(ConsoleSection::Applications),
        id: client.id.as_str(),
        name: &client.name,
        secret,
        connect: metadata.as_ref().and_then(|it| connection_of(work, client, it, &addresses)),
    };
    let response: Response = work.page_response(page.render(&work.reader.frame("")));
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
fn connection_of<'a>(
    work: &'a PageContext<'_>,
    client: &'a ClientRow,
    metadata: &ClientMetadata,
    addresses: &'a RedirectLines,
) -> Option<QuickstartSettings<'a>> {
    (client.kind == ClientKind::Application).then(|| QuickstartSettings {
        issuer: &work.engine().settings().issuer,
        id: client.id.as_str(),
        redirects: &addresses.redirect,
        post_logout_redirects: &addresses.post_logout,
        is_public: metadata.token_endpoint_auth_method == ClientAuthMethod::None,
        samples: SampleSelection::All,
    })
}
