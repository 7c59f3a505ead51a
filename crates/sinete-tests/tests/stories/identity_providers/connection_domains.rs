//! The domains of connections under concurrent changes, and connections that can be disabled whatever their settings.

use super::oidc_sign_in::departs;
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::{Value, json};
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::connections::{ConnectionProtocol, ConnectionSettings};
use sinete_store::identity_providers::connections;
use sinete_store::{Store, WriteBatch};
use std::sync::{Arc, Mutex};

/// Creates an enabled connection to a provider that is never contacted, and returns its id and management path.
async fn connects(owner: &ApiCaller<'_>, name: &str, domains: Value) -> (ConnectionId, String) {
    let connection_body = json!({
        "name": name, "issuer": format!("https://{name}.login.example"), "client_id": "sinete",
        "authentication": "private_key", "domains": domains, "enabled": true,
    });
    let created =
        owner.post(&owner.tenant.path("/connections"), connection_body).await.assert_status(201).body;
    let id = created["id"].as_str().unwrap();
    (id.parse().unwrap(), owner.tenant.path(&format!("/connections/{id}")))
}

/// Commits a batch once, between the read and the write of a request that changes a connection.
fn meddles(store: &Store) -> Arc<Mutex<Option<WriteBatch>>> {
    let batch: Arc<Mutex<Option<WriteBatch>>> = Arc::default();
    let (pending_batch, meddler) = (Arc::clone(&batch), store.clone());
    store.set_query_observer(move |statement| {
        let write_batch =
            if statement == "connections.change" { pending_batch.lock().unwrap().take() } else { None };
        if let Some(write_batch) = write_batch {
            let commit = async { meddler.commit(write_batch).await.unwrap().into_result().unwrap() };
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(commit));
        }
    });
    batch
}

both_engines!(
    connection_domain_moved_concurrently_is_not_moved_back,
    connection_domain_moves_and_renames_made_concurrently_all_persist,
    connection_that_is_disabled_takes_no_domain_from_another,
    connection_can_be_disabled_whatever_its_settings
);

async fn connection_domain_moved_concurrently_is_not_moved_back(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for domain in ["x.example", "y.example", "z.example"] {
        owner.post(&acme.path("/domains"), json!({"domain": domain})).await.assert_status(201);
    }
    let (first, path) = connects(&owner, "first", json!(["x.example", "y.example"])).await;
    let (second, other) = connects(&owner, "second", json!([])).await;
    let store = world.server.engine().store().clone();
    let batch = meddles(&store);
    let leads = |domain: &str, to| {
        Some(WriteBatch::new().with_statement(connections::assign_domain(
            acme.id,
            &domain.parse().unwrap(),
            to,
        )))
    };
    let stands = async |path: &str| owner.get(path).await.assert_status(200).body["domains"].clone();
    // A change of the name does not touch the domains.
    *batch.lock().unwrap() = leads("x.example", second);
    let renamed_connection = owner.patch(&path, 1, json!({"name": "Ours"})).await.assert_status(200).body;
    assert_eq!(
        (&renamed_connection["name"], &renamed_connection["domains"]),
        (&json!("Ours"), &json!(["y.example"]))
    );
    assert_eq!(stands(&other).await, json!(["x.example"]));
    // A domain moved meanwhile is not taken back by a request that repeats the domains it read and removes another.
    *batch.lock().unwrap() = leads("y.example", second);
    let added =
        owner.patch(&path, 2, json!({"domains": ["y.example", "z.example"]})).await.assert_status(200).body;
    assert_eq!(
        (&added["domains"], stands(&other).await),
        (&json!(["z.example"]), json!(["x.example", "y.example"]))
    );
    // A domain that is removed here stays where it was moved meanwhile.
    *batch.lock().unwrap() = leads("z.example", second);
    owner.patch(&path, 3, json!({"domains": []})).await.assert_status(200);
    assert_eq!(
        (stands(&path).await, stands(&other).await),
        (json!([]), json!(["x.example", "y.example", "z.example"]))
    );
    // A domain that is added is not taken from where it was moved meanwhile; then nothing is changed.
    *batch.lock().unwrap() = leads("x.example", first);
    owner.patch(&other, 1, json!({"domains": []})).await.assert_status(200);
    let (third, _) = connects(&owner, "third", json!([])).await;
    *batch.lock().unwrap() = leads("y.example", third);
    owner
        .patch(&path, 4, json!({"name": "Mine", "domains": ["x.example", "y.example"]}))
        .await
        .assert_status(412);
    let after = owner.get(&path).await.assert_status(200).body;
    assert_eq!(
        (&after["name"], &after["domains"], &after["version"]),
        (&json!("Ours"), &json!(["x.example"]), &json!(4))
    );
    // A request that read where the domain was takes it; a domain that is not verified is refused as always.
    let updated_connection = owner
        .patch(&path, 4, json!({"domains": ["x.example", "y.example", "Y.example"]}))
        .await
        .assert_status(200)
        .body;
    assert_eq!(updated_connection["domains"], json!(["x.example", "y.example"]));
    let refused = owner
        .patch(&path, 5, json!({"domains": ["x.example", "elsewhere.example"]}))
        .await
        .assert_status(422);
    assert_eq!(refused.fault_pointers(), ["/domains"]);
    assert!(batch.lock().unwrap().is_none());
}

