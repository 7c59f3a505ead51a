use super::*;
use proptest::prelude::*;

/// The lowest cost that Argon2 allows.
const CHEAP: Argon2Parameters = Argon2Parameters { memory_kib: 8, passes: 1, lanes: 1 };
const SALT: [u8; SALT_BYTES] = *b"sixteen of salt.";

fn pepper(id: &str) -> PasswordPepper {
    PasswordPepper::new(id, id.repeat(8).as_bytes()).unwrap()
}

/// RFC 9106 §5.3.
#[test]
fn argon2_matches_the_rfc_9106_vector() {
    let parameters = Argon2Parameters { memory_kib: 32, passes: 3, lanes: 4 };
    let argon2_inputs = Argon2Inputs { parameters: &parameters, key: &[3; 8], associated_data: &[4; 12] };
    let mut tag = [0; 32];
    argon2_inputs.compute_tag(&[1; 32], &[2; 16], &mut tag).unwrap();
    let expected = [
        0x0d, 0x64, 0x0d, 0xf5, 0x8d, 0x78, 0x76, 0x6c, 0x08, 0xc0, 0x37, 0xa3, 0x4a, 0x8b, 0x53,
        0xc9, //
        0xd0, 0x1e, 0xf0, 0x45, 0x2d, 0x75, 0xb6, 0x5e, 0xb5, 0x25, 0x20, 0xe9, 0x6b, 0x01, 0xe6, 0x59,
    ];
    assert_eq!(tag, expected);
}

/// Published with the reference implementation.
#[test]
fn argon2_verifies_reference_implementation_hashes() {
    for stored in [
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
    ] {
        assert_eq!(verify_password(b"password", stored, &[]), Ok(true), "{stored}");
        assert_eq!(verify_password(b"Password", stored, &[]), Ok(false), "{stored}");
    }
}

