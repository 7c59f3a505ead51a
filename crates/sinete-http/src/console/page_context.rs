//! The context of a console page: the user, the page and its layout.

use super::{console_reader, operation_pages};
use crate::console::action::{ActionError, ActionOutcome, CompletedAction};
use crate::console::flash_form::FlashForm;
use crate::console::page::{ConsolePage, ReturnTo};
use crate::screens::{ACTION_NOT_PERFORMED, PageRenderContext, see_other};
use crate::sign_in::flow_pages;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::access_control::built_in_permissions::{
    MANAGE_API_KEYS, MANAGE_DOMAINS, MANAGE_SSO, MANAGE_WEBHOOKS, READ_AUDIT, READ_CLIENTS, READ_MEMBERS,
    READ_ROLES,
};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::language::Language;
use sinete_core::entropy::draw_bytes;
use sinete_engine::administration::console;
use sinete_engine::administration::console::ConsoleSession;
use sinete_engine::organizations::branding;
use sinete_engine::organizations::members;
use sinete_engine::organizations::members::AssignableRole;
use sinete_engine::platform::idempotency;
use sinete_engine::platform::idempotency::IdempotencyClaim;
use sinete_engine::{Engine, UseCaseResult};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::console::{ConsoleLayout, ConsoleSection, StepUpFormState};
use sinete_screens::language::UiLanguage;
use sinete_screens::page::PageFrame;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

/// The context of a page.
pub(super) struct PageContext<'a> {
    pub(super) state: &'a HttpState,
    pub(super) request: &'a RoutedRequest,
    pub(super) query: &'a FormParams,
    pub(super) access: ConsoleSession,
    pub(super) return_to: ReturnTo,
    pub(super) reader: PageRenderContext<'a>,
    pub(super) flash: Option<FlashForm>,
    csrf: String,
    pub(super) path: String,
    slug: String,
    sections: Vec<ConsoleSection>,
    is_operator: bool,
}

/// Whether a form is submitted for the first time.
pub(super) enum FormClaim {
    /// The first time, with the claim for the object that it creates.
    New(IdempotencyClaim),
    /// It was submitted before, with this result.
    Repeated(ActionOutcome),
}

/// Which form the user finds on the page after submitting one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlashVisibility {
    /// The same form.
    Form,
    /// Another form, because the submitted one is only for owners.
    NonOwnerForm,
    /// None: the user may change nothing there.
    None,
}

impl FlashVisibility {
    pub(super) const fn from_form_presence(is_there: bool) -> Self {
        if is_there { Self::Form } else { Self::None }
    }
}

impl<'a> PageContext<'a> {
    pub(super) async fn load(
        state: &'a HttpState,
        request: &'a RoutedRequest,
        query: &'a FormParams,
        at: ConsoleSession,
        return_to: ReturnTo,
    ) -> Result<Self, HandlerError> {
        let organization = &at.organization_access().organization;
        let look = match return_to.is_of_instance() {
            true => None,
            false => branding::find_branding(state.engine(), organization.id).await?,
        };
        let reader = console_reader(state, request, query, &at.holder)
            .await?
            .with_organization_branding(look.as_ref());
        let path = return_to.path();
        let mut loaded = Self {
            flash: FlashForm::from_cookie(request.headers(), state.scheme(), &path),
            csrf: at.holder.csrf_token(state.engine()),
            slug: organization.slug.to_string(),
            sections: Vec::new(),
            is_operator: console::can_enter_instance(state.engine(), &at.holder).await?,
            state,
            request,
            query,
            access: at,
            return_to,
            reader,
            path,
        };
        loaded.sections = loaded.visible_sections();
        Ok(loaded)
    }

    /// Whether it is a page of the instance.
    pub(super) const fn is_of_instance(&self) -> bool {
        self.return_to.is_of_instance()
    }

    /// The sections that the user may see.
    fn visible_sections(&self) -> Vec<ConsoleSection> {
        let all: &[ConsoleSection] = match self.is_of_instance() {
            true => &ConsoleSection::INSTANCE,
            false => &ConsoleSection::ALL,
        };
        all.iter().copied().filter(|section| self.can_see_section(*section)).collect()
    }

