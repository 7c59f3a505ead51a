//! The inputs a flow takes while a challenge sent by e-mail or SMS is open.

use super::{
    AuthenticationFlow, AuthenticationProof, FlowActionUnavailable, FlowEffect, FlowStage, FlowTransition,
    SmsChallenge, VerifiedFlowInput,
};

impl AuthenticationFlow {
    /// Applies an input while a challenge sent by e-mail or SMS is open.
    pub(super) fn answer_challenge(
        mut self,
        stage: FlowStage,
        answer: VerifiedFlowInput,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        match (stage, answer) {
            (FlowStage::MailedProof(challenge), VerifiedFlowInput::ResendRequested) => {
                Ok(self.into_transition([FlowEffect::ResendEmailChallenge(challenge)]))
            }
            (FlowStage::MailedProof(challenge), VerifiedFlowInput::CodeVerified { person: account }) => {
                self.accept_email_proof(challenge, account, AuthenticationProof::EmailCode)
            }
            (
                FlowStage::MailedProof(challenge),
                VerifiedFlowInput::MagicLinkVerified { person: account, opener },
            ) => self.accept_magic_link(challenge, account, opener),
            (FlowStage::TextedProof(challenge), VerifiedFlowInput::ResendRequested) => {
                Ok(self.into_transition([FlowEffect::ResendSmsChallenge(challenge)]))
            }
            (FlowStage::TextedProof(challenge), VerifiedFlowInput::CodeVerified { person: account }) => {
                self.accept_sms_proof(challenge, account)
            }
            (FlowStage::TextedProof(SmsChallenge { from: Some(from), .. }), VerifiedFlowInput::Restart) => {
                self.stage = *from;
                Ok(self.into_transition([]))
            }
            (FlowStage::MailedProof(_), VerifiedFlowInput::Restart) if self.can_restart() => {
                Ok(self.restart_sign_in())
            }
            _ => Err(FlowActionUnavailable),
        }
    }
}
