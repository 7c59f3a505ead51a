//! One thing more, because it is asked for, by a request or by whoever is signed in.

use super::*;
use crate::time::Timestamp;

#[test]
fn a_request_is_led_through_by_whoever_knows_where_it_goes() {
    let direct = |direction| Answer::Directed(Box::new(direction));
    let choice = Choice { organization: HOUSE, slug: "acme".into(), name: "Acme".into() };
    let moved = walk(begin(asked()), [direct(Direction::SignIn), proved(ana(), Proof::Password)]).unwrap();
    assert!(matches!(moved.effects[..], [Effect::StartSession { .. }]));
    let moved = walk(moved.flow, [direct(Direction::ChooseOrganization(vec![choice]))]).unwrap();
    let other = OrganizationId::from_bytes([60; 16]);
    assert_eq!(moved.flow.clone().step(Answer::Chose(other)), Err(OutOfTurn));
    let consent = Direction::Consent { agreement: agreement(), question: json!({"client": "Notes"}) };
    let steps = [Answer::Chose(HOUSE), direct(consent), Answer::Consented(true), direct(Direction::Resume)];
    let moved = walk(moved.flow, steps).unwrap();
    assert_eq!(moved.flow.stage(), &Stage::Resume);
    let Purpose::Authorize { answers, .. } = moved.flow.purpose() else { panic!("it is a request") };
    assert_eq!((answers.sign_in, answers.organization), (SignIn::Because, Some(HOUSE)));
    assert_eq!(answers.consent, Some(crate::authorize::asked::Decided::Agreed(agreement())));
    // Nobody but the engine leads a request, and no other flow is led.
    assert_eq!(begin(Purpose::SignIn).step(direct(Direction::Resume)), Err(OutOfTurn));
}

#[test]
fn a_step_up_needs_what_it_needs() {
    let flow = begin(Purpose::StepUp { needs: Assurance::Two, base: Evidence::of(Proof::Password) });
    let refused = flow.step(proved(careful_ana(), Proof::Totp)).unwrap_err();
    assert_eq!(refused, OutOfTurn, "only what they had set up when it began is offered");
    let careful = Flow::begin(
        FLOW,
        Purpose::StepUp { needs: Assurance::Two, base: Evidence::default() },
        Carrier::Cookie,
        Some((SESSION, careful_ana())),
    );
    let moved = careful.step(proved(careful_ana(), Proof::Totp)).unwrap();
    assert_eq!(moved.effects, [], "what was proven long ago does not count");
    let moved = moved.flow.step(proved(careful_ana(), Proof::Password)).unwrap();
    let evidence = Evidence::of(Proof::Totp).and(Proof::Password);
    assert_eq!(moved.effects, [Effect::RenewSession { evidence }]);
}

#[test]
fn digits_by_telephone_are_possession_and_lead_back_to_where_they_were_asked_for() {
    let called = |account| Answer::Called { number: number(), account };
    let right = |person| Answer::CodeRight { person: Some(person) };
    // The application was closed by guessing at it, so that a telephone is asked for beside a password.
    let mut reachable = person(ANA, &[Way::Password, Way::SmsCode]);
    reachable.closed.insert(Way::Totp);
    let sign_in = || begin(Purpose::SignIn).texting(true);
    let moved = walk(sign_in(), [called(Some(ANA)), right(ana())]).unwrap();
    let evidence = Evidence::of(Proof::SmsCode);
    assert_eq!(evidence.assurance(), Some(Assurance::One));
    assert_eq!(moved.effects, [Effect::StartSession { account: ANA, evidence }]);
    let second = walk(sign_in(), [proved(reachable.clone(), Proof::Password)]).unwrap().flow;
    assert!(second.actions().iter().any(|action| action.name() == "sms_code"));
    let sent = walk(second.clone(), [called(Some(ANA))]).unwrap();
    assert!(matches!(sent.effects[..], [Effect::SendDigits(_)]));
    let done = walk(sent.flow.clone(), [right(reachable.clone())]).unwrap();
    let evidence = Evidence::of(Proof::Password).and(Proof::SmsCode);
    assert_eq!(evidence.assurance(), Some(Assurance::Two));
    assert_eq!(done.effects, [Effect::StartSession { account: ANA, evidence }]);
    assert_eq!(walk(sent.flow.clone(), [Answer::Restart]).unwrap().flow.stage(), &Stage::SecondFactor);
    assert_eq!(walk(sent.flow, [right(person(BIA, &[]))]), Err(OutOfTurn));
    // To somebody else's telephone, without one, or where no message leaves, nothing is sent.
    assert_eq!(second.step(called(Some(BIA))), Err(OutOfTurn));
    let without = walk(sign_in(), [proved(careful_ana(), Proof::Password)]).unwrap().flow;
    assert_eq!(without.step(called(Some(ANA))), Err(OutOfTurn));
    assert_eq!(begin(Purpose::SignIn).step(called(Some(ANA))), Err(OutOfTurn));
    assert_eq!(begin(Purpose::ResetPassword).texting(true).step(called(Some(ANA))), Err(OutOfTurn));
}

