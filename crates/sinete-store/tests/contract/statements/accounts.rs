//! Changes of an account, and what remains after its deletion.

use super::{Database, Scene};
use crate::accounts::contacts;
use crate::accounts::contacts::{ContactKind, NewContact};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::events::security_log;
use crate::identity_providers::identities;
use crate::identity_providers::identities::ExternalIdentityKey;
use crate::oauth::grants::StoredGrantKind as GrantKind;
use crate::oauth::{authorized_applications, consents};
use crate::organizations::memberships;
use crate::platform::instance;
use crate::sign_in::credentials;
use crate::sign_in::credentials::NewCredential;
use crate::sign_in::known_devices;
use crate::sign_in::sessions;
use crate::{JsonDocument, WriteBatch, accounts};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::{AccountId, ContactId};
use sinete_core::limits::ACCOUNT_SEARCH_SCANNED_MAX;
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::secret::Digest;
use sinete_core::time::Lifetime;

both_engines!(
    profile_change_needs_the_version_it_was_read_at,
    primary_contact_is_one_verified_address_of_each_kind,
    erased_account_keeps_its_id_only,
    authorized_applications_are_listed_while_active,
    account_events_are_visible_to_their_account_only,
    passkey_domain_is_fixed_with_the_first_passkey,
    account_search_compares_a_bounded_number_and_continues,
    primary_emails_of_many_accounts_are_read_together
);

/// An id that sorts after those of all other accounts, by its number.
fn late_account(number: u32) -> AccountId {
    let mut bytes = [0xfe; 16];
    bytes[12..].copy_from_slice(&number.to_be_bytes());
    AccountId::from_bytes(bytes)
}

impl Scene {
    async fn contact(&self, kind: ContactKind, address: &str) -> ContactId {
        let id = self.id();
        let contact = NewContact {
            id,
            account: self.world.account,
            kind,
            address,
            lookup: address,
            is_primary: false,
            created_at: NOW,
        };
        self.happens([contacts::add_contact(&contact)]).await;
        id
    }

    async fn primary(&self) -> Vec<ContactId> {
        let all = contacts::list_account_contacts(&self.store, self.world.account).await.unwrap();
        all.iter().filter(|it| it.is_primary).map(|it| it.id).collect()
    }
}

async fn profile_change_needs_the_version_it_was_read_at(database: Database) {
    let scene = Scene::set(database).await;
    let read = accounts::find_account(&scene.store, scene.world.account).await.unwrap().unwrap();
    let profile = JsonDocument::from_value(&serde_json::json!({"name": "Ana"})).unwrap();
    scene.happens([accounts::change_account_profile(&read, &profile, Some("pt"))]).await;
    let changed = accounts::find_account(&scene.store, read.id).await.unwrap().unwrap();
    assert_eq!((&changed.profile, changed.language.as_deref()), (&profile, Some("pt")));
    assert_eq!(changed.version, read.version + 1);
    scene
        .is_refused([accounts::change_account_profile(&read, &profile, None)], "accounts.change_profile")
        .await;
}

async fn primary_contact_is_one_verified_address_of_each_kind(database: Database) {
    let scene = Scene::set(database).await;
    let account = scene.world.account;
    let (one, two) =
        (scene.contact(ContactKind::Email, "a@x").await, scene.contact(ContactKind::Email, "b@x").await);
    let phone = scene.contact(ContactKind::Phone, "+551").await;
    let all = contacts::list_account_contacts(&scene.store, account).await.unwrap();
    let find = |id: ContactId| all.iter().find(|it| it.id == id).unwrap();
    scene.is_refused(contacts::make_contact_primary(find(one)), "contacts.make_primary").await;
    for id in [one, two, phone] {
        scene.happens([contacts::verify_contact(account, id, NOW)]).await;
    }
    scene.happens(contacts::make_contact_primary(find(one))).await;
    scene.happens(contacts::make_contact_primary(find(phone))).await;
    assert_eq!(scene.primary().await, [one, phone]);
    scene.is_refused([contacts::remove_contact(account, one)], "contacts.remove").await;
    scene.happens(contacts::make_contact_primary(find(two))).await;
    assert_eq!(scene.primary().await, [two, phone]);
    scene.is_refused([contacts::remove_contact(scene.id(), one)], "contacts.remove").await;
    scene.happens([contacts::remove_contact(account, one)]).await;
    assert_eq!(contacts::find_verified_contact(&scene.store, ContactKind::Email, "a@x").await, Ok(None));
}

