//! Index terms of members: removed with their source, and never written for outdated data.

use super::{Database, Scene};
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::organizations::invitations;
use crate::organizations::member_search_index;
use crate::organizations::member_search_index::{
    MemberSearchMatch, MemberSearchQuery, MemberSearchWord, StaleMemberIndex,
};
use crate::organizations::memberships;
use crate::organizations::memberships::MembershipHolder;
use crate::single_use::SingleUseFixture;
use crate::{JsonDocument, accounts};
use sinete_core::access_control::subject::LifecycleCondition::{Ended, Suspended};
use sinete_core::id::{InvitationId, MembershipId, OrganizationId};
use sinete_core::secret::Digest;

both_engines!(
    member_search_index_is_dropped_when_its_source_changes,
    member_search_index_of_an_outdated_version_is_not_written,
    member_search_index_written_concurrently_is_stored_once,
    member_search_matches_word_prefixes_in_pages_within_the_organization,
    member_search_by_client_name_needs_permission_to_read_clients,
    member_search_scan_is_bounded_and_resumable,
    member_search_scan_continues_in_parts_until_enough_is_found,
    invitation_acceptance_drops_the_search_index_of_the_member_only,
    member_search_index_due_members_are_skipped
);

const ANA: MemberSearchWord<'static> = MemberSearchWord { text: "ana", is_of_client: false };

impl Scene {
    async fn due(&self) -> Vec<StaleMemberIndex> {
        member_search_index::list_stale_members_in(&self.store, self.world.organization, 100).await.unwrap()
    }

