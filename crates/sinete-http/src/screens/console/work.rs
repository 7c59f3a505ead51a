//! Somebody at work on a page: who they are, which page it is, and what stands around it.

use super::left::FlashForm;
use super::place::{ConsolePage, ReturnTo};
use super::reader;
use crate::call::RoutedRequest;
use crate::extract::pairs::FormParams;
use crate::pages::spoken;
use crate::reply::HandlerError;
use crate::screens::{NOT_DONE, PageReader, see, walk};
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::entropy::draw;
use sinete_core::people::LifecycleCondition;
use sinete_core::people::language::Language;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::console::ConsoleSession;
use sinete_engine::{Engine, looks};
use sinete_screens::console::said::ConsoleNotice;
use sinete_screens::console::{ConsoleLayout, ConsoleSection, FormGate};
use sinete_screens::language::UiLanguage as Spoken;
use sinete_screens::page::PageFrame;

/// Somebody at work on a page.
pub(super) struct PageContext<'a> {
    pub(super) state: &'a HttpState,
    pub(super) call: &'a RoutedRequest,
    pub(super) query: &'a FormParams,
    pub(super) at: ConsoleSession,
    pub(super) place: ReturnTo,
    pub(super) reader: PageReader<'a>,
    pub(super) left: Option<FlashForm>,
    csrf: String,
    pub(super) here: String,
    slug: String,
    sections: Vec<ConsoleSection>,
}

/// What somebody finds of the form that they sent, on the page it stood on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlashVisibility {
    /// The form.
    Form,
    /// What is for owners alone is not there, and something else is.
    OthersForm,
    /// None: they may change nothing there.
    Nothing,
}

impl FlashVisibility {
    pub(super) const fn form_if(is_there: bool) -> Self {
        if is_there { Self::Form } else { Self::Nothing }
    }
}

impl<'a> PageContext<'a> {
    pub(super) async fn begin(
        state: &'a HttpState,
        call: &'a RoutedRequest,
        query: &'a FormParams,
        at: ConsoleSession,
        place: ReturnTo,
    ) -> Result<Self, HandlerError> {
        let organization = &at.acting().organization;
        let look = looks::of(state.engine(), organization.id).await?;
        let reader = reader(state, call, query, &at.oneself).await?.about(look.as_ref());
        let here = place.path();
        Ok(Self {
            left: FlashForm::of(call.headers(), state.scheme(), &here),
            csrf: at.oneself.csrf_token(state.engine()),
            slug: organization.slug.to_string(),
            sections: ConsoleSection::ALL.into_iter().filter(|section| is_seen(&at, *section)).collect(),
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
    pub(super) fn desk(&self, section: ConsoleSection) -> ConsoleLayout<'_> {
        let organization = &self.at.acting().organization;
        ConsoleLayout {
            organization: &organization.name,
            slug: &self.slug,
            suspended: organization.condition != LifecycleCondition::Enabled,
            sections: &self.sections,
            section,
            asked: asked(self.query),
            here: &self.here,
            csrf: &self.csrf,
            said: self.left.as_ref().and_then(FlashForm::said).or_else(|| {
                // Whoever comes back from a provider brings no form along, and is told.
                (self.query.get("trouble") == Some(NOT_DONE)).then_some(ConsoleNotice::NotDone)
            }),
            is_lost: self.left.as_ref().is_some_and(FlashForm::is_lost),
        }
    }

    /// The same on a page with a form. To whoever does not find there what they sent, and perhaps never saw it, what is to
    /// be said of it says nothing: they read that it was refused, and why.
    pub(super) fn desk_of_form(&self, section: ConsoleSection, finds: FlashVisibility) -> ConsoleLayout<'_> {
        let desk = self.desk(section);
        let why = match finds {
            FlashVisibility::Form => return desk,
            FlashVisibility::OthersForm => ConsoleNotice::OwnersDecide,
            FlashVisibility::Nothing if desk.suspended => ConsoleNotice::Suspended,
            FlashVisibility::Nothing => ConsoleNotice::NotAllowed,
        };
        let said = desk.said.map(|said| if said.is_about_form() { why } else { said });
        ConsoleLayout { said, is_lost: false, ..desk }
    }

    pub(super) fn frame(&self) -> PageFrame<'_> {
        self.reader.frame(&self.here)
    }