async fn connection_domain_moves_and_renames_made_concurrently_all_persist(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.post(&acme.path("/domains"), json!({"domain": "x.example"})).await.assert_status(201);
    let (_, first) = connects(&owner, "first", json!(["x.example"])).await;
    let (_, second) = connects(&owner, "second", json!([])).await;
    let version = async |path: &str| owner.get(path).await.assert_status(200).version();
    // One connection is renamed while the other takes its domain: the other has it afterwards, in either order.
    for round in 0..12 {
        let (from, to) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
        let (from_version, other) = (version(from).await, version(to).await);
        let (renamed, response) = tokio::join!(
            owner.patch(from, from_version, json!({"name": format!("Round {round}")})),
            owner.patch(to, other, json!({"domains": ["x.example"]})),
        );
        renamed.assert_status(200);
        response.assert_status(200);
        assert_eq!(
            owner.get(to).await.assert_status(200).body["domains"],
            json!(["x.example"]),
            "round {round}"
        );
        assert_eq!(owner.get(from).await.assert_status(200).body["domains"], json!([]), "round {round}");
    }
    // Of several requests for the domain, one gets it, and every response is correct.
    let mut racers = Vec::new();
    for name in ["a", "b", "c", "d"] {
        racers.push(connects(&owner, name, json!([])).await.1);
    }
    let owner = &owner;
    let asks = racers
        .iter()
        .map(|path| async move { (path, owner.patch(path, 1, json!({"domains": ["x.example"]})).await) });
    let mut holders = 0;
    for (path, reply) in join_all(asks.collect()).await {
        assert!([200, 412].contains(&reply.status), "{}", reply.text);
        let after = owner.get(path).await.assert_status(200).body;
        assert_eq!(after["version"] == 2, reply.status == 200, "a refused request changes nothing: {after}");
        if after["domains"] == json!(["x.example"]) {
            holders += 1;
            assert_eq!(reply.status, 200);
        }
    }
    assert_eq!(holders, 1);
}

async fn connection_that_is_disabled_takes_no_domain_from_another(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for domain in ["free.example", "x.example"] {
        owner.post(&acme.path("/domains"), json!({"domain": domain})).await.assert_status(201);
    }
    let (holder, first) = connects(&owner, "first", json!(["x.example"])).await;
    let disabled = |name: &str, domains: Value| {
        json!({"name": name, "issuer": format!("https://{name}.login.example"), "client_id": "sinete",
            "authentication": "private_key", "domains": domains})
    };
    let all = acme.path("/connections");
    let stands = async |path: &str| owner.get(path).await.assert_status(200).body["domains"].clone();
    // At creation, nothing is created; a change is refused as a whole. The refusal names the other connection.
    let refused = owner.post(&all, disabled("second", json!(["free.example", "x.example"]))).await;
    let refused = refused.assert_problem(409, "conflict");
    assert_eq!(refused.body["type"], "urn:sinete:problem:connection_domain_in_use");
    let detail = refused.text_member("detail");
    assert!(detail.starts_with("The domain x.example belongs to the connection first,"), "{detail}");
    assert_eq!(owner.get(&all).await.assert_status(200).body["items"].as_array().unwrap().len(), 1);
    let response = owner.post(&all, disabled("second", json!(["free.example"]))).await.assert_status(201);
    let second = acme.path(&format!("/connections/{}", response.text_member("id")));
    let change = json!({"name": "Ours", "domains": ["free.example", "x.example"]});
    owner.patch(&second, 1, change.clone()).await.assert_problem(409, "conflict");
    assert_eq!(
        (stands(&first).await, stands(&second).await),
        (json!(["x.example"]), json!(["free.example"]))
    );
    // The same holds while the other connection is disabled too, and for a connection that the change disables.
    owner.patch(&first, 1, json!({"enabled": false})).await.assert_status(200);
    owner.patch(&second, 1, change.clone()).await.assert_problem(409, "conflict");
    owner.patch(&second, 1, json!({"enabled": true})).await.assert_status(200);
    let stops = json!({"enabled": false, "domains": ["x.example"]});
    owner.patch(&second, 2, stops).await.assert_problem(409, "conflict");
    // An enabled connection takes it, and a disabled one gets a domain that no connection has.
    owner.patch(&second, 2, change).await.assert_status(200);
    assert_eq!(
        (stands(&first).await, stands(&second).await),
        (json!([]), json!(["free.example", "x.example"]))
    );
    owner.patch(&second, 3, json!({"domains": []})).await.assert_status(200);
    owner.patch(&first, 2, json!({"domains": ["x.example"]})).await.assert_status(200);
    assert_eq!(stands(&acme.path(&format!("/connections/{holder}"))).await, json!(["x.example"]));
}

