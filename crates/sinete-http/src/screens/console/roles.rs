//! The roles of an organization: listed, made, changed in what they confer, deleted. What built-in roles confer is shown.

use super::paging::ConsolePaging;
use super::shown::{SubmittedForm, carried};
use super::{
    ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext, making, named,
};
use crate::extract::pairs::FormParams;
use crate::manage::roles::RoleInput;
use crate::reply::{HandlerError, HandlerResult};
use sinete_core::authority::catalogue::BuiltInRole;
use sinete_core::id::RoleId;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::roles::{self, GrantablePermission, RoleRow};
use sinete_screens::console::roles::{
    NewRoleForm, RoleDetailView, RoleFields, RoleItem, RoleListView, RolePermission,
};
use sinete_screens::console::said::ConsoleNotice;
use sinete_screens::console::{ConsoleSection, ListPaging};
use sinete_screens::language::UiLanguage;

/// What stands before a permission in the name of its box.
const PERMISSION: &str = "permission.";

/// Shows a page of the roles, and a form for one more to whoever may make it.
pub(super) async fn list(work: &PageContext<'_>) -> HandlerResult {
    let (engine, acting) = (work.engine(), work.at.acting());
    let paging = ConsolePaging::asked(work)?;
    let mut read = roles::list(engine, acting, paging.after()?, ConsolePaging::to_read()).await??;
    let next = paging.cut(&mut read, |role| role.id.to_string());
    let seen: Vec<RolePageText> = read.iter().map(|role| RolePageText::of(work, role)).collect();
    let lines: Vec<RoleItem<'_>> = seen.iter().map(RolePageText::view).collect();
    let offered = PermissionChoices::of(work, None).await?;
    let permissions = offered.view();
    let typed = |name: &str| work.left.as_ref().filter(|it| it.is_of("make")).and_then(|it| it.field(name));
    let once = work.once();
    let make = NewRoleForm {
        once: &once,
        open: work.left.as_ref().is_some_and(|left| left.opens("make")),
        fields: RoleFields {
            name: typed("name").unwrap_or_default(),
            about: typed("description").unwrap_or_default(),
            permissions: &permissions,
            hides_some: offered.hides_some,
        },
    };
    let may_make = work.at.may_change("roles:manage");
    let page = RoleListView {
        desk: work.desk_of_form(ConsoleSection::Roles, FlashVisibility::form_if(may_make)),
        roles: &lines,
        pages: ListPaging { next: next.as_deref(), later: paging.is_later(), asked: "" },
        make: may_make.then_some(make),
    };
    Ok(work.answer(page.page(&work.frame())))
}

/// Shows one role.
pub(super) async fn show(work: &PageContext<'_>, id: &str) -> HandlerResult {
    let role = roles::show(work.engine(), work.at.acting(), named(id)?).await??;
    let (seen, offered) = (RolePageText::of(work, &role), PermissionChoices::of(work, Some(&role)).await?);
    let permissions = offered.view();
    // What somebody changed is theirs to send again; the rest is as it is now.
    let retyped = SubmittedForm::of(work.left.as_ref(), "change");
    let typed = |name: &str| retyped.as_ref().and_then(|it| it.text(name));
    let texts = [("name", role.role.name()), ("description", &role.description)];
    let held = role.role.permissions().iter();
    let may_change = work.at.may_change("roles:manage") && !role.is_built_in;
    let page = RoleDetailView {
        desk: work.desk_of_form(ConsoleSection::Roles, FlashVisibility::form_if(may_change)),
        role: seen.view(),
        is_owners: role.is_built_in && role.role.name() == BuiltInRole::Owner.name(),
        version: work.left.as_ref().map_or(role.version, |left| left.version("change", role.version)),
        fields: RoleFields {
            name: typed("name").unwrap_or(role.role.name()),
            about: typed("description").unwrap_or(&role.description),
            permissions: &permissions,
            hides_some: offered.hides_some,
        },
        shown: &carried(texts, held.map(|it| format!("{PERMISSION}{it}"))),
        may_change,
    };
    Ok(work.answer(page.page(&work.frame())))
}

/// Makes a role.
pub(super) async fn make(work: &PageContext<'_>, form: &FormParams) -> Outcome {
    let engine = work.engine();
    if form.get("action") != Some("make") {
        return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)));
    }
    let wanted = match text(form).wanted() {
        Ok(wanted) => wanted,
        Err(declined) => return unread(declined),
    };
    let acting = match work.at.conferring(engine).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible))),
    };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    match roles::create(engine, &acting.claiming(Some(claim.clone())), &wanted).await? {
        Ok(role) => Ok(Ok(ActionOutcome::Done(CompletedAction {
            said: ConsoleNotice::RoleMade,
            to: format!("{}/{}", work.here, role.id),
        }))),
        Err(refusal) => match making::was_made(work, &claim).await? {
            Some(made) => Ok(Ok(made)),
            None => Ok(Err(trouble(refusal, ConsoleNotice::NameTaken))),
        },
    }
}