async fn erased_account_keeps_its_id_only(database: Database) {
    let scene = Scene::set(database).await;
    let (account, store) = (scene.world.account, &scene.store);
    scene.contact(ContactKind::Email, "a@x").await;
    let passkey = NewCredential {
        id: scene.id(),
        account,
        kind: credentials::StoredCredentialKind::Passkey,
        name: "my phone",
        handle: Some(b"handle"),
        material: b"key",
        counter: 3,
        created_at: NOW,
        confirmed_at: Some(NOW),
    };
    let identity = ExternalIdentityKey { provider: "https://idp.example", subject: "42" };
    let device = Digest::from_bytes([4; 32]);
    scene
        .happens([
            credentials::add_credential(&passkey),
            identities::link_identity(identity, account, NOW),
            known_devices::record_device(account, &device, &scene.world.empty_document, NOW),
        ])
        .await;
    let credential = credentials::find_passkey_by_handle(store, b"handle").await.unwrap().unwrap();
    scene.happens([credentials::rename_credential(&credential, "old phone")]).await;
    scene.is_refused([credentials::rename_credential(&credential, "late")], "credentials.rename").await;
    assert_eq!(credentials::list_account_credentials(store, account).await.unwrap()[0].name, "old phone");

    let read = accounts::find_account(store, account).await.unwrap().unwrap();
    let erasing = || {
        [
            accounts::erase_account(&read, NOW),
            contacts::delete_account_contacts(account),
            credentials::erase_account_credentials(account, NOW),
            identities::unlink_account_identities(account),
            known_devices::delete_account_devices(account),
            sessions::erase_account_sessions(account, NOW),
            memberships::end_account_memberships(account, NOW),
        ]
    };
    scene.happens(erasing()).await;
    scene.is_refused(erasing(), "accounts.erase").await;
    let erased_account = accounts::find_account(store, account).await.unwrap().unwrap();
    assert_eq!((erased_account.condition, erased_account.epoch), (LifecycleCondition::Ended, read.epoch + 1));
    assert_eq!((erased_account.profile, erased_account.language), (scene.world.empty_document.clone(), None));
    assert_eq!(contacts::list_account_contacts(store, account).await, Ok(Vec::new()));
    assert_eq!(credentials::list_account_credentials(store, account).await, Ok(Vec::new()));
    assert_eq!(credentials::find_passkey_by_handle(store, b"handle").await, Ok(None));
    assert_eq!(identities::find_identity_account(store, identity).await, Ok(None));
    assert_eq!(known_devices::is_known_device(store, account, &device, NOW).await, Ok(false));
    assert_eq!(sessions::list_account_sessions(store, account, NOW).await, Ok(Vec::new()));
    assert_eq!(memberships::list_account_memberships(store, account).await, Ok(Vec::new()));
}

async fn authorized_applications_are_listed_while_active(database: Database) {
    let scene = Scene::set(database).await;
    let (world, store) = (&scene.world, &scene.store);
    let parties = consents::ConsentParties {
        membership: world.membership,
        client: &world.client,
        audience: "https://api.x",
    };
    let scope = "openid invoices:read".parse().unwrap();
    let claims = IndividualClaims::from_names(["birthdate"]);
    let consent = consents::ConsentRow { scope, claims, binding: None, consented_at: NOW };
    scene.happens([consents::record_consent(parties, &consent)]).await;
    let grant = scene.grant(GrantKind::Code).await;
    let agreements = authorized_applications::list_account_consents(store, world.account).await.unwrap();
    assert_eq!(agreements.len(), 1);
    assert_eq!((&agreements[0].application.client, &agreements[0].scope), (&world.client, &consent.scope));
    assert_eq!(agreements[0].claims, consent.claims);
    let grants = authorized_applications::list_account_grants(store, world.account, NOW).await.unwrap();
    assert_eq!(
        grants.iter().map(|it| (it.grant, it.application.membership)).collect::<Vec<_>>(),
        [(grant, world.membership)]
    );
    let account: AccountId = scene.id();
    assert_eq!(authorized_applications::list_account_consents(store, account).await, Ok(Vec::new()));
    assert_eq!(authorized_applications::list_account_grants(store, account, NOW).await, Ok(Vec::new()));
    let late = world.expires_at.plus(Lifetime::from_days(400));
    assert_eq!(
        authorized_applications::list_account_grants(store, world.account, late).await,
        Ok(Vec::new())
    );
    scene.happens([consents::revoke_client_consents(world.membership, &world.client, NOW)]).await;
    scene
        .happens([crate::oauth::grants::revoke_client_grants(
            world.membership,
            &world.client,
            "removed",
            NOW,
        )])
        .await;
    assert_eq!(authorized_applications::list_account_consents(store, world.account).await, Ok(Vec::new()));
    assert_eq!(authorized_applications::list_account_grants(store, world.account, NOW).await, Ok(Vec::new()));
}

