//! Privilege escalation: every attempt to grant a permission that the caller does not have is refused.

use crate::both_engines;
use crate::harness::api_caller::{ApiCaller, ApiResponse};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

async fn role(api_caller: &ApiCaller<'_>, name: &str) -> Value {
    let response = api_caller.get(&api_caller.tenant.path("/roles")).await.assert_status(200);
    let items = response.body["items"].as_array().unwrap();
    items.iter().find(|role| role["name"] == name).unwrap()["id"].clone()
}

/// The scope of a caller that manages clients and nothing else.
const CLIENT_MANAGER: &str = "clients:read clients:manage";
/// Owner permissions that an attacker's client would want.
const OWNERS_PERMISSIONS: &str =
    "openid organization:* members:* roles:* sso:manage api_keys:manage audit:read";

/// Creates an application of the organization with this scope and returns its id.
async fn application(owner: &ApiCaller<'_>, scope: &str) -> String {
    let metadata = json!({"client_name": "Portal", "redirect_uris": ["https://portal.example/callback"], "scope": scope});
    let new_client = json!({"kind": "application", "metadata": metadata});
    owner.post(&owner.tenant.path("/clients"), new_client).await.assert_status(201).text_member("id")
}

/// Changes the metadata of a client of the caller's organization at its current version.
async fn changes(api_caller: &ApiCaller<'_>, client: &str, metadata: Value) -> ApiResponse {
    let path = api_caller.tenant.path(&format!("/clients/{client}"));
    let version = api_caller.get(&path).await.assert_status(200).version();
    api_caller.patch(&path, version, json!({ "metadata": metadata })).await
}

/// Creates a service with this role and returns its id and membership.
async fn service(owner: &ApiCaller<'_>, name: &str) -> (String, String) {
    let metadata = json!({"client_name": "Bot", "grant_types": ["client_credentials"]});
    let new_client = json!({"kind": "service", "roles": [role(owner, name).await], "metadata": metadata});
    let response = owner.post(&owner.tenant.path("/clients"), new_client).await.assert_status(201);
    (response.text_member("id"), response.text_member("membership"))
}

both_engines!(
    operator_cannot_assign_themselves_through_a_service_client,
    disabled_member_is_enabled_only_by_a_holder_of_its_permissions,
    service_client_with_owner_role_is_disabled_and_enabled_by_owners_only,
    invitation_of_an_owner_is_revoked_by_owners_only,
    client_verification_ends_when_the_client_is_changed,
    client_verification_by_an_operator_cannot_be_widened_by_client_managers,
    implied_consent_is_limited_to_permissions_of_the_client_manager
);

async fn operator_cannot_assign_themselves_through_a_service_client(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let (_, machine) = service(&operator, "operator").await;
    let key_request = json!({"membership": machine, "name": "k", "scope": "instance:operate instance:read"});
    let issued = operator.post(&operator.tenant.path("/api-keys"), key_request).await.assert_status(201);
    let machine = ApiCaller { secret: issued.text_member("secret"), ..operator.clone() };
    let ends_at = world.server.engine().now().plus(Lifetime::from_hours(1)).to_string();
    let assign =
        json!({"organization": "acme", "holder": operator.membership, "reason": "mine", "ends_at": ends_at});
    machine.post("/manage/assignments", assign.clone()).await.assert_problem(403, "insufficient_scope");
    operator.get(&acme.path("")).await.assert_problem(404, "not_found");
    let another = world.create_operator().await;
    another.post("/manage/assignments", assign).await.assert_status(201);
    operator.get(&acme.path("")).await.assert_status(200);
}

async fn disabled_member_is_enabled_only_by_a_holder_of_its_permissions(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let plain = world.create_member(&acme, &["member"]).await;
    let api_caller = world
        .create_api_key_caller(&acme, owner.membership, "members:read members:manage organization:read")
        .await;
    let path = |member, turn| acme.path(&format!("/members/{member}/{turn}"));
    for member in [admin, plain] {
        api_caller.post(&path(member, "disable"), json!(null)).await.assert_status(200);
    }
    api_caller.post(&path(plain, "enable"), json!(null)).await.assert_status(200);
    api_caller.post(&path(admin, "enable"), json!(null)).await.assert_problem(403, "insufficient_scope");
    owner.post(&path(admin, "enable"), json!(null)).await.assert_status(200);
}

