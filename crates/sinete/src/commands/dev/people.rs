//! The users of the demo: they are imported with their passwords, and one becomes the owner.

use crate::exit::CommandError;
use crate::os::OsEntropy;
use sinete_core::administration::import::{AccountImportFormat, ImportedAccount};
use sinete_core::entropy::draw_bytes;
use sinete_crypto::sign_in::credentials::password::{Argon2Parameters, hash_password};
use sinete_engine::Engine;
use sinete_engine::access_control::organization_access;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::administration::import;
use sinete_engine::administration::import::{ImportOptions, ImportOutcome, ImportTally, ImportedEmailTrust};
use sinete_engine::organizations;
use sinete_engine::organizations::{members, roles};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::organizations::memberships;

/// The source name of the import, so that the users are imported once.
const IMPORT_SOURCE: &str = "demo";
/// Maximum roles that are loaded from an organization.
const ROLES_MAX: u32 = 100;

/// A user of the demo.
pub struct DemoPerson {
    pub email: &'static str,
    pub name: &'static str,
    pub password: &'static str,
    /// The role of the user in the demo, for display.
    pub demo_role: &'static str,
    organization: &'static str,
    roles: &'static [&'static str],
}

/// All users of the demo. The owner is imported as a member, because an import cannot assign the owner role.
pub const DEMO_USERS: [DemoPerson; 3] = [
    DemoPerson {
        email: "olivia@demo.example",
        name: "Olivia Owner",
        password: "demo-password-olivia",
        demo_role: "owner of the organization Demo",
        organization: "demo",
        roles: &["owner"],
    },
    DemoPerson {
        email: "miguel@demo.example",
        name: "Miguel Member",
        password: "demo-password-miguel",
        demo_role: "member of Demo, reads and writes notes",
        organization: "demo",
        roles: &["member", "editor"],
    },
    DemoPerson {
        email: "vera@demo.example",
        name: "Vera Visitor",
        password: "demo-password-vera",
        demo_role: "not a member of Demo",
        organization: "home",
        roles: &["member"],
    },
];

/// Imports the users that do not exist yet.
pub async fn import_demo_users(engine: &Engine) -> Result<(), CommandError> {
    for demo_person in &DEMO_USERS {
        let inside = open_organization(engine, demo_person.organization).await?;
        import_demo_user(engine, &inside, demo_person).await?;
        if demo_person.roles.contains(&"owner") {
            make_owner(engine, &inside, demo_person).await?;
        }
    }
    Ok(())
}

async fn open_organization(engine: &Engine, slug: &str) -> Result<OrganizationAccess, CommandError> {
    let caller = organizations::load_command_line_caller(engine).await?;
    Ok(organization_access::authorize_in_organization(engine, &caller, slug).await?)
}

async fn import_demo_user(
    engine: &Engine,
    inside: &OrganizationAccess,
    demo_person: &DemoPerson,
) -> Result<(), CommandError> {
    let roles = roles::list(engine, inside, None, ROLES_MAX).await?;
    let names: &[&str] = if demo_person.roles.contains(&"owner") { &["member"] } else { demo_person.roles };
    let role_ids =
        roles.iter().filter(|role| names.contains(&role.role.name())).map(|role| role.id).collect();
    let source = IMPORT_SOURCE.parse().map_err(CommandError::failed)?;
    let options =
        ImportOptions { source, roles: role_ids, addresses: ImportedEmailTrust::TrustSource, firebase: None };
    let run = import::prepare_import(engine, inside, options).await?;
    if run.import_account(engine, &to_account(demo_person)?).await? == ImportOutcome::Imported {
        run.record_summary(engine, ImportTally { imported: 1, ..ImportTally::default() }).await?;
    }
    Ok(())
}

/// The user as a line of an import.
fn to_account(demo_person: &DemoPerson) -> Result<ImportedAccount, CommandError> {
    let salt = draw_bytes(&OsEntropy);
    let hash = hash_password(demo_person.password.as_bytes(), &salt, &Argon2Parameters::default(), None);
    let line = serde_json::json!({
        "email": demo_person.email,
        "email_verified": true,
        "name": demo_person.name,
        "password_hash": hash.map_err(CommandError::failed)?,
    });
    AccountImportFormat::Sinete.parse_account(&line).map_err(CommandError::failed)
}

/// Assigns the owner role to the user, if they are still a member and do not have it.
async fn make_owner(
    engine: &Engine,
    inside: &OrganizationAccess,
    demo_person: &DemoPerson,
) -> Result<(), CommandError> {
    let contact_row =
        contacts::find_verified_contact(engine.store(), ContactKind::Email, demo_person.email).await?;
    let Some(contact) = contact_row else { return Ok(()) };
    let memberships = memberships::list_account_memberships(engine.store(), contact.account).await?;
    let membership_row =
        memberships.iter().find(|membership| membership.organization == inside.organization.id);
    let Some(membership) = membership_row else { return Ok(()) };
    let member = members::show(engine, inside, membership.id).await?;
    if member.roles.iter().any(|role| role.role.name() == "owner") {
        return Ok(());
    }
    let roles = roles::list(engine, inside, None, ROLES_MAX).await?;
    let owner: Vec<_> = roles.iter().filter(|role| role.role.name() == "owner").map(|role| role.id).collect();
    let (id, version) = (membership.id, member.membership.version);
    members::set_roles(engine, inside, id, version, &owner).await?;
    Ok(())
}
