//! Device approval: only when signed in, only for the user code entered, and only once.

use super::*;
use crate::sign_in::credentials::enrollment::EnrollableFactor;

pub(super) fn recognised() -> VerifiedFlowInput {
    let parameters = RawAuthorizationParams::new([("scope", "openid")]);
    let pending =
        PendingAuthorization::new("tv".parse().unwrap(), &parameters, AuthorizationChannel::Device([7; 32]));
    VerifiedFlowInput::UserCodeEntered(Box::new(pending))
}

pub(super) fn refused() -> NextAuthorizationStep {
    NextAuthorizationStep::Refuse { error: "access_denied".into(), description: "not there".into() }
}

/// The purpose of a CIBA approval.
pub(super) fn approval() -> FlowPurpose {
    let parameters = RawAuthorizationParams::new([("scope", "openid")]);
    let pending = PendingAuthorization::new(
        "agent".parse().unwrap(),
        &parameters,
        AuthorizationChannel::Backchannel([8; 32]),
    );
    FlowPurpose::ApproveRequest {
        pending_authorization: Box::new(pending),
        answers: InteractionAnswers::default(),
    }
}

fn direct(direction: NextAuthorizationStep) -> VerifiedFlowInput {
    VerifiedFlowInput::NextStepDecided(Box::new(direction))
}

fn consent() -> VerifiedFlowInput {
    direct(NextAuthorizationStep::Consent { consent_request: agreement(), prompt: json!({"client": "TV"}) })
}

fn device() -> AuthenticationFlow {
    begin(FlowPurpose::ConfirmDevice {
        user_code: None,
        pending_authorization: None,
        answers: InteractionAnswers::default(),
    })
}

#[test]
fn device_confirmation_needs_sign_in_user_code_and_display_of_the_request() {
    let signed_in =
        walk(device(), [direct(NextAuthorizationStep::SignIn), proved(ana(), AuthenticationProof::Password)])
            .unwrap();
    assert!(matches!(signed_in.effects[..], [FlowEffect::StartSession { .. }]));
    let at_code = walk(signed_in.flow, [direct(NextAuthorizationStep::UserCode)]).unwrap().flow;
    let names: Vec<_> = at_code.available_actions().iter().map(|action| action.name()).collect();
    assert_eq!((at_code.stage().name(), names), ("user_code", vec!["user_code"]));
    let authentication_flow = walk(at_code, [recognised(), consent()]).unwrap().flow;
    assert_eq!(
        authentication_flow.purpose().pending_authorization().map(|pending| pending.arrival),
        Some(AuthorizationChannel::Device([7; 32]))
    );
    for (is_approved, ending) in [(true, FlowOutcome::DeviceAllowed), (false, FlowOutcome::DeviceDenied)] {
        let over = authentication_flow
            .clone()
            .apply_input(VerifiedFlowInput::ConsentDecided(is_approved))
            .unwrap()
            .flow;
        assert_eq!((over.stage(), over.is_finished()), (&FlowStage::Finished(ending), true));
        assert_eq!(
            over.apply_input(VerifiedFlowInput::ConsentDecided(true)),
            Err(FlowActionUnavailable),
            "a request is decided once"
        );
    }
    let changed_flow = authentication_flow.apply_input(VerifiedFlowInput::RequestChanged).unwrap().flow;
    assert_eq!(changed_flow.stage(), &FlowStage::Deciding);
    let over = changed_flow.apply_input(direct(refused())).unwrap().flow;
    assert!(over.is_finished() && over.available_actions().is_empty());
}

#[test]
fn user_code_is_accepted_only_in_the_device_flow() {
    let authentication_flow = walk(device(), [direct(NextAuthorizationStep::UserCode)]).unwrap().flow;
    for out_of_turn in [
        VerifiedFlowInput::ConsentDecided(true),
        VerifiedFlowInput::OrganizationChosen(HOUSE),
        VerifiedFlowInput::CodeVerified { person: None },
    ] {
        assert_eq!(authentication_flow.clone().apply_input(out_of_turn), Err(FlowActionUnavailable));
    }
    assert_eq!(device().apply_input(recognised()), Err(FlowActionUnavailable), "before it is requested");
    assert_eq!(device().apply_input(direct(NextAuthorizationStep::Resume)), Err(FlowActionUnavailable));
    for direction in [NextAuthorizationStep::UserCode, refused()] {
        assert_eq!(begin(asked()).apply_input(direct(direction)), Err(FlowActionUnavailable));
    }
    assert!(
        !device().can_continue_on_other_device(),
        "by a user who reads an e-mail that another user requested"
    );
}

#[test]
fn ciba_approval_needs_step_up_and_display_of_the_request_and_happens_once() {
    let needs = NextAuthorizationStep::StepUp {
        needs: AssuranceLevel::Two,
        base: AuthenticationEvidence::from_proof(AuthenticationProof::Password),
        person: careful_ana(),
    };
    let stepped =
        walk(begin(approval()), [direct(needs), proved(careful_ana(), AuthenticationProof::Totp)]).unwrap();
    assert!(matches!(stepped.effects[..], [FlowEffect::RenewSession { .. }]));
    let authentication_flow = walk(stepped.flow, [consent()]).unwrap().flow;
    for (is_approved, ending) in [(true, FlowOutcome::RequestApproved), (false, FlowOutcome::RequestDenied)] {
        let over = authentication_flow
            .clone()
            .apply_input(VerifiedFlowInput::ConsentDecided(is_approved))
            .unwrap()
            .flow;
        assert_eq!((over.stage(), over.is_finished()), (&FlowStage::Finished(ending), true));
        assert_eq!(
            over.apply_input(VerifiedFlowInput::ConsentDecided(true)),
            Err(FlowActionUnavailable),
            "a request is decided once"
        );
    }
    for elsewhere in [NextAuthorizationStep::UserCode, NextAuthorizationStep::Resume] {
        assert_eq!(begin(approval()).apply_input(direct(elsewhere)), Err(FlowActionUnavailable));
    }
    assert_eq!(begin(approval()).apply_input(recognised()), Err(FlowActionUnavailable), "no code leads here");
    assert!(walk(begin(approval()), [direct(refused())]).unwrap().flow.is_finished());
    assert!(!begin(approval()).can_continue_on_other_device());
}

#[test]
fn second_factor_is_set_up_within_a_ciba_approval_and_not_for_a_device() {
    let demanded =
        || direct(NextAuthorizationStep::Enroll { factors: vec![EnrollableFactor::Passkey], person: ana() });
    assert_eq!(device().apply_input(demanded()), Err(FlowActionUnavailable));
    let input = VerifiedFlowInput::FactorChosen(PendingEnrollment::Passkey);
    let set_up = VerifiedFlowInput::CredentialEnrolled(CompletedEnrollment::Passkey(passkey()));
    let moved = walk(begin(approval()), [demanded(), input, set_up]).unwrap();
    assert!(matches!(moved.effects[..], [FlowEffect::AddCredential { .. }]));
    assert_eq!(moved.flow.stage(), &FlowStage::Deciding, "the request is decided anew");
}
