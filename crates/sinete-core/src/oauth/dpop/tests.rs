use super::*;
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::from_seconds(1_000_000);
const HERE: &str = "https://id.example/connect/token";

fn address(text: &str) -> DpopTargetUri {
    text.parse().unwrap()
}

fn said() -> DpopProofClaims<'static> {
    DpopProofClaims {
        method: "POST",
        address: HERE,
        issued_at: NOW,
        expires_at: None,
        not_before: None,
        id: "one",
        token_hash: None,
        nonce: None,
    }
}

fn judged(
    claims: &DpopProofClaims<'_>,
    token: Option<&str>,
    nonce: DpopNonceStatus,
) -> Result<Timestamp, DpopProofRejection> {
    let addresses = [address(HERE), address("https://mtls.id.example/connect/token")];
    verify_dpop_proof(
        claims,
        &DpopRequestContext { method: "POST", addresses: &addresses, token, nonce, now: NOW },
    )
}

#[test]
fn dpop_proof_is_valid_only_for_its_method_and_uri() {
    let free = DpopNonceStatus::NotRequired;
    assert!(judged(&said(), None, free).is_ok());
    assert!(
        judged(&DpopProofClaims { address: "https://mtls.id.example/connect/token", ..said() }, None, free)
            .is_ok()
    );
    for method in ["GET", "post", "POST ", ""] {
        assert_eq!(
            judged(&DpopProofClaims { method, ..said() }, None, free),
            Err(DpopProofRejection::WrongMethod),
            "{method}"
        );
    }
    for other in [
        "https://id.example/connect/par",
        "https://id.example/connect/token/",
        "https://id.example/Connect/token",
        "https://evil.example/connect/token",
        "http://id.example/connect/token",
        "https://id.example:8443/connect/token",
        "https://id.example/",
        "/connect/token",
        "",
    ] {
        let other = DpopProofClaims { address: other, ..said() };
        assert_eq!(judged(&other, None, free), Err(DpopProofRejection::WrongUri), "{other:?}");
    }
}

#[test]
fn dpop_htu_is_compared_after_normalization() {
    for same in [
        "HTTPS://ID.example/connect/token",
        "https://id.example:443/connect/token",
        "https://id.example/connect/%74oken",
        "https://id.example/connect/x/../token",
        "https://id.example/./connect/token",
        "https://id.example/connect/token?more=1",
        "https://id.example/connect/token#part",
    ] {
        assert!(
            judged(&DpopProofClaims { address: same, ..said() }, None, DpopNonceStatus::NotRequired).is_ok(),
            "{same}"
        );
    }
    assert_eq!(address("https://a.example").as_str(), "https://a.example/");
    assert_eq!(address("https://a.example/%2f%7e").as_str(), "https://a.example/%2F~");
    for wrong in [
        "https://a:b@a.example/",
        "ftp://a.example/",
        "https:\\\\a.example\\",
        "urn:a",
        "https://a b/",
        "https://a.example/%zz",
        "https://a.example/%2",
    ] {
        assert_eq!(wrong.parse::<DpopTargetUri>().ok(), None, "{wrong}");
    }
}

#[test]
fn dpop_iat_is_accepted_within_the_clock_skew() {
    let verify_at_offset = |offset: i64| {
        let issued_at = Timestamp::from_seconds(NOW.seconds() + offset);
        judged(&DpopProofClaims { issued_at, ..said() }, None, DpopNonceStatus::NotRequired)
    };
    for fine in [-60, -10, 0, 10, 15] {
        assert_eq!(verify_at_offset(fine), Ok(Timestamp::from_seconds(NOW.seconds() + fine + 60)), "{fine}");
    }
    for (late, early) in [(-61, 16), (-3_600, 3_600)] {
        assert_eq!(
            (verify_at_offset(late), verify_at_offset(early)),
            (Err(DpopProofRejection::TooOld), Err(DpopProofRejection::FromTheFuture))
        );
    }
}

