//! The applications, services and agents of an organization: listed, registered, changed, given secrets, switched off and
//! on, deleted.

mod seen;
mod touched;
mod typed;

use super::paging::Paging;
use super::{Done, Finds, Made, Outcome, Trouble, Work, making, named};
use crate::extract::pairs::Pairs;
use crate::reply::Answer;
use axum::response::Response;
use seen::{Filled, Seen};
use sinete_core::client::{ClientId, ClientKind};
use sinete_core::refusal::Refusal;
use sinete_core::time::Lifetime;
use sinete_engine::clients::{self, Client, Shown};
use sinete_engine::idempotency::Claim;
use sinete_engine::managing::Managing;
use sinete_screens::console::applications::{
    Application, Applications, Kind, OneApplication, Register, Secret as Line, ShownSecret,
};
use sinete_screens::console::said::Said;
use sinete_screens::console::{Pages, Section};
use sinete_screens::moment::Moment;

/// Shows a page of the applications, and a form for one more to whoever may register it.
pub(super) async fn list(work: &Work<'_>) -> Answer {
    let (engine, managing) = (work.engine(), Managing::Organization(work.at.acting()));
    let paging = Paging::asked(work)?;
    let after: Option<ClientId> = paging.after()?;
    let mut read = clients::list(engine, managing, after.as_ref(), Paging::to_read()).await??;
    let next = paging.cut(&mut read, |client| client.id.to_string());
    let seen: Vec<Seen> = read.iter().map(Seen::of).collect::<Result<_, _>>()?;
    let applications: Vec<Application<'_>> = seen.iter().map(Seen::line).collect();
    let kinds = kinds(work);
    let filled = Filled::new(work).await?;
    let roles = filled.roles();
    let once = work.once();
    let typed = work.left.as_ref().and_then(|left| left.field("kind"));
    let chosen = kinds.iter().copied().find(|kind| Some(kind.name()) == typed);
    let register = kinds.first().map(|first| Register {
        once: &once,
        open: work.left.as_ref().is_some_and(|left| left.opens("register")),
        kinds: &kinds,
        kind: chosen.unwrap_or(*first),
        fields: filled.view(&roles),
    });
    let page = Applications {
        desk: work.desk_of_form(Section::Applications, Finds::form_if(register.is_some())),
        applications: &applications,
        pages: Pages { next: next.as_deref(), later: paging.is_later(), asked: "" },
        register,
    };
    Ok(work.answer(page.page(&work.frame())))
}

/// The kinds that the person may register.
fn kinds(work: &Work<'_>) -> Vec<Kind> {
    let may = |permission: &str| work.at.may_change(permission);
    let mut kinds = Vec::new();
    if may("clients:create") {
        kinds.extend([Kind::Application, Kind::Service]);
    }
    if may("agents:manage") {
        kinds.push(Kind::Agent);
    }
    kinds
}

/// Whether the person may change such a one.
fn may_change(work: &Work<'_>, kind: ClientKind) -> bool {
    work.at.may_change(match kind {
        ClientKind::Agent => "agents:manage",
        ClientKind::Application | ClientKind::Service => "clients:manage",
    })
}