#[test]
fn argon2_hash_verifies_only_its_password() {
    let stored = hash_password(b"correct horse battery", &SALT, &CHEAP, None).unwrap();
    assert!(stored.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{stored}");
    assert_eq!(verify_password(b"correct horse battery", &stored, &[]), Ok(true));
    for wrong in ["", "correct horse batter", "correct horse battery ", "correct horse battery\0"] {
        assert_eq!(verify_password(wrong.as_bytes(), &stored, &[]), Ok(false), "{wrong:?}");
    }
    assert_ne!(stored, hash_password(b"correct horse battery", b"another  of salt", &CHEAP, None).unwrap());
}

#[test]
fn argon2_hash_with_pepper_needs_that_pepper() {
    let stored = hash_password(b"secret", &SALT, &CHEAP, Some(&pepper("k2"))).unwrap();
    assert!(stored.contains(",keyid=k2$"), "{stored}");
    assert_eq!(verify_password(b"secret", &stored, &[pepper("k1"), pepper("k2")]), Ok(true));
    assert_eq!(verify_password(b"other", &stored, &[pepper("k2")]), Ok(false));
    assert_eq!(
        verify_password(b"secret", &stored, &[pepper("k1")]),
        Err(PasswordVerificationError::UnknownPepper)
    );
    assert_eq!(verify_password(b"secret", &stored, &[]), Err(PasswordVerificationError::UnknownPepper));
    let another = PasswordPepper::new("k2", &[9; 32]).unwrap();
    assert_eq!(verify_password(b"secret", &stored, &[another]), Ok(false));
    assert_eq!(format!("{:?}", pepper("k2")), "Pepper k2");
    for (id, length) in [("", 32), ("a name,", 32), ("k", 15), ("k", 65), ("abcdefghijklmnopq", 32)] {
        assert!(PasswordPepper::new(id, &vec![1; length]).is_none(), "{id:?} {length}");
    }
}

#[test]
fn argon2_hash_with_other_parameters_or_pepper_needs_rehash() {
    let stored = hash_password(b"x", &SALT, &CHEAP, None).unwrap();
    assert!(!needs_rehash(&stored, &CHEAP, None));
    assert!(needs_rehash(&stored, &Argon2Parameters { passes: 2, ..CHEAP }, None));
    assert!(needs_rehash(&stored, &Argon2Parameters::default(), None));
    assert!(needs_rehash(&stored, &CHEAP, Some(&pepper("k1"))));
    let peppered = hash_password(b"x", &SALT, &CHEAP, Some(&pepper("k1"))).unwrap();
    assert!(!needs_rehash(&peppered, &CHEAP, Some(&pepper("k1"))));
    assert!(needs_rehash(&peppered, &CHEAP, Some(&pepper("k2"))));
    assert!(needs_rehash(&peppered, &CHEAP, None));
    let short_salt = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
    assert!(needs_rehash(short_salt, &Argon2Parameters { memory_kib: 256, passes: 2, lanes: 1 }, None));
    assert!(needs_rehash("", &CHEAP, None));
}

#[test]
fn argon2_hash_of_other_variants_or_unbounded_cost_is_refused() {
    let good = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
    for (part, other) in [
        ("argon2id", "argon2i"),
        ("argon2id", "argon2d"),
        ("argon2id", "Argon2id"),
        ("v=19", "v=16"),
        ("v=19$", ""),
        ("m=256", "m=262145"),
        ("m=256", "m=4294967296"),
        ("m=256", "m=7"),
        ("m=256", "m=0256"),
        ("m=256", "m=+256"),
        ("m=256", "m="),
        ("t=2", "t=17"),
        ("t=2", "t=0"),
        ("p=1", "p=17"),
        ("p=1", "p=0"),
        ("p=1", "p=33"),
        ("p=1", "p=1,data=AAAA"),
        ("p=1", "p=1,keyid=a_b"),
        ("p=1", "p=1,keyid=a,keyid=b"),
        ("m=256,t=2", "t=2,m=256"),
        ("c29tZXNhbHQ", "c29tZXNhbA=="),
        ("c29tZXNhbHQ", "c29t"),
        ("c29tZXNhbHQ", ""),
        ("nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "nf65EOgL"),
        ("nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$"),
        ("$argon2id", "argon2id"),
    ] {
        assert!(good.contains(part), "{part}");
        let stored = good.replacen(part, other, 1);
        assert_eq!(
            verify_password(b"password", &stored, &[]),
            Err(PasswordVerificationError::UnknownFormat),
            "{stored}"
        );
    }
    let long = format!("{good}{}", "A".repeat(400));
    assert_eq!(verify_password(b"password", &long, &[]), Err(PasswordVerificationError::UnknownFormat));
}

#[test]
fn argon2_memory_reuse_does_not_affect_the_hash() {
    let costs = [
        CHEAP,
        Argon2Parameters { memory_kib: 64, passes: 3, lanes: 2 },
        Argon2Parameters { memory_kib: 32, ..CHEAP },
    ];
    // A new thread for each has no kept memory.
    let alone = costs.map(|cost| {
        let hashing = std::thread::spawn(move || hash_password(b"password", &SALT, &cost, None).unwrap());
        hashing.join().unwrap()
    });
    for _ in 0..2 {
        for (cost, alone) in costs.iter().zip(&alone) {
            hash_password(b"another one", &SALT, cost, None).unwrap();
            assert_eq!(hash_password(b"password", &SALT, cost, None).as_ref(), Ok(alone));
            assert_eq!(verify_password(b"password", alone, &[]), Ok(true));
        }
    }
}

#[test]
fn argon2_parameters_out_of_bounds_are_refused() {
    for parameters in [
        Argon2Parameters { memory_kib: 7, ..CHEAP },
        Argon2Parameters { memory_kib: 15, lanes: 2, ..CHEAP },
        Argon2Parameters { memory_kib: MEMORY_KIB_MAX + 1, ..CHEAP },
        Argon2Parameters { passes: 0, ..CHEAP },
        Argon2Parameters { passes: PASSES_MAX + 1, ..CHEAP },
        Argon2Parameters { lanes: 0, ..CHEAP },
        Argon2Parameters { lanes: LANES_MAX + 1, memory_kib: 1024, ..CHEAP },
        Argon2Parameters { lanes: u32::MAX, memory_kib: u32::MAX, passes: u32::MAX },
    ] {
        assert_eq!(
            hash_password(b"x", &SALT, &parameters, None),
            Err(PasswordHashingError::OutOfBounds),
            "{parameters:?}"
        );
    }
    assert!(Argon2Parameters::default().are_within_bounds());
}

proptest! {
    #[test]
    fn argon2_hash_verifies_every_password(password: Vec<u8>, salt: [u8; SALT_BYTES]) {
        let stored = hash_password(&password, &salt, &CHEAP, None).unwrap();
        prop_assert_eq!(verify_password(&password, &stored, &[]), Ok(true));
    }

    #[test]
    fn argon2_verification_never_panics(text in "(\\$argon2id\\$v=19\\$m=8,t=1,p=1)?[$a-zA-Z0-9,=/+]{0,80}") {
        let _ = verify_password(b"x", &text, &[]);
        let _ = needs_rehash(&text, &CHEAP, None);
    }
}
