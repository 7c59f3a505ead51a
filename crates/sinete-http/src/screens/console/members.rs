//! The members of an organization: listed, looked at, given roles, switched off and on, removed.

use super::overview::roles;
use super::paging::ConsolePaging;
use super::{ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext, named};
use crate::extract::pairs::FormParams;
use crate::reply::{HandlerError, HandlerResult};
use axum::response::Response;
use sinete_core::authority::catalogue::BuiltInRole;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::limits::MEMBER_SEARCH_WALKS_MAX;
use sinete_core::people::LifecycleCondition;
use sinete_core::people::profile::{MemberProfile, ProfileText};
use sinete_core::people::search::{InvalidMemberSearch, MemberSearch};
use sinete_engine::find_members::{self, MemberSearchRequest};
use sinete_engine::members::{self, AssignableRole, MemberWithRoles, MembershipHolder, MembershipRow};
use sinete_engine::{Failure, invitations};
use sinete_screens::console::member::{MemberActions, MemberDetailView, MemberProfileItem, RoleChoice};
use sinete_screens::console::members::{MemberItem as Line, MemberListView, MembershipHolderView as Held};
use sinete_screens::console::said::ConsoleNotice;
use sinete_screens::console::{ConsoleLayout, ConsoleSection, ListPaging, asking};
use sinete_screens::moment::DisplayTime;

/// Shows a page of the members: of all, or of those who are looked for.
pub(super) async fn list(work: &PageContext<'_>) -> HandlerResult {
    let (engine, acting) = (work.engine(), work.at.acting());
    let typed = work.query.get("search").unwrap_or_default();
    let query = asking([("search", typed)]);
    let paging = ConsolePaging::asked_with(work, &query)?;
    let search = Some(typed).filter(|typed| !typed.trim().is_empty()).map(str::parse::<MemberSearch>);
    let (mut stopped, mut said, mut early) = (None, None, false);
    let mut read: Vec<(String, MemberWithRoles)> = match search.transpose() {
        Ok(None) => {
            let read = members::list(engine, acting, paging.after()?, ConsolePaging::to_read()).await??;
            read.into_iter().map(|member| (member.membership.id.to_string(), member)).collect()
        }
        Ok(Some(search)) => {
            let after = paging.after()?;
            let looked = MemberSearchRequest {
                search: &search,
                after,
                most: ConsolePaging::to_read(),
                walks: MEMBER_SEARCH_WALKS_MAX,
            };
            let found = find_members::find(engine, acting, looked).await??;
            early = found.is_early;
            stopped = found.stopped.map(|place| place.to_string());
            found.members.into_iter().map(|found| (found.place.to_string(), found.member)).collect()
        }
        // What cannot be looked for finds nobody, and the page says what is wrong with it.
        Err(why) => {
            said = Some(match why {
                InvalidMemberSearch::TooManyWords => ConsoleNotice::TooManyWords,
                InvalidMemberSearch::Text => ConsoleNotice::BadSearch,
            });
            Vec::new()
        }
    };
    let further = stopped.is_some();
    let next = paging.cut_at(&mut read, |(place, _)| place.clone(), stopped);
    let ids: Vec<MembershipId> = read.iter().map(|(_, member)| member.membership.id).collect();
    let addresses = invitations::addresses(engine, acting, &ids).await??;
    let address = |id: MembershipId| addresses.iter().find(|(of, _)| *of == id).map(|(_, text)| text.clone());
    let known: Vec<MemberText> = read
        .into_iter()
        .map(|(_, member)| {
            let address = address(member.membership.id).unwrap_or_default();
            MemberText::of(work, member, address)
        })
        .collect::<Result<_, _>>()?;
    let lines: Vec<Line<'_>> = known.iter().map(MemberText::line).collect();
    let pages = ListPaging { next: next.as_deref(), later: paging.is_later(), asked: &query };
    let desk = work.desk(ConsoleSection::Members);
    let desk = ConsoleLayout { said: said.or(desk.said), ..desk };
    let page = MemberListView { desk, members: &lines, pages, search: typed, further, early };
    Ok(work.answer(page.page(&work.frame())))
}