    pub(super) fn engine(&self) -> &Engine {
        self.state.engine()
    }

    /// The layout.
    pub(super) fn layout(&self, section: ConsoleSection) -> ConsoleLayout<'_> {
        let organization = &self.access.organization_access().organization;
        ConsoleLayout {
            organization: match self.is_of_instance() {
                true => self.phrases().instance.title,
                false => &organization.name,
            },
            slug: &self.slug,
            suspended: organization.condition != LifecycleCondition::Enabled,
            sections: &self.sections,
            section,
            url_language: requested_language(self.query),
            current_path: &self.path,
            csrf: &self.csrf,
            notice: self.flash.as_ref().and_then(FlashForm::notice).or_else(|| {
                // After a step-up at an identity provider there is no form data, so only a notice is shown.
                (self.query.get("trouble") == Some(ACTION_NOT_PERFORMED)).then_some(ConsoleNotice::NotDone)
            }),
            is_input_lost: self.flash.as_ref().is_some_and(FlashForm::is_input_lost),
            detail: self.flash.as_ref().map_or("", FlashForm::detail),
            is_operator: self.is_operator,
        }
    }

    /// The layout of a page with a form. If the user does not find the submitted form, the notice explains
    /// the refusal instead of a field.
    pub(super) fn form_layout(&self, section: ConsoleSection, finds: FlashVisibility) -> ConsoleLayout<'_> {
        let layout = self.layout(section);
        let notice = match finds {
            FlashVisibility::Form => return layout,
            FlashVisibility::NonOwnerForm => ConsoleNotice::OwnersDecide,
            FlashVisibility::None if layout.suspended => ConsoleNotice::Suspended,
            FlashVisibility::None => ConsoleNotice::NotAllowed,
        };
        let layout_notice =
            layout.notice.map(|current| if current.is_about_form() { notice } else { current });
        ConsoleLayout { notice: layout_notice, is_input_lost: false, ..layout }
    }

    pub(super) fn frame(&self) -> PageFrame<'_> {
        self.reader.frame(&self.path)
    }

    pub(super) fn page_response(&self, page: String) -> Response {
        self.reader.script_page_response(StatusCode::OK, page)
    }

    /// Redirects to the next page with the flash data.
    pub(super) fn redirect_with_flash(&self, path: &str, flash: FlashForm) -> Response {
        let mut response = see_other(self.state, &flow_pages::with_language(path, self.query));
        flash.set_cookie(&mut response, self.state.scheme());
        response
    }

    /// Whether the user authenticated recently. Queried only if they may change something.
    pub(super) async fn is_recently_authenticated(&self, may_change: bool) -> Result<bool, HandlerError> {
        if !may_change {
            return Ok(false);
        }
        Ok(self.access.require_fresh_access(self.engine()).await.unless_refused()?.is_some())
    }

    /// The state of a form that requires recent authentication. A form that is already open stays open.
    pub(super) fn step_up_form_state(&self, form: &str, is_proven: bool) -> StepUpFormState {
        match self.flash.as_ref().is_some_and(|flash| flash.is_form_open(form)) {
            true => StepUpFormState::Open,
            false if is_proven => StepUpFormState::Closed,
            false => StepUpFormState::NeedsStepUp,
        }
    }

    /// The idempotency key of a form.
    pub(super) fn new_form_token(&self) -> String {
        URL_SAFE_NO_PAD.encode(draw_bytes::<16>(self.state.backend().entropy()))
    }

    /// Claims the idempotency key of a form that creates something, or returns the earlier result: submitting it again
    /// creates nothing (docs/contribute/decisions/0178-console-secrets-shown-once.md).
    pub(super) async fn claim_form_token(&self, form: &FormParams) -> Result<FormClaim, ActionError> {
        let claim = self
            .access
            .idempotency_claim(form.get("once").unwrap_or_default(), &self.path)
            .map_err(ActionError::Refused)?;
        Ok(match self.find_earlier_result(&claim).await? {
            Some(outcome) => FormClaim::Repeated(outcome),
            None => FormClaim::New(claim),
        })
    }

    /// The notice if it was already created; a concurrent duplicate may have been first.
    pub(super) async fn find_earlier_result(
        &self,
        claim: &IdempotencyClaim,
    ) -> Result<Option<ActionOutcome>, HandlerError> {
        let earlier = idempotency::find_earlier_reply(self.engine(), claim).await.unless_refused()?;
        let made_before =
            CompletedAction { notice: ConsoleNotice::MadeBefore, return_path: self.path.clone() };
        Ok(earlier.flatten().map(|_| ActionOutcome::Redirect(made_before)))
    }

    /// Whether the user may see a section. Those of operations are visible to users who may call the first one.
    fn can_see_section(&self, section: ConsoleSection) -> bool {
        let needed = match section {
            ConsoleSection::Overview => return true,
            ConsoleSection::Members | ConsoleSection::Invitations => READ_MEMBERS,
            ConsoleSection::Roles => READ_ROLES,
            ConsoleSection::Applications => READ_CLIENTS,
            ConsoleSection::ApiKeys => MANAGE_API_KEYS,
            ConsoleSection::Domains => MANAGE_DOMAINS,
            ConsoleSection::Connections => MANAGE_SSO,
            ConsoleSection::Webhooks => MANAGE_WEBHOOKS,
            ConsoleSection::AuditLog => READ_AUDIT,
            _ => {
                let mut pages = operation_pages();
                return pages.any(|page| {
                    page.section == section
                        && page.reads.first().is_none_or(|operation| self.can_call(operation))
                });
            }
        };
        self.access.has_permission(needed)
    }
}

