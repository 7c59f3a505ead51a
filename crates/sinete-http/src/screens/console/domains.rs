//! The domains of an organization: claimed, checked, released.

use super::paging::Paging;
use super::{Done, Finds, Made, Outcome, Trouble, Work};
use crate::extract::pairs::Pairs;
use crate::reply::Answer;
use sinete_core::people::domain::Domain as Name;
use sinete_core::refusal::RefusalCode;
use sinete_engine::domains::{self, Domain};
use sinete_screens::console::domains::{Domain as Line, Domains, State};
use sinete_screens::console::said::Said;
use sinete_screens::console::{Pages, Section};
use sinete_screens::moment::Moment;

/// Shows a page of the domains, and a form for one more to whoever may claim it.
pub(super) async fn list(work: &Work<'_>) -> Answer {
    let (engine, acting) = (work.engine(), work.at.acting());
    let paging = Paging::asked(work)?;
    let after: Option<Name> = paging.after()?;
    let mut read = domains::list(engine, acting, after.as_ref(), Paging::to_read()).await??;
    let next = paging.cut(&mut read, |domain| domain.name.to_string());
    let names: Vec<(String, String)> =
        read.iter().map(|it| (it.name.shown(), it.name.record_name())).collect();
    let lines: Vec<Line<'_>> = read.iter().zip(&names).map(|(domain, names)| line(domain, names)).collect();
    let may_change = work.at.may_change("domains:manage");
    let page = Domains {
        desk: work.desk_of_form(Section::Domains, Finds::form_if(may_change)),
        domains: &lines,
        pages: Pages { next: next.as_deref(), later: paging.is_later(), asked: "" },
        may_change,
        typed: work.left.as_ref().and_then(|left| left.field("domain")).unwrap_or_default(),
    };
    Ok(work.answer(page.page(&work.frame())))
}

fn line<'a>(domain: &'a Domain, (name, record): &'a (String, String)) -> Line<'a> {
    let (state, since) = match (domain.verified_at, domain.missing_since) {
        (None, _) => (State::Waits, domain.created_at),
        (Some(at), None) => (State::Proven, at),
        (Some(_), Some(at)) => (State::Missing, at),
    };
    Line {
        id: domain.name.as_str(),
        name,
        state,
        since: Moment(since.seconds()),
        record_name: record,
        record_value: &domain.proof,
    }
}

/// Claims, checks or releases a domain.
pub(super) async fn change(work: &Work<'_>, form: &Pairs) -> Outcome {
    let (engine, acting, to) = (work.engine(), work.at.acting(), work.here.clone());
    let named =
        |field: &str| form.get(field).map(|text| text.parse::<Name>().map_err(|_| Trouble::Said(Said::Gone)));
    if let Some(name) = named("release") {
        let name = match name {
            Ok(name) => name,
            Err(trouble) => return Ok(Err(trouble)),
        };
        let done = domains::remove(engine, acting, &name).await?;
        let done = done.map(|()| Made::Done(Done { said: Said::DomainReleased, to }));
        return Ok(done.map_err(|refusal| Trouble::Refused(refusal, Said::NotPossible)));
    }
    if let Some(name) = named("verify") {
        let name = match name {
            Ok(name) => name,
            Err(trouble) => return Ok(Err(trouble)),
        };
        // What a proven domain lets in outlives the session.
        let acting = match work.at.conferring(engine).await? {
            Ok(acting) => acting,
            Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
        };
        let done = domains::verify(engine, acting, &name).await?;
        let done = done.map(|_| Made::Done(Done { said: Said::DomainProven, to }));
        return Ok(done.map_err(|refusal| Trouble::Refused(refusal, Said::NotProven)));
    }
    if form.get("action") != Some("claim") {
        return Ok(Err(Trouble::Said(Said::NotPossible)));
    }
    let typed = form.get("domain").unwrap_or_default().trim();
    let done = domains::add(engine, acting, typed).await?;
    Ok(done.map(|_| Made::Done(Done { said: Said::DomainClaimed, to })).map_err(|refusal| {
        match refusal.code() {
            RefusalCode::Unprocessable => Trouble::Said(Said::BadDomain),
            _ => Trouble::Refused(refusal, Said::DomainTaken),
        }
    }))
}
