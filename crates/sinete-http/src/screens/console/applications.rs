//! The applications, services and agents of an organization: listed, registered, changed, given secrets, switched off and
//! on, deleted.

mod seen;
mod touched;
mod typed;

use super::paging::ConsolePaging;
use super::{
    ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext, making, named,
};
use crate::extract::pairs::FormParams;
use crate::reply::HandlerResult;
use axum::response::Response;
use seen::{ApplicationForm, ApplicationText};
use sinete_core::client::{ClientId, ClientKind};
use sinete_core::refusal::Refusal;
use sinete_core::time::Lifetime;
use sinete_engine::clients::{self, ClientOverview, ClientRow};
use sinete_engine::idempotency::IdempotencyClaim;
use sinete_engine::managing::AdminScope;
use sinete_screens::console::applications::{
    ApplicationDetailView, ApplicationItem, ApplicationKind, ApplicationListView, ClientSecretItem as Line,
    NewClientSecretView, RegisterApplicationForm,
};
use sinete_screens::console::said::ConsoleNotice;
use sinete_screens::console::{ConsoleSection, ListPaging};
use sinete_screens::moment::DisplayTime;

/// Shows a page of the applications, and a form for one more to whoever may register it.
pub(super) async fn list(work: &PageContext<'_>) -> HandlerResult {
    let (engine, managing) = (work.engine(), AdminScope::Organization(work.at.acting()));
    let paging = ConsolePaging::asked(work)?;
    let after: Option<ClientId> = paging.after()?;
    let mut read = clients::list(engine, managing, after.as_ref(), ConsolePaging::to_read()).await??;
    let next = paging.cut(&mut read, |client| client.id.to_string());
    let seen: Vec<ApplicationText> = read.iter().map(ApplicationText::of).collect::<Result<_, _>>()?;
    let applications: Vec<ApplicationItem<'_>> = seen.iter().map(ApplicationText::line).collect();
    let kinds = kinds(work);
    let filled = ApplicationForm::new(work).await?;
    let roles = filled.roles();
    let once = work.once();
    let typed = work.left.as_ref().and_then(|left| left.field("kind"));
    let chosen = kinds.iter().copied().find(|kind| Some(kind.name()) == typed);
    let register = kinds.first().map(|first| RegisterApplicationForm {
        once: &once,
        open: work.left.as_ref().is_some_and(|left| left.opens("register")),
        kinds: &kinds,
        kind: chosen.unwrap_or(*first),
        fields: filled.view(&roles),
    });
    let page = ApplicationListView {
        desk: work.desk_of_form(ConsoleSection::Applications, FlashVisibility::form_if(register.is_some())),
        applications: &applications,
        pages: ListPaging { next: next.as_deref(), later: paging.is_later(), asked: "" },
        register,
    };
    Ok(work.answer(page.page(&work.frame())))
}

/// The kinds that the person may register.
fn kinds(work: &PageContext<'_>) -> Vec<ApplicationKind> {
    let may = |permission: &str| work.at.may_change(permission);
    let mut kinds = Vec::new();
    if may("clients:create") {
        kinds.extend([ApplicationKind::Application, ApplicationKind::Service]);
    }
    if may("agents:manage") {
        kinds.push(ApplicationKind::Agent);
    }
    kinds
}

/// Whether the person may change such a one.
fn may_change(work: &PageContext<'_>, kind: ClientKind) -> bool {
    work.at.may_change(match kind {
        ClientKind::Agent => "agents:manage",
        ClientKind::Application | ClientKind::Service => "clients:manage",
    })
}

/// Shows one application.
pub(super) async fn show(work: &PageContext<'_>, id: &str) -> HandlerResult {
    let (engine, managing, id) = (work.engine(), AdminScope::Organization(work.at.acting()), named(id)?);
    let shown: ClientOverview = clients::show(engine, managing, &id).await??;
    let seen = ApplicationText::of(&shown.client)?;
    let secrets = clients::list_secrets(engine, managing, &id).await??;
    let secrets: Vec<Line<'_>> = secrets
        .iter()
        .map(|it| Line {
            id: &it.id,
            since: DisplayTime(it.created_at.seconds()),
            until: it.expires_at.map(|at| DisplayTime(at.seconds())),
        })
        .collect();
    let may_change = may_change(work, shown.client.kind);
    let stands = ApplicationForm::of(work, &shown, &seen.metadata).await?;
    // What somebody typed is theirs to send again, where they still may; what they look at is how things are.
    let filled = if may_change { stands.changed(work) } else { stands.clone() };
    let (roles, carried_on, once) = (filled.roles(), stands.carried(), work.once());
    let owner = seen::owner(work, shown.client.owner).await?;
    let carried =
        shown.member.as_ref().map(|member| super::overview::roles(&member.roles, work.reader.language));
    let page = ApplicationDetailView {
        desk: work.desk_of_form(ConsoleSection::Applications, FlashVisibility::form_if(may_change)),
        application: seen.line(),
        roles: carried.as_deref().unwrap_or_default(),
        owner: owner.as_ref().map(|(id, name)| (id.as_str(), name.as_str())),
        since: DisplayTime(shown.client.created_at.seconds()),
        version: shown.client.version,
        stands: stands.view(&[]),
        fields: filled.view(&roles),
        shown: &carried_on,
        secrets: seen.metadata.token_endpoint_auth_method.needs_secret().then_some(&secrets[..]),
        may_change,
        once: &once,
    };
    Ok(work.answer(page.page(&work.frame())))
}

