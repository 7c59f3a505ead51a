//! Step-up, required by a request or started by the user.

use super::*;
use crate::time::Timestamp;

#[test]
fn authorization_flow_follows_its_directions_to_the_redirect() {
    let direct = |direction| VerifiedFlowInput::NextStepDecided(Box::new(direction));
    let choice = OrganizationChoice { organization: HOUSE, slug: "acme".into(), name: "Acme".into() };
    let moved = walk(
        begin(asked()),
        [direct(NextAuthorizationStep::SignIn), proved(ana(), AuthenticationProof::Password)],
    )
    .unwrap();
    assert!(matches!(moved.effects[..], [FlowEffect::StartSession { .. }]));
    let moved = walk(moved.flow, [direct(NextAuthorizationStep::ChooseOrganization(vec![choice]))]).unwrap();
    let other = OrganizationId::from_bytes([60; 16]);
    assert_eq!(
        moved.flow.clone().apply_input(VerifiedFlowInput::OrganizationChosen(other)),
        Err(FlowActionUnavailable)
    );
    let consent =
        NextAuthorizationStep::Consent { consent_request: agreement(), prompt: json!({"client": "Notes"}) };
    let steps = [
        VerifiedFlowInput::OrganizationChosen(HOUSE),
        direct(consent),
        VerifiedFlowInput::ConsentDecided(true),
        direct(NextAuthorizationStep::Resume),
    ];
    let moved = walk(moved.flow, steps).unwrap();
    assert_eq!(moved.flow.stage(), &FlowStage::Resume);
    let FlowPurpose::Authorize { answers, .. } = moved.flow.purpose() else { panic!("it is a request") };
    assert_eq!((answers.sign_in, answers.organization), (SignInRelativeToRequest::Because, Some(HOUSE)));
    assert_eq!(
        answers.consent,
        Some(crate::oauth::authorize::pending_authorization::ConsentDecision::Agreed(agreement()))
    );
    // Only the engine directs a request, and no other flow can be directed.
    assert_eq!(
        begin(FlowPurpose::SignIn).apply_input(direct(NextAuthorizationStep::Resume)),
        Err(FlowActionUnavailable)
    );
}

#[test]
fn step_up_accepts_only_enrolled_factors_and_ignores_earlier_authentication() {
    let flow = begin(FlowPurpose::StepUp {
        needs: AssuranceLevel::Two,
        base: AuthenticationEvidence::from_proof(AuthenticationProof::Password),
    });
    let refused = flow.apply_input(proved(careful_ana(), AuthenticationProof::Totp)).unwrap_err();
    assert_eq!(refused, FlowActionUnavailable, "only methods that were set up when it began are offered");
    let careful = AuthenticationFlow::start(
        FLOW,
        FlowPurpose::StepUp { needs: AssuranceLevel::Two, base: AuthenticationEvidence::default() },
        FlowTokenTransport::Cookie,
        Some((SESSION, careful_ana())),
    );
    let moved = careful.apply_input(proved(careful_ana(), AuthenticationProof::Totp)).unwrap();
    assert_eq!(moved.effects, [], "old proofs do not count");
    let moved = moved.flow.apply_input(proved(careful_ana(), AuthenticationProof::Password)).unwrap();
    let evidence = AuthenticationEvidence::from_proof(AuthenticationProof::Totp)
        .with_proof(AuthenticationProof::Password);
    assert_eq!(moved.effects, [FlowEffect::RenewSession { evidence }]);
}

