//! The providers of an organization: shown with what to register there, tried, switched on and off, deleted.

use super::left::Left;
use super::paging::Paging;
use super::{Done, Made, Outcome, Trouble, Work, named};
use crate::extract::pairs::Pairs;
use crate::manage::connections::ConnectionText;
use crate::reply::Answer;
use sinete_core::id::ConnectionId;
use sinete_core::provider::connection::{Authentication, Chosen, Protocol};
use sinete_engine::acting::Acting;
use sinete_engine::connections::{self, Shown};
use sinete_engine::single_sign_on::trial::{Check, Finding};
use sinete_engine::single_sign_on::{callback, saml};
use sinete_screens::console::connections::{Connection as Line, Connections, OneConnection, Set, Speaks};
use sinete_screens::console::said::Said;
use sinete_screens::console::{Pages, Section};
use sinete_screens::moment::Moment;

/// Shows a page of the connections.
pub(super) async fn list(work: &Work<'_>) -> Answer {
    let (engine, acting) = (work.engine(), work.at.acting());
    let paging = Paging::asked(work)?;
    let mut read = connections::list(engine, acting, paging.after()?, Paging::to_read()).await??;
    let next = paging.cut(&mut read, |shown| shown.connection.id.to_string());
    let ids: Vec<String> = read.iter().map(|shown| shown.connection.id.to_string()).collect();
    let lines: Vec<Line<'_>> = read.iter().zip(&ids).map(|(shown, id)| line(shown, id)).collect();
    let page = Connections {
        desk: work.desk(Section::Connections),
        connections: &lines,
        pages: Pages { next: next.as_deref(), later: paging.is_later(), asked: "" },
    };
    Ok(work.answer(page.page(&work.frame())))
}

fn line<'a>(shown: &'a Shown, id: &'a str) -> Line<'a> {
    let connection = &shown.connection;
    Line {
        id,
        name: &connection.chosen.name,
        issuer: connection.issuer.as_str(),
        speaks: if connection.chosen.saml().is_some() { Speaks::Saml } else { Speaks::OpenId },
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
        },
    };
    let domains: Vec<String> = shown.domains.iter().map(|domain| domain.shown()).collect();
    let domains: Vec<&str> = domains.iter().map(String::as_str).collect();
    let (name, left) = (connection.id.to_string(), work.left.as_ref().filter(|left| left.is_of("test")));
    let page = OneConnection {
        desk: work.desk(Section::Connections),
        connection: line(&shown, &name),
        set,
        domains: &domains,
        has_more: has_more(chosen),
        callback: &callback(engine, connection.id),
        since: Moment(connection.created_at.seconds()),
        may_change: work.at.may_change(MANAGE),
        wrong: left.and_then(|left| left.field("wrong")).unwrap_or_default(),
    };
    Ok(work.answer(page.page(&work.frame())))
}

const MANAGE: &str = "sso:manage";

/// Where our keys are.
const KEYS_PATH: &str = "/.well-known/jwks.json";

/// Whether something is set that the page does not show.
fn has_more(chosen: &Chosen) -> bool {
    let of_saml = chosen.saml().is_some_and(|saml| {
        let names = [&saml.full_name, &saml.given_name, &saml.family_name];
        names.iter().any(|name| name.is_some()) || !saml.contexts.is_empty()
    });
    let two = &chosen.two_factors;
    of_saml || !two.acr.is_empty() || !two.amr.is_empty() || chosen.external_id_claim.is_some()
}

/// Does what a form about one connection asks for.
pub(super) async fn change(work: &Work<'_>, id: &str, form: &Pairs) -> Outcome {
    let (engine, id) = (work.engine(), named::<ConnectionId>(id)?);
    let action = form.get("action").unwrap_or_default();
    let acting = match action {
        // Where members are sent decides who is let in as one of them.
        "enable" => work.at.conferring(engine).await?,
        _ => Ok(work.at.acting()),
    };
    let acting = match acting {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let refused = |refusal| Trouble::Refused(refusal, Said::NotPossible);
    match action {
        "enable" => switch(work, acting, id, true).await,
        "disable" => switch(work, acting, id, false).await,
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

/// Switches a connection on or off. It says how it shall stand, whatever happened meanwhile: the rest of it stays as it is
/// at that moment.
async fn switch(work: &Work<'_>, acting: &Acting, id: ConnectionId, on: bool) -> Outcome {
    let (engine, refused) = (work.engine(), |refusal| Trouble::Refused(refusal, Said::NotPossible));
    let before = match connections::show(engine, acting, id).await? {
        Ok(before) => before,
        Err(refusal) => return Ok(Err(refused(refusal))),
    };
    let wanted = match ConnectionText::of(&before).switched(on).wanted() {
        Ok(wanted) => wanted,
        Err(refusal) => return Ok(Err(refused(refusal))),
    };
    let done = connections::change(engine, acting, &before.connection, &wanted).await?;
    let said = if on { Said::ConnectionOn } else { Said::ConnectionOff };
    Ok(done.map(|_| Made::Done(Done { said, to: work.here.clone() })).map_err(refused))
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
