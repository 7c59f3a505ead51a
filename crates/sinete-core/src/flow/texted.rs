//! Digits that are sent to a telephone, and what follows when they come back. A number can be taken over, so they prove
//! possession and no more.

use super::answer::Effect;
use super::person::{Person, Way};
use super::purpose::{FlowKind, Purpose};
use super::stage::{Ending, Stage, Texted};
use super::{Flow, Moved, OutOfTurn};
use crate::assurance::Proof;
use crate::id::AccountId;
use crate::people::phone::PhoneNumber;

impl Flow {
    /// Whether a telephone number is enough to begin signing in with.
    pub(super) fn signs_in_by_text(&self) -> bool {
        self.texts && self.signs_in_by_mail()
    }

    /// Digits are sent to a number: to any that somebody names while they say who they are, and later to that of
    /// whomever the flow is about.
    pub(super) fn call(
        mut self,
        from: Stage,
        number: PhoneNumber,
        account: Option<AccountId>,
    ) -> Result<Moved, OutOfTurn> {
        let is_offered = match &from {
            Stage::SignIn => self.signs_in_by_text(),
            _ => account.is_some() && account == self.account() && self.ways().contains(&Way::SmsCode),
        };
        if !is_offered {
            return Err(OutOfTurn);
        }
        let texted = Texted { number, account, from: Some(Box::new(from)) };
        self.stage = Stage::TextedProof(texted.clone());
        Ok(self.moved([Effect::SendDigits(texted)]))
    }

    /// Whoever walks here reads what is sent to that telephone.
    pub(super) fn text_proven(mut self, texted: Texted, person: Option<Person>) -> Result<Moved, OutOfTurn> {
        let (Some(account), Some(person)) = (texted.account, person) else { return Err(OutOfTurn) };
        if person.account != account {
            return Err(OutOfTurn);
        }
        match (self.kind(), texted.from) {
            (FlowKind::VerifyPhone, None) => {
                let Purpose::VerifyPhone { contact, .. } = self.purpose else { return Err(OutOfTurn) };
                self.stage = Stage::Finished(Ending::PhoneVerified);
                Ok(self.moved([Effect::VerifyContact { account, contact }]))
            }
            (_, Some(from)) => {
                self.stage = *from;
                self.prove(person, Proof::SmsCode)
            }
            (_, None) => Err(OutOfTurn),
        }
    }
}
