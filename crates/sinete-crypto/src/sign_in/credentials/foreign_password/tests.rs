use super::*;
use proptest::prelude::*;

/// Published hashes with their passwords, in all formats and spellings.
const PUBLISHED: &[(ForeignHashAlgorithm, &str, &str)] = &[
    // From OpenBSD and jBCrypt.
    (ForeignHashAlgorithm::Bcrypt, "", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."),
    (ForeignHashAlgorithm::Bcrypt, "abc", "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i"),
    // From crypt_blowfish.
    (ForeignHashAlgorithm::Bcrypt, "U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    (ForeignHashAlgorithm::Bcrypt, "U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    (ForeignHashAlgorithm::Bcrypt, "U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    // RFC 7914 §12.
    (
        ForeignHashAlgorithm::Scrypt,
        "password",
        "$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA",
    ),
    (
        ForeignHashAlgorithm::Scrypt,
        "pleaseletmein",
        "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw",
    ),
    (
        ForeignHashAlgorithm::Scrypt,
        "pleaseletmein",
        "scrypt$SodiumChloride$16384$8$1$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw==",
    ),
    // From passlib.
    (
        ForeignHashAlgorithm::Scrypt,
        "password",
        "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
    ),
    (
        ForeignHashAlgorithm::Pbkdf2,
        "password",
        "$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44",
    ),
    // RFC 6070 §2, in the formats of passlib, PHC and Django.
    (ForeignHashAlgorithm::Pbkdf2, "password", "$pbkdf2$4096$c2FsdA$SwB5AbdlSJq.rUnZJvch0GWkKcE"),
    (ForeignHashAlgorithm::Pbkdf2, "password", "$pbkdf2-sha1$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE"),
    (ForeignHashAlgorithm::Pbkdf2, "password", "pbkdf2_sha1$4096$salt$SwB5AbdlSJq+rUnZJvch0GWkKcE="),
    // RFC 7914 §11: two blocks, of which the first is sufficient.
    (
        ForeignHashAlgorithm::Pbkdf2,
        "passwd",
        "pbkdf2_sha256$1$salt$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLxJypzM8Xm2RZkWZLOdd+8xfHG4RbHjC9UJESBB06GXgw==",
    ),
    // From the specification of sha-crypt.
    (
        ForeignHashAlgorithm::ShaCrypt,
        "Hello world!",
        "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
    ),
    (
        ForeignHashAlgorithm::ShaCrypt,
        "Hello world!",
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
    ),
    // From the reference implementation of Argon2, both versions.
    (
        ForeignHashAlgorithm::Argon2,
        "password",
        "$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY",
    ),
    (
        ForeignHashAlgorithm::Argon2,
        "password",
        "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8",
    ),
    (
        ForeignHashAlgorithm::Argon2,
        "password",
        "argon2$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
    ),
    // From Firebase's own program.
    (ForeignHashAlgorithm::FirebaseScrypt, "user1password", FIREBASE),
];

const FIREBASE: &str = "$firebase-scrypt$ln=14,r=8$42xEC+ixf3L2lw==$Bw==$\
    jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$\
    lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";

#[test]
fn imported_password_hash_vectors_verify_only_their_password() {
    for (form, password, text) in PUBLISHED {
        let hash =
            ForeignPasswordHash::parse(text).unwrap_or_else(|foreign_hash| panic!("{text}: {foreign_hash}"));
        assert_eq!(hash.algorithm(), *form, "{text}");
        assert_eq!(hash.verify_password(password.as_bytes()), Ok(true), "{text}");
        assert_eq!(hash.verify_password(b"Password"), Ok(false), "{text}");
        assert!(!format!("{hash:?}").contains('$'), "{hash:?}");
    }
}

#[test]
fn imported_bcrypt_sha256_hash_is_verified_with_a_digest() {
    // The digest of a password is also a password that bcrypt hashed.
    let text = "$2b$04$abcdefghijklmnopqrstuuraR8y8jUb0UMmCc9fwl/YxKZSpSs52u";
    let digested = ForeignPasswordHash::parse(&format!("bcrypt_sha256${text}")).unwrap();
    let plain = ForeignPasswordHash::parse(&format!("bcrypt${text}")).unwrap();
    let hexadecimal = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    assert_eq!(
        (digested.verify_password(b"secret"), plain.verify_password(b"secret")),
        (Ok(true), Ok(false))
    );
    assert_eq!(plain.verify_password(hexadecimal.as_bytes()), Ok(true));
}

#[test]
fn imported_bcrypt_hash_verifies_the_first_72_bytes() {
    let text = ::bcrypt::hash_with_salt("a".repeat(72), 4, [7; 16]).unwrap().to_string();
    let hash = ForeignPasswordHash::parse(&text).unwrap();
    assert_eq!(hash.verify_password("a".repeat(80).as_bytes()), Ok(true));
    assert_eq!(hash.verify_password("a".repeat(71).as_bytes()), Ok(false));
}

#[test]
fn firebase_hash_parameters_are_read_as_exported() {
    let console = "hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: \
        jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,\n  \
        base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}\n";
    let project = FirebaseProject::parse(console).unwrap();
    let tag = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";
    assert_eq!(project.format_hash("42xEC+ixf3L2lw==", tag), FIREBASE);
    // The same as JSON, and bytes in base64url.
    let json = console.replace("  ", "  \"").replace(": ", "\": ");
    let of_url = tag.replace('+', "-").replace('/', "_");
    let hash = FirebaseProject::parse(&json).unwrap().format_hash("42xEC-ixf3L2lw==", &of_url);
    assert_eq!(ForeignPasswordHash::parse(&hash).unwrap().verify_password(b"user1password"), Ok(true));
    for (part, other) in [("mem_cost: 14", "mem_cost: 30"), ("rounds: 8", "rounds: 0"), ("Bw==", "?")] {
        assert!(FirebaseProject::parse(&console.replace(part, other)).is_err(), "{other}");
    }
    assert!(FirebaseProject::parse("").is_err());
}

#[test]
fn imported_password_hash_with_excessive_cost_is_refused_before_computing() {
    let tag32 = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    for text in [
        "$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".to_owned(),
        "$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".to_owned(),
        format!("$scrypt$ln=18,r=8,p=1$c2FsdA${tag32}"),
        format!("$scrypt$ln=63,r=8,p=1$c2FsdA${tag32}"),
        format!("$scrypt$ln=70,r=8,p=1$c2FsdA${tag32}"),
        format!("$scrypt$ln=17,r=8,p=3$c2FsdA${tag32}"),
        format!("$scrypt$ln=1,r=4294967295,p=4294967295$c2FsdA${tag32}"),
        format!("scrypt$salt$2147483648$8$1${tag32}"),
        format!("$pbkdf2-sha256$2000001$c2FsdA${tag32}"),
        format!("$pbkdf2-sha256$99999999999$c2FsdA${tag32}"),
        format!("$argon2id$v=19$m=131073,t=1,p=1$c29tZXNhbHQ${tag32}"),
        format!("$argon2id$v=19$m=65536,t=9,p=1$c29tZXNhbHQ${tag32}"),
        format!("$argon2id$v=19$m=65536,t=1,p=17$c29tZXNhbHQ${tag32}"),
        "$5$rounds=1000001$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc8".to_owned(),
        FIREBASE.replace("ln=14", "ln=20"),
    ] {
        let refused = ForeignPasswordHash::parse(&text).unwrap_err();
        assert!(matches!(refused, InvalidForeignHash::TooCostly(_)), "{text}: {refused}");
    }
}

#[test]
fn imported_password_hash_in_an_unknown_format_is_refused() {
    for text in
        ["", "secret", "$1$salt$qJH7.N4xYta3aEG/dfqo/0", "{SSHA}abc", "5f4dcc3b5aa765d61d8327deb882cf99"]
    {
        assert_eq!(
            ForeignPasswordHash::parse(text).unwrap_err(),
            InvalidForeignHash::UnknownFormat,
            "{text}"
        );
    }
    for text in [
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
        "$2b$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe!",
        "$scrypt$ln=10,r=8$TmFDbA$/bq+HJ00cgB4VucZDQHp/g",
        "scrypt$salt$1000$8$1$cCO9yzr9c0hGHAbNgf044w==",
        "$pbkdf2-sha256$0$c2FsdA$SwB5AbdlSJqrUnZJvch0GWkKcE",
        "$pbkdf2-sha256$-1$c2FsdA$SwB5AbdlSJqrUnZJvch0GWkKcE",
        "$pbkdf2-sha256$1000$c2FsdA$AAAA",
        "$pbkdf2-sha256$1000$$SwB5AbdlSJqrUnZJvch0GWkKcE",
        "$argon2id$v=18$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8",
        "$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8",
        "$5$rounds=999$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc8",
        "$5$saltstringthatistoolong$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc8",
        "$6$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc8",
        "$firebase-scrypt$ln=14,r=8$42xEC+ixf3L2lw==$Bw==$AAAA$AAAAAAAAAAAAAAAAAAAAAA==",
    ] {
        assert_eq!(ForeignPasswordHash::parse(text).unwrap_err(), InvalidForeignHash::Malformed, "{text}");
    }
    let unknown = "$pbkdf2-md5$1000$c2FsdA$SwB5AbdlSJqrUnZJvch0GWkKcE";
    assert_eq!(ForeignPasswordHash::parse(unknown).unwrap_err(), InvalidForeignHash::UnknownFormat);
    assert!(ForeignPasswordHash::parse(&"$6$".repeat(TEXT_BYTES_MAX)).is_err());
}

proptest! {
    #[test]
    fn imported_password_hash_parsing_never_panics(
        start in "(\\$2b\\$|\\$scrypt\\$|scrypt\\$|\\$pbkdf2-sha256\\$|pbkdf2_sha1\\$|\\$argon2id\\$v=19\\$|\\$[56]\\$|\\$firebase-scrypt\\$)?",
        rest in "[$a-zA-Z0-9,=/+.é-]{0,90}",
    ) {
        let _ = ForeignPasswordHash::parse(&format!("{start}{rest}"));
    }
}
