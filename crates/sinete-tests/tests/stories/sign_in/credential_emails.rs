//! E-mails about credentials: one for each change, in the user's language, to the account holder only.

use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::second_factors::{enroll_recovery_codes, enroll_totp};
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::StoredCredentialKind;

/// The subject and text of the newest e-mail to Ana, which must be the only new one. Sign-in alerts are left out.
async fn newest(world: &World, read: &mut usize) -> (String, String) {
    world.deliver_messages().await;
    let is_another_story =
        |subject: &str| ["New sign-in to ", "Novo login em "].iter().any(|alert| subject.starts_with(alert));
    let mut all = world.mailbox.emails_to("ana@example.com");
    all.retain(|outgoing_email| !is_another_story(&outgoing_email.subject));
    assert_eq!(all.len(), *read + 1, "{:?}", all.iter().map(|it| &it.subject).collect::<Vec<_>>());
    *read = all.len();
    let outgoing_email = all.last().unwrap();
    assert!(outgoing_email.html.contains("/not-me?token=sn_al_"), "{}", outgoing_email.html);
    (outgoing_email.subject.clone(), outgoing_email.text.clone())
}

async fn credential_of(world: &World, user: &SignedInUser<'_>, kind: StoredCredentialKind) -> String {
    let credentials =
        credentials::list_account_credentials(world.server.engine().store(), user.account).await.unwrap();
    format!("/account/credentials/{}", credentials.iter().find(|it| it.kind == kind).unwrap().id)
}

/// Every change of credentials, and the e-mail about each, in order.
async fn everything_happens(world: &World, language: &str) -> Vec<(String, String)> {
    let ana = world.create_user("ana@example.com").await;
    world.create_user("bob@example.com").await;
    let user = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    let version = user.get("/account").await.assert_status(200).version();
    user.patch("/account", Some(version), json!({"language": language})).await.assert_status(200);
    let (mut read, mut emails) = (0, Vec::new());

    enroll_totp(world, &ana).await;
    emails.push(newest(world, &mut read).await);
    let strong = async || {
        world
            .sign_in_account(
                ana.account,
                &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                    .with_proof(AuthenticationProof::Totp),
            )
            .await
    };
    let user = world.user_with_session(&strong().await.token).await;
    enroll_recovery_codes(world, &user).await;
    emails.push(newest(world, &mut read).await);
    // Replacing recovery codes is notified as well.
    let codes = enroll_recovery_codes(world, &user).await;
    emails.push(newest(world, &mut read).await);

    for code in &codes {
        let mut walk = world.start_flow(json!({"kind": "sign_in"})).await;
        walk.submit("password", json!({"email": "ana@example.com", "password": PASSWORD}))
            .await
            .assert_status(200);
        walk.submit("recovery_code", json!({"code": code})).await.assert_status(200);
    }
    emails.push(newest(world, &mut read).await);

    let strong_session = strong().await;
    let body = json!({"current_password": PASSWORD, "password": "a new kettle sings"});
    strong_session.post("/account/password", body).await.assert_status(200);
    emails.push(newest(world, &mut read).await);
    for kind in
        [StoredCredentialKind::RecoveryCodes, StoredCredentialKind::Totp, StoredCredentialKind::Password]
    {
        let strong_session = strong().await;
        let path = credential_of(world, &strong_session, kind).await;
        strong_session.delete(&path).await.assert_status(204);
        emails.push(newest(world, &mut read).await);
    }
    world.deliver_messages().await;
    assert!(world.mailbox.emails_to("bob@example.com").is_empty());
    emails
}

both_engines!(credential_changes_are_emailed_to_the_user_once, credential_change_emails_are_localized);

async fn credential_changes_are_emailed_to_the_user_once(world: &World) {
    let emails = everything_happens(world, "en").await;
    let expected = [
        ("New sign-in method", "authenticator app"),
        ("New sign-in method", "recovery codes"),
        ("New sign-in method", "recovery codes"),
        ("You have no recovery codes left", "was used"),
        ("Your password", "password"),
        ("Sign-in method removed", "recovery codes"),
        ("Sign-in method removed", "authenticator app"),
        ("Sign-in method removed", "password"),
    ];
    for ((subject, text), (starts, holds)) in emails.iter().zip(expected) {
        assert!(subject.starts_with(starts) && text.contains(holds), "{subject}: {text}");
    }
    assert_eq!(emails.len(), expected.len());
}

async fn credential_change_emails_are_localized(world: &World) {
    let emails = everything_happens(world, "pt").await;
    let expected = [
        ("Novo método de login", "aplicativo autenticador"),
        ("Novo método de login", "códigos de recuperação"),
        ("Novo método de login", "códigos de recuperação"),
        ("Acabaram os seus códigos de recuperação", "foi usado"),
        ("A sua senha", "senha"),
        ("Método de login removido", "códigos de recuperação"),
        ("Método de login removido", "aplicativo autenticador"),
        ("Método de login removido", "senha"),
    ];
    for ((subject, text), (starts, holds)) in emails.iter().zip(expected) {
        assert!(subject.starts_with(starts) && text.contains(holds), "{subject}: {text}");
        for english in ["recovery codes", "authenticator", "password", " the ", "Hello"] {
            assert!(!text.contains(english) && !subject.contains(english), "{english}: {text}");
        }
    }
    assert_eq!(emails.len(), expected.len());
}
