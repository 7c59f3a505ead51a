//! Credentials that are written to the database directly before their use. All requests come from a known
//! device of the account, so that rate limits for unknown devices do not apply.

use super::connection::Request;
use super::grants::ISSUER;
use super::{INSTANCE_KEY, RACERS};
use crate::machine::patient;
use crate::totp_app::TotpApp;
use base64::Engine as _;
use serde_json::{Value, json};
use sinete::os::{OsEntropy, SystemClock};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::assurance::AuthenticationProof;
use sinete_core::assurance::proof_method::AuthenticationProofMethod;
use sinete_core::id::{
    AccountId, ContactId, CredentialId, FlowId, InvitationId, MembershipId, OrganizationId,
};
use sinete_core::secret::{DeviceCookie, Digest, FlowToken, InvitationToken, MagicLink, Secret};
use sinete_core::sign_in::flows::account::FlowAccount;
use sinete_core::sign_in::flows::purpose::FlowPurpose;
use sinete_core::sign_in::flows::stage::EmailChallenge;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport, storage_format};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::encryption::{
    EncryptionContext, EncryptionPurpose as Sealed, InstanceKey, InstanceKeyRing,
};
use sinete_crypto::platform::mac::MacPurpose;
use sinete_crypto::sign_in::credentials::recovery_codes;
use sinete_crypto::sign_in::credentials::totp::TotpSecret;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::organizations::invitations;
use sinete_store::organizations::invitations::NewInvitation;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::AttemptCounterKey;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::magic_links;
use sinete_store::sign_in::credentials::magic_links::NewMagicLink;
use sinete_store::sign_in::credentials::one_time_codes;
use sinete_store::sign_in::credentials::one_time_codes::NewOneTimeCode;
use sinete_store::sign_in::credentials::recovery_codes as store_recovery_codes;
use sinete_store::sign_in::credentials::{NewCredential, StoredCredentialKind};
use sinete_store::sign_in::flows;
use sinete_store::sign_in::flows::{NewFlow, StoredFlowState};
use sinete_store::sign_in::known_devices;
use sinete_store::{GuardedStatement, JsonDocument, Store, StoreAccess, WriteBatch, accounts, organizations};

const DIGITS: &str = "27182818";
const ANA: &str = "ana@example.com";
/// The action of a link, which needs no flow of its own.
const FOLLOW: &str = "follow";

/// The credential that can be used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Once {
    /// An e-mail code for sign-in.
    MailedCode,
    /// A magic link for sign-in.
    MailedLink,
    /// An e-mail code for a password reset.
    ResetCode,
    /// A link for a password reset.
    ResetLink,
    /// A TOTP code.
    TotpStep,
    /// A recovery code.
    RecoveryCode,
    /// An invitation.
    Invitation,
}

impl Once {
    pub const ALL: [Self; 7] = [
        Self::MailedCode,
        Self::MailedLink,
        Self::ResetCode,
        Self::ResetLink,
        Self::TotpStep,
        Self::RecoveryCode,
        Self::Invitation,
    ];

    /// The stage that the winner reaches.
    pub const fn leads_to(self) -> &'static str {
        match self {
            Self::ResetCode | Self::ResetLink => "new_password",
            Self::MailedCode | Self::MailedLink | Self::TotpStep | Self::RecoveryCode | Self::Invitation => {
                "signed_in"
            }
        }
    }
}

/// A user who signs in by e-mail, a user with TOTP and recovery codes, and their devices.
pub struct Proofs {
    address: String,
    store: Store,
    keys: InstanceKeyRing,
    organization: OrganizationId,
    reader: AccountId,
    careful: AccountId,
    set: CredentialId,
    seed: TotpSecret,
    devices: Vec<String>,
}

