use super::*;
use proptest::prelude::*;
use sinete_core::entropy::DangerouslySeededEntropy;

const SEED: EncryptionContext<'static> =
    EncryptionContext { purpose: EncryptionPurpose::TotpSeed, record: b"0123456789abcdef" };

fn key(seed: u64) -> InstanceKey {
    InstanceKey::parse(&InstanceKey::mint(&DangerouslySeededEntropy::new(seed))).unwrap()
}

fn keys(current: u64, previous: &[u64]) -> InstanceKeyRing {
    InstanceKeyRing::new(key(current), previous.iter().map(|seed| key(*seed)).collect())
}

fn sealed(keys: &InstanceKeyRing, secret: &[u8]) -> Vec<u8> {
    keys.encrypt(&SEED, secret, &DangerouslySeededEntropy::new(100)).unwrap()
}

proptest! {
    #[test]
    fn encrypted_value_decrypts_again_and_hides_its_content(secret in any::<Vec<u8>>()) {
        let keys = keys(1, &[]);
        let sealed = sealed(&keys, &secret);
        prop_assert_eq!(sealed.len(), secret.len() + 37);
        prop_assert_eq!(&*keys.decrypt(&SEED, &sealed).unwrap(), &secret);
        if secret.len() >= 8 {
            prop_assert!(!sealed.windows(secret.len()).any(|window| window == secret));
        }
    }

    #[test]
    fn decryption_never_panics(bytes in any::<Vec<u8>>()) {
        prop_assert!(keys(1, &[]).decrypt(&SEED, &bytes).is_err());
    }
}

#[test]
fn encrypted_value_changed_or_truncated_does_not_decrypt() {
    let keys = keys(1, &[2]);
    let ciphertext = sealed(&keys, b"a seed of twenty byt");
    for index in 0..ciphertext.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = ciphertext.clone();
            changed[index] ^= change;
            assert!(keys.decrypt(&SEED, &changed).is_err(), "at {index}");
        }
        assert!(keys.decrypt(&SEED, &ciphertext[..index]).is_err(), "cut at {index}");
    }
    let longer = [&ciphertext[..], b"x"].concat();
    assert_eq!(keys.decrypt(&SEED, &longer), Err(DecryptionError::Altered));
}

#[test]
fn encrypted_value_moved_to_another_record_or_purpose_does_not_decrypt() {
    let keys = keys(1, &[]);
    let ciphertext = sealed(&keys, b"seed");
    let other_row = EncryptionContext { record: b"0123456789abcdeX", ..SEED };
    assert_eq!(keys.decrypt(&other_row, &ciphertext), Err(DecryptionError::Altered));
    for purpose in [
        EncryptionPurpose::SigningKey,
        EncryptionPurpose::Message,
        EncryptionPurpose::WebhookSecret,
        EncryptionPurpose::InstanceCheck,
    ] {
        assert_eq!(
            keys.decrypt(&EncryptionContext { purpose, ..SEED }, &ciphertext),
            Err(DecryptionError::Altered)
        );
    }
    // Purpose and record id with the same concatenation are different contexts.
    let run_together = EncryptionContext { record: b" 0123456789abcdef", ..SEED };
    assert_eq!(keys.decrypt(&run_together, &ciphertext), Err(DecryptionError::Altered));
}

#[test]
fn encrypted_values_of_one_secret_differ() {
    let keys = keys(1, &[]);
    let entropy = DangerouslySeededEntropy::new(5);
    assert_ne!(
        keys.encrypt(&SEED, b"seed", &entropy).unwrap(),
        keys.encrypt(&SEED, b"seed", &entropy).unwrap()
    );
}

#[test]
fn instance_key_can_be_replaced_while_old_encrypted_values_remain() {
    let before = keys(1, &[]);
    let old = sealed(&before, b"seed");
    assert!(!before.needs_reencryption(&old));

    let after = keys(2, &[1]);
    assert!(after.needs_reencryption(&old));
    let secret = after.decrypt(&SEED, &old).unwrap();
    let new = sealed(&after, &secret);
    assert!(new.starts_with(&after.current_key_prefix()) && !old.starts_with(&after.current_key_prefix()));
    assert!(!after.needs_reencryption(&new));

    // After all values are encrypted again, the old key can be removed.
    let later = keys(2, &[]);
    assert_eq!(&**later.decrypt(&SEED, &new).unwrap(), b"seed");
    assert_eq!(later.decrypt(&SEED, &old), Err(DecryptionError::UnknownKey(key(1).id())));
    assert_eq!(before.decrypt(&SEED, &new), Err(DecryptionError::UnknownKey(key(2).id())));
}

#[test]
fn decryption_error_names_the_missing_key() {
    let ciphertext = sealed(&keys(1, &[]), b"seed");
    let refused = keys(2, &[3]).decrypt(&SEED, &ciphertext).unwrap_err();
    assert!(refused.to_string().contains(&key(1).id().to_string()), "{refused}");
}

#[test]
fn unencrypted_value_is_refused_and_needs_reencryption() {
    let keys = keys(1, &[]);
    for plain in [&b""[..], b"\x01", b"plain text that is long enough to be a sealed value", &[2; 60]] {
        assert_eq!(keys.decrypt(&SEED, plain), Err(DecryptionError::UnknownFormat));
        assert!(keys.needs_reencryption(plain));
    }
}
