//! SMS challenges. A phone number can be taken over, so they prove possession and no more.

use super::account::FlowAccount;
use super::purpose::{FlowKind, FlowPurpose};
use super::stage::{FlowOutcome, FlowStage, SmsChallenge};
use super::verified_input::FlowEffect;
use super::{AuthenticationFlow, FlowActionUnavailable, FlowTransition};
use crate::accounts::phone_number::PhoneNumber;
use crate::assurance::AuthenticationProof;
use crate::assurance::proof_method::AuthenticationProofMethod;
use crate::id::AccountId;

impl AuthenticationFlow {
    /// Whether sign-in can start with a phone number.
    pub(crate) fn allows_sms_sign_in(&self) -> bool {
        self.texts && self.allows_email_sign_in()
    }

    /// Sends a code by SMS: during identification to any number entered, later to the account's number.
    pub(crate) fn send_sms_challenge(
        mut self,
        from: FlowStage,
        number: PhoneNumber,
        account: Option<AccountId>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let is_offered = match &from {
            FlowStage::SignIn => self.allows_sms_sign_in(),
            _ => {
                account.is_some()
                    && account == self.account()
                    && self.available_proof_methods().contains(&AuthenticationProofMethod::SmsCode)
            }
        };
        if !is_offered {
            return Err(FlowActionUnavailable);
        }
        let challenge = SmsChallenge { number, account, from: Some(Box::new(from)) };
        self.stage = FlowStage::TextedProof(challenge.clone());
        Ok(self.into_transition([FlowEffect::SendSmsChallenge(challenge)]))
    }

    /// The user has proven access to the phone.
    pub(crate) fn accept_sms_proof(
        mut self,
        challenge: SmsChallenge,
        flow_account: Option<FlowAccount>,
    ) -> Result<FlowTransition, FlowActionUnavailable> {
        let (Some(account), Some(flow_account)) = (challenge.account, flow_account) else {
            return Err(FlowActionUnavailable);
        };
        if flow_account.account != account {
            return Err(FlowActionUnavailable);
        }
        match (self.kind(), challenge.from) {
            (FlowKind::VerifyPhone, None) => {
                let FlowPurpose::VerifyPhone { contact, .. } = self.purpose else {
                    return Err(FlowActionUnavailable);
                };
                self.stage = FlowStage::Finished(FlowOutcome::PhoneVerified);
                Ok(self.into_transition([FlowEffect::VerifyContact { account, contact }]))
            }
            (_, Some(from)) => {
                self.stage = *from;
                self.add_proof(flow_account, AuthenticationProof::SmsCode)
            }
            (_, None) => Err(FlowActionUnavailable),
        }
    }
}
