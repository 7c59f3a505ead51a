//! Enrollment, and who may do it.

use super::*;
use crate::sign_in::credentials::enrollment::EnrollableFactor;

#[test]
fn enrollment_stores_the_credential_and_is_no_authentication() {
    for pending_enrollment in [PendingEnrollment::Passkey, PendingEnrollment::RecoveryCodes] {
        let flow = begin(FlowPurpose::Enroll { enrolling: pending_enrollment.clone() });
        let completed_enrollment = match pending_enrollment.factor() {
            EnrollableFactor::Passkey => CompletedEnrollment::Passkey(passkey()),
            EnrollableFactor::Totp | EnrollableFactor::RecoveryCodes => CompletedEnrollment::RecoveryCodes,
        };
        let moved = flow
            .clone()
            .apply_input(VerifiedFlowInput::CredentialEnrolled(completed_enrollment.clone()))
            .unwrap();
        assert_eq!(moved.flow.stage(), &FlowStage::Finished(FlowOutcome::Enrolled));
        assert_eq!(
            moved.effects,
            [FlowEffect::AddCredential { account: ANA, pending_enrollment, completed_enrollment }]
        );
        assert!(moved.flow.evidence().is_empty());
        let other = CompletedEnrollment::Totp { step: 1, name: String::new() };
        assert_eq!(
            flow.apply_input(VerifiedFlowInput::CredentialEnrolled(other)),
            Err(FlowActionUnavailable)
        );
    }
    let authentication_flow = AuthenticationFlow::start(
        FLOW,
        FlowPurpose::Enroll { enrolling: PendingEnrollment::Passkey },
        FlowTokenTransport::Token,
        None,
    );
    assert_eq!(
        authentication_flow
            .apply_input(VerifiedFlowInput::CredentialEnrolled(CompletedEnrollment::Passkey(passkey()))),
        Err(FlowActionUnavailable)
    );
}

#[test]
fn bootstrap_sign_up_with_a_passkey_is_signed_in_by_it() {
    let drafted = EmailChallenge { password: None, passkey: Some(passkey()), ..mailed(None, Some(NEW)) };
    let moved = walk(
        begin(FlowPurpose::FirstOperator { link: [9; 32] }),
        [VerifiedFlowInput::DetailsEntered(drafted.clone())],
    )
    .unwrap();
    let start = FlowEffect::StartSession {
        account: NEW,
        evidence: AuthenticationEvidence::from_proof(passkey().proof()),
    };
    assert_eq!(moved.effects.last(), Some(&start));
    let read = [VerifiedFlowInput::DetailsEntered(drafted), VerifiedFlowInput::CodeVerified { person: None }];
    let moved = walk(begin(FlowPurpose::SignUp), read).unwrap();
    assert_eq!(moved.flow.evidence().assurance_level(), Some(AssuranceLevel::Two));
    let nothing = EmailChallenge { password: None, ..mailed(None, Some(NEW)) };
    assert_eq!(
        walk(
            begin(FlowPurpose::FirstOperator { link: [9; 32] }),
            [VerifiedFlowInput::DetailsEntered(nothing)]
        ),
        Err(FlowActionUnavailable)
    );
}

#[test]
fn authentication_of_another_account_is_refused() {
    let flow = walk(begin(FlowPurpose::SignIn), [proved(careful_ana(), AuthenticationProof::Password)])
        .unwrap()
        .flow;
    let other = person(BIA, &[AuthenticationProofMethod::Totp]);
    assert_eq!(
        flow.apply_input(proved(other.clone(), AuthenticationProof::Totp)),
        Err(FlowActionUnavailable)
    );
    let step_up_flow =
        begin(FlowPurpose::StepUp { needs: AssuranceLevel::One, base: AuthenticationEvidence::default() });
    assert_eq!(
        step_up_flow.apply_input(proved(other, AuthenticationProof::Password)),
        Err(FlowActionUnavailable)
    );
}

#[test]
fn email_code_alone_does_not_replace_an_enrolled_totp() {
    let input = VerifiedFlowInput::EmailChallengeRequested(mailed(Some(ANA), None));
    let read = VerifiedFlowInput::CodeVerified { person: Some(careful_ana()) };
    let moved = walk(begin(FlowPurpose::SignIn), [input, read]).unwrap();
    assert_eq!((moved.flow.stage(), &moved.effects[..]), (&FlowStage::SecondFactor, &[][..]));
    let still = moved.flow.clone().apply_input(proved(careful_ana(), AuthenticationProof::Password)).unwrap();
    assert_eq!(still.flow.stage(), &FlowStage::SecondFactor);
    let moved = moved.flow.apply_input(proved(careful_ana(), AuthenticationProof::Totp)).unwrap();
    let evidence = AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode)
        .with_proof(AuthenticationProof::Totp);
    assert_eq!(evidence.assurance_level(), Some(AssuranceLevel::One));
    assert_eq!(moved.effects, [FlowEffect::StartSession { account: ANA, evidence }]);
}

#[test]
fn totp_that_is_locked_still_requires_another_possession_factor() {
    let closed = FlowAccount {
        closed: [AuthenticationProofMethod::Totp].into(),
        ..person(ANA, &[AuthenticationProofMethod::Password, AuthenticationProofMethod::RecoveryCode])
    };
    let password =
        VerifiedFlowInput::Authenticated { person: closed.clone(), proof: AuthenticationProof::Password };
    let moved = walk(begin(FlowPurpose::SignIn), [password.clone()]).unwrap();
    assert_eq!(moved.flow.stage().name(), "second_factor");
    assert!(moved.effects.is_empty());
    let code =
        VerifiedFlowInput::Authenticated { person: closed.clone(), proof: AuthenticationProof::RecoveryCode };
    assert!(walk(begin(FlowPurpose::SignIn), [password, code]).unwrap().flow.is_finished());
    // A passkey proves it by itself.
    let passkey = AuthenticationProof::Passkey { user_verified: true, device_bound: true };
    let input = VerifiedFlowInput::Authenticated { person: closed, proof: passkey };
    assert!(walk(begin(FlowPurpose::SignIn), [input]).unwrap().flow.is_finished());
}
