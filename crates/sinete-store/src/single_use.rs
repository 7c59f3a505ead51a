//! Every single-use statement, in a form that tests can race: exactly one caller succeeds.
//!
//! Tests hold the store to this on both engines and across processes. Every statement made with
//! [`SqlStatement::single_use`](crate::SqlStatement) has its entry here.

mod accounts;
mod fixture;
mod flows;
mod grants;
mod identity_providers;
mod messages;
mod setup_links;

use crate::failure::StoreFailure;
use crate::write_batch::{GuardedStatement, WriteBatch};
use sinete_core::entropy::Entropy;

pub use fixture::SingleUseFixture;

/// A single-use statement, of which exactly one caller succeeds.
#[derive(Debug)]
pub struct SingleUseContract {
    /// The name of the statement, which the other callers' conflicts report.
    pub statement_name: &'static str,
    /// Prepares one item to use. It is deterministic in its input, so that two processes can prepare the same
    /// item.
    pub prepare: fn(&SingleUseFixture, &dyn Entropy) -> Result<SpendableItem, StoreFailure>,
}

/// One item that can be used once.
pub struct SpendableItem {
    /// The statements that create it.
    pub setup: Vec<GuardedStatement>,
    /// The batch that each racer commits. Replacement secrets are generated anew each time.
    pub build_use: SpendFactory,
}

/// Builds the batch of one racer.
pub type SpendFactory = Box<dyn Fn(&dyn Entropy) -> WriteBatch + Send + Sync>;

impl SpendableItem {
    fn new<const STEPS: usize>(
        setup: impl IntoIterator<Item = GuardedStatement>,
        spend: impl Fn(&dyn Entropy) -> [GuardedStatement; STEPS] + Send + Sync + 'static,
    ) -> Self {
        let spend = move |entropy: &dyn Entropy| WriteBatch::new().with_statements(spend(entropy));
        Self { setup: setup.into_iter().collect(), build_use: Box::new(spend) }
    }
}

impl std::fmt::Debug for SpendableItem {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Spendable").field("setup", &self.setup).finish_non_exhaustive()
    }
}

