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
            (FlowStage::MailedProof(mailed), VerifiedFlowInput::Again) => {
                Ok(self.into_transition([FlowEffect::RepeatProof(mailed)]))
            }
            (FlowStage::MailedProof(mailed), VerifiedFlowInput::CodeRight { person }) => {
                self.accept_email_proof(mailed, person, AuthenticationProof::EmailCode)
            }
            (FlowStage::MailedProof(mailed), VerifiedFlowInput::LinkRight { person, opener }) => {
                self.accept_magic_link(mailed, person, opener)
            }
            (FlowStage::TextedProof(texted), VerifiedFlowInput::Again) => {
                Ok(self.into_transition([FlowEffect::RepeatDigits(texted)]))
            }
            (FlowStage::TextedProof(texted), VerifiedFlowInput::CodeRight { person }) => {
                self.accept_sms_proof(texted, person)
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