/// Shows one application.
pub(super) async fn show(work: &Work<'_>, id: &str) -> Answer {
    let (engine, managing, id) = (work.engine(), Managing::Organization(work.at.acting()), named(id)?);
    let shown: Shown = clients::show(engine, managing, &id).await??;
    let seen = Seen::of(&shown.client)?;
    let secrets = clients::list_secrets(engine, managing, &id).await??;
    let secrets: Vec<Line<'_>> = secrets
        .iter()
        .map(|it| Line {
            id: &it.id,
            since: Moment(it.created_at.seconds()),
            until: it.expires_at.map(|at| Moment(at.seconds())),
        })
        .collect();
    let may_change = may_change(work, shown.client.kind);
    let stands = Filled::of(work, &shown, &seen.metadata).await?;
    // What somebody typed is theirs to send again, where they still may; what they look at is how things are.
    let filled = if may_change { stands.changed(work) } else { stands.clone() };
    let (roles, carried_on, once) = (filled.roles(), stands.carried(), work.once());
    let owner = seen::owner(work, shown.client.owner).await?;
    let carried =
        shown.member.as_ref().map(|member| super::overview::roles(&member.roles, work.reader.language));
    let page = OneApplication {
        desk: work.desk_of_form(Section::Applications, Finds::form_if(may_change)),
        application: seen.line(),
        roles: carried.as_deref().unwrap_or_default(),
        owner: owner.as_ref().map(|(id, name)| (id.as_str(), name.as_str())),
        since: Moment(shown.client.created_at.seconds()),
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
pub(super) async fn register(work: &Work<'_>, form: &Pairs) -> Outcome {
    let engine = work.engine();
    if form.get("action") != Some("register") {
        return Ok(Err(Trouble::Said(Said::NotPossible)));
    }
    let wanted = match typed::wanted(work, form)? {
        Ok(wanted) => wanted,
        Err(trouble) => return Ok(Err(trouble)),
    };
    let acting = match work.at.conferring(engine).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    let acting = acting.claiming(Some(claim.clone()));
    match clients::create(engine, Managing::Organization(&acting), &wanted).await? {
        Ok(settled) => {
            let to = application(work, &settled.shown.client.id);
            let done = Made::Done(Done { said: Said::Registered, to });
            Ok(Ok(settled
                .secret
                .map_or(done, |secret| shown_once(work, &settled.shown.client, &secret.reveal()))))
        }
        Err(refusal) => again(work, (&claim, form), refusal, Said::NotPossible).await,
    }
}

/// Does what a form about one application asks for.
pub(super) async fn change(work: &Work<'_>, id: &str, form: &Pairs) -> Outcome {
    let (engine, id, here) = (work.engine(), named::<ClientId>(id)?, work.here.clone());
    let taking = Managing::Organization(work.at.acting());
    if let Some(secret) = form.get("revoke") {
        let done = clients::revoke_secret(engine, taking, &id, secret).await?;
        return Ok(done
            .map(|()| Made::Done(Done { said: Said::SecretRevoked, to: here }))
            .map_err(|refusal| Trouble::Refused(refusal, Said::LastSecret)));
    }
    let action = form.get("action").unwrap_or_default();
    let acting = match action {
        // What hands out access, or decides how somebody proves to be this application, takes a fresh proof.
        "change" | "add_secret" | "enable" => work.at.conferring(engine).await?,
        _ => Ok(work.at.acting()),
    };
    let acting = match acting {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let managing = Managing::Organization(acting);
    let (done, said) = match action {
        "change" => return settle(work, &id, form).await,
        "add_secret" => return add_secret(work, &id, form).await,
        "enable" => (clients::enable(engine, managing, &id).await?, Said::ApplicationOn),
        "disable" => (clients::disable(engine, managing, &id).await?, Said::ApplicationOff),
        "remove" => (clients::remove(engine, managing, &id).await?, Said::ApplicationDeleted),
        _ => return Ok(Err(Trouble::Said(Said::NotPossible))),
    };
    let to = match said {
        Said::ApplicationDeleted => format!("{}{}", work.place.front(), Section::Applications.path()),
        _ => here,
    };
    Ok(done
        .map(|_| Made::Done(Done { said, to }))
        .map_err(|refusal| Trouble::Refused(refusal, Said::NotPossible)))
}

/// Changes an application, if it is still as the page showed it.
async fn settle(work: &Work<'_>, id: &ClientId, form: &Pairs) -> Outcome {
    let (engine, managing) = (work.engine(), Managing::Organization(work.at.acting()));
    let seen = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
    let before = match clients::changeable(engine, managing, id, seen).await? {
        Ok(before) => before,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let changed = match typed::changed(&before, form)? {
        Ok(changed) => changed,
        Err(trouble) => return Ok(Err(trouble)),
    };
    Ok(match clients::change(engine, managing, id, seen, &changed).await? {
        Ok(settled) => {
            let done = Made::Done(Done { said: Said::ApplicationChanged, to: work.here.clone() });
            Ok(settled
                .secret
                .map_or(done, |secret| shown_once(work, &settled.shown.client, &secret.reveal())))
        }
        Err(refusal) => Err(typed::trouble(refusal, Said::LastOwner, form)),
    })
}

/// Gives an application one more secret.
async fn add_secret(work: &Work<'_>, id: &ClientId, form: &Pairs) -> Outcome {
    let engine = work.engine();
    let overlap = form.get("overlap").map(|text| text.parse::<u32>().map(Lifetime::from_seconds));
    let Ok(overlap) = overlap.transpose() else { return Ok(Err(Trouble::Said(Said::NotPossible))) };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    let acting = work.at.acting().claiming(Some(claim.clone()));
    let managing = Managing::Organization(&acting);
    match clients::add_secret(engine, managing, id, overlap).await? {
        // Nothing that could fail comes between a secret that was made and the page that shows it.
        Ok(made) => Ok(Ok(shown_once(work, &made.client, &made.secret.reveal()))),
        Err(refusal) => again(work, (&claim, form), refusal, Said::NoMoreSecrets).await,
    }
}

/// What a refusal means, unless whoever sent the same at the same time was first.
async fn again(
    work: &Work<'_>,
    (claim, form): (&Claim, &Pairs),
    refusal: Refusal,
    conflict: Said,
) -> Outcome {
    Ok(making::was_made(work, claim).await?.ok_or_else(|| typed::trouble(refusal, conflict, form)))
}

fn application(work: &Work<'_>, id: &ClientId) -> String {
    format!("{}{}/{id}", work.place.front(), Section::Applications.path())
}

/// The secret, on the answer itself: it is nowhere else any more.
fn shown_once(work: &Work<'_>, client: &Client, secret: &str) -> Made {
    let page = ShownSecret {
        desk: work.desk(Section::Applications),
        id: client.id.as_str(),
        name: &client.name,
        secret,
    };
    let response: Response = work.answer(page.page(&work.reader.frame("")));
    Made::Shown(response)
}
