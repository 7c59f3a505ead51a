use super::*;
use proptest::prelude::*;

fn of_key(byte: u8) -> ConfirmationClaim {
    ConfirmationClaim::from_key(JwkThumbprint::from_bytes([byte; 32]))
}

#[test]
fn bound_token_is_valid_only_with_its_own_certificate() {
    let (one, other) =
        (ConfirmationClaim::from_certificate(&[1; 32]), ConfirmationClaim::from_certificate(&[2; 32]));
    assert_eq!(check_possession(Some(&one), Some(&one.clone())), Ok(()));
    assert_eq!(check_possession(Some(&one), Some(&other)), Err(ConfirmationMismatch::OtherCertificate));
    assert_eq!(check_possession(Some(&one), None), Err(ConfirmationMismatch::NoCertificate));
    assert_eq!((check_possession(None, None), check_possession(None, Some(&one))), (Ok(()), Ok(())));
    assert_eq!(check_possession(Some(&of_key(1)), Some(&of_key(1))), Ok(()));
    assert_eq!(check_possession(Some(&of_key(1)), Some(&of_key(2))), Err(ConfirmationMismatch::OtherKey));
    assert_eq!(check_possession(Some(&of_key(1)), None), Err(ConfirmationMismatch::NoKeyProof));
}

#[test]
fn bound_token_with_certificate_and_key_needs_both() {
    let (certificate, key) = (ConfirmationClaim::from_certificate(&[1; 32]), of_key(1));
    assert_eq!(check_possession(Some(&certificate), Some(&key)), Err(ConfirmationMismatch::NoCertificate));
    assert_eq!(check_possession(Some(&key), Some(&certificate)), Err(ConfirmationMismatch::NoKeyProof));
    let both = certificate.clone().merge(Some(&key));
    assert_eq!(check_possession(Some(&both), Some(&certificate)), Err(ConfirmationMismatch::NoKeyProof));
    assert_eq!(check_possession(Some(&both), Some(&key)), Err(ConfirmationMismatch::NoCertificate));
    assert_eq!(check_possession(Some(&both), Some(&both)), Ok(()));
    // Presenting more than required is harmless.
    assert_eq!(check_possession(Some(&certificate), Some(&both)), Ok(()));
    assert_eq!(check_possession(Some(&key), Some(&both)), Ok(()));
}

#[test]
fn bound_token_is_exchanged_by_an_audience_only_with_its_own_key() {
    let (one, other) =
        (ConfirmationClaim::from_certificate(&[1; 32]), ConfirmationClaim::from_certificate(&[2; 32]));
    assert_eq!(check_exchange_possession(Some(&one), Some(&other), TokenPresenter::Audience), Ok(()));
    assert_eq!(
        check_exchange_possession(Some(&one), None, TokenPresenter::Audience),
        Err(ConfirmationMismatch::NoCertificate)
    );
    assert_eq!(
        check_exchange_possession(Some(&one), Some(&other), TokenPresenter::Holder),
        Err(ConfirmationMismatch::OtherCertificate)
    );
    assert_eq!(check_exchange_possession(Some(&one), Some(&one), TokenPresenter::Holder), Ok(()));
    assert_eq!(
        check_exchange_possession(Some(&of_key(1)), Some(&of_key(2)), TokenPresenter::Audience),
        Ok(())
    );
    assert_eq!(
        check_exchange_possession(Some(&of_key(1)), Some(&of_key(2)), TokenPresenter::Holder),
        Err(ConfirmationMismatch::OtherKey)
    );
    assert_eq!(check_exchange_possession(None, None, TokenPresenter::Audience), Ok(()));
}

#[test]
fn cnf_claim_has_the_members_of_the_standards_and_is_never_empty() {
    let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let certificate = ConfirmationClaim::from_certificate(&[0; 32]);
    assert_eq!(serde_json::to_string(&certificate).unwrap(), format!(r#"{{"x5t#S256":"{zeros}"}}"#));
    assert_eq!(serde_json::to_string(&of_key(0)).unwrap(), format!(r#"{{"jkt":"{zeros}"}}"#));
    let both = certificate.merge(Some(&of_key(0)));
    let claim_json = serde_json::to_string(&both).unwrap();
    assert_eq!(claim_json, format!(r#"{{"x5t#S256":"{zeros}","jkt":"{zeros}"}}"#));
    assert_eq!(serde_json::from_str::<ConfirmationClaim>(&claim_json).unwrap(), both);
    for wrong in [r#"{}"#, r#"{"jku":"x"}"#, r#"{"jkt":"short"}"#, r#"{"jkt":null}"#] {
        assert!(serde_json::from_str::<ConfirmationClaim>(wrong).is_err(), "{wrong}");
    }
}

fn any_binding() -> impl Strategy<Value = Option<ConfirmationClaim>> {
    let part = || prop::option::of(0..3_u8);
    (part(), part()).prop_map(|(certificate, key)| {
        let certificate = certificate.map(|byte| ConfirmationClaim::from_certificate(&[byte; 32]));
        ConfirmationClaim::merge_optional(certificate, key.map(of_key).as_ref())
    })
}

proptest! {
    #[test]
    fn bound_token_with_two_confirmations_is_stricter_than_with_either(
        bound in any_binding(), shown in any_binding(),
    ) {
        let holds = check_possession(bound.as_ref(), shown.as_ref()).is_ok();
        let certificate = bound.as_ref().and_then(ConfirmationClaim::certificate_only);
        let key = bound.as_ref().and_then(ConfirmationClaim::key_only);
        let holds_each = check_possession(certificate.as_ref(), shown.as_ref()).is_ok()
            && check_possession(key.as_ref(), shown.as_ref()).is_ok();
        prop_assert_eq!(holds, holds_each);
        // A renewed token keeps at least the binding of its predecessor.
        let renewed = ConfirmationClaim::merge_optional(bound.clone(), shown.as_ref());
        if check_possession(renewed.as_ref(), shown.as_ref()).is_ok() {
            prop_assert!(holds);
        }
    }

    #[test]
    fn jwk_thumbprint_has_one_spelling(bytes: [u8; 32], other in ".{0,48}") {
        let key = JwkThumbprint::from_bytes(bytes);
        prop_assert_eq!(key.to_string().parse::<JwkThumbprint>(), Ok(key));
        if let Ok(read) = other.parse::<JwkThumbprint>() {
            prop_assert_eq!(read.to_string(), other);
        }
    }
}