#[test]
fn sms_code_does_not_stand_in_for_an_authenticator_application() {
    let called = Answer::Called { number: number(), account: Some(ANA) };
    let right = |person: &Person| Answer::CodeRight { person: Some(person.clone()) };
    let sign_in = || begin(Purpose::SignIn).texting(true);
    let both = person(ANA, &[Way::Password, Way::Totp, Way::SmsCode]);
    let second = walk(sign_in(), [proved(both.clone(), Proof::Password)]).unwrap().flow;
    assert_eq!(second.ways(), [Way::Totp]);
    assert_eq!(second.step(called.clone()), Err(OutOfTurn));
    // Neither does it where it comes first, with or without a password after it.
    let first = walk(sign_in(), [called.clone(), right(&both)]).unwrap();
    assert_eq!((first.flow.stage(), &first.effects[..]), (&Stage::SecondFactor, &[][..]));
    let then = walk(first.flow.clone(), [proved(both.clone(), Proof::Password)]).unwrap();
    assert_eq!((then.flow.stage(), &then.effects[..]), (&Stage::SecondFactor, &[][..]));
    let done = walk(first.flow, [proved(both.clone(), Proof::Totp)]).unwrap();
    assert!(matches!(done.effects[..], [Effect::StartSession { .. }]));
    // Guessing at the application until it is closed does not make a number enough either.
    let mut closed = person(ANA, &[Way::Password, Way::SmsCode]);
    closed.closed.insert(Way::Totp);
    let first = walk(sign_in(), [called, right(&closed)]).unwrap();
    assert_eq!(first.flow.stage(), &Stage::SecondFactor);
    let done = walk(first.flow, [proved(closed, Proof::Password)]).unwrap();
    assert!(matches!(done.effects[..], [Effect::StartSession { .. }]));
}

#[test]
fn step_up_to_aal2_needs_a_second_factor_given_in_it() {
    let passkey = Proof::Passkey { user_verified: true, device_bound: false };
    let has = |ways: &[Way], base: Evidence| {
        let purpose = Purpose::StepUp { needs: Assurance::Two, base };
        Flow::begin(FLOW, purpose, Carrier::Cookie, Some((SESSION, person(ANA, ways))))
    };
    let answer = |ways: &[Way], proof| proved(person(ANA, ways), proof);
    // A passkey of yesterday and the password of today are no second factor of today.
    let ways = &[Way::Password, Way::Passkey, Way::Totp, Way::SmsCode];
    let flow = has(ways, Evidence::of(passkey).dated(Timestamp::EPOCH));
    assert_eq!(flow.ways(), [Way::Passkey, Way::Password], "the passkey is asked for, and nothing weaker");
    let moved = walk(flow, [answer(ways, Proof::Password)]).unwrap();
    assert_eq!((&moved.effects[..], moved.flow.ways()), (&[][..], vec![Way::Passkey]));
    assert_eq!(moved.flow.clone().step(answer(ways, Proof::Totp)), Err(OutOfTurn));
    let moved = walk(moved.flow, [answer(ways, passkey)]).unwrap();
    let evidence = Evidence::of(passkey).and(Proof::Password);
    assert_eq!(moved.effects, [Effect::RenewSession { evidence }]);
    // A password of today will do beside digits of now.
    let ways = &[Way::Password, Way::Totp];
    let before = Evidence::of(Proof::Password).dated(Timestamp::EPOCH);
    let moved = walk(has(ways, before.clone()), [answer(ways, Proof::Totp)]).unwrap();
    assert_eq!(moved.effects, [Effect::RenewSession { evidence: before.and(Proof::Totp) }]);
}

#[test]
fn a_number_is_proven_by_whoever_reads_it_and_signs_nobody_in() {
    let contact = ContactId::from_bytes([17; 16]);
    let flow = begin(Purpose::VerifyPhone { contact, texted: texted(Some(ANA)) });
    let right = |account| Answer::CodeRight { person: Some(person(account, &[])) };
    let moved = flow.clone().step(right(ANA)).unwrap();
    assert_eq!(moved.effects, [Effect::VerifyContact { account: ANA, contact }]);
    assert_eq!(flow.clone().step(right(BIA)), Err(OutOfTurn));
    assert_eq!(flow.step(Answer::Restart), Err(OutOfTurn));
}
