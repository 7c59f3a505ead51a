//! The end of setting something up. It proves nothing: the session is worth afterwards what it was worth before.

use super::answer::Effect;
use super::credential::enrolling::{Enrolling, SetUp};
use super::stage::{Ending, Stage};
use super::{Flow, Moved, OutOfTurn};

impl Flow {
    /// What was set up is kept, if it is what this flow sets up and for whom.
    pub(super) fn set_up(mut self, enrolling: Enrolling, made: SetUp) -> Result<Moved, OutOfTurn> {
        let Some(account) = self.account() else { return Err(OutOfTurn) };
        if enrolling.factor() != made.factor() {
            return Err(OutOfTurn);
        }
        self.stage = Stage::Finished(Ending::Enrolled);
        Ok(self.moved([Effect::AddCredential { account, enrolling, made }]))
    }

    /// How often it has moved. What was asked for at one step is not answered at another.
    pub const fn steps(&self) -> u32 {
        self.steps
    }
}
