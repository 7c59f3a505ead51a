//! Redirects to an identity provider and back.

use super::*;
use crate::id::ConnectionId;
use crate::sign_in::flows::action::FlowAction;
use crate::sign_in::flows::stage::IdentityProviderRedirect;

pub(super) fn at_provider() -> IdentityProviderRedirect {
    IdentityProviderRedirect {
        connection: ConnectionId::from_bytes([6; 16]),
        from: None,
        hint: None,
        return_to: None,
    }
}

const FED: AuthenticationProof =
    AuthenticationProof::SingleSignOn { assurance: AssuranceLevel::One, organization: HOUSE };

fn vouched(account: FlowAccount, admission: IdentityResolution) -> VerifiedFlowInput {
    VerifiedFlowInput::IdentityAsserted { person: account, proof: FED, resolution: Box::new(admission) }
}

#[test]
fn single_sign_on_still_requires_totp() {
    let flow = begin(FlowPurpose::SignIn).with_identity_providers(true);
    assert!(flow.available_actions().contains(&FlowAction::SingleSignOn));
    let authentication_flow =
        flow.apply_input(VerifiedFlowInput::RedirectedToProvider(at_provider())).unwrap().flow;
    assert_eq!(authentication_flow.available_actions(), [FlowAction::ProviderAnswer, FlowAction::Restart]);
    let moved =
        authentication_flow.clone().apply_input(vouched(ana(), IdentityResolution::ExistingMember)).unwrap();
    let admit = FlowEffect::ResolveIdentity {
        account: ANA,
        resolution: Box::new(IdentityResolution::ExistingMember),
    };
    assert_eq!(
        moved.effects,
        [admit, FlowEffect::StartSession { account: ANA, evidence: AuthenticationEvidence::from_proof(FED) }]
    );
    let moved = authentication_flow
        .clone()
        .apply_input(vouched(careful_ana(), IdentityResolution::ExistingMember))
        .unwrap();
    assert_eq!(moved.flow.stage(), &FlowStage::SecondFactor);
    let back = authentication_flow.apply_input(VerifiedFlowInput::Restart).unwrap().flow;
    assert_eq!(back.stage(), &FlowStage::SignIn);
}

#[test]
fn single_sign_on_is_not_offered_in_flows_without_providers() {
    let flow = begin(FlowPurpose::SignIn);
    assert!(!flow.available_actions().contains(&FlowAction::SingleSignOn));
    assert_eq!(
        flow.apply_input(VerifiedFlowInput::RedirectedToProvider(at_provider())),
        Err(FlowActionUnavailable)
    );
    for purpose in
        [FlowPurpose::SignUp, FlowPurpose::ResetPassword, FlowPurpose::FirstOperator { link: [9; 32] }]
    {
        let flow = begin(purpose).with_identity_providers(true);
        assert_eq!(
            flow.apply_input(VerifiedFlowInput::RedirectedToProvider(at_provider())),
            Err(FlowActionUnavailable)
        );
    }
    // Without a redirect there is no return.
    let flow = begin(FlowPurpose::SignIn).with_identity_providers(true);
    assert_eq!(
        flow.apply_input(vouched(ana(), IdentityResolution::ExistingMember)),
        Err(FlowActionUnavailable)
    );
}

#[test]
fn linked_identity_belongs_to_the_signed_in_user_and_starts_no_session() {
    let flow = begin(FlowPurpose::LinkIdentity { at: at_provider() });
    let other = person(BIA, &[]);
    assert_eq!(
        flow.clone().apply_input(vouched(other, IdentityResolution::ExistingMember)),
        Err(FlowActionUnavailable)
    );
    let moved = flow.apply_input(vouched(ana(), IdentityResolution::ExistingMember)).unwrap();
    assert_eq!(moved.flow.stage(), &FlowStage::Finished(FlowOutcome::IdentityLinked));
    assert_eq!(
        moved.effects,
        [FlowEffect::ResolveIdentity {
            account: ANA,
            resolution: Box::new(IdentityResolution::ExistingMember)
        }]
    );
}

#[test]
fn step_up_of_a_federated_only_user_redirects_to_the_identity_provider() {
    let step_up = FlowPurpose::StepUp { needs: AssuranceLevel::One, base: AuthenticationEvidence::default() };
    let federated = person(ANA, &[AuthenticationProofMethod::SingleSignOn]);
    let flow = AuthenticationFlow::start(
        FLOW,
        step_up.clone(),
        FlowTokenTransport::Token,
        Some((SESSION, federated.clone())),
    );
    assert_eq!(flow.available_actions(), [FlowAction::SingleSignOn]);
    let authentication_flow =
        flow.apply_input(VerifiedFlowInput::RedirectedToProvider(at_provider())).unwrap().flow;
    let moved =
        authentication_flow.apply_input(vouched(federated, IdentityResolution::ExistingMember)).unwrap();
    assert!(matches!(
        moved.effects[..],
        [FlowEffect::ResolveIdentity { .. }, FlowEffect::RenewSession { .. }]
    ));
    let authentication_flow =
        AuthenticationFlow::start(FLOW, step_up, FlowTokenTransport::Token, Some((SESSION, ana())));
    assert_eq!(
        authentication_flow.apply_input(VerifiedFlowInput::RedirectedToProvider(at_provider())),
        Err(FlowActionUnavailable)
    );
}
