//! The providers of an organization: connected, shown with what to register there, changed, tried, switched on and off,
//! deleted.

mod filled;

use super::left::Left;
use super::paging::Paging;
use super::{Done, Finds, Made, Outcome, Trouble, Work, making, named};
use crate::extract::pairs::Pairs;
use crate::reply::{Answer, Declined};
use filled::{Filled, patched, switched, trouble, wanted};
use sinete_core::id::ConnectionId;
use sinete_core::metadata::discovery::KEYS_PATH;
use sinete_core::provider::connection::{Authentication, Chosen, Protocol};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::connections::{self, Shown};
use sinete_engine::single_sign_on::trial::{Check, Finding};
use sinete_engine::single_sign_on::{callback, saml};
use sinete_screens::console::connections::{
    Connect, Connection as Line, Connections, OneConnection, Set, Speaks,
};
use sinete_screens::console::said::Said;
use sinete_screens::console::{Pages, Section};
use sinete_screens::moment::Moment;

/// Shows a page of the connections, and to owners forms for one more.
pub(super) async fn list(work: &Work<'_>) -> Answer {
    let (engine, acting) = (work.engine(), work.at.acting());
    let paging = Paging::asked(work)?;
    let mut read = connections::list(engine, acting, paging.after()?, Paging::to_read()).await??;
    let next = paging.cut(&mut read, |shown| shown.connection.id.to_string());
    let ids: Vec<String> = read.iter().map(|shown| shown.connection.id.to_string()).collect();
    let lines: Vec<Line<'_>> = read.iter().zip(&ids).map(|(shown, id)| line(shown, id)).collect();
    let may_change = work.at.may_change(MANAGE);
    let (open_id, saml) = (Filled::new(work, Speaks::OpenId), Filled::new(work, Speaks::Saml));
    let (once, is_proven) = (work.once(), work.is_proven(may_change).await?);
    let stands = |form| work.stands(form, is_proven);
    let connect = Connect {
        once: &once,
        open_id: open_id.view("open_id", stands("open_id")),
        saml: saml.view("saml", stands("saml")),
    };
    let opens = |left: &Left| left.opens("saml") || left.opens("open_id");
    let is_others = !acting.is_owner && work.left.as_ref().is_some_and(opens);
    let finds = if may_change && is_others { Finds::OthersForm } else { Finds::form_if(may_change) };
    let page = Connections {
        desk: work.desk_of_form(Section::Connections, finds),
        connections: &lines,
        pages: Pages { next: next.as_deref(), later: paging.is_later(), asked: "" },
        connect: (may_change && acting.is_owner).then_some(connect),
    };
    Ok(work.answer(page.page(&work.frame())))
}

const fn speaks(chosen: &Chosen) -> Speaks {
    match chosen.protocol {
        Protocol::OpenId(_) => Speaks::OpenId,
        Protocol::Saml(_) => Speaks::Saml,
    }
}

fn line<'a>(shown: &'a Shown, id: &'a str) -> Line<'a> {
    let connection = &shown.connection;
    Line {
        id,
        name: &connection.chosen.name,
        issuer: connection.issuer.as_str(),
        speaks: speaks(&connection.chosen),
        off: !connection.is_enabled,
    }
}