async fn connection_can_be_disabled_whatever_its_settings(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let saml = world.create_saml_provider().create_connection(&owner, "acme.example").await;
    let provider = world.create_oidc_provider().await;
    let open_id = provider.create_connection(&owner, "login.example").await;
    let store = world.server.engine().store();
    let path = |created: &Value| acme.path(&format!("/connections/{}", created["id"].as_str().unwrap()));
    let read = async |created: &Value| {
        connections::find_connection(store, acme.id, created["id"].as_str().unwrap().parse().unwrap())
            .await
            .unwrap()
            .unwrap()
    };
    let happens = async |batch: WriteBatch| {
        store.commit(batch).await.unwrap().into_result().unwrap();
    };
    let good = read(&open_id).await.settings;
    for (created, pointer) in [(&saml, "/saml/certificates/0"), (&open_id, "/scopes")] {
        let (before, path) = (read(created).await, path(created));
        happens(
            WriteBatch::new().with_statement(
                connections::change_connection(
                    &before,
                    &invalidate(&before.settings),
                    true,
                    before.confirmation,
                )
                .unwrap(),
            ),
        )
        .await;
        // A change of anything else validates the settings, and the version is compared as always.
        let refused =
            owner.patch(&path, 2, json!({"enabled": false, "name": "Other"})).await.assert_status(422);
        assert_eq!(refused.fault_pointers(), [pointer]);
        owner.patch(&path, 1, json!({"enabled": false})).await.assert_status(412);
        let off = owner.patch(&path, 2, json!({"enabled": false})).await.assert_status(200).body;
        assert_eq!(
            (&off["enabled"], &off["domains"], &off["name"]),
            (&json!(false), &created["domains"], &created["name"])
        );
        let refused = owner.patch(&path, 3, json!({"enabled": true})).await.assert_status(422);
        assert_eq!(refused.fault_pointers(), [pointer]);
        assert!(!read(created).await.is_enabled);
    }
    // A secret that cannot be decrypted does not prevent disabling either; enabling needs a new one.
    let (before, path) = (read(&open_id).await, path(&open_id));
    let batch = WriteBatch::new()
        .with_statement(connections::change_connection(&before, &good, true, before.confirmation).unwrap());
    happens(
        batch.with_statement(connections::replace_connection_secret(
            before.id,
            Some(b"not sealed by anybody"),
        )),
    )
    .await;
    departs(world, "ana@login.example").await;
    owner.patch(&path, 4, json!({"enabled": false})).await.assert_status(200);
    let refused = owner.patch(&path, 5, json!({"enabled": true})).await.assert_status(422);
    assert_eq!(refused.fault_pointers(), ["/client_secret"]);
    let with_secret = json!({"enabled": true, "client_secret": crate::harness::oidc_provider::CLIENT_SECRET});
    owner.patch(&path, 5, with_secret).await.assert_status(200);
    let audit_log =
        owner.get(&acme.path("/audit?kind=connection.changed&limit=200")).await.assert_status(200).body;
    assert_eq!(audit_log["items"].as_array().unwrap().len(), 4, "{audit_log}");
}

/// Settings that no longer pass validation.
fn invalidate(settings: &ConnectionSettings) -> ConnectionSettings {
    let mut settings = settings.clone();
    match &mut settings.protocol {
        ConnectionProtocol::Saml(saml) => {
            saml.certificates =
                vec!["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned()]
        }
        ConnectionProtocol::OpenId(open_id) => open_id.scopes = vec!["email".to_owned()],
    }
    settings
}