    pub(super) fn answer(&self, page: String) -> Response {
        self.reader.answer(StatusCode::OK, page)
    }

    /// The page that follows a form, with what came of it.
    pub(super) fn leads(&self, path: &str, left: FlashForm) -> Response {
        let mut response = see(self.state, &walk::with_language(path, self.query));
        left.leave(&mut response, self.state.scheme());
        response
    }

    /// Whether the person has proven lately who they are. A page asks once, where they may change something.
    pub(super) async fn is_proven(&self, may_change: bool) -> Result<bool, HandlerError> {
        Ok(may_change && self.at.conferring(self.engine()).await?.is_ok())
    }

    /// How a form stands that cannot wait for a proof: whoever has given none lately gives it first. What somebody is at
    /// is not taken from them again.
    pub(super) fn stands(&self, form: &str, is_proven: bool) -> FormGate {
        match self.left.as_ref().is_some_and(|left| left.opens(form)) {
            true => FormGate::Open,
            false if is_proven => FormGate::Closed,
            false => FormGate::Behind,
        }
    }

    /// What makes sure that a form which is sent twice makes one thing.
    pub(super) fn once(&self) -> String {
        URL_SAFE_NO_PAD.encode(draw::<16>(self.state.house().entropy()))
    }

    /// Whether the person may manage what is on this page, so that it is about more than that where they are refused.
    fn manages(&self) -> bool {
        let needed: &[&str] = match &self.place.page {
            ConsolePage::Roles | ConsolePage::Role(_) => &["roles:manage"],
            ConsolePage::Applications => &["clients:create", "agents:manage"],
            ConsolePage::Application(_) => &["clients:manage", "agents:manage"],
            ConsolePage::Connections | ConsolePage::Connection(_) => &["sso:manage"],
            ConsolePage::Webhooks | ConsolePage::Webhook(_) => &["webhooks:manage"],
            _ => &["members:manage"],
        };
        needed.iter().any(|permission| self.at.holds(permission))
    }

    /// What a refusal means to whoever reads it.
    pub(super) fn told(&self, refusal: &Refusal, conflict: ConsoleNotice) -> ConsoleNotice {
        match refusal.code() {
            RefusalCode::Conflict => conflict,
            RefusalCode::PreconditionFailed => ConsoleNotice::Changed,
            RefusalCode::OrganizationSuspended => ConsoleNotice::Suspended,
            RefusalCode::NotFound => ConsoleNotice::Gone,
            RefusalCode::TooManyRequests => ConsoleNotice::TooMany,
            RefusalCode::TemporarilyUnavailable => ConsoleNotice::Busy,
            RefusalCode::Unprocessable if self.place.page == ConsolePage::Keys => ConsoleNotice::NoName,
            RefusalCode::Unprocessable => ConsoleNotice::NoRoles,
            RefusalCode::InvalidScope => ConsoleNotice::NotYours,
            RefusalCode::InsufficientScope if self.manages() => ConsoleNotice::NotYours,
            RefusalCode::InsufficientScope => ConsoleNotice::NotAllowed,
            _ => ConsoleNotice::NotPossible,
        }
    }
}

/// Whether the person may see a part of the console.
fn is_seen(at: &ConsoleSession, section: ConsoleSection) -> bool {
    match section {
        ConsoleSection::Overview => true,
        ConsoleSection::Members | ConsoleSection::Invitations => at.holds("members:read"),
        ConsoleSection::Roles => at.holds("roles:read"),
        ConsoleSection::Applications => at.holds("clients:read"),
        ConsoleSection::Keys => at.holds("api_keys:manage"),
        ConsoleSection::Domains => at.holds("domains:manage"),
        ConsoleSection::Connections => at.holds("sso:manage"),
        ConsoleSection::Webhooks => at.holds("webhooks:manage"),
        ConsoleSection::Trail => at.holds("audit:read"),
    }
}

/// The language that the address asks for.
pub(super) fn asked(query: &FormParams) -> Option<Spoken> {
    query.get("ui_locales").and_then(Language::first_spoken).map(spoken)
}
