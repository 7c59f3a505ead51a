//! API keys on the console: listed, made for oneself and shown once, revoked.

use super::lasting;
use super::paging::Paging;
use super::{Done, Finds, Made, Outcome, Trouble, Work};
use crate::extract::pairs::Pairs;
use crate::reply::Answer;
use axum::response::Response;
use sinete_core::authority::catalogue;
use sinete_core::authority::permission::Permission;
use sinete_core::authority::scope::{NotScopes, Scopes};
use sinete_core::limits::{API_KEY_LIFETIME, API_KEY_LIFETIME_MAX};
use sinete_core::time::Timestamp;
use sinete_engine::api_keys::{self, Issued, Shown, Wanted};
use sinete_engine::idempotency;
use sinete_screens::console::keys::{Fate, Key, Keys, Make, Scope, ShownKey};
use sinete_screens::console::said::Said;
use sinete_screens::console::{Pages, Section};
use sinete_screens::language::Language;
use sinete_screens::moment::Moment;

/// For how many days a key works, unless something else is chosen.
const DAYS: u32 = 90;

/// Shows a page of the keys, and a form for one more to whoever may make it.
pub(super) async fn show(work: &Work<'_>) -> Answer {
    let (engine, acting) = (work.engine(), work.at.acting());
    let paging = Paging::asked(work)?;
    let mut read = api_keys::list(engine, acting, paging.after()?, Paging::to_read()).await??;
    let next = paging.cut(&mut read, |key| key.id.to_string());
    let known: Vec<Known> = read.iter().map(|key| Known::of(work, key)).collect();
    let keys: Vec<Key<'_>> =
        known.iter().zip(&read).map(|(known, key)| known.view(key, acting.now())).collect();
    let scopes = scopes(work);
    let scopes: Vec<Scope<'_>> = scopes.iter().map(Offered::view).collect();
    let typed = |name: &str| work.left.as_ref().and_then(|left| left.field(name));
    let once = work.once();
    let make = Make {
        once: &once,
        name: typed("name").unwrap_or_default(),
        scopes: &scopes,
        days: typed("days").and_then(|text| text.parse().ok()).unwrap_or(DAYS),
    };
    let may_make = work.at.may_change("api_keys:manage");
    let page = Keys {
        desk: work.desk_of_form(Section::Keys, Finds::form_if(may_make)),
        keys: &keys,
        pages: Pages { next: next.as_deref(), later: paging.is_later(), asked: "" },
        make: may_make.then_some(make),
    };
    Ok(work.answer(page.page(&work.frame())))
}

/// Makes or revokes a key.
pub(super) async fn change(work: &Work<'_>, form: &Pairs) -> Outcome {
    let (engine, to) = (work.engine(), work.here.clone());
    if let Some(id) = form.get("revoke") {
        let Ok(id) = id.parse() else { return Ok(Err(Trouble::Said(Said::Gone))) };
        let done = api_keys::revoke(engine, work.at.acting(), id).await?;
        let done = done.map(|()| Made::Done(Done { said: Said::KeyRevoked, to }));
        return Ok(done.map_err(|refusal| Trouble::Refused(refusal, Said::NotPossible)));
    }
    if form.get("action") != Some("make") {
        return Ok(Err(Trouble::Said(Said::NotPossible)));
    }
    let wanted = match wanted(work, form) {
        Ok(wanted) => wanted,
        Err(said) => return Ok(Err(Trouble::Said(said))),
    };
    let acting = match work.at.conferring(engine).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    // A form that is sent again makes no second key, and shows the first one no second time.
    let claim = match work.at.claim(form.get("once").unwrap_or_default(), &work.here) {
        Ok(claim) => claim,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let already = Made::Done(Done { said: Said::KeyShown, to });
    if idempotency::earlier(engine, &claim).await?.is_ok_and(|earlier| earlier.is_some()) {
        return Ok(Ok(already));
    }
    match api_keys::issue(engine, &acting.claiming(Some(claim.clone())), &wanted).await? {
        Ok(issued) => Ok(Ok(Made::Shown(shown_once(work, &wanted, issued)))),
        // Whoever sent the same at the same time may have been first.
        Err(_) if idempotency::earlier(engine, &claim).await?.is_ok_and(|it| it.is_some()) => Ok(Ok(already)),
        Err(refusal) => Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    }
}

/// The key, on the answer itself: it is nowhere else any more.
fn shown_once(work: &Work<'_>, wanted: &Wanted, issued: Issued) -> Response {
    let secret = issued.secret.reveal();
    let until = Moment(issued.expires_at.seconds());
    let page = ShownKey { desk: work.desk(Section::Keys), name: &wanted.name, secret: &secret, until };
    work.answer(page.page(&work.reader.frame("")))
}

/// The key that a form asks for: the person's own.
fn wanted(work: &Work<'_>, form: &Pairs) -> Result<Wanted, Said> {
    let name = form.get("name").map(str::trim).filter(|name| !name.is_empty()).ok_or(Said::NoName)?;
    let ticked: Vec<&str> = form.iter().filter_map(|(name, _)| name.strip_prefix("scope.")).collect();
    let scope: Scopes = match ticked.join(" ").parse() {
        Ok(scope) => scope,
        Err(NotScopes::TooMany) => return Err(Said::TooMuch),
        Err(NotScopes::Unknown) => return Err(Said::NoScope),
    };
    let lifetime = lasting::asked(form, API_KEY_LIFETIME, API_KEY_LIFETIME_MAX).ok_or(Said::BadKeyDays)?;
    Ok(Wanted {
        membership: work.at.membership,
        name: name.to_owned(),
        scope: Some(scope).filter(|scope| !scope.is_empty()).ok_or(Said::NoScope)?,
        lifetime: Some(lifetime),
    })
}

/// Something that a key can be used for, in words.
struct Offered {
    permission: String,
    about: &'static str,
    chosen: bool,
}

impl Offered {
    fn view(&self) -> Scope<'_> {
        Scope { permission: &self.permission, about: self.about, chosen: self.chosen }
    }
}

/// What a key of the person's own can be used for: what they hold.
fn scopes(work: &Work<'_>) -> Vec<Offered> {
    let offered = |permission: &Permission| {
        let name = format!("scope.{permission}");
        let about = catalogue::find(permission).map_or("", |it| match work.reader.language {
            Language::English => it.english,
            Language::Portuguese => it.portuguese,
        });
        Offered {
            permission: permission.to_string(),
            about,
            chosen: work.left.as_ref().and_then(|left| left.ticked("make", &name)).unwrap_or(false),
        }
    };
    work.at.acting().authority.permissions().iter().map(offered).collect()
}

/// A key, in words.
struct Known {
    id: String,
    holder: Option<String>,
    scope: String,
}

impl Known {
    fn of(work: &Work<'_>, key: &Shown) -> Self {
        Self {
            id: key.id.to_string(),
            holder: (!work.at.is_own(key.membership)).then(|| key.membership.to_string()),
            scope: key.scope.to_string(),
        }
    }

    fn view<'a>(&'a self, key: &'a Shown, now: Timestamp) -> Key<'a> {
        let (fate, at) = match key.revoked_at {
            Some(at) => (Fate::Revoked, at),
            None if key.expires_at <= now => (Fate::Expired, key.expires_at),
            None => (Fate::Works, key.expires_at),
        };
        Key {
            id: &self.id,
            name: &key.name,
            holder: self.holder.as_deref(),
            scope: &self.scope,
            fate,
            at: Moment(at.seconds()),
            used: key.used_at.map(|used| Moment(used.seconds())),
        }
    }
}