#[test]
fn sms_code_is_a_possession_factor_and_resumes_the_flow() {
    let called = |account| VerifiedFlowInput::SmsCodeRequested { number: number(), account };
    let verify_code = |account| VerifiedFlowInput::CodeVerified { person: Some(account) };
    // Failed attempts locked the authenticator app, so SMS is required in addition to the password.
    let mut reachable =
        person(ANA, &[AuthenticationProofMethod::Password, AuthenticationProofMethod::SmsCode]);
    reachable.closed.insert(AuthenticationProofMethod::Totp);
    let sign_in = || begin(FlowPurpose::SignIn).with_sms(true);
    let moved = walk(sign_in(), [called(Some(ANA)), verify_code(ana())]).unwrap();
    let evidence = AuthenticationEvidence::from_proof(AuthenticationProof::SmsCode);
    assert_eq!(evidence.assurance_level(), Some(AssuranceLevel::One));
    assert_eq!(moved.effects, [FlowEffect::StartSession { account: ANA, evidence }]);
    let second = walk(sign_in(), [proved(reachable.clone(), AuthenticationProof::Password)]).unwrap().flow;
    assert!(second.available_actions().iter().any(|action| action.name() == "sms_code"));
    let flow_transition = walk(second.clone(), [called(Some(ANA))]).unwrap();
    assert!(matches!(flow_transition.effects[..], [FlowEffect::SendSmsChallenge(_)]));
    let final_transition = walk(flow_transition.flow.clone(), [verify_code(reachable.clone())]).unwrap();
    let evidence = AuthenticationEvidence::from_proof(AuthenticationProof::Password)
        .with_proof(AuthenticationProof::SmsCode);
    assert_eq!(evidence.assurance_level(), Some(AssuranceLevel::Two));
    assert_eq!(final_transition.effects, [FlowEffect::StartSession { account: ANA, evidence }]);
    assert_eq!(
        walk(flow_transition.flow.clone(), [VerifiedFlowInput::Restart]).unwrap().flow.stage(),
        &FlowStage::SecondFactor
    );
    assert_eq!(walk(flow_transition.flow, [verify_code(person(BIA, &[]))]), Err(FlowActionUnavailable));
    // Nothing is sent to another account's phone, without a phone, or if the instance sends no SMS.
    assert_eq!(second.apply_input(called(Some(BIA))), Err(FlowActionUnavailable));
    let without = walk(sign_in(), [proved(careful_ana(), AuthenticationProof::Password)]).unwrap().flow;
    assert_eq!(without.apply_input(called(Some(ANA))), Err(FlowActionUnavailable));
    assert_eq!(begin(FlowPurpose::SignIn).apply_input(called(Some(ANA))), Err(FlowActionUnavailable));
    assert_eq!(
        begin(FlowPurpose::ResetPassword).with_sms(true).apply_input(called(Some(ANA))),
        Err(FlowActionUnavailable)
    );
}

#[test]
fn sms_code_does_not_replace_an_enrolled_totp() {
    let called = VerifiedFlowInput::SmsCodeRequested { number: number(), account: Some(ANA) };
    let verify_code =
        |account: &FlowAccount| VerifiedFlowInput::CodeVerified { person: Some(account.clone()) };
    let sign_in = || begin(FlowPurpose::SignIn).with_sms(true);
    let both = person(
        ANA,
        &[
            AuthenticationProofMethod::Password,
            AuthenticationProofMethod::Totp,
            AuthenticationProofMethod::SmsCode,
        ],
    );
    let second = walk(sign_in(), [proved(both.clone(), AuthenticationProof::Password)]).unwrap().flow;
    assert_eq!(second.available_proof_methods(), [AuthenticationProofMethod::Totp]);
    assert_eq!(second.apply_input(called.clone()), Err(FlowActionUnavailable));
    // Nor if SMS comes first, with or without a password after it.
    let first = walk(sign_in(), [called.clone(), verify_code(&both)]).unwrap();
    assert_eq!((first.flow.stage(), &first.effects[..]), (&FlowStage::SecondFactor, &[][..]));
    let then = walk(first.flow.clone(), [proved(both.clone(), AuthenticationProof::Password)]).unwrap();
    assert_eq!((then.flow.stage(), &then.effects[..]), (&FlowStage::SecondFactor, &[][..]));
    let flow_transition = walk(first.flow, [proved(both.clone(), AuthenticationProof::Totp)]).unwrap();
    assert!(matches!(flow_transition.effects[..], [FlowEffect::StartSession { .. }]));
    // Locking the app by guessing does not make SMS sufficient either.
    let mut closed = person(ANA, &[AuthenticationProofMethod::Password, AuthenticationProofMethod::SmsCode]);
    closed.closed.insert(AuthenticationProofMethod::Totp);
    let first = walk(sign_in(), [called, verify_code(&closed)]).unwrap();
    assert_eq!(first.flow.stage(), &FlowStage::SecondFactor);
    let flow_transition = walk(first.flow, [proved(closed, AuthenticationProof::Password)]).unwrap();
    assert!(matches!(flow_transition.effects[..], [FlowEffect::StartSession { .. }]));
}

