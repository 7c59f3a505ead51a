//! E-mail challenges, and who may continue after one.

use super::*;

#[test]
fn password_reset_sets_a_password_ends_all_sessions_and_starts_none() {
    let flow = begin(FlowPurpose::ResetPassword);
    let keep = vec!["api_key:1".to_owned()];
    let choose_password =
        || VerifiedFlowInput::PasswordChosen { hash: PasswordHash("new".into()), keep: keep.clone() };
    assert_eq!(flow.clone().apply_input(choose_password()), Err(FlowActionUnavailable));
    let input = VerifiedFlowInput::EmailChallengeRequested(mailed(Some(ANA), None));
    let moved = walk(
        flow.clone(),
        [input.clone(), VerifiedFlowInput::CodeVerified { person: Some(careful_ana()) }, choose_password()],
    );
    let hash = PasswordHash("new".into());
    let expected = [
        FlowEffect::SetPassword { account: ANA, hash },
        FlowEffect::EndSessions { account: ANA, keep: keep.clone() },
    ];
    assert_eq!(moved.unwrap().effects, expected);
    assert_eq!(walk(flow.clone(), [input.clone(), choose_password()]), Err(FlowActionUnavailable));
    // An address without an account leads no further.
    let verified_input = VerifiedFlowInput::EmailChallengeRequested(mailed(None, None));
    assert_eq!(
        walk(flow, [verified_input, VerifiedFlowInput::CodeVerified { person: None }]),
        Err(FlowActionUnavailable)
    );
}

#[test]
fn magic_link_signs_in_the_browser_that_opens_it_without_the_requesting_flow() {
    let request_challenge = || VerifiedFlowInput::EmailChallengeRequested(mailed(Some(ANA), None));
    let link = |account, opener| VerifiedFlowInput::MagicLinkVerified { person: Some(account), opener };
    let evidence = AuthenticationEvidence::from_proof(AuthenticationProof::MagicLink);
    let elsewhere = MagicLinkOpener::LinkHolder(FlowTokenTransport::Cookie);
    for (opener, carrier, session) in [
        (MagicLinkOpener::FlowHolder, FlowTokenTransport::Token, Some(SESSION)),
        (elsewhere, FlowTokenTransport::Cookie, None),
    ] {
        let moved = walk(begin(FlowPurpose::SignIn), [request_challenge(), link(ana(), opener)]).unwrap();
        assert_eq!(moved.effects, [FlowEffect::StartSession { account: ANA, evidence: evidence.clone() }]);
        assert_eq!((moved.flow.flow_token_transport(), moved.flow.session()), (carrier, session));
    }
    let moved =
        walk(begin(FlowPurpose::SignIn), [request_challenge(), link(careful_ana(), elsewhere)]).unwrap();
    assert_eq!((moved.flow.stage(), moved.effects.len()), (&FlowStage::SecondFactor, 0));
    let reset =
        walk(begin(FlowPurpose::ResetPassword), [request_challenge(), link(ana(), elsewhere)]).unwrap();
    assert_eq!((reset.flow.stage(), reset.effects.len()), (&FlowStage::NewPassword, 0));
    let bia = person(BIA, &[]);
    assert_eq!(
        walk(begin(FlowPurpose::SignIn), [request_challenge(), link(bia, elsewhere)]),
        Err(FlowActionUnavailable)
    );
    assert_eq!(
        begin(FlowPurpose::SignIn).apply_input(link(ana(), MagicLinkOpener::FlowHolder)),
        Err(FlowActionUnavailable)
    );
}

#[test]
fn magic_link_opened_in_another_browser_confirms_neither_sign_up_nor_email_verification() {
    let link = |account, opener| VerifiedFlowInput::MagicLinkVerified { person: account, opener };
    let drafted = || VerifiedFlowInput::DetailsEntered(mailed(None, Some(NEW)));
    let flow_transition =
        walk(begin(FlowPurpose::SignUp), [drafted(), link(None, MagicLinkOpener::FlowHolder)]).unwrap();
    assert!(matches!(flow_transition.effects[..], [FlowEffect::CreateAccount { is_proven: true, .. }, _]));
    let contact = ContactId::from_bytes([7; 16]);
    let verify = || begin(FlowPurpose::VerifyEmail { contact, mailed: mailed(Some(ANA), None) });
    let verified = verify().apply_input(link(Some(ana()), MagicLinkOpener::FlowHolder)).unwrap();
    assert_eq!(verified.effects, [FlowEffect::VerifyContact { account: ANA, contact }]);
    for carrier in [FlowTokenTransport::Cookie, FlowTokenTransport::Token] {
        let elsewhere = MagicLinkOpener::LinkHolder(carrier);
        assert_eq!(
            walk(begin(FlowPurpose::SignUp), [drafted(), link(None, elsewhere)]),
            Err(FlowActionUnavailable)
        );
        assert_eq!(verify().apply_input(link(Some(ana()), elsewhere)), Err(FlowActionUnavailable));
    }
}

#[test]
fn sign_up_creates_the_account_after_its_address_is_verified() {
    let drafted = mailed(None, Some(NEW));
    let moved =
        walk(begin(FlowPurpose::SignUp), [VerifiedFlowInput::DetailsEntered(drafted.clone())]).unwrap();
    assert_eq!(moved.effects, [FlowEffect::SendEmailChallenge(drafted.clone())]);
    let moved = moved.flow.apply_input(VerifiedFlowInput::CodeVerified { person: None }).unwrap();
    let evidence = AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode)
        .with_proof(AuthenticationProof::Password);
    let flow_effect = FlowEffect::CreateAccount { details: drafted, is_proven: true };
    assert_eq!(moved.effects, [flow_effect, FlowEffect::StartSession { account: NEW, evidence }]);
    // An address that already has an account creates nothing.
    let challenge = EmailChallenge { account: Some(BIA), ..mailed(None, Some(NEW)) };
    let flow = walk(begin(FlowPurpose::SignUp), [VerifiedFlowInput::DetailsEntered(challenge)]).unwrap().flow;
    for account in [None, Some(person(BIA, &[AuthenticationProofMethod::Password]))] {
        assert_eq!(
            flow.clone().apply_input(VerifiedFlowInput::CodeVerified { person: account }),
            Err(FlowActionUnavailable)
        );
    }
}
