//! Full lists on the console: with long names, and with every page size that can be chosen, a page has at most 60,000
//! characters. What would make it longer is shown in parts: code samples, and roles of a form.

use super::{console_path, role_field};
use crate::both_engines;
use crate::harness::organizations::TestOrganization;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::id::{InvitationId, MembershipId, MessageId};
use sinete_core::secret::Digest;
use sinete_core::time::Lifetime;
use sinete_store::JsonDocument;
use sinete_store::organizations::invitations::{NewInvitation, create_invitation};
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership, create_membership};
use sinete_store::platform::outbox::{MessageChannel, NewOutboxMessage, enqueue_message};

both_engines!(
    console_full_lists_of_an_organization_have_at_most_60000_characters,
    console_full_lists_of_the_instance_have_at_most_60000_characters,
    console_application_page_shows_one_code_sample_and_links_to_the_others,
    console_roles_without_a_checkbox_are_assigned_by_name
);

/// The most characters of a page.
const PAGE_CHARACTERS_MAX: usize = 60_000;
/// More rows than a page has.
const ROWS: usize = 55;

/// A name of sixty characters.
fn long_name(number: usize) -> String {
    format!("{number:02} Accounts payable and receivable, north-western region")
}

/// A role name of sixty characters.
fn long_role_name(number: usize) -> String {
    format!("role-{number:03}-of-accounts-payable-and-receivable-north-western")
}

/// Opens a list with every page size that it offers. Each page is within its size, and one of them has this many rows.
async fn assert_page_sizes(reader: &mut PageBrowser<'_>, path: &str, row: &str, full: usize) {
    let first = reader.open_page(path).await;
    let link = format!("{path}?size=");
    let sizes = first.split(&link).skip(1).filter_map(|rest| rest.split('"').next());
    let sizes: Vec<String> = sizes.map(str::to_owned).collect();
    assert!(!sizes.is_empty(), "{path} offers page sizes: {first}");
    let mut pages = vec![first];
    for size in sizes {
        pages.push(reader.open_page(&format!("{path}?size={size}")).await);
    }
    let mut limit = 0;
    for page in &pages {
        let rows = page.matches(row).count();
        assert!(page.len() <= PAGE_CHARACTERS_MAX, "{path} with {rows} rows: {}", page.len());
        limit = limit.max(rows);
    }
    assert_eq!(limit, full, "{path}: {}", pages[0]);
}

/// An invitation to an address of fifty characters, without the message that would be sent.
async fn create_pending_invitation(world: &World, tenant: &TestOrganization, number: usize) {
    let engine = world.server.engine();
    let (now, entropy) = (engine.now(), engine.entropy());
    let nothing = JsonDocument::from_value(&json!({})).unwrap();
    let document = JsonDocument::from_value(&[world.find_role(tenant, "clerk").await]).unwrap();
    let (invitation, membership) = (InvitationId::mint(now, entropy), MembershipId::mint(now, entropy));
    let joined = create_membership(&NewMembership {
        id: membership,
        organization: tenant.id,
        holder: &MembershipHolder::Unclaimed,
        profile: &nothing,
        external_id: None,
        created_at: now,
    });
    let invited = create_invitation(&NewInvitation {
        id: invitation,
        digest: &Digest::from_parts(&[number.to_string().as_bytes()]),
        organization: tenant.id,
        membership,
        roles: &document,
        lookup: &format!("accounts.payable.and.receivable.{number}@books.example"),
        created_at: now,
        expires_at: now.plus(Lifetime::from_days(7)),
    });
    world.apply_statements([joined, invited]).await;
}

async fn console_full_lists_of_an_organization_have_at_most_60000_characters(world: &World) {
    let books = world.create_token_fixture().await;
    let (tenant, app) = (&books.tenant, books.create_app_client(json!({})).await);
    // Each caller stays below the rate limit of one account.
    let (of_roles, of_keys) = (world.create_owner(tenant).await, world.create_owner(tenant).await);
    for number in 0..120 {
        let role = json!({"name": long_role_name(number), "permissions": ["members:read"]});
        of_roles.post(&tenant.path("/roles"), role).await.assert_status(201);
    }
    for number in 0..ROWS {
        let name = long_name(number);
        let key = json!({"membership": of_keys.membership, "name": name, "scope": "organization:read"});
        of_keys.post(&tenant.path("/api-keys"), key).await.assert_status(201);
        let metadata = json!({"client_name": name, "redirect_uris": ["https://ledger.example/callback"]});
        let client = json!({"kind": "application", "metadata": metadata});
        of_keys.post(&tenant.path("/clients"), client).await.assert_status(201);
        books.create_grant(books.create_member("clerk").await, &app, "invoices:read").await;
        create_pending_invitation(world, tenant, number).await;
    }
    let mut ana = world.create_console_user(tenant, "ana@example.com", "owner").await;
    for (page, row, full) in [
        ("invitations", "name=\"withdraw\"", 25),
        ("keys", "name=\"revoke\"", 25),
        ("applications", "<li><a href=\"/console/books/applications/", 50),
        ("grants", "<tr role=\"row\"><td", 50),
        ("members", "<li><a href=\"/console/books/members/", 100),
        ("roles", "<li><a href=\"/console/books/roles/", 100),
        ("audit-log", "<li><a href=\"/console/books/audit-log/", 50),
    ] {
        assert_page_sizes(&mut ana.reader, &console_path(tenant, &format!("/{page}")), row, full).await;
    }
    // The forms with roles, and the code samples.
    let clerk = books.create_member("clerk").await;
    for page in [format!("/applications/{}", app.id), format!("/members/{clerk}")] {
        let page = ana.reader.open_page(&console_path(tenant, &page)).await;
        assert!(page.contains("name=\"role_names\""), "{page}");
        assert!(page.len() <= PAGE_CHARACTERS_MAX, "{}", page.len());
    }
}

