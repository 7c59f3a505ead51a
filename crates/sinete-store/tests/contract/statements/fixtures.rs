//! Test items: each is stored, and what is needed to use it is returned.

use super::Scene;
use crate::contract::probe::NOW;
use crate::json_document::JsonDocument;
use crate::oauth::authorization_codes::NewAuthorizationCode;
use crate::oauth::ciba_requests;
use crate::oauth::ciba_requests::NewCibaRequest;
use crate::oauth::device_authorizations;
use crate::oauth::device_authorizations::NewDeviceAuthorization;
use crate::oauth::grants;
use crate::oauth::grants::{NewGrant, StoredGrantKind};
use crate::oauth::refresh_tokens;
use crate::oauth::refresh_tokens::NewRefreshFamily;
use crate::sign_in::flows;
use crate::sign_in::flows::{NewFlow, StoredFlowState};
use crate::write_batch::GuardedStatement;
use sinete_core::entropy::draw_bytes;
use sinete_core::id::{FlowId, GrantId, Id};
use sinete_core::oauth::user_code::UserCode;
use sinete_core::secret::{
    AuthorizationCodeDigest, AuthorizationCodeSecret, BackchannelRequest, DeviceCode, Digest, FlowToken,
    RefreshTokenSecret, Secret, SecretKind,
};
use sinete_core::time::Lifetime;

impl Scene {
    pub(super) fn id<K>(&self) -> Id<K> {
        Id::mint(self.world.now, &self.entropy)
    }

    pub(super) fn secret<K: SecretKind>(&self) -> Digest<K> {
        Secret::mint(&self.entropy).digest()
    }

    pub(super) async fn grant(&self, kind: StoredGrantKind) -> GrantId {
        let grant = self.id();
        self.happens([self.world.open_grant(grant, kind)]).await;
        grant
    }

    /// The code of a new grant.
    pub(super) async fn code(&self) -> AuthorizationCodeDigest {
        let (digest, opened) = self.opens_with_code(&self.world.new_grant(self.id(), StoredGrantKind::Code));
        self.happens([opened]).await;
        digest
    }

    pub(super) fn opens_with_code(
        &self,
        grant: &NewGrant<'_>,
    ) -> (AuthorizationCodeDigest, GuardedStatement) {
        let digest = AuthorizationCodeSecret::mint(grant.id, &self.entropy).digest();
        let code = NewAuthorizationCode {
            digest: &digest.code,
            redirect_uri: "https://app.example/callback",
            challenge: [7; 32],
            request: &self.world.empty_document,
            expires_at: self.world.expires_at,
        };
        (digest, grants::open_grant_with_code(grant, &code, None))
    }

    /// The first refresh token of a grant.
    pub(super) async fn family(&self, grant: GrantId) -> RefreshTokenSecret {
        let first = RefreshTokenSecret::mint_first(grant, &self.entropy);
        self.happens([refresh_tokens::start_refresh_family(
            &self.beginning(&first),
            &self.world.client,
            NOW,
        )])
        .await;
        first
    }

    /// The refresh token family that begins with this token.
    pub(super) fn beginning(&self, first: &RefreshTokenSecret) -> NewRefreshFamily {
        NewRefreshFamily {
            first: first.digests(),
            audience: "https://api.example".to_owned(),
            scope: "openid invoices:read".parse().unwrap(),
            confirmation: None,
            idle_expires_at: self.world.expires_at,
            expires_at: self.world.expires_at,
        }
    }

    pub(super) async fn device(&self) -> (Digest<DeviceCode>, Digest<UserCode>) {
        let (digest, user_code) = (self.secret(), Digest::from_bytes(draw_bytes(&self.entropy)));
        let request = NewDeviceAuthorization {
            digest: &digest,
            user_code: &user_code,
            client: &self.world.client,
            request: &JsonDocument::from_value(&serde_json::json!({"from": "203.0.113.7"})).unwrap(),
            poll_interval: Lifetime::from_seconds(5),
            created_at: self.world.now,
            expires_at: self.world.expires_at,
        };
        self.happens([device_authorizations::create_device_authorization(&request)]).await;
        (digest, user_code)
    }

    pub(super) async fn backchannel(&self) -> Digest<BackchannelRequest> {
        let digest = self.secret();
        let request = NewCibaRequest {
            digest: &digest,
            id: self.id(),
            client: &self.world.client,
            account: Some(self.world.account),
            organization: None,
            hinted_user: &Digest::from_bytes([7; 32]),
            request: &JsonDocument::from_value(&serde_json::json!({"from": "203.0.113.7"})).unwrap(),
            sealed_notice: None,
            poll_interval: Lifetime::from_seconds(5),
            created_at: self.world.now,
            expires_at: self.world.expires_at,
        };
        self.happens([ciba_requests::create_ciba_request(&request)]).await;
        digest
    }

    pub(super) async fn flow(&self) -> (FlowId, Digest<FlowToken>) {
        let (id, digest) = (self.id(), self.secret());
        let flow = NewFlow {
            id,
            digest: &digest,
            kind: "sign_in",
            state: StoredFlowState { document: &self.world.empty_document, form: 1, account: None },
            created_at: self.world.now,
            expires_at: self.world.expires_at,
        };
        self.happens([flows::create_flow(&flow)]).await;
        (id, digest)
    }
}