/// Shows one member.
pub(super) async fn show(work: &PageContext<'_>, id: &str) -> HandlerResult {
    let (engine, acting, id) = (work.engine(), work.at.acting(), named(id)?);
    let member = members::show(engine, acting, id).await??;
    let address = invitations::addresses(engine, acting, &[id]).await??.pop().map(|(_, text)| text);
    let offered = match members::offered_roles(engine, acting).await? {
        Ok(offered) if work.at.may_change("members:manage") => Some(offered),
        Ok(_) | Err(_) => None,
    };
    let seen = MemberText::of(work, member, address.unwrap_or_default())?;
    Ok(seen.page(work, offered.as_deref()))
}

/// Does what a form about the member asks for.
pub(super) async fn change(work: &PageContext<'_>, id: &str, form: &FormParams) -> Outcome {
    let (engine, id, here) = (work.engine(), named(id)?, work.here.clone());
    let action = form.get("action").unwrap_or_default();
    let is_own = work.at.is_own(id);
    let is_leaving = action == "remove" && is_own;
    let acting = match action {
        // What hands out access, or gives up one's own, takes a fresh proof.
        "set_roles" | "enable" => work.at.conferring(engine).await?,
        "remove" | "disable" if is_own => work.at.conferring(engine).await?,
        _ => Ok(work.at.acting()),
    };
    let acting = match acting {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible))),
    };
    let (done, said) = match action {
        "set_roles" => {
            let seen = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
            (members::set_roles(engine, acting, id, seen, &chosen(form)).await?, ConsoleNotice::RolesChanged)
        }
        "enable" => (members::enable(engine, acting, id).await?, ConsoleNotice::SwitchedOn),
        "disable" => (members::disable(engine, acting, id).await?, ConsoleNotice::SwitchedOff),
        "remove" => (members::remove(engine, acting, id).await?, ConsoleNotice::Removed),
        _ => return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible))),
    };
    let to = match said {
        ConsoleNotice::Removed if is_leaving => "/my-account".to_owned(),
        ConsoleNotice::Removed => format!("{}{}", work.place.front(), ConsoleSection::Members.path()),
        _ => here,
    };
    Ok(done
        .map(|_| ActionOutcome::Done(CompletedAction { said, to }))
        .map_err(|refusal| ActionError::of_roles(refusal, ConsoleNotice::LastOwner, form)))
}

/// The roles that are ticked in a form. What is no id of a role is none of the organization's either.
pub(super) fn chosen(form: &FormParams) -> Vec<RoleId> {
    let ticked = form.iter().filter_map(|(name, _)| name.strip_prefix("role."));
    ticked.filter_map(|id| id.parse().ok()).collect()
}

/// A role as it is offered in a form.
#[derive(Clone)]
pub(super) struct RoleSelection {
    role: RoleId,
    id: String,
    name: String,
    about: String,
    chosen: bool,
    free: bool,
}

impl RoleSelection {
    pub(super) fn of(work: &PageContext<'_>, offered: &AssignableRole, chosen: bool, free: bool) -> Self {
        let role = &offered.role;
        Self {
            role: role.id,
            id: role.id.to_string(),
            name: work.reader.language.words().roles.read([role.role.name()]),
            about: role.description.clone(),
            chosen,
            free,
        }
    }

    pub(super) fn view(&self) -> RoleChoice<'_> {
        let Self { id, name, about, chosen, free, .. } = self;
        RoleChoice { id, name, about, chosen: *chosen, free: *free }
    }

    /// The role, where it is chosen.
    pub(super) fn chosen(&self) -> Option<RoleId> {
        self.chosen.then_some(self.role)
    }

    /// Chooses it as somebody did, where they said so and were free to.
    pub(super) fn tick(&mut self, said: impl Fn(RoleId) -> Option<bool>) {
        self.chosen = said(self.role).filter(|_| self.free).unwrap_or(self.chosen);
    }

    /// Whether the role was chosen in this form, where it was sent and not done.
    pub(super) fn is_ticked(work: &PageContext<'_>, form: &str, role: RoleId) -> Option<bool> {
        work.left.as_ref()?.ticked(form, &format!("role.{role}"))
    }
}

/// A member, in words.
struct MemberText {
    id: String,
    name: String,
    address: String,
    roles: String,
    holder: Held,
    profile: MemberProfile,
    member: MemberWithRoles,
}

