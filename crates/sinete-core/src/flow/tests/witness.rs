//! Somebody who watches a flow and believes only what was said in it.

use super::*;

/// What an answer can at most prove, and about whom, kept by somebody who knows nothing of stages.
#[derive(Default)]
pub(super) struct Witness {
    pub(super) proven: Vec<(AccountId, Proof)>,
    pub(super) mailed: Option<Mailed>,
    pub(super) mail_read: Vec<Option<AccountId>>,
    pub(super) texted: Option<Option<AccountId>>,
    pub(super) text_read: Vec<Option<AccountId>>,
    pub(super) base: Evidence,
}

impl Witness {
    pub(super) fn hears(&mut self, answer: &Answer, purpose: FlowKind) {
        match answer {
            Answer::Proved { person, proof } => self.proven.push((person.account, *proof)),
            Answer::Addressed(mailed) => (self.mailed, self.texted) = (Some(mailed.clone()), None),
            Answer::Called { account, .. } => self.texted = Some(*account),
            Answer::Drafted(drafted) => {
                (self.mailed, self.texted) = (Some(drafted.clone()), None);
                if let Some(passkey) = &drafted.passkey {
                    self.proven.push((NEW, passkey.proof()));
                }
                if drafted.password.is_some() {
                    self.proven.push((NEW, Proof::Password));
                }
                if purpose == FlowKind::AcceptInvitation {
                    self.proven.push((NEW, Proof::MagicLink));
                }
            }
            Answer::CodeRight { .. } => match self.texted {
                Some(account) => {
                    self.text_read.push(account);
                    self.proven.extend(account.map(|account| (account, Proof::SmsCode)));
                }
                None => self.reads(Proof::EmailCode),
            },
            Answer::LinkRight { .. } => self.reads(Proof::MagicLink),
            Answer::Directed(direction) => {
                if let Direction::StepUp { base, .. } = &**direction {
                    self.base = base.clone();
                }
            }
            Answer::Vouched { person, proof, .. } => self.proven.push((person.account, *proof)),
            Answer::Again
            | Answer::SentToProvider(_)
            | Answer::Restart
            | Answer::PasswordChosen { .. }
            | Answer::Chose(_)
            | Answer::Consented(_)
            | Answer::Recognised(_)
            | Answer::Reconsidered
            | Answer::SetUp(_) => {}
        }
    }

    fn reads(&mut self, proof: Proof) {
        let account = self.mailed.as_ref().and_then(|mailed| mailed.account);
        self.mail_read.push(account);
        self.proven.push((account.unwrap_or(NEW), proof));
    }

    pub(super) fn evidence_of(&self, account: AccountId) -> Evidence {
        let of_account = self.proven.iter().filter(|(whose, _)| *whose == account);
        of_account.fold(self.base.clone(), |evidence, (_, proof)| evidence.and(*proof))
    }
}