#[test]
fn step_up_to_aal2_needs_a_second_factor_within_the_flow() {
    let passkey = AuthenticationProof::Passkey { user_verified: true, device_bound: false };
    let has = |proof_methods: &[AuthenticationProofMethod], base: AuthenticationEvidence| {
        let purpose = FlowPurpose::StepUp { needs: AssuranceLevel::Two, base };
        AuthenticationFlow::start(
            FLOW,
            purpose,
            FlowTokenTransport::Cookie,
            Some((SESSION, person(ANA, proof_methods))),
        )
    };
    let answer =
        |proof_methods: &[AuthenticationProofMethod], proof| proved(person(ANA, proof_methods), proof);
    // Yesterday's passkey and today's password are not two fresh factors.
    let proof_methods = &[
        AuthenticationProofMethod::Password,
        AuthenticationProofMethod::Passkey,
        AuthenticationProofMethod::Totp,
        AuthenticationProofMethod::SmsCode,
    ];
    let flow =
        has(proof_methods, AuthenticationEvidence::from_proof(passkey).date_undated_proofs(Timestamp::EPOCH));
    assert_eq!(
        flow.available_proof_methods(),
        [AuthenticationProofMethod::Passkey, AuthenticationProofMethod::Password],
        "the passkey is required, and nothing weaker"
    );
    let moved = walk(flow, [answer(proof_methods, AuthenticationProof::Password)]).unwrap();
    assert_eq!(
        (&moved.effects[..], moved.flow.available_proof_methods()),
        (&[][..], vec![AuthenticationProofMethod::Passkey])
    );
    assert_eq!(
        moved.flow.clone().apply_input(answer(proof_methods, AuthenticationProof::Totp)),
        Err(FlowActionUnavailable)
    );
    let moved = walk(moved.flow, [answer(proof_methods, passkey)]).unwrap();
    let evidence = AuthenticationEvidence::from_proof(passkey).with_proof(AuthenticationProof::Password);
    assert_eq!(moved.effects, [FlowEffect::RenewSession { evidence }]);
    // Today's password is fresh enough with a new code.
    let proof_methods = &[AuthenticationProofMethod::Password, AuthenticationProofMethod::Totp];
    let before = AuthenticationEvidence::from_proof(AuthenticationProof::Password)
        .date_undated_proofs(Timestamp::EPOCH);
    let moved =
        walk(has(proof_methods, before.clone()), [answer(proof_methods, AuthenticationProof::Totp)]).unwrap();
    assert_eq!(
        moved.effects,
        [FlowEffect::RenewSession { evidence: before.with_proof(AuthenticationProof::Totp) }]
    );
}

#[test]
fn phone_verification_needs_the_code_of_its_owner_and_starts_no_session() {
    let contact = ContactId::from_bytes([17; 16]);
    let flow = begin(FlowPurpose::VerifyPhone { contact, texted: texted(Some(ANA)) });
    let verify_code = |account| VerifiedFlowInput::CodeVerified { person: Some(person(account, &[])) };
    let moved = flow.clone().apply_input(verify_code(ANA)).unwrap();
    assert_eq!(moved.effects, [FlowEffect::VerifyContact { account: ANA, contact }]);
    assert_eq!(flow.clone().apply_input(verify_code(BIA)), Err(FlowActionUnavailable));
    assert_eq!(flow.apply_input(VerifiedFlowInput::Restart), Err(FlowActionUnavailable));
}
