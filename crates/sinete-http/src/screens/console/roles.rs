//! The roles of an organization: listed, made, changed in what they confer, deleted. What built-in roles confer is shown.

use super::paging::Paging;
use super::shown::{Retyped, carried};
use super::{Done, Finds, Made, Outcome, Trouble, Work, making, named};
use crate::extract::pairs::Pairs;
use crate::manage::roles::RoleText;
use crate::reply::{Answer, Declined};
use sinete_core::authority::catalogue::BuiltInRole;
use sinete_core::id::RoleId;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::roles::{self, Conferrable, StoredRole};
use sinete_screens::console::roles::{Fields, Make, OneRole, Permission, Role, Roles};
use sinete_screens::console::said::Said;
use sinete_screens::console::{Pages, Section};
use sinete_screens::language::Language;

/// What stands before a permission in the name of its box.
const PERMISSION: &str = "permission.";

/// Shows a page of the roles, and a form for one more to whoever may make it.
pub(super) async fn list(work: &Work<'_>) -> Answer {
    let (engine, acting) = (work.engine(), work.at.acting());
    let paging = Paging::asked(work)?;
    let mut read = roles::list(engine, acting, paging.after()?, Paging::to_read()).await??;
    let next = paging.cut(&mut read, |role| role.id.to_string());
    let seen: Vec<Seen> = read.iter().map(|role| Seen::of(work, role)).collect();
    let lines: Vec<Role<'_>> = seen.iter().map(Seen::view).collect();
    let offered = Offered::of(work, None).await?;
    let permissions = offered.view();
    let typed = |name: &str| work.left.as_ref().filter(|it| it.is_of("make")).and_then(|it| it.field(name));
    let once = work.once();
    let make = Make {
        once: &once,
        open: work.left.as_ref().is_some_and(|left| left.opens("make")),
        fields: Fields {
            name: typed("name").unwrap_or_default(),
            about: typed("description").unwrap_or_default(),
            permissions: &permissions,
            hides_some: offered.hides_some,
        },
    };
    let may_make = work.at.may_change("roles:manage");
    let page = Roles {
        desk: work.desk_of_form(Section::Roles, Finds::form_if(may_make)),
        roles: &lines,
        pages: Pages { next: next.as_deref(), later: paging.is_later(), asked: "" },
        make: may_make.then_some(make),
    };
    Ok(work.answer(page.page(&work.frame())))
}