/// Shows one connection, with what to register at its provider.
pub(super) async fn show(work: &Work<'_>, id: &str) -> Answer {
    let engine = work.engine();
    let shown = connections::show(engine, work.at.acting(), named(id)?).await??;
    let (connection, chosen) = (&shown.connection, &shown.connection.chosen);
    let certificates = chosen.saml().map(saml::certificates).unwrap_or_default();
    let prints: Vec<(String, Moment)> =
        certificates.iter().map(|it| (it.fingerprint(), Moment(it.ends_at().seconds()))).collect();
    let prints: Vec<(&str, Moment)> = prints.iter().map(|(print, at)| (print.as_str(), *at)).collect();
    let (entity_id, keys) =
        (saml::entity_id(engine, connection.id), format!("{}{KEYS_PATH}", engine.settings().issuer));
    let scopes = match &chosen.protocol {
        Protocol::OpenId(open_id) => open_id.scopes.join(" "),
        Protocol::Saml(_) => String::new(),
    };
    let set = match &chosen.protocol {
        Protocol::OpenId(open_id) => Set::OpenId {
            client_id: &open_id.client_id,
            keys: match open_id.authentication {
                Authentication::ClientSecret => "",
                Authentication::PrivateKey => &keys,
            },
            scopes: &scopes,
        },
        Protocol::Saml(saml) => Set::Saml {
            entity_id: &entity_id,
            sso_url: &saml.sso_url,
            certificates: &prints,
            subject: &saml.subject,
            email: saml.email.as_deref().unwrap_or_default(),
            full_name: saml.full_name.as_deref().unwrap_or_default(),
        },
    };
    let domains: Vec<String> = shown.domains.iter().map(|domain| domain.shown()).collect();
    let domains: Vec<&str> = domains.iter().map(String::as_str).collect();
    let name = connection.id.to_string();
    let may_change = work.at.may_change(MANAGE);
    let is = Filled::of(work, &shown);
    // What somebody typed is theirs to send again, where they still may; what they look at is how things are.
    let filled = if may_change { is.changed(work) } else { is.clone() };
    let left = work.left.as_ref();
    let is_others = left.and_then(Left::said).is_some_and(|said| filled.hides(said));
    let finds = if may_change && is_others { Finds::OthersForm } else { Finds::form_if(may_change) };
    let page = OneConnection {
        desk: work.desk_of_form(Section::Connections, finds),
        connection: line(&shown, &name),
        set,
        domains: &domains,
        has_more: has_more(chosen),
        callback: &callback(engine, connection.id),
        since: Moment(connection.created_at.seconds()),
        version: left.map_or(connection.version, |left| left.version("change", connection.version)),
        fields: filled.view("change", work.stands("change", work.is_proven(may_change).await?)),
        shown: &is.carried(left),
        may_change,
        wrong: left
            .filter(|left| left.is_of("test"))
            .and_then(|left| left.field("wrong"))
            .unwrap_or_default(),
    };
    Ok(work.answer(page.page(&work.frame())))
}

const MANAGE: &str = "sso:manage";

/// Whether something is set that the page does not show and its form does not speak of.
fn has_more(chosen: &Chosen) -> bool {
    let of_saml = chosen.saml().is_some_and(|saml| {
        saml.given_name.is_some() || saml.family_name.is_some() || !saml.contexts.is_empty()
    });
    let two = &chosen.two_factors;
    of_saml || !two.acr.is_empty() || !two.amr.is_empty() || chosen.external_id_claim.is_some()
}

/// Connects the organization to a provider.
pub(super) async fn connect(work: &Work<'_>, form: &Pairs) -> Outcome {
    let engine = work.engine();
    // Whoever decides where members are let in lets in whom they like. It comes before what is wrong with the form: that
    // is shown in the form, which stands behind the proof.
    let acting = match work.at.conferring(engine).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let (issuer, wanted) = match wanted(form) {
        Ok(wanted) => wanted,
        Err(trouble) => return Ok(Err(trouble)),
    };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    let acting = acting.claiming(Some(claim.clone()));
    match connections::create(engine, &acting, issuer.as_deref(), &wanted).await? {
        Ok(shown) => {
            let to = format!("{}/{}", work.here, shown.connection.id);
            Ok(Ok(Made::Done(Done { said: Said::ProviderConnected, to })))
        }
        Err(refusal) => Ok(match making::was_made(work, &claim).await? {
            Some(made) => Ok(made),
            None => Err(trouble(work, form, refusal, Said::NoMoreConnections)),
        }),
    }
}

