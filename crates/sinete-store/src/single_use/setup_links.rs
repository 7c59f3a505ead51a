//! Single-use statements about set-up links: each is opened by one browser and confirmed once.

use super::{SingleUseFixture, SpendableItem};
use crate::failure::StoreFailure;
use crate::organizations::setup_links;
use crate::organizations::setup_links::{NewSetupLink, SetupLinkRow};
use crate::write_batch::GuardedStatement;
use sinete_core::entropy::{Entropy, draw_bytes};
use sinete_core::id::Id;
use sinete_core::secret::{Digest, SetupLinkToken};

/// A link in its own organization.
fn create_link(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<(SetupLinkRow, Digest<SetupLinkToken>, [GuardedStatement; 2]), StoreFailure> {
    let digest = Digest::from_bytes(draw_bytes(entropy));
    let row = SetupLinkRow {
        id: Id::mint(world.now, entropy),
        organization: Id::mint(world.now, entropy),
        made_by: "system".to_owned(),
        connection: Id::mint(world.now, entropy),
        domain: None,
        scim: None,
        created_at: world.now,
        expires_at: world.expires_at,
        opened_at: None,
        revoked_at: None,
        confirmed_at: None,
        version: 1,
    };
    let statement = setup_links::create_setup_link(&NewSetupLink {
        id: row.id,
        organization: row.organization,
        digest: &digest,
        made_by: &row.made_by,
        connection: row.connection,
        created_at: row.created_at,
        expires_at: row.expires_at,
    });
    let steps = [world.create_organization(row.organization)?, statement];
    Ok((row, digest, steps))
}

pub(super) fn prepare_opening(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (_, digest, statements) = create_link(world, entropy)?;
    let now = world.now;
    Ok(SpendableItem::new(statements, move |entropy| {
        [setup_links::open_setup_link(&digest, &Digest::from_bytes(draw_bytes(entropy)), now)]
    }))
}

pub(super) fn prepare_confirmation(
    world: &SingleUseFixture,
    entropy: &dyn Entropy,
) -> Result<SpendableItem, StoreFailure> {
    let (row, _, statements) = create_link(world, entropy)?;
    let now = world.now;
    Ok(SpendableItem::new(statements, move |_| [setup_links::confirm_setup_link(&row, now)]))
}