/// Shows one role.
pub(super) async fn show(work: &Work<'_>, id: &str) -> Answer {
    let role = roles::show(work.engine(), work.at.acting(), named(id)?).await??;
    let (seen, offered) = (Seen::of(work, &role), Offered::of(work, Some(&role)).await?);
    let permissions = offered.view();
    // What somebody changed is theirs to send again; the rest is as it is now.
    let retyped = Retyped::of(work.left.as_ref(), "change");
    let typed = |name: &str| retyped.as_ref().and_then(|it| it.text(name));
    let texts = [("name", role.role.name()), ("description", &role.description)];
    let held = role.role.permissions().iter();
    let may_change = work.at.may_change("roles:manage") && !role.is_built_in;
    let page = OneRole {
        desk: work.desk_of_form(Section::Roles, Finds::form_if(may_change)),
        role: seen.view(),
        is_owners: role.is_built_in && role.role.name() == BuiltInRole::Owner.name(),
        version: work.left.as_ref().map_or(role.version, |left| left.version("change", role.version)),
        fields: Fields {
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
pub(super) async fn make(work: &Work<'_>, form: &Pairs) -> Outcome {
    let engine = work.engine();
    if form.get("action") != Some("make") {
        return Ok(Err(Trouble::Said(Said::NotPossible)));
    }
    let wanted = match text(form).wanted() {
        Ok(wanted) => wanted,
        Err(declined) => return unread(declined),
    };
    let acting = match work.at.conferring(engine).await? {
        Ok(acting) => acting,
        Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
    };
    let claim = match making::claim(work, form).await? {
        Ok(claim) => claim,
        Err(made) => return Ok(made),
    };
    match roles::create(engine, &acting.claiming(Some(claim.clone())), &wanted).await? {
        Ok(role) => {
            Ok(Ok(Made::Done(Done { said: Said::RoleMade, to: format!("{}/{}", work.here, role.id) })))
        }
        Err(refusal) => match making::was_made(work, &claim).await? {
            Some(made) => Ok(Ok(made)),
            None => Ok(Err(trouble(refusal, Said::NameTaken))),
        },
    }
}

/// Changes or deletes a role, if it is still as the page showed it.
pub(super) async fn change(work: &Work<'_>, id: &str, form: &Pairs) -> Outcome {
    let (engine, id) = (work.engine(), named::<RoleId>(id)?);
    let seen = form.get("version").and_then(|text| text.parse().ok()).unwrap_or_default();
    match form.get("action") {
        Some("change") => {
            let acting = match work.at.conferring(engine).await? {
                Ok(acting) => acting,
                Err(refusal) => return Ok(Err(Trouble::Refused(refusal, Said::NotPossible))),
            };
            let wanted = match text(form).wanted() {
                Ok(wanted) => wanted,
                Err(declined) => return unread(declined),
            };
            let conflict = match roles::show(engine, work.at.acting(), id).await? {
                Ok(role) if role.is_built_in => Said::NotPossible,
                Ok(_) => Said::NameTaken,
                Err(refusal) => return Ok(Err(trouble(refusal, Said::NotPossible))),
            };
            let done = roles::change(engine, acting, id, seen, &wanted).await?;
            let done = done.map(|_| Made::Done(Done { said: Said::RoleChanged, to: work.here.clone() }));
            Ok(done.map_err(|refusal| trouble(refusal, conflict)))
        }
        Some("remove") => {
            let done = roles::remove(engine, work.at.acting(), id, seen).await?;
            let to = format!("{}{}", work.place.front(), Section::Roles.path());
            let done = done.map(|()| Made::Done(Done { said: Said::RoleDeleted, to }));
            Ok(done.map_err(|refusal| trouble(refusal, Said::NotPossible)))
        }
        Some(_) | None => Ok(Err(Trouble::Said(Said::NotPossible))),
    }
}

/// The role that a form asks for, as the API takes it.
fn text(form: &Pairs) -> RoleText {
    let ticked = form.iter().filter_map(|(name, _)| name.strip_prefix(PERMISSION));
    RoleText {
        name: form.get("name").unwrap_or_default().trim().to_owned(),
        description: form.get("description").unwrap_or_default().trim().to_owned(),
        permissions: ticked.map(str::to_owned).collect(),
    }
}

fn unread(declined: Declined) -> Outcome {
    match declined {
        Declined::Refused(refusal) => Ok(Err(trouble(refusal, Said::NotPossible))),
        failed => Err(failed),
    }
}

/// A form about a role was refused. What is wrong is told beside its field.
fn trouble(refusal: Refusal, conflict: Said) -> Trouble {
    let first = refusal.faults().iter().next().map(|fault| fault.pointer.clone()).unwrap_or_default();
    match (refusal.code(), first.trim_start_matches('/').split('/').next()) {
        (RefusalCode::Unprocessable, Some("name")) => Trouble::Said(Said::BadRoleName),
        (RefusalCode::Unprocessable, Some("description")) => Trouble::Said(Said::BadDescription),
        (RefusalCode::Unprocessable, _) => Trouble::Said(Said::BadPermissions),
        _ => Trouble::Refused(refusal, conflict),
    }
}

/// A role, in words.
struct Seen {
    id: String,
    name: String,
    about: String,
    built_in: bool,
    permissions: usize,
}

impl Seen {
    fn of(work: &Work<'_>, role: &StoredRole) -> Self {
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

    fn view(&self) -> Role<'_> {
        let Self { id, name, about, built_in, permissions } = self;
        Role { id, name, about, built_in: *built_in, permissions: *permissions }
    }
}

/// What there is to be conferred, each with whether the role does.
struct Offered {
    lines: Vec<(String, String, bool, bool)>,
    hides_some: bool,
}

impl Offered {
    async fn of(work: &Work<'_>, role: Option<&StoredRole>) -> Result<Self, Declined> {
        let all = roles::conferrable(work.engine(), work.at.acting()).await??;
        let form = if role.is_some() { "change" } else { "make" };
        let confers = |text: &str| {
            role.is_some_and(|it| it.role.permissions().iter().any(|held| held.as_str() == text))
        };
        // Where somebody else was faster, what they took away must not come back by pressing again.
        let retyped = Retyped::of(work.left.as_ref(), form);
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
                let Conferrable { permission, english, portuguese, is_held } = it;
                let about = match work.reader.language {
                    Language::English => english,
                    Language::Portuguese => portuguese,
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

    fn view(&self) -> Vec<Permission<'_>> {
        self.lines
            .iter()
            .map(|(permission, about, chosen, free)| Permission {
                permission,
                about,
                chosen: *chosen,
                free: *free,
            })
            .collect()
    }
}