/// Changes or deletes a role, if it is still as the page showed it.
pub(super) async fn change(work: &PageContext<'_>, id: &str, form: &FormParams) -> Outcome {
    let (engine, id) = (work.engine(), named::<RoleId>(id)?);
    let seen = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
    match form.get("action") {
        Some("change") => {
            let acting = match work.at.conferring(engine).await? {
                Ok(acting) => acting,
                Err(refusal) => return Ok(Err(ActionError::Refused(refusal, ConsoleNotice::NotPossible))),
            };
            let wanted = match text(form).wanted() {
                Ok(wanted) => wanted,
                Err(declined) => return unread(declined),
            };
            let conflict = match roles::show(engine, work.at.acting(), id).await? {
                Ok(role) if role.is_built_in => ConsoleNotice::NotPossible,
                Ok(_) => ConsoleNotice::NameTaken,
                Err(refusal) => return Ok(Err(trouble(refusal, ConsoleNotice::NotPossible))),
            };
            let done = roles::change(engine, acting, id, seen, &wanted).await?;
            let done = done.map(|_| {
                ActionOutcome::Done(CompletedAction {
                    said: ConsoleNotice::RoleChanged,
                    to: work.here.clone(),
                })
            });
            Ok(done.map_err(|refusal| trouble(refusal, conflict)))
        }
        Some("remove") => {
            let done = roles::remove(engine, work.at.acting(), id, seen).await?;
            let to = format!("{}{}", work.place.front(), ConsoleSection::Roles.path());
            let done =
                done.map(|()| ActionOutcome::Done(CompletedAction { said: ConsoleNotice::RoleDeleted, to }));
            Ok(done.map_err(|refusal| trouble(refusal, ConsoleNotice::NotPossible)))
        }
        Some(_) | None => Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible))),
    }
}

/// The role that a form asks for, as the API takes it.
fn text(form: &FormParams) -> RoleInput {
    let ticked = form.iter().filter_map(|(name, _)| name.strip_prefix(PERMISSION));
    RoleInput {
        name: form.get("name").unwrap_or_default().trim().to_owned(),
        description: form.get("description").unwrap_or_default().trim().to_owned(),
        permissions: ticked.map(str::to_owned).collect(),
    }
}

fn unread(declined: HandlerError) -> Outcome {
    match declined {
        HandlerError::Refused(refusal) => Ok(Err(trouble(refusal, ConsoleNotice::NotPossible))),
        failed => Err(failed),
    }
}

/// A form about a role was refused. What is wrong is told beside its field.
fn trouble(refusal: Refusal, conflict: ConsoleNotice) -> ActionError {
    let first = refusal.faults().iter().next().map(|fault| fault.pointer.clone()).unwrap_or_default();
    match (refusal.code(), first.trim_start_matches('/').split('/').next()) {
        (RefusalCode::Unprocessable, Some("name")) => ActionError::ConsoleNotice(ConsoleNotice::BadRoleName),
        (RefusalCode::Unprocessable, Some("description")) => {
            ActionError::ConsoleNotice(ConsoleNotice::BadDescription)
        }
        (RefusalCode::Unprocessable, _) => ActionError::ConsoleNotice(ConsoleNotice::BadPermissions),
        _ => ActionError::Refused(refusal, conflict),
    }
}

/// A role, in words.
struct RolePageText {
    id: String,
    name: String,
    about: String,
    built_in: bool,
    permissions: usize,
}

impl RolePageText {
    fn of(work: &PageContext<'_>, role: &RoleRow) -> Self {
        let name = role.role.name();
        Self {
            id: role.id.to_string(),
            name: if role.is_built_in {
                work.reader.language.words().roles.read([name])
            } else {
                name.to_owned()
            },
            about: role.description.clone(),
            built_in: role.is_built_in,
            permissions: role.role.permissions().len(),
        }
    }

    fn view(&self) -> RoleItem<'_> {
        let Self { id, name, about, built_in, permissions } = self;
        RoleItem { id, name, about, built_in: *built_in, permissions: *permissions }
    }
}

/// What there is to be conferred, each with whether the role does.
struct PermissionChoices {
    lines: Vec<(String, String, bool, bool)>,
    hides_some: bool,
}

impl PermissionChoices {
    async fn of(work: &PageContext<'_>, role: Option<&RoleRow>) -> Result<Self, HandlerError> {
        let all = roles::conferrable(work.engine(), work.at.acting()).await??;
        let form = if role.is_some() { "change" } else { "make" };
        let confers = |text: &str| {
            role.is_some_and(|it| it.role.permissions().iter().any(|held| held.as_str() == text))
        };
        // Where somebody else was faster, what they took away must not come back by pressing again.
        let retyped = SubmittedForm::of(work.left.as_ref(), form);
        let line = |permission: String, about: String, is_held: bool| {
            let carried = confers(&permission);
            let typed = retyped.as_ref().and_then(|it| it.ticked(&format!("{PERMISSION}{permission}")));
            let free = is_held || carried;
            (permission, about, typed.filter(|_| free).unwrap_or(carried), free)
        };
        let mut lines: Vec<_> = all
            .listed
            .into_iter()
            .map(|it| {
                let GrantablePermission { permission, english, portuguese, is_held } = it;
                let about = match work.reader.language {
                    UiLanguage::English => english,
                    UiLanguage::Portuguese => portuguese,
                };
                line(permission.to_string(), about, is_held)
            })
            .collect();
        // What a role confers and nothing lists, such as all of a resource, is kept and can be taken away.
        for held in role.iter().flat_map(|it| it.role.permissions().iter()) {
            if !lines.iter().any(|(known, ..)| known == held.as_str()) {
                lines.push(line(held.to_string(), String::new(), false));
            }
        }
        Ok(Self { lines, hides_some: all.hides_some })
    }

    fn view(&self) -> Vec<RolePermission<'_>> {
        self.lines
            .iter()
            .map(|(permission, about, chosen, free)| RolePermission {
                permission,
                about,
                chosen: *chosen,
                free: *free,
            })
            .collect()
    }
}