impl Proofs {
    pub async fn at(address: &str) -> Self {
        let store = Store::open(&address.parse().unwrap(), &patient(StoreAccess::Serve)).await.unwrap();
        let (now, nothing) = (SystemClock.now(), JsonDocument::from_value(&json!({})).unwrap());
        let acme =
            organizations::find_organization_by_slug(&store, &"acme".parse().unwrap(), now).await.unwrap();
        let [reader, careful] = [(); 2].map(|()| AccountId::mint(now, &OsEntropy));
        let (contact, set) = (ContactId::mint(now, &OsEntropy), CredentialId::mint(now, &OsEntropy));
        let cookies: Vec<_> = (0..RACERS).map(|_| Secret::<DeviceCookie>::mint(&OsEntropy)).collect();
        let contacted = NewContact {
            id: contact,
            account: reader,
            kind: ContactKind::Email,
            address: ANA,
            lookup: ANA,
            is_primary: true,
            created_at: now,
        };
        let people = [reader, careful].map(|account| accounts::create_account(account, None, &nothing, now));
        let statements = [reader, careful].into_iter().flat_map(|account| {
            let nothing = &nothing;
            cookies
                .iter()
                .map(move |cookie| known_devices::record_device(account, &cookie.digest(), nothing, now))
        });
        let set_up = [
            contacts::add_contact(&contacted),
            contacts::verify_contact(reader, contact, now),
            credentials::add_credential(&credential(set, careful, StoredCredentialKind::RecoveryCodes, &[])),
        ];
        let steps = people.into_iter().chain(statements).chain(set_up);
        store.commit(WriteBatch::new().with_statements(steps)).await.unwrap().into_result().unwrap();
        Self {
            address: address.to_owned(),
            store,
            keys: InstanceKeyRing::new(InstanceKey::parse(INSTANCE_KEY).unwrap(), Vec::new()),
            organization: acme.unwrap().id,
            reader,
            careful,
            set,
            seed: TotpSecret::mint(&OsEntropy),
            devices: cookies.into_iter().map(Secret::reveal).collect(),
        }
    }

    /// Creates it, and returns the request of each racer.
    pub async fn prepare(&mut self, once: Once) -> Vec<Request> {
        let mut steps = Vec::new();
        let (action, body, flows) = match once {
            Once::MailedCode => self.mailed_code(FlowPurpose::SignIn, &mut steps),
            Once::ResetCode => self.mailed_code(FlowPurpose::ResetPassword, &mut steps),
            Once::MailedLink => self.mailed_link(FlowPurpose::SignIn, &mut steps),
            Once::ResetLink => self.mailed_link(FlowPurpose::ResetPassword, &mut steps),
            Once::TotpStep => {
                steps.extend(self.another_application().await);
                let app = TotpApp::from_uri(&self.seed.to_uri("Sinete", "bia"));
                ("totp", json!({"code": app.code_at(SystemClock.now().seconds())}), self.after_password())
            }
            Once::RecoveryCode => {
                let code = recovery_codes::mint_recovery_code(&OsEntropy);
                let digest = Digest::from_bytes(recovery_codes::digest_recovery_code(&code).unwrap());
                steps.push(store_recovery_codes::add_recovery_code(&digest, self.set));
                ("recovery_code", json!({"code": code}), self.after_password())
            }
            Once::Invitation => ("details", json!({"name": "Bia"}), self.invited(&mut steps)),
        };
        let walked: Vec<_> = flows.iter().map(|flow| (flow, Secret::<FlowToken>::mint(&OsEntropy))).collect();
        let statements = walked.iter().map(|(flow, token)| kept(flow, &token.digest()));
        let batch = WriteBatch::new()
            .with_statements(self.forgotten())
            .with_statements(statements)
            .with_statements(steps);
        self.store.commit(batch).await.unwrap().into_result().unwrap();
        let walked: Vec<_> = walked.into_iter().map(|(flow, token)| (flow.id(), token.reveal())).collect();
        let racers = walked.iter().cycle().zip(&self.devices);
        racers.map(|((flow, token), device)| said(*flow, token, device, action, &body)).collect()
    }

