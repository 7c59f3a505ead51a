//! Accounts that are created while an authorization request waits.

use super::*;

fn directed(step: NextAuthorizationStep) -> VerifiedFlowInput {
    VerifiedFlowInput::NextStepDecided(Box::new(step))
}

fn at_sign_in(sign_up: bool) -> AuthenticationFlow {
    let flow = begin(asked()).with_sign_up(sign_up);
    flow.apply_input(directed(NextAuthorizationStep::SignIn)).unwrap().flow
}

fn names(flow: &AuthenticationFlow) -> Vec<&'static str> {
    flow.available_actions().iter().map(|action| action.name()).collect()
}

#[test]
fn authorization_flow_creates_an_account_and_continues_the_request() {
    let flow = at_sign_in(true);
    assert_eq!(names(&flow).last(), Some(&"sign_up"));
    let details = flow.apply_input(VerifiedFlowInput::SignUp).unwrap().flow;
    assert_eq!((details.stage(), names(&details)), (&FlowStage::Details, vec!["details", "restart"]));
    let drafted = mailed(None, Some(NEW));
    let waits = details.clone().apply_input(VerifiedFlowInput::DetailsEntered(drafted.clone())).unwrap();
    assert_eq!(waits.effects, [FlowEffect::SendEmailChallenge(drafted.clone())]);
    assert!(
        !waits.flow.can_continue_on_other_device(),
        "a prepared account is confirmed where it was prepared"
    );
    let flow_transition =
        waits.flow.clone().apply_input(VerifiedFlowInput::CodeVerified { person: None }).unwrap();
    assert!(matches!(
        flow_transition.effects[..],
        [FlowEffect::CreateAccount { is_proven: true, .. }, FlowEffect::StartSession { account, .. }] if account == NEW
    ));
    assert_eq!(flow_transition.flow.stage(), &FlowStage::Deciding);
    // One flow creates one account.
    let next_flow = flow_transition.flow.apply_input(directed(NextAuthorizationStep::SignIn)).unwrap().flow;
    assert!(!names(&next_flow).contains(&"sign_up"));
    assert_eq!(next_flow.apply_input(VerifiedFlowInput::SignUp), Err(FlowActionUnavailable));
    // Another address can be entered, and sign-in chosen instead.
    let back = waits.flow.apply_input(VerifiedFlowInput::Restart).unwrap().flow;
    assert_eq!(back.stage(), &FlowStage::Details);
    assert_eq!(back.apply_input(VerifiedFlowInput::Restart).unwrap().flow.stage(), &FlowStage::SignIn);
}

#[test]
fn authorization_flow_neither_signs_in_nor_replaces_the_owner_of_an_existing_address() {
    let details = at_sign_in(true).apply_input(VerifiedFlowInput::SignUp).unwrap().flow;
    let input = VerifiedFlowInput::DetailsEntered(mailed(Some(ANA), Some(NEW)));
    let waits = details.apply_input(input).unwrap().flow;
    for account in [None, Some(ana())] {
        let verified_input = VerifiedFlowInput::CodeVerified { person: account };
        assert_eq!(waits.clone().apply_input(verified_input), Err(FlowActionUnavailable));
    }
}

#[test]
fn authorization_flow_offers_no_sign_up_where_sign_up_is_disabled() {
    let flow = at_sign_in(false);
    assert!(!names(&flow).contains(&"sign_up"));
    assert_eq!(flow.apply_input(VerifiedFlowInput::SignUp), Err(FlowActionUnavailable));
    let directed_to = |purpose, sign_up| {
        begin(purpose).with_sign_up(sign_up).apply_input(directed(NextAuthorizationStep::SignUp))
    };
    assert_eq!(directed_to(asked(), false), Err(FlowActionUnavailable));
    assert_eq!(directed_to(device_authorization::approval(), true), Err(FlowActionUnavailable));
    assert_eq!(directed_to(asked(), true).unwrap().flow.stage(), &FlowStage::Details);
    let plain = begin(FlowPurpose::SignIn).with_sign_up(true);
    assert!(!names(&plain).contains(&"sign_up"), "a flow of its own creates an account there");
}
