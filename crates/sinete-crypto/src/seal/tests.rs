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
    keys.seal(&SEED, secret, &DangerouslySeededEntropy::new(100)).unwrap()
}

proptest! {
    #[test]
    fn what_is_sealed_opens_again_and_is_not_readable(secret in any::<Vec<u8>>()) {
        let keys = keys(1, &[]);
        let sealed = sealed(&keys, &secret);
        prop_assert_eq!(sealed.len(), secret.len() + 37);
        prop_assert_eq!(&*keys.open(&SEED, &sealed).unwrap(), &secret);
        if secret.len() >= 8 {
            prop_assert!(!sealed.windows(secret.len()).any(|window| window == secret));
        }
    }

    #[test]
    fn no_bytes_make_opening_panic(bytes in any::<Vec<u8>>()) {
        prop_assert!(keys(1, &[]).open(&SEED, &bytes).is_err());
    }
}

#[test]
fn every_changed_byte_and_every_cut_is_noticed() {
    let keys = keys(1, &[2]);
    let sealed = sealed(&keys, b"a seed of twenty byt");
    for place in 0..sealed.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = sealed.clone();
            changed[place] ^= change;
            assert!(keys.open(&SEED, &changed).is_err(), "at {place}");
        }
        assert!(keys.open(&SEED, &sealed[..place]).is_err(), "cut at {place}");
    }
    let longer = [&sealed[..], b"x"].concat();
    assert_eq!(keys.open(&SEED, &longer), Err(DecryptionError::Altered));
}

#[test]
fn a_value_moved_elsewhere_does_not_open() {
    let keys = keys(1, &[]);
    let sealed = sealed(&keys, b"seed");
    let other_row = EncryptionContext { record: b"0123456789abcdeX", ..SEED };
    assert_eq!(keys.open(&other_row, &sealed), Err(DecryptionError::Altered));
    for purpose in [
        EncryptionPurpose::SigningKey,
        EncryptionPurpose::Message,
        EncryptionPurpose::WebhookSecret,
        EncryptionPurpose::InstanceCheck,
    ] {
        assert_eq!(keys.open(&EncryptionContext { purpose, ..SEED }, &sealed), Err(DecryptionError::Altered));
    }
    // A purpose and a record's id that run together to the same text are still two things.
    let run_together = EncryptionContext { record: b" 0123456789abcdef", ..SEED };
    assert_eq!(keys.open(&run_together, &sealed), Err(DecryptionError::Altered));
}

#[test]
fn two_sealings_of_one_secret_differ() {
    let keys = keys(1, &[]);
    let entropy = DangerouslySeededEntropy::new(5);
    assert_ne!(keys.seal(&SEED, b"seed", &entropy).unwrap(), keys.seal(&SEED, b"seed", &entropy).unwrap());
}

#[test]
fn the_instance_key_can_be_replaced_while_old_values_remain() {
    let before = keys(1, &[]);
    let old = sealed(&before, b"seed");
    assert!(!before.needs_reseal(&old));

    let after = keys(2, &[1]);
    assert!(after.needs_reseal(&old));
    let secret = after.open(&SEED, &old).unwrap();
    let new = sealed(&after, &secret);
    assert!(new.starts_with(&after.mark()) && !old.starts_with(&after.mark()));
    assert!(!after.needs_reseal(&new));

    // Once everything is sealed anew the old key can go, and it opens nothing any more.
    let later = keys(2, &[]);
    assert_eq!(&**later.open(&SEED, &new).unwrap(), b"seed");
    assert_eq!(later.open(&SEED, &old), Err(DecryptionError::UnknownKey(key(1).id())));
    assert_eq!(before.open(&SEED, &new), Err(DecryptionError::UnknownKey(key(2).id())));
}

#[test]
fn a_missing_key_is_named() {
    let sealed = sealed(&keys(1, &[]), b"seed");
    let refused = keys(2, &[3]).open(&SEED, &sealed).unwrap_err();
    assert!(refused.to_string().contains(&key(1).id().to_string()), "{refused}");
}

#[test]
fn what_was_never_sealed_is_refused_and_wants_sealing() {
    let keys = keys(1, &[]);
    for plain in [&b""[..], b"\x01", b"plain text that is long enough to be a sealed value", &[2; 60]] {
        assert_eq!(keys.open(&SEED, plain), Err(DecryptionError::UnknownForm));
        assert!(keys.needs_reseal(plain));
    }
}