/// All single-use statements.
pub static SINGLE_USE: &[SingleUseContract] = &[
    SingleUseContract { statement_name: "account_links.spend", prepare: accounts::prepare_action_link },
    SingleUseContract { statement_name: "address_changes.spend", prepare: accounts::prepare_email_change },
    SingleUseContract {
        statement_name: "assertion_replays.first_seen",
        prepare: messages::prepare_client_assertion,
    },
    SingleUseContract { statement_name: "attempt_counters.begin", prepare: accounts::prepare_first_attempt },
    SingleUseContract { statement_name: "attempt_counters.count", prepare: accounts::prepare_next_attempt },
    SingleUseContract { statement_name: "approval_requests.approve", prepare: grants::prepare_ciba_approval },
    SingleUseContract { statement_name: "approval_requests.deny", prepare: grants::prepare_ciba_denial },
    SingleUseContract { statement_name: "approval_requests.spend", prepare: grants::prepare_ciba_redemption },
    SingleUseContract {
        statement_name: "approval_requests.claim_notice",
        prepare: grants::prepare_ciba_notification,
    },
    SingleUseContract { statement_name: "bootstrap_links.spend", prepare: accounts::prepare_bootstrap_link },
    SingleUseContract { statement_name: "codes.spend", prepare: grants::prepare_authorization_code },
    SingleUseContract {
        statement_name: "codes.spend_and_begin",
        prepare: grants::prepare_code_with_refresh_token,
    },
    SingleUseContract { statement_name: "credentials.accept_step", prepare: accounts::prepare_totp_step },
    SingleUseContract {
        statement_name: "credentials.confirm_step",
        prepare: accounts::prepare_totp_confirmation,
    },
    SingleUseContract { statement_name: "device_requests.approve", prepare: grants::prepare_device_approval },
    SingleUseContract { statement_name: "device_requests.deny", prepare: grants::prepare_device_denial },
    SingleUseContract { statement_name: "device_requests.spend", prepare: grants::prepare_device_redemption },
    SingleUseContract { statement_name: "families.begin", prepare: grants::prepare_first_refresh_token },
    SingleUseContract { statement_name: "families.rotate", prepare: grants::prepare_refresh_token },
    SingleUseContract { statement_name: "flows.advance", prepare: flows::prepare_flow_advance },
    SingleUseContract { statement_name: "flows.finish", prepare: flows::prepare_flow_finish },
    SingleUseContract {
        statement_name: "idempotency_keys.claim",
        prepare: messages::prepare_idempotency_key,
    },
    SingleUseContract { statement_name: "identities.link", prepare: accounts::prepare_identity_link },
    SingleUseContract { statement_name: "invitations.accept", prepare: accounts::prepare_invitation },
    SingleUseContract { statement_name: "magic_links.spend", prepare: flows::prepare_magic_link },
    SingleUseContract { statement_name: "memberships.claim", prepare: accounts::prepare_membership_claim },
    SingleUseContract {
        statement_name: "memberships.claim_through",
        prepare: identity_providers::membership_to_claim,
    },
    SingleUseContract { statement_name: "one_time_codes.attempt", prepare: flows::prepare_code_attempt },
    SingleUseContract { statement_name: "one_time_codes.spend", prepare: flows::prepare_one_time_code },
    SingleUseContract {
        statement_name: "organizations.advance",
        prepare: accounts::prepare_organization_version,
    },
    SingleUseContract { statement_name: "outbox.claim", prepare: messages::prepare_outbox_message },
    SingleUseContract { statement_name: "pushed_requests.take", prepare: grants::prepare_pushed_request },
    SingleUseContract { statement_name: "recovery_codes.spend", prepare: accounts::prepare_recovery_code },
    SingleUseContract {
        statement_name: "saml_answers.first_seen",
        prepare: identity_providers::prepare_saml_assertion,
    },
    SingleUseContract {
        statement_name: "saml_answers.spend",
        prepare: identity_providers::prepare_saml_response,
    },
    SingleUseContract { statement_name: "sessions.renew", prepare: accounts::prepare_session_renewal },
    SingleUseContract { statement_name: "setup_links.confirm", prepare: setup_links::prepare_confirmation },
    SingleUseContract { statement_name: "setup_links.open", prepare: setup_links::prepare_opening },
    SingleUseContract { statement_name: "webhooks.claim", prepare: messages::prepare_webhook_claim },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SqlStatement, all_statements};
    use std::collections::BTreeSet;

    #[test]
    fn single_use_list_contains_every_redeeming_statement_and_no_other() {
        let statements: BTreeSet<_> =
            all_statements().filter(|it| it.is_single_use()).map(SqlStatement::name).collect();
        let listed_names: BTreeSet<_> = SINGLE_USE.iter().map(|entry| entry.statement_name).collect();
        assert_eq!(listed_names, statements);
        assert_eq!(listed_names.len(), SINGLE_USE.len());
    }

    #[test]
    fn single_use_markers_are_written_only_by_redeeming_statements() {
        let marks = ["spent_at", "taken_at", "accepted_at", "approved_at", "denied_at", "claimed_at"];
        // A restore does not use anything: it ends what may have been used since the backup.
        let ordinary = |it: &&SqlStatement| !it.is_single_use() && !it.name().starts_with("restored.");
        for statement in all_statements().filter(ordinary) {
            let sql = statement.sqlite_text();
            let updated = sql.split_once(" SET ").map_or("", |(_, rest)| rest);
            let updated = updated.split(" WHERE ").next().unwrap_or("");
            for mark in marks {
                // Storing a new code in place of an old one clears the mark.
                let writes = updated.contains(&format!("{mark} = "));
                assert!(!writes || updated.contains(&format!("{mark} = NULL")), "{}", statement.name());
            }
        }
    }

    #[test]
    fn single_use_entries_are_redeemed_by_the_statement_they_name() {
        use sinete_core::entropy::DangerouslySeededEntropy;
        use sinete_core::time::Timestamp;
        let entropy = DangerouslySeededEntropy::new(1);
        let world = SingleUseFixture::new(Timestamp::from_seconds(1_800_000_000), &entropy).unwrap();
        for entry in SINGLE_USE {
            let spendable = (entry.prepare)(&world, &entropy).unwrap();
            let batch = (spendable.build_use)(&entropy);
            let spending: Vec<_> =
                batch.statements().iter().filter(|it| it.statement.is_single_use()).collect();
            assert!(
                spending.iter().any(|step| step.statement.name() == entry.statement_name),
                "{}",
                entry.statement_name
            );
        }
    }
}
