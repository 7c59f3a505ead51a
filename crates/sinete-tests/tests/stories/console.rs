//! The console: every page does what the management API does, with the same permissions and events.

mod access;
mod api_keys;
mod application_access;
mod application_claims;
mod application_conflicts;
mod application_permissions;
mod application_settings;
mod application_test;
mod application_types;
mod applications;
mod approvals;
mod audit_log;
mod audit_log_filters;
mod audit_log_names;
mod backups;
mod bad_input;
mod branding;
mod breadcrumbs;
mod connection_access;
mod connection_conflicts;
mod connection_discovery;
mod connection_forms;
mod connection_test_sign_in;
mod connection_wizard;
mod connections;
mod domains;
mod first_owner;
mod full_lists;
mod header;
mod health;
mod instance;
mod invitation_list;
mod invitations;
mod list_orders;
mod lists;
mod log_verification;
mod member_access;
mod member_names;
mod member_search;
mod members;
mod refused_forms;
mod refused_requests;
mod relationships;
mod request_reads;
mod role_access;
mod role_holders;
mod roles;
mod saml_connection_forms;
mod scim_page;
mod scim_requests;
mod setup_steps;
mod step_up;
mod step_up_first;
mod usage;
mod webhook_access;
mod webhook_answers;
mod webhook_conflicts;
mod webhook_errors;
mod webhooks;

use crate::harness::api_caller::ApiCaller;
use crate::harness::organizations::TestOrganization;
use crate::harness::page_browser::PageBrowser;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use sinete_core::id::{AccountId, MembershipId, RoleId};
use sinete_store::organizations::roles as stored_roles;

/// A signed-in member of an organization, with a browser.
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
        let user = self.create_user(email).await;
        let signed_in_user = SignedInUser { world: self, account: user.account, token: user.session.clone() };
        let membership = signed_in_user.join_organization(tenant, role).await;
        let reader = self.create_page_browser("en").with_session(&user.session);
        ConsoleUser { reader, account: user.account, session: user.session, membership }
    }

    pub(in crate::stories) async fn find_role(&self, tenant: &TestOrganization, name: &str) -> RoleId {
        let all = stored_roles::list_roles(self.server.engine().store(), tenant.id).await.unwrap();
        all.iter().find(|role| role.role.name() == name).unwrap().id
    }
}

/// The name of the checkbox of a role.
fn role_field(role: RoleId) -> String {
    format!("role.{role}")
}

/// The path of an organization's page.
fn console_path(tenant: &TestOrganization, below: &str) -> String {
    format!("/console/{}{below}", tenant.slug)
}

/// The kinds of the events in the organization's audit log that this member caused, sorted.
async fn list_event_kinds(owner: &ApiCaller<'_>, actor: MembershipId) -> Vec<String> {
    let path = owner.tenant.path(&format!("/audit?actor={actor}&limit=200"));
    let log = owner.get(&path).await.assert_status(200).body;
    let mut kinds: Vec<String> =
        log["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap().to_owned()).collect();
    kinds.sort_unstable();
    kinds
}
