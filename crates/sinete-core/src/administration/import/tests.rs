use super::*;
use proptest::prelude::*;
use serde_json::json;

fn whole(account: &ImportedAccount) -> &str {
    match &account.password {
        Some(ImportedPasswordHash::SelfContained(text)) => text,
        Some(ImportedPasswordHash::Firebase { .. }) | None => "",
    }
}

#[test]
fn import_of_the_sinete_format_reads_every_member_and_refuses_misspelled_ones() {
    let raw = json!({"id": "7", "email": "Ana@Example.com", "email_verified": true, "name": " Ana ", "language": "pt",
        "enabled": false, "password_hash": "$2b$04$x"});
    let ana = AccountImportFormat::Sinete.parse_account(&raw).unwrap();
    assert_eq!((ana.id.as_str(), ana.address.lookup_key().as_str()), ("7", "ana@example.com"));
    assert!(ana.is_verified && !ana.is_enabled);
    assert_eq!((ana.name.as_deref(), ana.language), (Some("Ana"), Some(Language::Portuguese)));
    assert_eq!(whole(&ana), "$2b$04$x");
    assert!(!format!("{ana:?}").contains("$2b"), "{ana:?}");
    let short = AccountImportFormat::Sinete.parse_account(&json!({"email": "ana@example.com"})).unwrap();
    assert_eq!(short.id, "ana@example.com");
    assert!(short.is_enabled && !short.is_verified && short.password.is_none());
    for (wrong, reason) in [
        (json!({"email": "ana@example.com", "emial": 1}), "unknown field `emial`"),
        (json!({"name": "Ana"}), "missing field `email`"),
        (json!({"email": "ana"}), "an e-mail address is written like"),
        (json!({"email": ""}), "there is no e-mail address"),
        (json!({"email": "ana@example.com", "id": ""}), "its id must have"),
        (json!({"email": "ana@example.com", "id": "x".repeat(300)}), "its id must have"),
        (json!({"email": "ana@example.com", "name": "a\u{202e}b"}), "the name must be"),
        (json!({"email": "ana@example.com", "language": "xx"}), "unknown variant `xx`"),
        (json!([]), "invalid length 0"),
        (json!("x"), "invalid type"),
    ] {
        let error_message = AccountImportFormat::Sinete.parse_account(&wrong).unwrap_err().to_string();
        assert!(error_message.starts_with(reason), "{wrong}: {error_message}");
    }
}

#[test]
fn import_from_keycloak_reads_split_and_legacy_password_hashes() {
    let user = |data: Value, secret: Value| {
        json!({"id": "a1", "username": "ana", "email": "ana@example.com", "emailVerified": true, "enabled": true,
            "firstName": "Ana", "lastName": "Reis", "attributes": {"locale": ["pt-BR"]}, "credentials": [
                {"type": "otp", "secretData": "{}"},
                {"type": "password", "credentialData": data.to_string(), "secretData": secret.to_string()}]})
    };
    let secret = json!({"value": "dGFn", "salt": "c2FsdA==", "additionalParameters": {}});
    let data = json!({"hashIterations": 27500, "algorithm": "pbkdf2-sha256", "additionalParameters": {}});
    let ana = AccountImportFormat::Keycloak.parse_account(&user(data, secret.clone())).unwrap();
    assert_eq!((ana.name.as_deref(), ana.language), (Some("Ana Reis"), Some(Language::Portuguese)));
    assert_eq!(whole(&ana), "$pbkdf2-sha256$27500$c2FsdA$dGFn");
    let parameters = json!({"hashLength": ["32"], "memory": ["7168"], "type": ["id"], "version": ["1.3"],
        "parallelism": ["1"]});
    let argon = json!({"hashIterations": 5, "algorithm": "argon2", "additionalParameters": parameters});
    let argon = AccountImportFormat::Keycloak.parse_account(&user(argon, secret.clone())).unwrap();
    assert_eq!(whole(&argon), "$argon2id$v=19$m=7168,t=5,p=1$c2FsdA$dGFn");
    let old = json!({"id": "1", "email": "o@example.com", "credentials": [{"type": "password",
        "hashedSaltedValue": "dGFn", "salt": "c2FsdA==", "hashIterations": 20000, "algorithm": "pbkdf2"}]});
    assert_eq!(
        whole(&AccountImportFormat::Keycloak.parse_account(&old).unwrap()),
        "$pbkdf2-sha1$20000$c2FsdA$dGFn"
    );
    let unknown = json!({"hashIterations": 1, "algorithm": "custom"});
    for (wrong, reason) in [
        (user(unknown, secret.clone()), "its password was hashed by \"custom\""),
        (user(json!({"algorithm": "pbkdf2"}), secret), "its password lacks"),
        (
            json!({"id": "1", "username": "service-account-x", "email": "x@example.com",
            "serviceAccountClientId": "x"}),
            "it is the account of a client",
        ),
        (json!({"id": "1", "username": "nobody"}), "there is no e-mail address"),
    ] {
        assert!(
            AccountImportFormat::Keycloak.parse_account(&wrong).unwrap_err().to_string().starts_with(reason),
            "{wrong}"
        );
    }
}