impl MemberText {
    fn of(work: &PageContext<'_>, member: MemberWithRoles, address: String) -> Result<Self, HandlerError> {
        let membership = &member.membership;
        let profile: MemberProfile = membership.profile.read().map_err(Failure::from)?;
        let holder = match &membership.holder {
            MembershipHolder::Person(_) if work.at.is_own(membership.id) => Held::Oneself,
            MembershipHolder::Person(_) => Held::Person,
            MembershipHolder::Machine(_) => Held::Machine,
            MembershipHolder::Nobody => Held::Nobody,
        };
        Ok(Self {
            id: membership.id.to_string(),
            name: name_of(membership)?,
            address,
            roles: roles(&member.roles, work.reader.language),
            holder,
            profile,
            member,
        })
    }

    fn line(&self) -> Line<'_> {
        Line {
            id: &self.id,
            name: &self.name,
            address: &self.address,
            roles: &self.roles,
            holder: self.holder,
            off: self.member.membership.condition != LifecycleCondition::Enabled,
        }
    }

    fn page(&self, work: &PageContext<'_>, offered: Option<&[AssignableRole]>) -> Response {
        let is_owner = work.at.acting().is_owner;
        let choice = |offered: &AssignableRole| {
            let carried = self.member.roles.iter().any(|it| it.id == offered.role.id);
            let owns = offered.role.is_built_in && offered.role.role.name() == BuiltInRole::Owner.name();
            // Any role can be taken away but that of owners, which is theirs to take.
            let free = if carried { is_owner || !owns } else { offered.can_be_given };
            let ticked = RoleSelection::is_ticked(work, "set_roles", offered.role.id)
                .filter(|_| free)
                .unwrap_or(carried);
            RoleSelection::of(work, offered, ticked, free)
        };
        let choices: Option<Vec<RoleSelection>> = offered.map(|all| all.iter().map(choice).collect());
        let choices: Option<Vec<RoleChoice<'_>>> =
            choices.as_ref().map(|all| all.iter().map(RoleSelection::view).collect());
        let text = |text: &'_ Option<ProfileText>| {
            text.as_ref().map(|it| it.as_str().to_owned()).unwrap_or_default()
        };
        let email = self.profile.email.as_ref().map(ToString::to_string).unwrap_or_default();
        let (title, department) = (text(&self.profile.title), text(&self.profile.department));
        let manages = work.at.may_change("members:manage");
        let is_own = self.holder == Held::Oneself;
        let leaves = is_own && work.at.acting().must_be_enabled().is_ok();
        let version = self.member.membership.version;
        // Leaving is everybody's.
        let has_form = choices.is_some() || !work.left.as_ref().is_some_and(|left| left.opens("set_roles"));
        let page = MemberDetailView {
            desk: work.desk_of_form(ConsoleSection::Members, FlashVisibility::form_if(has_form)),
            member: self.line(),
            known: MemberProfileItem {
                email: &email,
                title: &title,
                department: &department,
                external: self.member.membership.external_id.as_deref().unwrap_or_default(),
            },
            since: DisplayTime(self.member.membership.created_at.seconds()),
            version: work.left.as_ref().map_or(version, |left| left.version("set_roles", version)),
            roles: choices.as_deref(),
            may: MemberActions {
                switch: manages && !is_own,
                remove: manages || leaves,
                trail: work.at.holds("audit:read"),
            },
        };
        work.answer(page.page(&work.frame()))
    }
}

/// What the organization calls a member: by the profile, or a machine by its own name; nothing where it has no name.
pub(super) fn name_of(membership: &MembershipRow) -> Result<String, HandlerError> {
    let profile: MemberProfile = membership.profile.read().map_err(Failure::from)?;
    let text = |text: &Option<ProfileText>| text.as_ref().map(|it| it.as_str().to_owned());
    let parts = [text(&profile.given_name), text(&profile.family_name)];
    let whole = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Ok(text(&profile.name).unwrap_or(match &membership.holder {
        MembershipHolder::Machine(client) => client.as_str().to_owned(),
        MembershipHolder::Person(_) | MembershipHolder::Nobody => whole,
    }))
}