/// Does what a form about one connection asks for.
pub(super) async fn change(work: &Work<'_>, id: &str, form: &Pairs) -> Outcome {
    let (engine, id) = (work.engine(), named::<ConnectionId>(id)?);
    let action = form.get("action").unwrap_or_default();
    let acting = match action {
        // Where members are sent decides who is let in as one of them.
        "change" | "enable" => work.at.conferring(engine).await?,
        _ => Ok(work.at.acting()),
    };
    let acting = match acting {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let refused = |refusal| Trouble::Refused(refusal, Said::NotPossible);
    match action {
        "change" => {
            let seen = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
            match connections::changeable(engine, acting, id, seen).await? {
                Ok(before) => settle(work, &before, form).await,
                Err(refusal) => Ok(Err(refused(refusal))),
            }
        }
        "enable" | "disable" => switch(work, id, form).await,
        "test" => {
            let tried = connections::test(engine, acting, id).await?;
            Ok(tried.map(|findings| told(work, &findings)).map_err(refused))
        }
        "remove" => {
            let to = format!("{}{}", work.place.front(), Section::Connections.path());
            let done = connections::remove(engine, acting, id).await?;
            Ok(done.map(|()| Made::Done(Done { said: Said::ConnectionDeleted, to })).map_err(refused))
        }
        _ => Ok(Err(Trouble::Said(Said::NotPossible))),
    }
}

/// Changes a connection, if it is still as it was read.
async fn settle(work: &Work<'_>, before: &Shown, form: &Pairs) -> Outcome {
    let wanted = match patched(before, form) {
        Ok(wanted) => wanted,
        Err(trouble) => return Ok(Err(trouble)),
    };
    let done = connections::change(work.engine(), work.at.acting(), before, &wanted).await?;
    let done = done.map(|_| Made::Done(Done { said: Said::ConnectionChanged, to: work.here.clone() }));
    Ok(done.map_err(|refusal| trouble(work, form, refusal, Said::NotPossible)))
}

/// Switches a connection on or off. The form says how it shall stand; the rest of it stays as it is at that moment. Who
/// changes it between looking and switching is no reason to leave it: it is looked at once more.
async fn switch(work: &Work<'_>, id: ConnectionId, form: &Pairs) -> Outcome {
    let on = form.get("action") == Some("enable");
    let said = if on { Said::ConnectionOn } else { Said::ConnectionOff };
    let mut tried = switch_once(work, id, on).await?;
    let was_outrun = |refusal: &Refusal| {
        matches!(refusal.code(), RefusalCode::PreconditionFailed | RefusalCode::Unprocessable)
    };
    if tried.as_ref().is_err_and(was_outrun) {
        tried = switch_once(work, id, on).await?;
    }
    let done = tried.map(|()| Made::Done(Done { said, to: work.here.clone() }));
    Ok(done.map_err(|refusal| match trouble(work, form, refusal, Said::NotPossible) {
        Trouble::Refused(refusal, said) => Trouble::Refused(refusal, said),
        Trouble::Said(said @ (Said::OwnersDecide | Said::OverTheApi)) => Trouble::Said(said),
        // The form has no field that it could stand beside.
        Trouble::Said(_) => Trouble::Said(Said::ChangeItFirst),
    }))
}

async fn switch_once(work: &Work<'_>, id: ConnectionId, on: bool) -> Result<Result<(), Refusal>, Declined> {
    let (engine, acting) = (work.engine(), work.at.acting());
    let before = match connections::show(engine, acting, id).await? {
        Ok(before) => before,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let wanted = switched(&before, on);
    Ok(connections::change(engine, acting, &before, &wanted).await?.map(|_| ()))
}

/// The page that follows a trial, with the first thing that was wrong.
fn told(work: &Work<'_>, findings: &[Finding]) -> Made {
    let Some((check, wrong)) = findings.iter().find_map(|it| Some((it.check, it.wrong.clone()?))) else {
        return Made::Done(Done { said: Said::ConnectionWorks, to: work.here.clone() });
    };
    let said = match check {
        Check::Description => Said::NoDescription,
        Check::Keys => Said::NoProviderKeys,
        Check::Credentials => Said::NotTaken,
        Check::Certificates => Said::BadCertificates,
    };
    let left = Pairs::of(vec![("action".to_owned(), "test".to_owned()), ("wrong".to_owned(), wrong)]);
    Made::Shown(work.leads(&work.here, Left::trouble(&work.here, said, &left)))
}
