//! Passwords: exactly as they were chosen, hashed anew when that costs more, forgotten only with the mailed proof.

use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_store::credentials;

both_engines!(
    a_password_is_compared_exactly_as_it_was_chosen,
    a_hash_of_another_cost_is_made_anew_at_the_next_sign_in,
    a_password_is_reset_by_whoever_reads_the_address_and_past_no_second_factor
);

async fn a_password_is_compared_exactly_as_it_was_chosen(world: &World) {
    let mut walk = world.flow(json!({"kind": "sign_up"})).await;
    let chosen = "Cafe\u{301} com p\u{e3}o de queijo ";
    walk.says("details", json!({"email": "ana@example.com", "password": chosen})).await.is(200);
    let code = world.mailed_code("ana@example.com").await;
    walk.says("code", json!({"code": code})).await.is(200);
    for wrong in [
        "cafe\u{301} com p\u{e3}o de queijo ",
        "Cafe\u{301} com p\u{e3}o de queijo",
        "Cafe com pao de queijo ",
    ] {
        world.sign_in("ana@example.com", wrong).await.refused(422, "unprocessable");
    }
    // The same characters, spelled otherwise.
    world.sign_in("ana@example.com", "Caf\u{e9} com pa\u{303}o de queijo ").await.is(200);
}

async fn a_hash_of_another_cost_is_made_anew_at_the_next_sign_in(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    let engine = world.server.engine();
    let kept = credentials::of_account(engine.store(), ana.account).await.unwrap().remove(0);
    let older = sinete_crypto::argon::Argon2Parameters { memory_kib: 128, passes: 2, lanes: 1 };
    let hash = sinete_crypto::argon::hash(PASSWORD.as_bytes(), &[1; 16], &older, None).unwrap();
    world.happens([credentials::replace_material(&kept, hash.as_bytes())]).await;
    world.sign_in("ana@example.com", "wrong wrong wrong wrong").await.refused(422, "unprocessable");
    let stored = async || {
        let kept = credentials::of_account(engine.store(), ana.account).await.unwrap().remove(0);
        String::from_utf8(kept.material).unwrap()
    };
    assert_eq!(stored().await, hash);
    world.sign_in("ana@example.com", PASSWORD).await.is(200);
    assert!(stored().await.contains("m=64,t=1,p=1"), "{}", stored().await);
    world.sign_in("ana@example.com", PASSWORD).await.is(200);
}

async fn a_password_is_reset_by_whoever_reads_the_address_and_past_no_second_factor(world: &World) {
    let ana = world.somebody("ana@example.com").await;
    world.has_totp(&ana).await;
    let mut walk = world.flow(json!({"kind": "reset_password"})).await;
    let new = json!({"password": "a new kettle sings"});
    walk.tries("new_password", new.clone()).await.refused(409, "conflict");
    walk.says("email", json!({"email": "ana@example.com"})).await.is(200);
    walk.tries("new_password", new.clone()).await.refused(409, "conflict");
    let code = world.mailed_code("ana@example.com").await;
    assert_eq!(walk.says("code", json!({"code": code})).await.is(200).body["stage"], "new_password");
    walk.tries("new_password", json!({"password": "ana@example.com"})).await.refused(422, "unprocessable");
    walk.tries("code", json!({"code": code})).await.refused(409, "conflict");
    let done = walk.says("new_password", new.clone()).await.is(200);
    assert_eq!(done.body["stage"], "password_set");
    assert!(done.body.get("session_token").is_none() && done.headers.get("set-cookie").is_none());
    walk.tries("new_password", new).await.refused(409, "conflict");
    assert!(!ana.is_signed_in().await, "every session ended");
    world.sign_in("ana@example.com", PASSWORD).await.refused(422, "unprocessable");
    let next = world.sign_in("ana@example.com", "a new kettle sings").await.is(200);
    assert_eq!(next.body["stage"], "second_factor");
    assert!(next.body.get("session_token").is_none());
}
