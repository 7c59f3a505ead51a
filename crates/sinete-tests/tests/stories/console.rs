//! The console: people who run an organization do by page what the management API does by request.

mod application_access;
mod applications;
mod connecting;
mod connecting_access;
mod connections;
mod domains;
mod entering;
mod finding;
mod invitations;
mod keys;
mod leading;
mod meanwhile;
mod meanwhile_access;
mod members;
mod proof_first;
mod proving;
mod roles;
mod trail;
mod unseen;
mod webhook_access;
mod webhook_conflicts;
mod webhooks;

use crate::harness::oneself::SignedInUser;
use crate::harness::reader::PageBrowser;
use crate::harness::tenants::TestOrganization;
use crate::harness::world::World;
use sinete_core::id::{AccountId, MembershipId, RoleId};
use sinete_store::organizations::roles as stored_roles;

/// Somebody at a browser who carries a role in an organization.
struct ConsoleUser<'w> {
    reader: PageBrowser<'w>,
    account: AccountId,
    session: String,
    membership: MembershipId,
}

impl World {
    async fn create_console_user(
        &self,
        tenant: &TestOrganization,
        email: &str,
        role: &str,
    ) -> ConsoleUser<'_> {
        let person = self.create_user(email).await;
        let oneself = SignedInUser { world: self, account: person.account, token: person.session.clone() };
        let membership = oneself.join_organization(tenant, role).await;
        let reader = self.create_page_browser("en").with_session(&person.session);
        ConsoleUser { reader, account: person.account, session: person.session, membership }
    }

    pub(in crate::stories) async fn find_role(&self, tenant: &TestOrganization, name: &str) -> RoleId {
        let all = stored_roles::list_roles(self.server.engine().store(), tenant.id).await.unwrap();
        all.iter().find(|role| role.role.name() == name).unwrap().id
    }
}

/// The name under which a form ticks a role.
fn role_field(role: RoleId) -> String {
    format!("role.{role}")
}

/// A page of an organization.
fn console_path(tenant: &TestOrganization, below: &str) -> String {
    format!("/console/{}{below}", tenant.slug)
}
