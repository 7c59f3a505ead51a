//! What is mailed, and who may go on with it.

use super::*;

#[test]
fn a_reset_sets_a_password_ends_every_session_and_signs_nobody_in() {
    let flow = begin(Purpose::ResetPassword);
    let keep = vec!["api_key:1".to_owned()];
    let chosen = || Answer::PasswordChosen { hash: PasswordHash("new".into()), keep: keep.clone() };
    assert_eq!(flow.clone().step(chosen()), Err(OutOfTurn));
    let sent = Answer::Addressed(mailed(Some(ANA), None));
    let moved =
        walk(flow.clone(), [sent.clone(), Answer::CodeRight { person: Some(careful_ana()) }, chosen()]);
    let hash = PasswordHash("new".into());
    let expected = [
        Effect::SetPassword { account: ANA, hash },
        Effect::EndSessions { account: ANA, keep: keep.clone() },
    ];
    assert_eq!(moved.unwrap().effects, expected);
    assert_eq!(walk(flow.clone(), [sent.clone(), chosen()]), Err(OutOfTurn));
    // An address that is nobody's leads no further.
    let nobody = Answer::Addressed(mailed(None, None));
    assert_eq!(walk(flow, [nobody, Answer::CodeRight { person: None }]), Err(OutOfTurn));
}

#[test]
fn a_link_signs_in_where_it_is_opened_and_takes_nothing_along_from_where_it_was_asked_for() {
    let sent = || Answer::Addressed(mailed(Some(ANA), None));
    let link = |person, opener| Answer::LinkRight { person: Some(person), opener };
    let evidence = Evidence::of(Proof::MagicLink);
    let elsewhere = Opener::Reader(Carrier::Cookie);
    for (opener, carrier, session) in
        [(Opener::Walker, Carrier::Token, Some(SESSION)), (elsewhere, Carrier::Cookie, None)]
    {
        let moved = walk(begin(Purpose::SignIn), [sent(), link(ana(), opener)]).unwrap();
        assert_eq!(moved.effects, [Effect::StartSession { account: ANA, evidence: evidence.clone() }]);
        assert_eq!((moved.flow.carrier(), moved.flow.session()), (carrier, session));
    }
    let moved = walk(begin(Purpose::SignIn), [sent(), link(careful_ana(), elsewhere)]).unwrap();
    assert_eq!((moved.flow.stage(), moved.effects.len()), (&Stage::SecondFactor, 0));
    let reset = walk(begin(Purpose::ResetPassword), [sent(), link(ana(), elsewhere)]).unwrap();
    assert_eq!((reset.flow.stage(), reset.effects.len()), (&Stage::NewPassword, 0));
    let bia = person(BIA, &[]);
    assert_eq!(walk(begin(Purpose::SignIn), [sent(), link(bia, elsewhere)]), Err(OutOfTurn));
    assert_eq!(begin(Purpose::SignIn).step(link(ana(), Opener::Walker)), Err(OutOfTurn));
}

#[test]
fn what_somebody_else_prepared_is_not_confirmed_by_whoever_reads_the_mail() {
    let link = |person, opener| Answer::LinkRight { person, opener };
    let drafted = || Answer::Drafted(mailed(None, Some(NEW)));
    let made = walk(begin(Purpose::SignUp), [drafted(), link(None, Opener::Walker)]).unwrap();
    assert!(matches!(made.effects[..], [Effect::CreateAccount { is_proven: true, .. }, _]));
    let contact = ContactId::from_bytes([7; 16]);
    let verify = || begin(Purpose::VerifyEmail { contact, mailed: mailed(Some(ANA), None) });
    let verified = verify().step(link(Some(ana()), Opener::Walker)).unwrap();
    assert_eq!(verified.effects, [Effect::VerifyContact { account: ANA, contact }]);
    for carrier in [Carrier::Cookie, Carrier::Token] {
        let elsewhere = Opener::Reader(carrier);
        assert_eq!(walk(begin(Purpose::SignUp), [drafted(), link(None, elsewhere)]), Err(OutOfTurn));
        assert_eq!(verify().step(link(Some(ana()), elsewhere)), Err(OutOfTurn));
    }
}

#[test]
fn an_account_is_made_by_whoever_reads_its_address() {
    let drafted = mailed(None, Some(NEW));
    let moved = walk(begin(Purpose::SignUp), [Answer::Drafted(drafted.clone())]).unwrap();
    assert_eq!(moved.effects, [Effect::SendProof(drafted.clone())]);
    let moved = moved.flow.step(Answer::CodeRight { person: None }).unwrap();
    let evidence = Evidence::of(Proof::EmailCode).and(Proof::Password);
    let made = Effect::CreateAccount { drafted, is_proven: true };
    assert_eq!(moved.effects, [made, Effect::StartSession { account: NEW, evidence }]);
    // An address that is somebody's already makes nothing, whatever was typed.
    let taken = Mailed { account: Some(BIA), ..mailed(None, Some(NEW)) };
    let flow = walk(begin(Purpose::SignUp), [Answer::Drafted(taken)]).unwrap().flow;
    for person in [None, Some(person(BIA, &[Way::Password]))] {
        assert_eq!(flow.clone().step(Answer::CodeRight { person }), Err(OutOfTurn));
    }
}
