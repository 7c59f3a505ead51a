//! Somebody at work on a page: who they are, which page it is, and what stands around it.

use super::left::Left;
use super::place::{Page, Place};
use super::reader;
use crate::call::Call;
use crate::extract::pairs::Pairs;
use crate::pages::spoken;
use crate::reply::Declined;
use crate::screens::{NOT_DONE, Reader, see, walk};
use crate::state::State;
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::entropy::draw;
use sinete_core::people::Condition;
use sinete_core::people::language::Language;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::console::AtWork;
use sinete_engine::{Engine, looks};
use sinete_screens::console::said::Said;
use sinete_screens::console::{Desk, Section, Stands};
use sinete_screens::language::Language as Spoken;
use sinete_screens::page::Frame;

/// Somebody at work on a page.
pub(super) struct Work<'a> {
    pub(super) state: &'a State,
    pub(super) call: &'a Call,
    pub(super) query: &'a Pairs,
    pub(super) at: AtWork,
    pub(super) place: Place,
    pub(super) reader: Reader<'a>,
    pub(super) left: Option<Left>,
    csrf: String,
    pub(super) here: String,
    slug: String,
    sections: Vec<Section>,
}

/// What somebody finds of the form that they sent, on the page it stood on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finds {
    /// The form.
    Form,
    /// What is for owners alone is not there, and something else is.
    OthersForm,
    /// None: they may change nothing there.
    Nothing,
}

impl Finds {
    pub(super) const fn form_if(is_there: bool) -> Self {
        if is_there { Self::Form } else { Self::Nothing }
    }
}

impl<'a> Work<'a> {
    pub(super) async fn begin(
        state: &'a State,
        call: &'a Call,
        query: &'a Pairs,
        at: AtWork,
        place: Place,
    ) -> Result<Self, Declined> {
        let organization = &at.acting().organization;
        let look = looks::of(state.engine(), organization.id).await?;
        let reader = reader(state, call, query, &at.oneself).await?.about(look.as_ref());
        let here = place.path();
        Ok(Self {
            left: Left::of(call.headers(), state.scheme(), &here),
            csrf: at.oneself.csrf_token(state.engine()),
            slug: organization.slug.to_string(),
            sections: Section::ALL.into_iter().filter(|section| is_seen(&at, *section)).collect(),
            state,
            call,
            query,
            at,
            place,
            reader,
            here,
        })
    }

    pub(super) fn engine(&self) -> &Engine {
        self.state.engine()
    }

    /// What stands around the work.
    pub(super) fn desk(&self, section: Section) -> Desk<'_> {
        let organization = &self.at.acting().organization;
        Desk {
            organization: &organization.name,
            slug: &self.slug,
            suspended: organization.condition != Condition::Enabled,
            sections: &self.sections,
            section,
            asked: asked(self.query),
            here: &self.here,
            csrf: &self.csrf,
            said: self.left.as_ref().and_then(Left::said).or_else(|| {
                // Whoever comes back from a provider brings no form along, and is told.
                (self.query.get("trouble") == Some(NOT_DONE)).then_some(Said::NotDone)
            }),
            is_lost: self.left.as_ref().is_some_and(Left::is_lost),
        }
    }

    /// The same on a page with a form. To whoever does not find there what they sent, and perhaps never saw it, what is to
    /// be said of it says nothing: they read that it was refused, and why.
    pub(super) fn desk_of_form(&self, section: Section, finds: Finds) -> Desk<'_> {
        let desk = self.desk(section);
        let why = match finds {
            Finds::Form => return desk,
            Finds::OthersForm => Said::OwnersDecide,
            Finds::Nothing if desk.suspended => Said::Suspended,
            Finds::Nothing => Said::NotAllowed,
        };
        let said = desk.said.map(|said| if said.is_about_form() { why } else { said });
        Desk { said, is_lost: false, ..desk }
    }

    pub(super) fn frame(&self) -> Frame<'_> {
        self.reader.frame(&self.here)
    }

    pub(super) fn answer(&self, page: String) -> Response {
        self.reader.answer(StatusCode::OK, page)
    }

    /// The page that follows a form, with what came of it.
    pub(super) fn leads(&self, path: &str, left: Left) -> Response {
        let mut response = see(self.state, &walk::with_language(path, self.query));
        left.leave(&mut response, self.state.scheme());
        response
    }

    /// Whether the person has proven lately who they are. A page asks once, where they may change something.
    pub(super) async fn is_proven(&self, may_change: bool) -> Result<bool, Declined> {
        Ok(may_change && self.at.conferring(self.engine()).await?.is_ok())
    }

    /// How a form stands that cannot wait for a proof: whoever has given none lately gives it first. What somebody is at
    /// is not taken from them again.
    pub(super) fn stands(&self, form: &str, is_proven: bool) -> Stands {
        match self.left.as_ref().is_some_and(|left| left.opens(form)) {
            true => Stands::Open,
            false if is_proven => Stands::Closed,
            false => Stands::Behind,
        }
    }

    /// What makes sure that a form which is sent twice makes one thing.
    pub(super) fn once(&self) -> String {
        URL_SAFE_NO_PAD.encode(draw::<16>(self.state.house().entropy()))
    }

    /// Whether the person may manage what is on this page, so that it is about more than that where they are refused.
    fn manages(&self) -> bool {
        let needed: &[&str] = match &self.place.page {
            Page::Roles | Page::Role(_) => &["roles:manage"],
            Page::Applications => &["clients:create", "agents:manage"],
            Page::Application(_) => &["clients:manage", "agents:manage"],
            Page::Connections | Page::Connection(_) => &["sso:manage"],
            Page::Webhooks | Page::Webhook(_) => &["webhooks:manage"],
            _ => &["members:manage"],
        };
        needed.iter().any(|permission| self.at.holds(permission))
    }

    /// What a refusal means to whoever reads it.
    pub(super) fn told(&self, refusal: &Refusal, conflict: Said) -> Said {
        match refusal.code() {
            RefusalCode::Conflict => conflict,
            RefusalCode::PreconditionFailed => Said::Changed,
            RefusalCode::OrganizationSuspended => Said::Suspended,
            RefusalCode::NotFound => Said::Gone,
            RefusalCode::TooManyRequests => Said::TooMany,
            RefusalCode::TemporarilyUnavailable => Said::Busy,
            RefusalCode::Unprocessable if self.place.page == Page::Keys => Said::NoName,
            RefusalCode::Unprocessable => Said::NoRoles,
            RefusalCode::InvalidScope => Said::NotYours,
            RefusalCode::InsufficientScope if self.manages() => Said::NotYours,
            RefusalCode::InsufficientScope => Said::NotAllowed,
            _ => Said::NotPossible,
        }
    }
}

/// Whether the person may see a part of the console.
fn is_seen(at: &AtWork, section: Section) -> bool {
    match section {
        Section::Overview => true,
        Section::Members | Section::Invitations => at.holds("members:read"),
        Section::Roles => at.holds("roles:read"),
        Section::Applications => at.holds("clients:read"),
        Section::Keys => at.holds("api_keys:manage"),
        Section::Domains => at.holds("domains:manage"),
        Section::Connections => at.holds("sso:manage"),
        Section::Webhooks => at.holds("webhooks:manage"),
        Section::Trail => at.holds("audit:read"),
    }
}

/// The language that the address asks for.
pub(super) fn asked(query: &Pairs) -> Option<Spoken> {
    query.get("ui_locales").and_then(Language::first_spoken).map(spoken)
}
