//! What is set up, and by whom.

use super::*;
use crate::flow::credential::enrolling::Factor;

#[test]
fn what_is_set_up_is_kept_and_proves_nothing() {
    for enrolling in [Enrolling::Passkey, Enrolling::RecoveryCodes] {
        let flow = begin(Purpose::Enroll { enrolling: enrolling.clone() });
        let made = match enrolling.factor() {
            Factor::Passkey => SetUp::Passkey(passkey()),
            Factor::Totp | Factor::RecoveryCodes => SetUp::RecoveryCodes,
        };
        let moved = flow.clone().step(Answer::SetUp(made.clone())).unwrap();
        assert_eq!(moved.flow.stage(), &Stage::Finished(Ending::Enrolled));
        assert_eq!(moved.effects, [Effect::AddCredential { account: ANA, enrolling, made }]);
        assert!(moved.flow.evidence().is_empty());
        let other = SetUp::Totp { step: 1, name: String::new() };
        assert_eq!(flow.step(Answer::SetUp(other)), Err(OutOfTurn));
    }
    let nobody = Flow::begin(FLOW, Purpose::Enroll { enrolling: Enrolling::Passkey }, Carrier::Token, None);
    assert_eq!(nobody.step(Answer::SetUp(SetUp::Passkey(passkey()))), Err(OutOfTurn));
}

#[test]
fn an_account_made_with_a_passkey_is_signed_in_by_it() {
    let drafted = Mailed { password: None, passkey: Some(passkey()), ..mailed(None, Some(NEW)) };
    let moved =
        walk(begin(Purpose::FirstOperator { link: [9; 32] }), [Answer::Drafted(drafted.clone())]).unwrap();
    let start = Effect::StartSession { account: NEW, evidence: Evidence::of(passkey().proof()) };
    assert_eq!(moved.effects.last(), Some(&start));
    let read = [Answer::Drafted(drafted), Answer::CodeRight { person: None }];
    let moved = walk(begin(Purpose::SignUp), read).unwrap();
    assert_eq!(moved.flow.evidence().assurance(), Some(Assurance::Two));
    let nothing = Mailed { password: None, ..mailed(None, Some(NEW)) };
    assert_eq!(
        walk(begin(Purpose::FirstOperator { link: [9; 32] }), [Answer::Drafted(nothing)]),
        Err(OutOfTurn)
    );
}

#[test]
fn a_proof_of_somebody_else_does_not_count() {
    let flow = walk(begin(Purpose::SignIn), [proved(careful_ana(), Proof::Password)]).unwrap().flow;
    let other = person(BIA, &[Way::Totp]);
    assert_eq!(flow.step(proved(other.clone(), Proof::Totp)), Err(OutOfTurn));
    let again = begin(Purpose::StepUp { needs: Assurance::One, base: Evidence::default() });
    assert_eq!(again.step(proved(other, Proof::Password)), Err(OutOfTurn));
}

#[test]
fn mail_alone_does_not_pass_an_authenticator_application() {
    let sent = Answer::Addressed(mailed(Some(ANA), None));
    let read = Answer::CodeRight { person: Some(careful_ana()) };
    let moved = walk(begin(Purpose::SignIn), [sent, read]).unwrap();
    assert_eq!((moved.flow.stage(), &moved.effects[..]), (&Stage::SecondFactor, &[][..]));
    let still = moved.flow.clone().step(proved(careful_ana(), Proof::Password)).unwrap();
    assert_eq!(still.flow.stage(), &Stage::SecondFactor);
    let moved = moved.flow.step(proved(careful_ana(), Proof::Totp)).unwrap();
    let evidence = Evidence::of(Proof::EmailCode).and(Proof::Totp);
    assert_eq!(evidence.assurance(), Some(Assurance::One));
    assert_eq!(moved.effects, [Effect::StartSession { account: ANA, evidence }]);
}

#[test]
fn an_application_that_was_closed_is_still_asked_for_something_one_has() {
    let closed = Person { closed: [Way::Totp].into(), ..person(ANA, &[Way::Password, Way::RecoveryCode]) };
    let password = Answer::Proved { person: closed.clone(), proof: Proof::Password };
    let moved = walk(begin(Purpose::SignIn), [password.clone()]).unwrap();
    assert_eq!(moved.flow.stage().name(), "second_factor");
    assert!(moved.effects.is_empty());
    let code = Answer::Proved { person: closed.clone(), proof: Proof::RecoveryCode };
    assert!(walk(begin(Purpose::SignIn), [password, code]).unwrap().flow.is_finished());
    // A passkey shows it by itself.
    let passkey = Proof::Passkey { user_verified: true, device_bound: true };
    let shown = Answer::Proved { person: closed, proof: passkey };
    assert!(walk(begin(Purpose::SignIn), [shown]).unwrap().flow.is_finished());
}