    /// The total number of sessions.
    pub async fn sessions(&self) -> i64 {
        let (client, connection) =
            tokio_postgres::connect(&self.address, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let count = client.query_one("SELECT COUNT(*) FROM sessions", &[]).await.unwrap().get(0);
        drop(client);
        connection.await.unwrap().unwrap();
        count
    }

    pub async fn close(&self) {
        self.store.close().await;
    }

    /// Resets the failure counters.
    fn forgotten(&self) -> Vec<GuardedStatement> {
        let mut steps = Vec::new();
        for device in &self.devices {
            let digest = Secret::<DeviceCookie>::parse(device).unwrap().digest();
            let device: String = digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            for (account, factors) in
                [(self.reader, &["mailed_code"][..]), (self.careful, &["totp", "recovery_code"])]
            {
                // The counter of the device, and the one of all known devices of the account.
                for subject in
                    [format!("account {account} device {device}"), format!("account {account} known")]
                {
                    let keys = factors.iter().map(|factor| AttemptCounterKey { subject: &subject, factor });
                    steps.extend(keys.map(attempt_counters::clear_attempt_counter));
                }
            }
        }
        steps
    }

    /// A flow in which a message was sent.
    fn mailed(&self, purpose: FlowPurpose) -> AuthenticationFlow {
        let challenge = EmailChallenge {
            address: ANA.parse().unwrap(),
            account: Some(self.reader),
            new_account: None,
            password: None,
            passkey: None,
            name: None,
        };
        begun(purpose).apply_input(VerifiedFlowInput::EmailChallengeRequested(challenge)).unwrap().flow
    }

    /// A flow with a link, which is sufficient by itself.
    fn mailed_link(
        &self,
        purpose: FlowPurpose,
        steps: &mut Vec<GuardedStatement>,
    ) -> (&'static str, Value, Vec<AuthenticationFlow>) {
        let (flow, token) = (self.mailed(purpose), Secret::<MagicLink>::mint(&OsEntropy));
        let address = Digest::<EmailAddress>::from_parts(&[flow.id().as_bytes(), ANA.as_bytes()]);
        let address: String = address.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let now = SystemClock.now();
        steps.push(magic_links::issue_magic_link(&NewMagicLink {
            digest: &token.digest(),
            flow: flow.id(),
            purpose: &format!("{} {address}", flow.kind().name()),
            created_at: now,
            expires_at: now.plus(Lifetime::from_minutes(10)),
        }));
        (FOLLOW, json!({"token": token.reveal(), "session": "token"}), vec![flow])
    }

    /// A flow with an e-mail code.
    fn mailed_code(
        &self,
        purpose: FlowPurpose,
        steps: &mut Vec<GuardedStatement>,
    ) -> (&'static str, Value, Vec<AuthenticationFlow>) {
        let flow = self.mailed(purpose);
        let (now, id, kind) = (SystemClock.now(), flow.id(), flow.kind().name());
        let parts: [&[u8]; 4] = [id.as_bytes(), kind.as_bytes(), ANA.as_bytes(), DIGITS.as_bytes()];
        let stamp = self.keys.compute_mac(MacPurpose::UserEnteredCode, &parts);
        steps.push(one_time_codes::store_one_time_code(&NewOneTimeCode {
            key: one_time_codes::OneTimeCodeKey { flow: id, purpose: kind },
            digest: &Digest::from_parts(&[&stamp]),
            attempts_max: 5,
            created_at: now,
            expires_at: now.plus(Lifetime::from_minutes(10)),
        }));
        ("code", json!({"code": DIGITS}), vec![flow])
    }

    /// A flow for each racer, in which the password was accepted and a second factor is next.
    fn after_password(&self) -> Vec<AuthenticationFlow> {
        let proof_methods = [
            AuthenticationProofMethod::Password,
            AuthenticationProofMethod::Totp,
            AuthenticationProofMethod::RecoveryCode,
        ]
        .into_iter()
        .collect();
        let account = FlowAccount { account: self.careful, ways: proof_methods, closed: Default::default() };
        let answer =
            VerifiedFlowInput::Authenticated { person: account, proof: AuthenticationProof::Password };
        (0..RACERS).map(|_| begun(FlowPurpose::SignIn).apply_input(answer.clone()).unwrap().flow).collect()
    }

    /// Sets TOTP up again, so that no time step was used.
    async fn another_application(&self) -> Vec<GuardedStatement> {
        let (now, id) = (SystemClock.now(), CredentialId::mint(SystemClock.now(), &OsEntropy));
        let context = EncryptionContext::new(Sealed::TotpSeed, id.as_bytes());
        let sealed_seed = self.keys.encrypt(&context, self.seed.as_bytes(), &OsEntropy).unwrap();
        let credentials = credentials::list_account_credentials(&self.store, self.careful).await.unwrap();
        let old = credentials
            .iter()
            .filter(|it| it.kind == StoredCredentialKind::Totp)
            .map(|it| credentials::remove_credential(it, now));
        let new = credentials::add_credential(&credential(
            id,
            self.careful,
            StoredCredentialKind::Totp,
            &sealed_seed,
        ));
        old.chain([new]).collect()
    }

    /// Flows for one invitation, each of which would create the account.
    fn invited(&self, steps: &mut Vec<GuardedStatement>) -> Vec<AuthenticationFlow> {
        let (now, token) = (SystemClock.now(), Secret::<InvitationToken>::mint(&OsEntropy));
        let membership = MembershipId::mint(now, &OsEntropy);
        let address: EmailAddress = format!("{membership}@example.com").parse().unwrap();
        steps.push(memberships::create_membership(&NewMembership {
            id: membership,
            organization: self.organization,
            holder: &MembershipHolder::Unclaimed,
            profile: &JsonDocument::from_value(&json!({})).unwrap(),
            external_id: None,
            created_at: now,
        }));
        steps.push(invitations::create_invitation(&NewInvitation {
            id: InvitationId::mint(now, &OsEntropy),
            digest: &token.digest(),
            organization: self.organization,
            membership,
            roles: &JsonDocument::from_value(&json!([])).unwrap(),
            lookup: &address.lookup_key(),
            created_at: now,
            expires_at: now.plus(Lifetime::from_days(1)),
        }));
        let invitation = *token.digest().as_bytes();
        let purpose = || FlowPurpose::AcceptInvitation { invitation, address: address.clone() };
        (0..RACERS).map(|_| begun(purpose())).collect()
    }
}

fn begun(purpose: FlowPurpose) -> AuthenticationFlow {
    AuthenticationFlow::start(
        FlowId::mint(SystemClock.now(), &OsEntropy),
        purpose,
        FlowTokenTransport::Cookie,
        None,
    )
}

fn kept(flow: &AuthenticationFlow, digest: &Digest<FlowToken>) -> GuardedStatement {
    let now = SystemClock.now();
    flows::create_flow(&NewFlow {
        id: flow.id(),
        digest,
        kind: flow.kind().name(),
        state: StoredFlowState {
            document: &JsonDocument::from_value(flow).unwrap(),
            form: storage_format::FORMAT_VERSION,
            account: flow.account(),
        },
        created_at: now,
        expires_at: now.plus(Lifetime::from_minutes(30)),
    })
}

fn credential(
    id: CredentialId,
    account: AccountId,
    kind: StoredCredentialKind,
    material: &[u8],
) -> NewCredential<'_> {
    let now = SystemClock.now();
    NewCredential {
        id,
        account,
        kind,
        name: "",
        handle: None,
        material,
        counter: 0,
        created_at: now,
        confirmed_at: Some(now),
    }
}

/// The request of a hosted page in a flow.
fn said(flow: FlowId, token: &str, device: &str, action: &str, body: &Value) -> Request {
    enum Csrf {}
    let digest = Digest::<Csrf>::from_parts(&[b"csrf token of a flow", token.as_bytes()]);
    let csrf_token = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest.as_bytes());
    if action == FOLLOW {
        return Request::json("/flows/links", "", body);
    }
    let headers = format!(
        "Origin: {ISSUER}\r\nX-CSRF-Token: {csrf_token}\r\nCookie: sinete_flow={token}; sinete_device={device}\r\n"
    );
    Request::json(&format!("/flows/{flow}/{action}"), &headers, body)
}
