//! An observer that trusts only the inputs of a flow.

use super::*;

/// Tracks the most that the inputs can prove, and about whom, without knowledge of stages.
#[derive(Default)]
pub(super) struct EvidenceOracle {
    pub(super) proven: Vec<(AccountId, AuthenticationProof)>,
    pub(super) mailed: Option<EmailChallenge>,
    pub(super) mail_read: Vec<Option<AccountId>>,
    pub(super) texted: Option<Option<AccountId>>,
    pub(super) text_read: Vec<Option<AccountId>>,
    pub(super) base: AuthenticationEvidence,
}

impl EvidenceOracle {
    pub(super) fn hears(&mut self, answer: &VerifiedFlowInput, purpose: FlowKind) {
        match answer {
            VerifiedFlowInput::Authenticated { person: account, proof } => {
                self.proven.push((account.account, *proof))
            }
            VerifiedFlowInput::EmailChallengeRequested(challenge) => {
                (self.mailed, self.texted) = (Some(challenge.clone()), None)
            }
            VerifiedFlowInput::SmsCodeRequested { account, .. } => self.texted = Some(*account),
            VerifiedFlowInput::DetailsEntered(drafted) => {
                (self.mailed, self.texted) = (Some(drafted.clone()), None);
                if let Some(passkey) = &drafted.passkey {
                    self.proven.push((NEW, passkey.proof()));
                }
                if drafted.password.is_some() {
                    self.proven.push((NEW, AuthenticationProof::Password));
                }
                if purpose == FlowKind::AcceptInvitation {
                    self.proven.push((NEW, AuthenticationProof::MagicLink));
                }
            }
            VerifiedFlowInput::CodeVerified { .. } => match self.texted {
                Some(account) => {
                    self.text_read.push(account);
                    self.proven.extend(account.map(|account| (account, AuthenticationProof::SmsCode)));
                }
                None => self.reads(AuthenticationProof::EmailCode),
            },
            VerifiedFlowInput::MagicLinkVerified { .. } => self.reads(AuthenticationProof::MagicLink),
            VerifiedFlowInput::NextStepDecided(direction) => {
                if let NextAuthorizationStep::StepUp { base, .. } = &**direction {
                    self.base = base.clone();
                }
            }
            VerifiedFlowInput::IdentityAsserted { person: account, proof, .. } => {
                self.proven.push((account.account, *proof))
            }
            VerifiedFlowInput::ResendRequested
            | VerifiedFlowInput::SignUp
            | VerifiedFlowInput::FactorChosen(_)
            | VerifiedFlowInput::RedirectedToProvider(_)
            | VerifiedFlowInput::Restart
            | VerifiedFlowInput::PasswordChosen { .. }
            | VerifiedFlowInput::OrganizationChosen(_)
            | VerifiedFlowInput::ConsentDecided(_)
            | VerifiedFlowInput::UserCodeEntered(_)
            | VerifiedFlowInput::RequestChanged
            | VerifiedFlowInput::CredentialEnrolled(_) => {}
        }
    }

    fn reads(&mut self, proof: AuthenticationProof) {
        let account = self.mailed.as_ref().and_then(|challenge| challenge.account);
        self.mail_read.push(account);
        self.proven.push((account.unwrap_or(NEW), proof));
    }

    pub(super) fn evidence_of(&self, account: AccountId) -> AuthenticationEvidence {
        let of_account = self.proven.iter().filter(|(owner, _)| *owner == account);
        of_account.fold(self.base.clone(), |evidence, (_, proof)| evidence.with_proof(*proof))
    }
}