/// Registers an application.
pub(super) async fn register(work: &PageContext<'_>, form: &FormParams) -> Outcome {
    let engine = work.engine();
    if form.get("action") != Some("register") {
        return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)));
    }
    let wanted = match typed::wanted(work, form)? {
        Ok(wanted) => wanted,
        Err(trouble) => return Ok(Err(trouble)),
    };
    let acting = match work.at.conferring(engine).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible))),
    };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    let acting = acting.claiming(Some(claim.clone()));
    match clients::create(engine, AdminScope::Organization(&acting), &wanted).await? {
        Ok(settled) => {
            let to = application(work, &settled.shown.client.id);
            let done = ActionOutcome::Done(CompletedAction { said: ConsoleNotice::Registered, to });
            Ok(Ok(settled
                .secret
                .map_or(done, |secret| shown_once(work, &settled.shown.client, &secret.reveal()))))
        }
        Err(refusal) => again(work, (&claim, form), refusal, ConsoleNotice::NotPossible).await,
    }
}

/// Does what a form about one application asks for.
pub(super) async fn change(work: &PageContext<'_>, id: &str, form: &FormParams) -> Outcome {
    let (engine, id, here) = (work.engine(), named::<ClientId>(id)?, work.here.clone());
    let taking = AdminScope::Organization(work.at.acting());
    if let Some(secret) = form.get("revoke") {
        let done = clients::revoke_secret(engine, taking, &id, secret).await?;
        return Ok(done
            .map(|()| ActionOutcome::Done(CompletedAction { said: ConsoleNotice::SecretRevoked, to: here }))
            .map_err(|refusal| ActionError::Refused(refusal, ConsoleNotice::LastSecret)));
    }
    let action = form.get("action").unwrap_or_default();
    let acting = match action {
        // What hands out access, or decides how somebody proves to be this application, takes a fresh proof.
        "change" | "add_secret" | "enable" => work.at.conferring(engine).await?,
        _ => Ok(work.at.acting()),
    };
    let acting = match acting {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible))),
    };
    let managing = AdminScope::Organization(acting);
    let (done, said) = match action {
        "change" => return settle(work, &id, form).await,
        "add_secret" => return add_secret(work, &id, form).await,
        "enable" => (clients::enable(engine, managing, &id).await?, ConsoleNotice::ApplicationOn),
        "disable" => (clients::disable(engine, managing, &id).await?, ConsoleNotice::ApplicationOff),
        "remove" => (clients::remove(engine, managing, &id).await?, ConsoleNotice::ApplicationDeleted),
        _ => return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible))),
    };
    let to = match said {
        ConsoleNotice::ApplicationDeleted => {
            format!("{}{}", work.place.front(), ConsoleSection::Applications.path())
        }
        _ => here,
    };
    Ok(done
        .map(|_| ActionOutcome::Done(CompletedAction { said, to }))
        .map_err(|refusal| ActionError::Refused(refusal, ConsoleNotice::NotPossible)))
}

/// Changes an application, if it is still as the page showed it.
async fn settle(work: &PageContext<'_>, id: &ClientId, form: &FormParams) -> Outcome {
    let (engine, managing) = (work.engine(), AdminScope::Organization(work.at.acting()));
    let seen = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
    let before = match clients::changeable(engine, managing, id, seen).await? {
        Ok(before) => before,
        Err(refusal) => return Ok(Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible))),
    };
    let changed = match typed::changed(&before, form)? {
        Ok(changed) => changed,
        Err(trouble) => return Ok(Err(trouble)),
    };
    Ok(match clients::change(engine, managing, id, seen, &changed).await? {
        Ok(settled) => {
            let done = ActionOutcome::Done(CompletedAction {
                said: ConsoleNotice::ApplicationChanged,
                to: work.here.clone(),
            });
            Ok(settled
                .secret
                .map_or(done, |secret| shown_once(work, &settled.shown.client, &secret.reveal())))
        }
        Err(refusal) => Err(typed::trouble(refusal, ConsoleNotice::LastOwner, form)),
    })
}

/// Gives an application one more secret.
async fn add_secret(work: &PageContext<'_>, id: &ClientId, form: &FormParams) -> Outcome {
    let engine = work.engine();
    let overlap = form.get("overlap").map(|text| text.parse::<u32>().map(Lifetime::from_seconds));
    let Ok(overlap) = overlap.transpose() else {
        return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)));
    };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    let acting = work.at.acting().claiming(Some(claim.clone()));
    let managing = AdminScope::Organization(&acting);
    match clients::add_secret(engine, managing, id, overlap).await? {
        // Nothing that could fail comes between a secret that was made and the page that shows it.
        Ok(made) => Ok(Ok(shown_once(work, &made.client, &made.secret.reveal()))),
        Err(refusal) => again(work, (&claim, form), refusal, ConsoleNotice::NoMoreSecrets).await,
    }
}

/// What a refusal means, unless whoever sent the same at the same time was first.
async fn again(
    work: &PageContext<'_>,
    (claim, form): (&IdempotencyClaim, &FormParams),
    refusal: Refusal,
    conflict: ConsoleNotice,
) -> Outcome {
    Ok(making::was_made(work, claim).await?.ok_or_else(|| typed::trouble(refusal, conflict, form)))
}

fn application(work: &PageContext<'_>, id: &ClientId) -> String {
    format!("{}{}/{id}", work.place.front(), ConsoleSection::Applications.path())
}

/// The secret, on the answer itself: it is nowhere else any more.
fn shown_once(work: &PageContext<'_>, client: &ClientRow, secret: &str) -> ActionOutcome {
    let page = NewClientSecretView {
        desk: work.desk(ConsoleSection::Applications),
        id: client.id.as_str(),
        name: &client.name,
        secret,
    };
    let response: Response = work.answer(page.page(&work.reader.frame("")));
    ActionOutcome::Shown(response)
}