async fn service_client_with_owner_role_is_disabled_and_enabled_by_owners_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let ((boss, _), (clerk, _)) = (service(&owner, "owner").await, service(&owner, "member").await);
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin =
        world.create_api_key_caller(&acme, admin, "clients:read clients:manage organization:read").await;
    let narrow = world.create_api_key_caller(&acme, admin.membership, "clients:read clients:manage").await;
    let path = |client: &str, turn: &str| acme.path(&format!("/clients/{client}/{turn}"));
    admin.post(&path(&boss, "disable"), json!(null)).await.assert_problem(403, "insufficient_scope");
    owner.post(&path(&boss, "disable"), json!(null)).await.assert_status(200);
    admin.post(&path(&boss, "enable"), json!(null)).await.assert_problem(403, "insufficient_scope");
    owner.post(&path(&boss, "enable"), json!(null)).await.assert_status(200);
    // Enabling a service needs its permissions; disabling needs less.
    narrow.post(&path(&clerk, "disable"), json!(null)).await.assert_status(200);
    narrow.post(&path(&clerk, "enable"), json!(null)).await.assert_problem(403, "insufficient_scope");
    admin.post(&path(&clerk, "enable"), json!(null)).await.assert_status(200);
}

async fn invitation_of_an_owner_is_revoked_by_owners_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let admin = world.create_member(&acme, &["admin"]).await;
    let admin = world
        .create_api_key_caller(&acme, admin, "members:read members:manage roles:read organization:read")
        .await;
    let invite = json!({"email": "ana@example.com", "roles": [role(&owner, "owner").await]});
    admin.post(&acme.path("/invitations"), invite.clone()).await.assert_problem(403, "insufficient_scope");
    let invited = owner.post(&acme.path("/invitations"), invite).await.assert_status(201).text_member("id");
    let path = acme.path(&format!("/invitations/{invited}"));
    admin.delete(&path, None).await.assert_problem(403, "insufficient_scope");
    owner.delete(&path, None).await.assert_status(204);
    let invite = json!({"email": "bob@example.com", "roles": [role(&owner, "member").await]});
    let invited = owner.post(&acme.path("/invitations"), invite).await.assert_status(201).text_member("id");
    admin.delete(&acme.path(&format!("/invitations/{invited}")), None).await.assert_status(204);
}

async fn client_verification_ends_when_the_client_is_changed(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let owner = world.create_owner(&acme).await;
    let portal = json!({"kind": "application", "metadata": {"client_name": "Portal", "redirect_uris": ["https://portal.example/callback"]}});
    let client_id =
        owner.post(&acme.path("/clients"), portal.clone()).await.assert_status(201).text_member("id");
    let path = acme.path(&format!("/clients/{client_id}"));
    let verification = format!("/manage/clients/{client_id}/verification");
    let version = operator.post(&verification, json!(null)).await.assert_status(200).version();
    let changed = owner.patch(&path, version, json!({"purpose": "for customers"})).await.assert_status(200);
    assert!(changed.body["verified_at"].is_string(), "the verified settings have not changed");
    // A scope that needs verification is not granted by way of a new name.
    let ours = json!({"metadata": {"scope": "openid members:manage", "client_name": "The Bank"}});
    assert_eq!(
        owner
            .patch(&path, changed.version(), ours)
            .await
            .assert_problem(422, "unprocessable")
            .fault_pointers(),
        ["/metadata/scope"]
    );
    let mut version = changed.version();
    for change in [
        json!({"client_name": "The Bank"}),
        json!({"redirect_uris": ["https://elsewhere.example/callback"]}),
        json!({"token_endpoint_auth_method": "none"}),
    ] {
        let changed = owner.patch(&path, version, json!({"metadata": change})).await.assert_status(200);
        assert_eq!(changed.body["verified_at"], json!(null), "{change}");
        version = operator.post(&verification, json!(null)).await.assert_status(200).version();
    }
    // An operator's own client keeps its verification if the caller may verify clients.
    let mut ours = portal;
    ours["verified"] = json!(true);
    let response = operator.post("/manage/clients", ours).await.assert_status(201);
    let path = format!("/manage/clients/{}", response.text_member("id"));
    let renamed = operator
        .patch(&path, response.version(), json!({"metadata": {"client_name": "Gate"}}))
        .await
        .assert_status(200);
    assert!(renamed.body["verified_at"].is_string());
    let lesser = world.create_api_key_caller(&operator.tenant, operator.membership, "instance:operate").await;
    let renamed = lesser
        .patch(&path, renamed.version(), json!({"metadata": {"client_name": "Door"}}))
        .await
        .assert_status(200);
    assert_eq!(renamed.body["verified_at"], json!(null));
}