async fn account_events_are_visible_to_their_account_only(database: Database) {
    let scene = Scene::set(database).await;
    let account = scene.world.account;
    let event = |actor| SecurityEvent::new(EventKind::CredentialFailed, actor, NOW, &scene.entropy);
    let security_event = event(SecurityEventActor::Account(account));
    let suffered = event(SecurityEventActor::Anonymous).with_subject("account", account);
    let foreign = event(SecurityEventActor::Account(scene.id()));
    let batch = WriteBatch::new().with_event(&security_event).with_event(&suffered).with_event(&foreign);
    scene.store.commit(batch).await.unwrap().into_result().unwrap();
    let read = security_log::list_account_events(&scene.store, account, None, 10).await.unwrap();
    assert_eq!(read.iter().map(|it| it.event.id).collect::<Vec<_>>(), [security_event.id, suffered.id]);
    let rest =
        security_log::list_account_events(&scene.store, account, Some(security_event.id), 10).await.unwrap();
    assert_eq!(rest.iter().map(|it| it.event.id).collect::<Vec<_>>(), [suffered.id]);
    assert_eq!(security_log::list_account_events(&scene.store, account, None, 1).await.unwrap().len(), 1);
}

async fn passkey_domain_is_fixed_with_the_first_passkey(database: Database) {
    let scene = Scene::set(database).await;
    scene.happens([instance::create_instance(scene.id(), NOW, &[1])]).await;
    assert_eq!(instance::find_instance(&scene.store).await.unwrap().unwrap().passkey_domain, None);
    scene.happens([instance::fix_passkey_domain("localhost")]).await;
    scene.happens([instance::fix_passkey_domain("id.example.com")]).await;
    let passkey = NewCredential {
        id: scene.id(),
        account: scene.world.account,
        kind: credentials::StoredCredentialKind::Passkey,
        name: "phone",
        handle: Some(b"handle"),
        material: b"key",
        counter: 0,
        created_at: NOW,
        confirmed_at: Some(NOW),
    };
    scene.happens([credentials::add_credential(&passkey)]).await;
    let refused = "instance.fix_passkey_domain";
    scene.is_refused([instance::fix_passkey_domain("evil.example")], refused).await;
    let fixed = instance::find_instance(&scene.store).await.unwrap().unwrap().passkey_domain;
    assert_eq!(fixed.as_deref(), Some("id.example.com"));
}

async fn account_search_compares_a_bounded_number_and_continues(database: Database) {
    let scene = Scene::set(database).await;
    let nothing = JsonDocument::from_value(&serde_json::json!({})).unwrap();
    let document = JsonDocument::from_value(&serde_json::json!({"name": "Zulmira Costa"})).unwrap();
    let last = late_account(ACCOUNT_SEARCH_SCANNED_MAX);
    let others = (0..ACCOUNT_SEARCH_SCANNED_MAX)
        .map(|number| accounts::create_account(late_account(number), None, &nothing, NOW));
    scene.happens(others.chain([accounts::create_account(last, None, &document, NOW)])).await;
    // The account is further away than one search looks.
    let first = accounts::search_accounts(&scene.store, "zulmira", None, 10).await.unwrap();
    assert_eq!(first.accounts, []);
    let end = first.stopped_at.unwrap();
    assert!(end < last);
    let second = accounts::search_accounts(&scene.store, "zulmira", Some(end), 10).await.unwrap();
    assert_eq!((second.accounts.len(), second.accounts[0].id, second.stopped_at), (1, last, None));
    // One that is near is found at once, but not by a text inside its name.
    let near = late_account(ACCOUNT_SEARCH_SCANNED_MAX - 1);
    let account_page = accounts::search_accounts(&scene.store, "Zulmira c", Some(near), 10).await.unwrap();
    assert_eq!((account_page.accounts.len(), account_page.stopped_at), (1, None));
    let account_page = accounts::search_accounts(&scene.store, "costa", Some(near), 10).await.unwrap();
    assert_eq!((account_page.accounts.len(), account_page.stopped_at), (0, None));
}

async fn primary_emails_of_many_accounts_are_read_together(database: Database) {
    let scene = Scene::set(database).await;
    let nothing = JsonDocument::from_value(&serde_json::json!({})).unwrap();
    let ids: Vec<AccountId> = (0..60).map(late_account).collect();
    let mut statements = Vec::new();
    for (number, account) in ids.iter().enumerate() {
        statements.push(accounts::create_account(*account, None, &nothing, NOW));
        // The first account has no address; the others have two, the second of which is primary.
        for (address, is_primary) in [("old", false), ("new", true)].iter().filter(|_| number > 0) {
            let address = format!("{address}{number}@example.com");
            statements.push(contacts::add_contact(&NewContact {
                id: scene.id(),
                account: *account,
                kind: ContactKind::Email,
                address: &address,
                lookup: &address,
                is_primary: *is_primary,
                created_at: NOW,
            }));
        }
    }
    scene.happens(statements).await;
    let primary_emails = contacts::list_primary_emails(&scene.store, &ids).await.unwrap();
    let expected: Vec<(AccountId, String)> =
        (1..60).map(|number| (late_account(number), format!("new{number}@example.com"))).collect();
    assert_eq!(primary_emails, expected);
    assert_eq!(contacts::list_primary_emails(&scene.store, &ids[..1]).await.unwrap(), []);
    assert_eq!(contacts::list_primary_emails(&scene.store, &[]).await.unwrap(), []);
}