/// The language selected in the URL.
pub(super) fn requested_language(query: &FormParams) -> Option<UiLanguage> {
    query.get("ui_locales").and_then(Language::from_locale_list)
}

/// The field of a form with the names of roles, separated by commas, where there are too many for a checkbox each.
const ROLE_NAMES_FIELD: &str = "role_names";

/// A form whose named roles are ticked.
pub(super) struct NamedRoles {
    /// The form, as if each role had been ticked.
    pub(super) form: FormParams,
    /// Whether the user may assign a role of every name.
    pub(super) are_assignable: bool,
}

/// Ticks the roles that a form names, so that what reads the form knows only ticked roles. A name counts as it is stored
/// and as the page shows it.
pub(super) async fn tick_named_roles(
    context: &PageContext<'_>,
    form: &FormParams,
) -> Result<NamedRoles, HandlerError> {
    let has_roles = matches!(
        context.return_to.page,
        ConsolePage::Member(_)
            | ConsolePage::Invitations
            | ConsolePage::Applications
            | ConsolePage::Application(_)
    );
    let Some(names) = form.get(ROLE_NAMES_FIELD).filter(|_| has_roles) else {
        return Ok(NamedRoles { form: form.clone(), are_assignable: true });
    };
    let result = members::list_assignable_roles(context.engine(), context.access.organization_access()).await;
    let roles = result.unless_refused()?.unwrap_or_default();
    let others = form.iter().filter(|(name, _)| *name != ROLE_NAMES_FIELD);
    let mut pairs: Vec<(String, String)> =
        others.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut are_known = true;
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let role = roles.iter().find(|it| it.is_assignable && matches_role_name(context, it, name));
        let field = role.map(|it| format!("role.{}", it.role.id));
        are_known &= field.is_some();
        let field = field.filter(|field| !pairs.iter().any(|(key, _)| key == field));
        pairs.extend(field.map(|field| (field, "on".to_owned())));
    }
    Ok(NamedRoles { form: FormParams::from_pairs(pairs), are_assignable: are_known })
}

fn matches_role_name(context: &PageContext<'_>, role: &AssignableRole, name: &str) -> bool {
    let (stored, lowercase_name) = (role.role.role.name(), name.to_lowercase());
    let display_name = context.phrases().role_names.join([stored]);
    stored.to_lowercase() == lowercase_name || display_name.to_lowercase() == lowercase_name
}