async fn client_verification_by_an_operator_cannot_be_widened_by_client_managers(world: &World) {
    let (acme, operator) = (world.create_organization("acme").await, world.create_operator().await);
    let owner = world.create_owner(&acme).await;
    let client = application(&owner, "openid email").await;
    let client_path = format!("/manage/clients/{client}");
    let verification = format!("{client_path}/verification");
    let verified_at =
        async || operator.get(&client_path).await.assert_status(200).body["verified_at"].clone();
    let member = world.create_member(&acme, &["admin"]).await;
    let manager = world.create_api_key_caller(&acme, member, CLIENT_MANAGER).await;
    operator.post(&verification, json!(null)).await.assert_status(200);
    // Owner permissions are for clients that were verified with them, also if an owner requests them.
    for (api_caller, consent) in [(&manager, "ask"), (&owner, "ask"), (&owner, "implied")] {
        let wider = json!({"scope": OWNERS_PERMISSIONS, "consent": consent});
        let refused = changes(api_caller, &client, wider).await;
        assert!([403, 422].contains(&refused.status), "{consent}: {}", refused.text);
    }
    let wider = json!({"scope": OWNERS_PERMISSIONS, "consent": "implied"});
    changes(&manager, &client, wider).await.assert_problem(403, "insufficient_scope");
    assert!(verified_at().await.is_string(), "nothing has changed");
    // A smaller scope stays verified; a larger one does not, also at other APIs.
    changes(&manager, &client, json!({"scope": "openid"})).await.assert_status(200);
    assert!(verified_at().await.is_string());
    for wider in ["openid email", "openid invoices:read"] {
        changes(&manager, &client, json!({"scope": wider})).await.assert_status(200);
        assert!(verified_at().await.is_null(), "{wider}");
        changes(&manager, &client, json!({"scope": "openid"})).await.assert_status(200);
        assert!(verified_at().await.is_null(), "the verification does not return by itself");
        operator.post(&verification, json!(null)).await.assert_status(200);
    }
    // An operator who may verify clients widens the scope, here by assignment; another does not.
    world.create_assignment(&operator, &acme, "they asked for it").await;
    let lesser = "instance:operate instance:read organizations:administer";
    let lesser = world.create_api_key_caller(&operator.tenant, operator.membership, lesser).await;
    for (api_caller, status) in [(&lesser, 422), (&operator, 200)] {
        let acme_caller = ApiCaller { tenant: acme.clone(), ..api_caller.clone() };
        let changed = changes(&acme_caller, &client, json!({"scope": "openid members:read"})).await;
        assert_eq!(changed.status, status, "{}", changed.text);
    }
    assert!(verified_at().await.is_string());
}

async fn implied_consent_is_limited_to_permissions_of_the_client_manager(world: &World) {
    let books = world.create_token_fixture().await;
    let (owner, acme) = (&books.owner, &books.tenant);
    let member = world.create_member(acme, &["admin"]).await;
    let manager = world.create_api_key_caller(acme, member, CLIENT_MANAGER).await;
    let (plain, client) =
        (application(owner, "openid email").await, application(owner, "openid invoices:read").await);
    let implied = json!({"consent": "implied"});
    // Scopes that only identify the user need no permission.
    changes(&manager, &plain, implied.clone()).await.assert_status(200);
    changes(&manager, &client, implied.clone()).await.assert_problem(403, "insufficient_scope");
    changes(&manager, &plain, json!({"scope": "openid email invoices:read"}))
        .await
        .assert_problem(403, "insufficient_scope");
    // A caller with the permissions allows it. A caller without them cannot then change the redirect URIs.
    changes(owner, &client, implied.clone()).await.assert_status(200);
    let elsewhere = json!({"redirect_uris": ["https://elsewhere.example/callback"]});
    changes(&manager, &client, elsewhere.clone()).await.assert_problem(403, "insufficient_scope");
    changes(&manager, &client, json!({"jwks_uri": "https://elsewhere.example/jwks"}))
        .await
        .assert_problem(403, "insufficient_scope");
    let metadata_change = json!({"redirect_uris": ["https://elsewhere.example/callback"], "consent": "ask"});
    changes(&manager, &client, metadata_change).await.assert_status(200);
    changes(owner, &client, json!({"consent": "implied", "scope": "openid invoices:*"}))
        .await
        .assert_status(200);
    // Nor can such a caller create a client like that.
    let maker = world.create_api_key_caller(acme, owner.membership, "clients:read clients:create").await;
    let metadata = json!({"client_name": "Mine", "redirect_uris": ["https://mine.example/cb"], "scope": "openid invoices:read", "consent": "implied"});
    let new_client = json!({"kind": "application", "metadata": metadata});
    maker.post(&acme.path("/clients"), new_client.clone()).await.assert_problem(403, "insufficient_scope");
    owner.post(&acme.path("/clients"), new_client.clone()).await.assert_status(201);
    // Only operators who may verify clients decide which clients every organization trusts.
    let operator = world.create_operator().await;
    operator.post("/manage/clients", new_client.clone()).await.assert_status(201);
    let lesser = world.create_api_key_caller(&operator.tenant, operator.membership, "instance:operate").await;
    lesser.post("/manage/clients", new_client).await.assert_problem(403, "insufficient_scope");
}
