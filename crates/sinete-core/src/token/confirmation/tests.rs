use super::*;
use proptest::prelude::*;

fn of_key(byte: u8) -> ConfirmationClaim {
    ConfirmationClaim::of_key(JwkThumbprint::from_bytes([byte; 32]))
}

#[test]
fn what_is_bound_counts_for_its_key_alone_and_what_is_not_for_anybody() {
    let (one, other) =
        (ConfirmationClaim::of_certificate(&[1; 32]), ConfirmationClaim::of_certificate(&[2; 32]));
    assert_eq!(must_hold(Some(&one), Some(&one.clone())), Ok(()));
    assert_eq!(must_hold(Some(&one), Some(&other)), Err(ConfirmationMismatch::AnotherShown));
    assert_eq!(must_hold(Some(&one), None), Err(ConfirmationMismatch::NothingShown));
    assert_eq!((must_hold(None, None), must_hold(None, Some(&one))), (Ok(()), Ok(())));
    assert_eq!(must_hold(Some(&of_key(1)), Some(&of_key(1))), Ok(()));
    assert_eq!(must_hold(Some(&of_key(1)), Some(&of_key(2))), Err(ConfirmationMismatch::AnotherKeyProven));
    assert_eq!(must_hold(Some(&of_key(1)), None), Err(ConfirmationMismatch::NoKeyProven));
}

#[test]
fn a_certificate_is_no_key_and_what_is_bound_to_both_asks_for_both() {
    let (certificate, key) = (ConfirmationClaim::of_certificate(&[1; 32]), of_key(1));
    assert_eq!(must_hold(Some(&certificate), Some(&key)), Err(ConfirmationMismatch::NothingShown));
    assert_eq!(must_hold(Some(&key), Some(&certificate)), Err(ConfirmationMismatch::NoKeyProven));
    let both = certificate.clone().and(Some(&key));
    assert_eq!(must_hold(Some(&both), Some(&certificate)), Err(ConfirmationMismatch::NoKeyProven));
    assert_eq!(must_hold(Some(&both), Some(&key)), Err(ConfirmationMismatch::NothingShown));
    assert_eq!(must_hold(Some(&both), Some(&both)), Ok(()));
    // Who shows more than is asked for does no harm.
    assert_eq!(must_hold(Some(&certificate), Some(&both)), Ok(()));
    assert_eq!(must_hold(Some(&key), Some(&both)), Ok(()));
}

#[test]
fn an_api_passes_a_bound_token_on_with_a_key_of_its_own_and_never_without() {
    let (one, other) =
        (ConfirmationClaim::of_certificate(&[1; 32]), ConfirmationClaim::of_certificate(&[2; 32]));
    assert_eq!(may_pass_on(Some(&one), Some(&other), TokenPresenter::Audience), Ok(()));
    assert_eq!(
        may_pass_on(Some(&one), None, TokenPresenter::Audience),
        Err(ConfirmationMismatch::NothingShown)
    );
    assert_eq!(
        may_pass_on(Some(&one), Some(&other), TokenPresenter::Holder),
        Err(ConfirmationMismatch::AnotherShown)
    );
    assert_eq!(may_pass_on(Some(&one), Some(&one), TokenPresenter::Holder), Ok(()));
    assert_eq!(may_pass_on(Some(&of_key(1)), Some(&of_key(2)), TokenPresenter::Audience), Ok(()));
    assert_eq!(
        may_pass_on(Some(&of_key(1)), Some(&of_key(2)), TokenPresenter::Holder),
        Err(ConfirmationMismatch::AnotherKeyProven)
    );
    assert_eq!(may_pass_on(None, None, TokenPresenter::Audience), Ok(()));
}

#[test]
fn it_is_written_as_the_standards_say_and_never_names_nothing() {
    let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let certificate = ConfirmationClaim::of_certificate(&[0; 32]);
    assert_eq!(serde_json::to_string(&certificate).unwrap(), format!(r#"{{"x5t#S256":"{zeros}"}}"#));
    assert_eq!(serde_json::to_string(&of_key(0)).unwrap(), format!(r#"{{"jkt":"{zeros}"}}"#));
    let both = certificate.and(Some(&of_key(0)));
    let written = serde_json::to_string(&both).unwrap();
    assert_eq!(written, format!(r#"{{"x5t#S256":"{zeros}","jkt":"{zeros}"}}"#));
    assert_eq!(serde_json::from_str::<ConfirmationClaim>(&written).unwrap(), both);
    for wrong in [r#"{}"#, r#"{"jku":"x"}"#, r#"{"jkt":"short"}"#, r#"{"jkt":null}"#] {
        assert!(serde_json::from_str::<ConfirmationClaim>(wrong).is_err(), "{wrong}");
    }
}

fn any_binding() -> impl Strategy<Value = Option<ConfirmationClaim>> {
    let part = || prop::option::of(0..3_u8);
    (part(), part()).prop_map(|(certificate, key)| {
        let certificate = certificate.map(|byte| ConfirmationClaim::of_certificate(&[byte; 32]));
        ConfirmationClaim::joined(certificate, key.map(of_key).as_ref())
    })
}

proptest! {
    #[test]
    fn who_may_use_what_is_bound_to_two_things_may_use_what_is_bound_to_one(
        bound in any_binding(), shown in any_binding(),
    ) {
        let holds = must_hold(bound.as_ref(), shown.as_ref()).is_ok();
        let certificate = bound.as_ref().and_then(ConfirmationClaim::only_certificate);
        let key = bound.as_ref().and_then(ConfirmationClaim::only_key);
        let holds_each = must_hold(certificate.as_ref(), shown.as_ref()).is_ok()
            && must_hold(key.as_ref(), shown.as_ref()).is_ok();
        prop_assert_eq!(holds, holds_each);
        // What comes of a renewal is bound to no less than what is renewed.
        let renewed = ConfirmationClaim::joined(bound.clone(), shown.as_ref());
        if must_hold(renewed.as_ref(), shown.as_ref()).is_ok() {
            prop_assert!(holds);
        }
    }

    #[test]
    fn a_thumbprint_has_one_spelling(bytes: [u8; 32], other in ".{0,48}") {
        let key = JwkThumbprint::from_bytes(bytes);
        prop_assert_eq!(key.to_string().parse::<JwkThumbprint>(), Ok(key));
        if let Ok(read) = other.parse::<JwkThumbprint>() {
            prop_assert_eq!(read.to_string(), other);
        }
    }
}