async fn console_full_lists_of_the_instance_have_at_most_60000_characters(world: &World) {
    let (operators, acme) =
        (world.find_organization("operator").await, world.create_organization("acme").await);
    let operator = world.create_operator().await;
    let engine = world.server.engine();
    let (now, entropy) = (engine.now(), engine.entropy());
    for number in 0..ROWS {
        let metadata =
            json!({"client_name": long_name(number), "redirect_uris": ["https://ledger.example/callback"]});
        let client = json!({"kind": "application", "metadata": metadata});
        operator.post("/manage/clients", client).await.assert_status(201);
        world.create_member(&acme, &["member"]).await;
        let message = enqueue_message(&NewOutboxMessage {
            id: MessageId::mint(now, entropy),
            channel: MessageChannel::Email,
            kind: "invitation",
            ciphertext: b"sealed",
            created_at: now,
            expires_at: now.plus(Lifetime::from_days(1)),
        });
        world.apply_statements([message]).await;
    }
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    for (page, full) in [("messages", 25), ("applications", 50), ("users", 50)] {
        assert_page_sizes(&mut ana.reader, &format!("/instance/{page}"), "<tr role=\"row\"><td", full).await;
    }
    // The rows of a table share one form, and no size beyond those that are offered is used.
    let page = ana.reader.open_page("/instance/messages?size=50").await;
    assert_eq!(page.matches("<tr role=\"row\"><td").count(), 25, "{page}");
    let table = page.split("id=\"messages\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert_eq!((table.matches("<form").count(), table.matches("name=\"csrf\"").count()), (1, 1), "{table}");
}

async fn console_application_page_shows_one_code_sample_and_links_to_the_others(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let metadata = json!({"client_name": "Ledger", "redirect_uris": ["http://localhost:8080/cb"]});
    let client = json!({"kind": "application", "metadata": metadata});
    let response = owner.post(&acme.path("/clients"), client).await.assert_status(201);
    let page_path = console_path(&acme, &format!("/applications/{}", response.body["id"].as_str().unwrap()));
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let samples = |page: &str| page.matches("<details class=\"more\" id=\"code-").count();
    let first = ana.reader.open_page(&page_path).await;
    assert!(first.contains("id=\"code-nextjs\"") && samples(&first) == 1, "{first}");
    assert!(first.contains(&format!("href=\"{page_path}?sample=go#connect\"")), "{first}");
    let go = ana.reader.open_page(&format!("{page_path}?sample=go")).await;
    assert!(go.contains("id=\"code-go\"") && samples(&go) == 1, "{go}");
    // One that does not fit the application is not shown.
    for other in ["react", "none", "%3Cb%3E"] {
        let page = ana.reader.open_page(&format!("{page_path}?sample={other}")).await;
        assert!(page.contains("id=\"code-nextjs\"") && samples(&page) == 1, "{other}: {page}");
    }
}

async fn console_roles_without_a_checkbox_are_assigned_by_name(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for number in 0..30 {
        let role = json!({"name": format!("team-{number:02}"), "permissions": ["members:read"]});
        owner.post(&acme.path("/roles"), role).await.assert_status(201);
    }
    let greeter = json!({"name": "greeter", "permissions": [
        "organization:read", "members:read", "members:manage", "roles:read",
    ]});
    owner.post(&acme.path("/roles"), greeter).await.assert_status(201);
    let last = role_field(world.find_role(&acme, "team-29").await);
    let checked_box = format!("name=\"{last}\" value=\"on\" checked");
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/invitations");
    let form = ana.reader.open_page(&page_path).await;
    assert!(form.contains("<option value=\"team-29\">") && !form.contains(&last), "{form}");
    let invite = |names: &'static str, email: &'static str| {
        [("action", "invite"), ("email", email), ("days", "1"), ("role_names", names)]
    };
    // An unknown name is an error of the field, and what is known stays selected.
    let unknown = invite("team-29, nobody", "bruno@example.com");
    let (_, refused) = ana.reader.submit_form(&form, "id=\"send-invitation\"", &unknown).await;
    assert!(
        refused.contains("A selected role no longer exists.") && refused.contains(&checked_box),
        "{refused}"
    );
    assert!(refused.contains("value=\"bruno@example.com\""), "{refused}");
    let valid_fields = invite(" team-29,Team-28 ", "bruno@example.com");
    let (_, after) = ana.reader.submit_form(&form, "id=\"send-invitation\"", &valid_fields).await;
    assert!(after.contains("Invitation sent."), "{after}");
    assert!(after.contains("team-28") && after.contains("team-29 · "), "{after}");
    // The page of a member takes names too.
    let member = world.create_member(&acme, &["member"]).await;
    let page = ana.reader.open_page(&console_path(&acme, &format!("/members/{member}"))).await;
    let fields = [("action", "set_roles"), ("role_names", "team-29")];
    let (_, after) = ana.reader.submit_form(&page, "id=\"save-roles\"", &fields).await;
    assert!(after.contains(&checked_box), "{after}");
    // A role that the user may not assign is not assigned by its name either.
    let mut rita = world.create_console_user(&acme, "rita@example.com", "greeter").await;
    let form = rita.reader.open_page(&page_path).await;
    let (_, refused) =
        rita.reader.submit_form(&form, "id=\"send-invitation\"", &invite("owner", "eva@example.com")).await;
    assert!(refused.contains("A selected role no longer exists."), "{refused}");
    let response = owner.get(&acme.path("/invitations")).await.assert_status(200);
    assert_eq!(response.body["items"].as_array().unwrap().len(), 1);
}