#[test]
fn import_from_auth0_reads_both_password_hash_formats() {
    let exported = json!({"_id": {"$oid": "60"}, "email": "ana@example.com", "email_verified": true,
        "name": "ana@example.com", "given_name": "Ana", "family_name": "Reis", "passwordHash": "$2b$10$x",
        "blocked": true});
    let ana = AccountImportFormat::Auth0.parse_account(&exported).unwrap();
    assert_eq!((ana.id.as_str(), ana.name.as_deref(), whole(&ana)), ("60", Some("Ana Reis"), "$2b$10$x"));
    assert!(ana.is_verified && !ana.is_enabled);
    let custom = |algorithm: &str| {
        json!({"user_id": "auth0|1", "email": "rui@example.com",
            "custom_password_hash": {"algorithm": algorithm, "hash": {"value": "$pbkdf2-sha512$i=1,l=64$a$b"}}})
    };
    assert_eq!(
        whole(&AccountImportFormat::Auth0.parse_account(&custom("pbkdf2")).unwrap()),
        "$pbkdf2-sha512$i=1,l=64$a$b"
    );
    assert!(
        AccountImportFormat::Auth0.parse_account(&custom("md5")).unwrap_err().to_string().contains("\"md5\"")
    );
}

#[test]
fn import_from_firebase_reads_salt_and_hash() {
    let raw = json!({"localId": "u", "email": "ana@example.com", "displayName": "Ana", "passwordHash": "dGFn",
        "salt": "c2FsdA==", "disabled": true, "emailVerified": false});
    let ana = AccountImportFormat::Firebase.parse_account(&raw).unwrap();
    let expected = ImportedPasswordHash::Firebase { salt: "c2FsdA==".to_owned(), tag: "dGFn".to_owned() };
    assert!(ana.password == Some(expected) && !ana.is_enabled && !ana.is_verified);
    let unsalted = json!({"localId": "u", "email": "ana@example.com", "passwordHash": "dGFn"});
    assert!(AccountImportFormat::Firebase.parse_account(&unsalted).is_err());
}

#[test]
fn import_source_name_is_plain() {
    assert_eq!("old-shop-2".parse::<ImportSourceName>().unwrap().as_str(), "old-shop-2");
    for wrong in ["", "Old", "a b", "ação", &"a".repeat(33)] {
        assert!(wrong.parse::<ImportSourceName>().is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn import_parsing_never_panics(text in "\\{(\"(email|id|_id|name|credentials|salt|passwordHash)\":(1|null|\"a@b.c\"|\\[\\{\\}\\]),?){0,4}\\}") {
        if let Ok(raw) = serde_json::from_str::<Value>(&text) {
            for from in [AccountImportFormat::Sinete, AccountImportFormat::Keycloak, AccountImportFormat::Auth0, AccountImportFormat::Firebase] {
                let _ = from.parse_account(&raw);
            }
        }
    }
}
