//! An observer that trusts only the inputs of a flow.

use super::*;

/// Tracks the most that the inputs can prove, and about whom, without knowledge of stages.
#[derive(Default)]
pub(super) struct Witness {
    pub(super) proven: Vec<(AccountId, AuthenticationProof)>,
    pub(super) mailed: Option<EmailChallenge>,
    pub(super) mail_read: Vec<Option<AccountId>>,
    pub(super) texted: Option<Option<AccountId>>,
    pub(super) text_read: Vec<Option<AccountId>>,
    pub(super) base: AuthenticationEvidence,
}

impl Witness {
    pub(super) fn hears(&mut self, answer: &VerifiedFlowInput, purpose: FlowKind) {
        match answer {
            VerifiedFlowInput::Proved { person: account, proof } => {
                self.proven.push((account.account, *proof))
            }
            VerifiedFlowInput::Addressed(challenge) => {
                (self.mailed, self.texted) = (Some(challenge.clone()), None)
            }
            VerifiedFlowInput::Called { account, .. } => self.texted = Some(*account),
            VerifiedFlowInput::Drafted(drafted) => {
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
            VerifiedFlowInput::CodeRight { .. } => match self.texted {
                Some(account) => {
                    self.text_read.push(account);
                    self.proven.extend(account.map(|account| (account, AuthenticationProof::SmsCode)));
                }
                None => self.reads(AuthenticationProof::EmailCode),
            },
            VerifiedFlowInput::LinkRight { .. } => self.reads(AuthenticationProof::MagicLink),
            VerifiedFlowInput::Directed(direction) => {
                if let NextAuthorizationStep::StepUp { base, .. } = &**direction {
                    self.base = base.clone();
                }
            }
            VerifiedFlowInput::Vouched { person: account, proof, .. } => {
                self.proven.push((account.account, *proof))
            }
            VerifiedFlowInput::Again
            | VerifiedFlowInput::SignUp
            | VerifiedFlowInput::FactorChosen(_)
            | VerifiedFlowInput::SentToProvider(_)
            | VerifiedFlowInput::Restart
            | VerifiedFlowInput::PasswordChosen { .. }
            | VerifiedFlowInput::Chose(_)
            | VerifiedFlowInput::Consented(_)
            | VerifiedFlowInput::Recognised(_)
            | VerifiedFlowInput::Reconsidered
            | VerifiedFlowInput::SetUp(_) => {}
        }
    }

    fn reads(&mut self, proof: AuthenticationProof) {
        let account = self.mailed.as_ref().and_then(|challenge| challenge.account);
        self.mail_read.push(account);
        self.proven.push((account.unwrap_or(NEW), proof));
    }

    pub(super) fn evidence_of(&self, account: AccountId) -> AuthenticationEvidence {
        let of_account = self.proven.iter().filter(|(whose, _)| *whose == account);
        of_account.fold(self.base.clone(), |evidence, (_, proof)| evidence.with_proof(*proof))
    }
}
