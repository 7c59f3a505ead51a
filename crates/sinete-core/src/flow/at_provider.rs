//! Going to a provider of an organization, and what follows when somebody comes back from it.

use super::answer::{Answer, Effect};
use super::credential::single_sign_on::Admission;
use super::person::{Person, Way};
use super::purpose::FlowKind;
use super::stage::{AtProvider, Ending, Stage};
use super::{Flow, Moved, OutOfTurn};
use crate::assurance::Proof;

impl Flow {
    /// Whether somebody may begin to sign in at a provider.
    pub(super) fn signs_in_at_providers(&self) -> bool {
        self.providers && self.signs_in_by_mail()
    }

    /// Somebody goes to a provider, or comes back from it.
    pub(super) fn there_and_back(mut self, stage: Stage, answer: Answer) -> Result<Moved, OutOfTurn> {
        match (stage, answer) {
            (from @ (Stage::SignIn | Stage::Reauthenticate { .. }), Answer::SentToProvider(at)) => {
                self.send_to_provider(from, at)
            }
            (Stage::AtProvider(at), Answer::Vouched { person, proof, admission }) => {
                self.vouched_for(at, person, proof, admission)
            }
            (Stage::AtProvider(AtProvider { from: Some(from), .. }), Answer::Restart) => {
                self.stage = *from;
                Ok(self.moved([]))
            }
            _ => Err(OutOfTurn),
        }
    }

    /// Somebody goes to a provider: to say who they are, or to prove it again.
    fn send_to_provider(mut self, from: Stage, at: AtProvider) -> Result<Moved, OutOfTurn> {
        let is_offered = match &from {
            Stage::SignIn => self.signs_in_at_providers(),
            _ => self.ways().contains(&Way::SingleSignOn),
        };
        if !is_offered {
            return Err(OutOfTurn);
        }
        self.stage = Stage::AtProvider(AtProvider { from: Some(Box::new(from)), ..at });
        Ok(self.moved([]))
    }

    /// The provider vouches for whoever came back.
    fn vouched_for(
        mut self,
        at: AtProvider,
        person: Person,
        proof: Proof,
        admission: Box<Admission>,
    ) -> Result<Moved, OutOfTurn> {
        if self.person.as_ref().is_some_and(|known| known.account != person.account) {
            return Err(OutOfTurn);
        }
        let account = person.account;
        let admit = Effect::Admit { account, admission };
        match (self.kind(), at.from) {
            (FlowKind::LinkIdentity, None) => {
                self.stage = Stage::Finished(Ending::IdentityLinked);
                Ok(self.moved([admit]))
            }
            (_, Some(from)) => {
                self.stage = *from;
                let mut moved = self.prove(person, proof)?;
                moved.effects.insert(0, admit);
                Ok(moved)
            }
            (_, None) => Err(OutOfTurn),
        }
    }
}