#[test]
fn dpop_proof_with_a_token_needs_its_ath() {
    let hash = compute_ath("token");
    let with = |token_hash| {
        judged(&DpopProofClaims { token_hash, ..said() }, Some("token"), DpopNonceStatus::NotRequired)
    };
    assert!(with(Some(hash.as_str())).is_ok());
    let other = compute_ath("another");
    for wrong in [None, Some(other.as_str()), Some(""), Some("token")] {
        assert_eq!(with(wrong), Err(DpopProofRejection::WrongToken), "{wrong:?}");
    }
    // RFC 9449 §4.3 requires `ath` with a token; without one it is ignored.
    let beside_none = DpopProofClaims { token_hash: Some(&hash), ..said() };
    assert!(judged(&beside_none, None, DpopNonceStatus::NotRequired).is_ok());
    // The example of RFC 9449 §7.1.
    let example = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU";
    assert_eq!(compute_ath(example), "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
}

#[test]
fn dpop_jti_is_required_and_bounded() {
    let (longest_jti, oversized_jti) =
        ("x".repeat(DPOP_PROOF_JTI_BYTES_MAX), "x".repeat(DPOP_PROOF_JTI_BYTES_MAX + 1));
    let with = |id| judged(&DpopProofClaims { id, ..said() }, None, DpopNonceStatus::NotRequired);
    assert!(with(&longest_jti).is_ok());
    assert_eq!(
        (with(&oversized_jti), with("")),
        (Err(DpopProofRejection::BadJti), Err(DpopProofRejection::BadJti))
    );
}

#[test]
fn dpop_use_nonce_is_returned_only_for_an_otherwise_valid_proof() {
    assert!(judged(&said(), None, DpopNonceStatus::Valid).is_ok());
    assert_eq!(judged(&said(), None, DpopNonceStatus::Missing), Err(DpopProofRejection::NonceRequired));
    let wrong = DpopProofClaims { method: "GET", ..said() };
    assert_eq!(judged(&wrong, None, DpopNonceStatus::Missing), Err(DpopProofRejection::WrongMethod));
}

proptest! {
    #[test]
    fn dpop_htu_normalization_is_stable(path in "[a-zA-Z0-9/._~%!@:-]{0,40}", host in "[a-z]{1,12}") {
        let text = format!("https://{host}.example/{path}");
        if let Ok(read) = text.parse::<DpopTargetUri>() {
            prop_assert_eq!(read.as_str().parse::<DpopTargetUri>(), Ok(read.clone()));
            let (loud, with_port) = (
                format!("HTTPS://{}.EXAMPLE/{path}", host.to_uppercase()),
                format!("https://{host}.example:443/{path}?query#fragment"),
            );
            prop_assert_eq!(loud.parse::<DpopTargetUri>(), Ok(read.clone()));
            prop_assert_eq!(with_port.parse::<DpopTargetUri>(), Ok(read));
        }
    }

    #[test]
    fn dpop_htu_percent_encoding_is_normalized(path in "[a-zA-Z0-9_~-]{1,20}") {
        let escaped: String = path.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let (plain, escaped) = (format!("https://a.example/{path}"), format!("https://a.example/{escaped}"));
        prop_assert_eq!(plain.parse::<DpopTargetUri>(), escaped.parse::<DpopTargetUri>());
    }

    #[test]
    fn dpop_proof_with_arbitrary_text_is_valid_only_if_method_and_uri_match(method in ".{0,8}", address in ".{0,60}", id in ".{0,300}") {
        let said = DpopProofClaims { method: &method, address: &address, id: &id, ..said() };
        let fits = method == "POST" && address.parse::<DpopTargetUri>() == Ok(self::address(HERE));
        if judged(&said, None, DpopNonceStatus::NotRequired).is_ok() {
            prop_assert!(fits && !id.is_empty());
        }
    }
}

#[test]
fn dpop_exp_and_nbf_are_enforced() {
    let at = |seconds: i64| Some(Timestamp::from_seconds(NOW.seconds() + seconds));
    let with = |expires_at, counts_from| {
        judged(
            &DpopProofClaims { expires_at, not_before: counts_from, ..said() },
            None,
            DpopNonceStatus::NotRequired,
        )
        .map(|_| ())
    };
    assert_eq!(with(at(5), at(-5)), Ok(()));
    assert_eq!(with(at(0), None), Err(DpopProofRejection::TooOld));
    assert_eq!(with(None, at(3600)), Err(DpopProofRejection::FromTheFuture));
    // `exp` cannot extend the validity.
    let old = DpopProofClaims {
        issued_at: Timestamp::from_seconds(NOW.seconds() - 3600),
        expires_at: at(3600),
        ..said()
    };
    assert_eq!(judged(&old, None, DpopNonceStatus::NotRequired), Err(DpopProofRejection::TooOld));
}
