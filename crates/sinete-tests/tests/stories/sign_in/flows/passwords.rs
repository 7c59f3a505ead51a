//! Passwords: compared exactly, rehashed when the parameters change, and reset only with a code sent by e-mail.

use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_store::sign_in::credentials;

both_engines!(
    password_is_compared_exactly_as_chosen,
    password_hash_with_other_parameters_is_rehashed_at_sign_in,
    password_reset_needs_the_emailed_code_and_the_second_factor
);

async fn password_is_compared_exactly_as_chosen(world: &World) {
    let mut walk = world.start_flow(json!({"kind": "sign_up"})).await;
    let password = "Cafe\u{301} com p\u{e3}o de queijo ";
    walk.submit("details", json!({"email": "ana@example.com", "password": password}))
        .await
        .assert_status(200);
    let code = world.emailed_code("ana@example.com").await;
    walk.submit("code", json!({"code": code})).await.assert_status(200);
    for wrong in [
        "cafe\u{301} com p\u{e3}o de queijo ",
        "Cafe\u{301} com p\u{e3}o de queijo",
        "Cafe com pao de queijo ",
    ] {
        world.sign_in_with_password("ana@example.com", wrong).await.assert_problem(422, "unprocessable");
    }
    // The same characters in another Unicode normalization form.
    world
        .sign_in_with_password("ana@example.com", "Caf\u{e9} com pa\u{303}o de queijo ")
        .await
        .assert_status(200);
}

async fn password_hash_with_other_parameters_is_rehashed_at_sign_in(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    let engine = world.server.engine();
    let credential =
        credentials::list_account_credentials(engine.store(), ana.account).await.unwrap().remove(0);
    let older = sinete_crypto::sign_in::credentials::password::Argon2Parameters {
        memory_kib: 128,
        passes: 2,
        lanes: 1,
    };
    let hash = sinete_crypto::sign_in::credentials::password::hash_password(
        PASSWORD.as_bytes(),
        &[1; 16],
        &older,
        None,
    )
    .unwrap();
    world.apply_statements([credentials::replace_credential_material(&credential, hash.as_bytes())]).await;
    world
        .sign_in_with_password("ana@example.com", "wrong wrong wrong wrong")
        .await
        .assert_problem(422, "unprocessable");
    let stored = async || {
        let credential =
            credentials::list_account_credentials(engine.store(), ana.account).await.unwrap().remove(0);
        String::from_utf8(credential.material).unwrap()
    };
    assert_eq!(stored().await, hash);
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
    assert!(stored().await.contains("m=64,t=1,p=1"), "{}", stored().await);
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_status(200);
}

async fn password_reset_needs_the_emailed_code_and_the_second_factor(world: &World) {
    let ana = world.create_user("ana@example.com").await;
    world.add_totp(&ana).await;
    let mut walk = world.start_flow(json!({"kind": "reset_password"})).await;
    let new = json!({"password": "a new kettle sings"});
    walk.try_submit("new_password", new.clone()).await.assert_problem(409, "conflict");
    walk.submit("email", json!({"email": "ana@example.com"})).await.assert_status(200);
    walk.try_submit("new_password", new.clone()).await.assert_problem(409, "conflict");
    let code = world.emailed_code("ana@example.com").await;
    assert_eq!(
        walk.submit("code", json!({"code": code})).await.assert_status(200).body["stage"],
        "new_password"
    );
    walk.try_submit("new_password", json!({"password": "ana@example.com"}))
        .await
        .assert_problem(422, "unprocessable");
    walk.try_submit("code", json!({"code": code})).await.assert_problem(409, "conflict");
    let response = walk.submit("new_password", new.clone()).await.assert_status(200);
    assert_eq!(response.body["stage"], "password_set");
    assert!(response.body.get("session_token").is_none() && response.headers.get("set-cookie").is_none());
    walk.try_submit("new_password", new).await.assert_problem(409, "conflict");
    assert!(!ana.is_signed_in().await, "every session ended");
    world.sign_in_with_password("ana@example.com", PASSWORD).await.assert_problem(422, "unprocessable");
    let next = world.sign_in_with_password("ana@example.com", "a new kettle sings").await.assert_status(200);
    assert_eq!(next.body["stage"], "second_factor");
    assert!(next.body.get("session_token").is_none());
}