    /// Writes these index terms wherever they are pending.
    async fn words(&self, search_words: &[MemberSearchWord<'_>]) {
        for due in self.due().await {
            self.happens(member_search_index::write_member_words(&due, search_words.iter().copied())).await;
        }
    }

    async fn found(
        &self,
        search: &str,
        after: Option<&MemberSearchMatch>,
        limit: u32,
    ) -> Vec<MemberSearchMatch> {
        self.found_in(self.world.organization, search, after, limit, false).await
    }

    async fn found_in(
        &self,
        organization: OrganizationId,
        search: &str,
        after: Option<&MemberSearchMatch>,
        limit: u32,
        with_clients: bool,
    ) -> Vec<MemberSearchMatch> {
        let search = search.parse().unwrap();
        let after = after.map(|it| (it.word.as_str(), it.membership.id));
        let query = MemberSearchQuery {
            search: &search,
            with_clients,
            after,
            excluded: None,
            limit,
            scan_limit: 100,
        };
        member_search_index::search_members(&self.store, organization, &query).await.unwrap().matches
    }
}

async fn member_search_index_is_dropped_when_its_source_changes(database: Database) {
    let scene = Scene::set(database).await;
    let (organization, membership_id): (_, MembershipId) = (scene.world.organization, scene.id());
    scene.words(&[ANA]).await;
    scene.happens([scene.world.create_membership(membership_id, &MembershipHolder::Unclaimed)]).await;
    assert_eq!(scene.due().await.iter().map(|it| it.membership).collect::<Vec<_>>(), [membership_id]);
    scene.words(&[ANA]).await;
    let is_found =
        async || scene.found("an", None, 9).await.iter().any(|it| it.membership.id == membership_id);
    assert!(is_found().await && scene.due().await.is_empty());
    let invitation: InvitationId = scene.id();
    let read = async || {
        memberships::find_membership(&scene.store, organization, membership_id).await.unwrap().unwrap()
    };
    let invited = invitations::create_invitation(&invitations::NewInvitation {
        id: invitation,
        digest: &Digest::from_parts(&[b"invitation"]),
        organization,
        membership: membership_id,
        roles: &JsonDocument::from_value(&[scene.world.role]).unwrap(),
        lookup: "ana@acme.example",
        created_at: NOW,
        expires_at: scene.world.expires_at,
    });
    let profile = JsonDocument::from_value(&serde_json::json!({"name": "Rui"})).unwrap();
    let changes = [
        invited,
        memberships::change_membership_profile(&read().await, &profile, NOW),
        invitations::revoke_invitation(organization, invitation, NOW),
        memberships::change_membership_condition(&memberships_at(read().await, 2), Suspended, NOW),
        memberships::change_membership_condition(&memberships_at(read().await, 3), Ended, NOW),
    ];
    for change in changes {
        let description = format!("{change:?}");
        scene.happens([change]).await;
        assert!(!is_found().await && scene.due().await.len() == 1, "{description}");
        scene.words(&[ANA]).await;
    }
    // An ended membership is not found, whatever index terms it has.
    assert!(!is_found().await);
    scene.change("DELETE FROM invitations").await;
    scene.change("DELETE FROM memberships WHERE condition = 'ended'").await;
    assert_eq!(scene.count("member_words").await, 1, "only the words of remaining members");
}

fn memberships_at(membership: memberships::MembershipRow, version: i64) -> memberships::MembershipRow {
    memberships::MembershipRow { version, ..membership }
}

async fn member_search_index_of_an_outdated_version_is_not_written(database: Database) {
    let scene = Scene::set(database).await;
    let [before]: [StaleMemberIndex; 1] = scene.due().await.try_into().unwrap();
    let membership = memberships::find_membership(&scene.store, before.organization, before.membership)
        .await
        .unwrap()
        .unwrap();
    let profile = JsonDocument::from_value(&serde_json::json!({"name": "Rui"})).unwrap();
    scene.happens([memberships::change_membership_profile(&membership, &profile, NOW)]).await;
    scene.is_refused(member_search_index::write_member_words(&before, [ANA]), "member_words.take").await;
    // Nor if another node has indexed the new data, and it changed again.
    scene.words(&[ANA]).await;
    let membership = memberships_at(membership, 2);
    scene
        .happens([memberships::change_membership_profile(&membership, &scene.world.empty_document, NOW)])
        .await;
    scene.is_refused(member_search_index::write_member_words(&before, [ANA]), "member_words.take").await;
    assert!(scene.found("ana", None, 9).await.is_empty());
}

async fn member_search_index_written_concurrently_is_stored_once(database: Database) {
    let scene = Scene::set(database).await;
    let [due]: [StaleMemberIndex; 1] = scene.due().await.try_into().unwrap();
    let racers = (0..8).map(|_| {
        let (store, due) = (scene.store.clone(), due.clone());
        tokio::spawn(async move {
            let batch = crate::WriteBatch::new()
                .with_statements(member_search_index::write_member_words(&due, [ANA]));
            store.commit(batch).await.unwrap().is_committed()
        })
    });
    let mut won = 0;
    for racer in racers.collect::<Vec<_>>() {
        won += u32::from(racer.await.unwrap());
    }
    assert_eq!(won, 1);
    assert_eq!(scene.found("ana", None, 9).await.len(), 1);
}

async fn member_search_matches_word_prefixes_in_pages_within_the_organization(database: Database) {
    let scene = Scene::set(database).await;
    scene.words(&[]).await;
    let word = |text| MemberSearchWord { text, is_of_client: false };
    let mut ids = Vec::new();
    for member_words in [["ana", "souza"], ["anabela", "ana"], ["rui", "ana%"], ["bento", "an"]] {
        let id: MembershipId = scene.id();
        scene.happens([scene.world.create_membership(id, &MembershipHolder::Unclaimed)]).await;
        scene.words(&member_words.map(word)).await;
        ids.push(id);
    }
    let names = |search_matches: &[MemberSearchMatch]| {
        search_matches.iter().map(|it| it.membership.id).collect::<Vec<_>>()
    };
    let mut expected = vec![ids[0], ids[1]];
    expected.sort_unstable();
    expected.push(ids[2]);
    let all_matches = scene.found("ana", None, 9).await;
    assert_eq!(names(&all_matches), expected, "each once, by its first word, then by its id");
    assert_eq!(all_matches.iter().map(|it| it.word.as_str()).collect::<Vec<_>>(), ["ana", "ana", "ana%"]);
    let mut paged = Vec::new();
    while let [one] = scene.found("ana", paged.last(), 1).await.as_slice() {
        paged.push(one.clone());
    }
    assert_eq!(paged, all_matches);
    assert_eq!(names(&scene.found("a sou", None, 9).await), [ids[0]]);
    assert_eq!(names(&scene.found("ana%", None, 9).await), [ids[2]]);
    for query in ["na", "%", "_na", "ana souza rui", "an\u{ff}"] {
        assert!(scene.found(query, None, 9).await.is_empty(), "{query}");
    }
    let other: OrganizationId = scene.id();
    scene.happens([scene.world.create_organization(other).unwrap()]).await;
    assert!(scene.found_in(other, "ana", None, 9, true).await.is_empty());
}

async fn member_search_by_client_name_needs_permission_to_read_clients(database: Database) {
    let scene = Scene::set(database).await;
    let organization = scene.world.organization;
    scene.words(&[MemberSearchWord { text: "robot", is_of_client: true }, ANA]).await;
    for search in ["robot", "ana robot", "robot ana"] {
        assert!(scene.found(search, None, 9).await.is_empty(), "{search}");
        assert_eq!(scene.found_in(organization, search, None, 9, true).await.len(), 1, "{search}");
    }
    assert_eq!(scene.found("ana", None, 9).await.len(), 1);
}

async fn member_search_scan_is_bounded_and_resumable(database: Database) {
    let scene = Scene::set(database).await;
    scene.words(&[]).await;
    let word = |text| MemberSearchWord { text, is_of_client: false };
    let mut rare = Vec::new();
    for number in 0..12 {
        let id: MembershipId = scene.id();
        scene.happens([scene.world.create_membership(id, &MembershipHolder::Unclaimed)]).await;
        if number % 6 == 5 {
            scene.words(&[word("common"), word("zo")]).await;
            rare.push(id);
        } else {
            scene
                .words(&[word("common"), MemberSearchWord { text: "common-robot", is_of_client: true }])
                .await;
        }
    }
    rare.sort_unstable();
    for (text, expected) in [("common zo", rare.clone()), ("common no", Vec::new())] {
        let search = text.parse().unwrap();
        let (mut found_ids, mut walks, mut after) = (Vec::new(), 0, None::<(String, MembershipId)>);
        loop {
            let query = MemberSearchQuery {
                search: &search,
                with_clients: false,
                after: after.as_ref().map(|(word, id)| (word.as_str(), *id)),
                excluded: None,
                limit: 9,
                scan_limit: 4,
            };
            let walked = member_search_index::search_members(&scene.store, scene.world.organization, &query)
                .await
                .unwrap();
            assert!(walked.matches.len() <= 4, "no more than were scanned");
            found_ids.extend(walked.matches.iter().map(|it| it.membership.id));
            walks += 1;
            let Some(end) = walked.end else { break };
            // The term is shared by all, so the search continues after it.
            assert_eq!(end.0, "common");
            after = Some(end);
        }
        assert_eq!((found_ids, walks), (expected, 3), "{text}: twelve words, four at a time");
    }
}

async fn member_search_scan_continues_in_parts_until_enough_is_found(database: Database) {
    let scene = Scene::set(database).await;
    scene.words(&[]).await;
    let word = |text| MemberSearchWord { text, is_of_client: false };
    // More members than the first part of a scan has, and those with both words at its two ends.
    let mut ids: Vec<MembershipId> = (0..320).map(|_| scene.id()).collect();
    ids.sort_unstable();
    scene
        .happens(ids.iter().map(|id| scene.world.create_membership(*id, &MembershipHolder::Unclaimed)))
        .await;
    let rare = [ids[0], ids[319]];
    loop {
        let due = scene.due().await;
        if due.is_empty() {
            break;
        }
        for one in due {
            let is_rare = rare.contains(&one.membership);
            let search_words = [word("common"), word("zo")].into_iter().take(if is_rare { 2 } else { 1 });
            scene.happens(member_search_index::write_member_words(&one, search_words)).await;
        }
    }
    let search = "common zo".parse().unwrap();
    let find = async |after: Option<(&str, MembershipId)>, limit: u32, walked: u32| {
        let query = MemberSearchQuery {
            search: &search,
            with_clients: false,
            after,
            excluded: None,
            limit,
            scan_limit: walked,
        };
        let page = member_search_index::search_members(&scene.store, scene.world.organization, &query);
        let page = page.await.unwrap();
        (page.matches.iter().map(|it| it.membership.id).collect::<Vec<_>>(), page.end)
    };
    assert_eq!(find(None, 9, 5_000).await, (rare.to_vec(), None));
    assert_eq!(find(None, 1, 5_000).await.0, [rare[0]]);
    // The limit is that of all parts together, and the next search continues where it was reached.
    let (found_ids, end) = find(None, 9, 300).await;
    let (word, id) = end.unwrap();
    assert_eq!((found_ids, id), (vec![rare[0]], ids[299]));
    assert_eq!(find(Some((word.as_str(), id)), 9, 300).await, (vec![rare[1]], None));
}

async fn invitation_acceptance_drops_the_search_index_of_the_member_only(database: Database) {
    let scene = Scene::set(database).await;
    let (organization, membership_id): (_, MembershipId) = (scene.world.organization, scene.id());
    scene.happens([scene.world.create_membership(membership_id, &MembershipHolder::Unclaimed)]).await;
    let new = invitations::NewInvitation {
        id: scene.id(),
        digest: &Digest::from_parts(&[b"invitation"]),
        organization,
        membership: membership_id,
        roles: &JsonDocument::from_value(&[scene.world.role]).unwrap(),
        lookup: "ana@acme.example",
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([invitations::create_invitation(&new)]).await;
    scene.words(&[ANA]).await;
    // All other statements lock the member before its pending entry, so accepting must too.
    scene.change("UPDATE invitations SET accepted_at = 1").await;
    assert!(scene.due().await.is_empty(), "the invitation is not used");
    scene.change("UPDATE invitations SET accepted_at = NULL").await;
    let invitation = invitations::find_invitation_by_token(&scene.store, new.digest).await.unwrap().unwrap();
    let account = scene.id();
    scene.happens([accounts::create_account(account, None, &scene.world.empty_document, NOW)]).await;
    scene
        .happens(invitations::accept_invitation(
            invitation.id,
            SingleUseFixture::offered_membership(membership_id).unwrap(),
            account,
            NOW,
        ))
        .await;
    assert_eq!(scene.due().await.iter().map(|it| it.membership).collect::<Vec<_>>(), [membership_id]);
    assert!(!scene.found("ana", None, 9).await.iter().any(|it| it.membership.id == membership_id));
}

async fn member_search_index_due_members_are_skipped(database: Database) {
    let scene = Scene::set(database).await;
    for _ in 0..4 {
        scene.happens([scene.world.create_membership(scene.id(), &MembershipHolder::Unclaimed)]).await;
    }
    let stale_members = member_search_index::list_stale_members(&scene.store, None, 100).await.unwrap();
    assert_eq!(stale_members.len(), 5);
    let mut stepped: Vec<StaleMemberIndex> = Vec::new();
    while let [first, ..] =
        member_search_index::list_stale_members(&scene.store, stepped.last(), 2).await.unwrap().as_slice()
    {
        stepped.push(first.clone());
    }
    assert_eq!(stepped, stale_members, "although no member was indexed");
}
