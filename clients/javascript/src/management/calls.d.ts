// Made by clients/generate.mjs of what the server says about itself. Not for editing.

import type { Pages } from "../index.js";

export interface AccountSummary {
  condition: "enabled" | "disabled" | "deleted";
  created_at: string;
  id: string;
  language: string | null;
  version: number;
}

export interface Api {
  algorithm?: "RS256" | "PS256" | "ES256" | "EdDSA";
  belongs_to: "instance" | "organization";
  /** What a request that names this API and no scope asks for. */
  default_scope: string;
  detail_types?: Record<string, Record<string, unknown>>;
  id: string;
  /** The URI it is known by: the resource of a request, the aud of its tokens. */
  identifier: string;
  name: string;
  /** The types of objects it keeps relationships of. */
  object_types?: Record<string, ObjectType>;
  /** Whether every organization may use it. */
  offered_to_all: boolean;
  permissions: PermissionText[];
  token_lifetime_seconds?: number;
  unverified_clients: "allow" | "irreversible_refused" | "refuse";
  /** How often it has changed; also its ETag. */
  version: number;
}

export interface ApiKey {
  created_at: string;
  expires_at: string;
  id: string;
  /** Whose it is. */
  membership: string;
  name: string;
  revoked_at: string | null;
  /** The most it may be used for, in permissions. */
  scope: string;
  /** When it was last used, to the minute. */
  used_at: string | null;
}

export interface ApiOffers {
  items: ApiOffersItems[];
}

export interface ApiOffersItems {
  organization: string;
}

export interface ApiPatch {
  algorithm?: "RS256" | "PS256" | "ES256" | "EdDSA" | null;
  default_scope?: string | null;
  detail_types?: Record<string, Record<string, unknown>> | null;
  identifier?: string;
  name?: string;
  object_types?: Record<string, Record<string, unknown>> | null;
  offered_to_all?: boolean | null;
  permissions?: PermissionText[];
  token_lifetime_seconds?: number | null;
  unverified_clients?: "allow" | "irreversible_refused" | "refuse" | null;
}

export interface Assignment {
  allows: "administer" | "impersonate";
  created_at: string;
  /** When it was ended before its time. */
  ended_at: string | null;
  ends_at: string;
  /** The operator, by their membership. */
  holder: string;
  id: string;
  /** Who made it, by kind and id. */
  made_by: string;
  organization: string;
  reason: string;
}

export interface AuditEntry {
  /** Who did it. */
  actor: AuditEntryActor;
  at: string;
  /** Facts about it. */
  detail: Record<string, unknown>;
  id: string;
  /** What happened. */
  kind: string;
  /** Why, where a stranger acted by assignment. */
  reason: string;
  /** What it was done to. */
  subject: AuditEntrySubject | null;
}

/** Who did it. */
export interface AuditEntryActor {
  id: string | null;
  kind: string;
}

/** What it was done to. */
export interface AuditEntrySubject {
  id: string | null;
  kind: string;
}

export interface CarriedRole {
  id: string;
  name: string;
}

export interface Client {
  condition: "enabled" | "suspended" | "ended";
  created_at: string;
  /** Its client_id. */
  id: string;
  kind: "application" | "service" | "agent";
  /** Its own membership, where it acts for itself. */
  membership?: string;
  metadata: ClientMetadata;
  /** Who added it: an operator, an organization for itself, or it registered itself. */
  origin: "operator" | "organization" | "self";
  /** The member who answers for an agent. */
  owner: string | null;
  purpose: string;
  roles?: CarriedRole[];
  /** When an operator vouched for it. */
  verified_at: string | null;
  /** How often it has changed; also its ETag. */
  version: number;
}

/** What a client says about itself (RFC 7591). */
export interface ClientMetadata {
  application_type?: "web" | "native";
  authorization_details_types?: string[];
  /** How its requests for approval are signed; once it is set, all of them are. */
  backchannel_authentication_request_signing_alg?: "RS256" | "PS256" | "ES256" | "EdDSA";
  /** Where it is told, in the mode ping. */
  backchannel_client_notification_endpoint?: string;
  backchannel_logout_session_required?: boolean;
  backchannel_logout_uri?: string;
  /** How it learns that somebody answered a request for approval. */
  backchannel_token_delivery_mode?: "poll" | "ping";
  backchannel_user_code_parameter?: boolean;
  /** The name shown to people. */
  client_name: string;
  client_uri?: string;
  /** Whether people are asked before it gets something. */
  consent?: "ask" | "implied";
  contacts?: string[];
  default_acr_values?: string[];
  default_max_age?: number;
  /** Whether its tokens are bound to a key that it signs its requests with (RFC 9449). */
  dpop_bound_access_tokens?: boolean;
  /** The ways it may get tokens. */
  grant_types?: ("authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:token-exchange" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:openid:params:grant-type:ciba")[];
  id_token_signed_response_alg?: "RS256" | "PS256" | "ES256" | "EdDSA";
  initiate_login_uri?: string;
  /** Where its people are led when something has to be asked and the hosted screens are off. */
  interaction_url?: string;
  /** Its own public keys (RFC 7517). */
  jwks?: Record<string, unknown>;
  /** Where its public keys are published. */
  jwks_uri?: string;
  /** What people read, in other languages: the member and the language, as in client_name#pt-BR. */
  localized?: Record<string, string>;
  logo_uri?: string;
  policy_uri?: string;
  post_logout_redirect_uris?: string[];
  /** Where answers may be sent, compared byte for byte. */
  redirect_uris?: string[];
  request_object_signing_alg?: "RS256" | "PS256" | "ES256" | "EdDSA";
  require_auth_time?: boolean;
  require_pushed_authorization_requests?: boolean;
  response_types?: "code"[];
  /** The most it may ask for. It confers nothing. */
  scope?: string;
  sector_identifier_uri?: string;
  /** How strictly it is held to: fapi2 is the FAPI 2.0 Security Profile. */
  security_profile?: "standard" | "fapi2";
  software_id?: string;
  software_version?: string;
  subject_type?: "public";
  /** A name of the DNS in its certificate, where that is how it is known. */
  tls_client_auth_san_dns?: string;
  tls_client_auth_san_email?: string;
  tls_client_auth_san_ip?: string;
  tls_client_auth_san_uri?: string;
  /** The subject of its certificate (RFC 4514), where that is how it is known. */
  tls_client_auth_subject_dn?: string;
  /** Whether its tokens are bound to the certificate of the connection that asked for them. */
  tls_client_certificate_bound_access_tokens?: boolean;
  /** How it proves who it is. */
  token_endpoint_auth_method?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "tls_client_auth" | "self_signed_tls_client_auth";
  token_endpoint_auth_signing_alg?: "RS256" | "PS256" | "ES256" | "EdDSA";
  tos_uri?: string;
  userinfo_signed_response_alg?: "RS256" | "PS256" | "ES256" | "EdDSA";
}

/** What is named changes, what is null goes, the rest stays. */
export interface ClientMetadataPatch {
  application_type?: "web" | "native" | null;
  authorization_details_types?: string[] | null;
  backchannel_authentication_request_signing_alg?: "RS256" | "PS256" | "ES256" | "EdDSA" | null;
  backchannel_client_notification_endpoint?: string | null;
  backchannel_logout_session_required?: boolean | null;
  backchannel_logout_uri?: string | null;
  backchannel_token_delivery_mode?: "poll" | "ping" | null;
  backchannel_user_code_parameter?: unknown | null;
  /** The name shown to people. */
  client_name?: string;
  client_uri?: string | null;
  consent?: "ask" | "implied" | null;
  contacts?: string[] | null;
  default_acr_values?: string[] | null;
  default_max_age?: number | null;
  dpop_bound_access_tokens?: boolean | null;
  grant_types?: ("authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:token-exchange" | "urn:ietf:params:oauth:grant-type:device_code" | "urn:openid:params:grant-type:ciba")[] | null;
  id_token_signed_response_alg?: "RS256" | "PS256" | "ES256" | "EdDSA" | null;
  initiate_login_uri?: string | null;
  interaction_url?: string | null;
  jwks?: Record<string, unknown> | null;
  jwks_uri?: string | null;
  localized?: Record<string, string> | null;
  logo_uri?: string | null;
  policy_uri?: string | null;
  post_logout_redirect_uris?: string[] | null;
  redirect_uris?: string[] | null;
  request_object_signing_alg?: "RS256" | "PS256" | "ES256" | "EdDSA" | null;
  require_auth_time?: boolean | null;
  require_pushed_authorization_requests?: boolean | null;
  response_types?: "code"[] | null;
  scope?: string | null;
  sector_identifier_uri?: string | null;
  security_profile?: "standard" | "fapi2" | null;
  software_id?: string | null;
  software_version?: string | null;
  subject_type?: "public" | null;
  tls_client_auth_san_dns?: string | null;
  tls_client_auth_san_email?: string | null;
  tls_client_auth_san_ip?: string | null;
  tls_client_auth_san_uri?: string | null;
  tls_client_auth_subject_dn?: string | null;
  tls_client_certificate_bound_access_tokens?: boolean | null;
  token_endpoint_auth_method?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "tls_client_auth" | "self_signed_tls_client_auth" | null;
  token_endpoint_auth_signing_alg?: "RS256" | "PS256" | "ES256" | "EdDSA" | null;
  tos_uri?: string | null;
  userinfo_signed_response_alg?: "RS256" | "PS256" | "ES256" | "EdDSA" | null;
}

export interface ClientPatch {
  metadata?: ClientMetadataPatch;
  owner?: string | null;
  purpose?: string | null;
  roles?: string[] | null;
}

export interface ClientSecrets {
  items: ClientSecretsItems[];
}

export interface ClientSecretsItems {
  created_at: string;
  expires_at: string | null;
  /** The name it goes by; the secret cannot be found from it. */
  id: string;
}

export interface Connection {
  authentication?: "client_secret" | "private_key";
  /** The address to register at the provider, to which it sends people back. */
  callback: string;
  /** The certificates of a provider that speaks SAML. */
  certificates?: ConnectionCertificates[];
  client_id?: string;
  /** Whether an owner set the connection up, or has saved it since. Only then are provisioned memberships claimed through it, and can it be switched on with `sso:manage` alone. */
  confirmed: boolean;
  created_at: string;
  domains: string[];
  enabled: boolean;
  /** The name of this service at a provider that speaks SAML, and the address of what it says about itself. */
  entity_id?: string;
  external_id_claim: string | null;
  has_secret: boolean;
  id: string;
  issuer: string;
  kind: "oidc" | "saml";
  name: string;
  saml?: ConnectionSaml;
  scopes?: string[];
  two_factors: ConnectionTwoFactors;
  version: number;
}

export interface ConnectionCertificates {
  ends_at: string;
  sha256: string;
}

export interface ConnectionPatch {
  authentication?: "client_secret" | "private_key";
  client_id?: string;
  /** Left out, the one there is stays. */
  client_secret?: string;
  domains?: string[];
  enabled?: boolean;
  external_id_claim?: string | null;
  /** What a provider that speaks SAML says about itself, as XML: who it is, where people are sent, and what it signs with are taken from there. */
  metadata?: string;
  name?: string;
  /** What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does. */
  saml?: ConnectionPatchSaml;
  scopes?: string[];
  two_factors?: ConnectionPatchTwoFactors;
}

/** What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does. */
export interface ConnectionPatchSaml {
  /** The certificates whose keys verify what the provider signs, in PEM. */
  certificates?: string[];
  /** Authentication contexts that are asked for; any, where there are none. */
  contexts?: string[];
  /** The attribute that holds the address, which people must not be able to change there, or NameID. Without one nobody joins on the fly. */
  email?: string | null;
  family_name?: string | null;
  full_name?: string | null;
  given_name?: string | null;
  /** Where people are sent to sign in, by HTTP-Redirect. */
  sso_url?: string;
  /** What somebody is known by: NameID, where it is a persistent one, or the name of an attribute that stays theirs. */
  subject?: string;
}

export interface ConnectionPatchTwoFactors {
  acr?: string[] | null;
  amr?: string[] | null;
}

export interface ConnectionSaml {
  /** The certificates whose keys verify what the provider signs, in PEM. */
  certificates?: string[];
  /** Authentication contexts that are asked for; any, where there are none. */
  contexts?: string[];
  /** The attribute that holds the address, which people must not be able to change there, or NameID. Without one nobody joins on the fly. */
  email?: string;
  family_name?: string;
  full_name?: string;
  given_name?: string;
  /** Where people are sent to sign in, by HTTP-Redirect. */
  sso_url?: string;
  /** What somebody is known by: NameID, where it is a persistent one, or the name of an attribute that stays theirs. */
  subject?: string;
}

export interface ConnectionTrial {
  checks: ConnectionTrialChecks[];
  works: boolean;
}

export interface ConnectionTrialChecks {
  check: "description" | "keys" | "credentials" | "certificates";
  /** What is wrong with it, in plain words. */
  wrong: string | null;
}

export interface ConnectionTwoFactors {
  acr?: string[];
  amr?: string[];
}

export interface Domain {
  /** When the record was last seen. */
  confirmed_at: string | null;
  created_at: string;
  /** The domain as A-labels, which is also its id. */
  domain: string;
  missing_since: string | null;
  /** The domain in its own script. */
  name: string;
  /** What to publish in the DNS, and to leave there. */
  record: DomainRecord;
  /** Missing means that it counts, and will be lost unless its record comes back. */
  state: "waiting" | "verified" | "missing";
  verified_at: string | null;
}

/** What to publish in the DNS, and to leave there. */
export interface DomainRecord {
  name: string;
  type: "TXT";
  value: string;
}

export interface Event {
  actor: EventActor;
  /** Where the request came from, unless that was erased. */
  address: string | null;
  at: string;
  /** Through which client it was done. */
  client: string | null;
  /** Facts about it. */
  detail: Record<string, unknown>;
  id: string;
  /** What happened. */
  kind: string;
  organization: string | null;
  request: string | null;
  subject: EventSubject | null;
  user_agent: string | null;
}

export interface EventActor {
  id: string | null;
  kind: string;
}

export interface EventSubject {
  id: string | null;
  kind: string;
}

export interface Grant {
  /** Who got it. */
  client: string;
  created_at: string;
  ends_with_session: boolean;
  expires_at: string;
  id: string;
  /** How it was given. */
  kind: "code" | "device" | "backchannel";
  /** Who gave it. */
  membership: string;
  revoked_at: string | null;
  /** What was agreed to, by the API it is for. What is held is decided at each use. */
  scopes: Record<string, string>;
}

export interface Impersonation {
  /** The application in whose name the token is issued; it must serve the organization. */
  client: string;
  /** The API it is for; left out, the one that defines the permissions. */
  resource?: string;
  /** What for. Nothing that administers. */
  scope: string;
}

export interface ImpersonationToken {
  /** It speaks for the person, names the operator in act, and ends with the assignment. */
  access_token: string;
  expires_in: number;
  scope: string;
  token_type: "Bearer";
}

export interface InstanceSettings {
  instance: string;
  /** Where people are led, where it is elsewhere. */
  interaction_url: string | null;
  issuer: string;
  mode: "development" | "production";
  /** The domain that passkeys are bound to. */
  passkeys_for: string;
  /** Whether the hosted screens are served. */
  screens: boolean;
  sign_up: "open" | "invited";
  /** Of the program that answers. */
  version: string;
}

export interface Invitation {
  accepted_at: string | null;
  /** The address it was sent to, in the spelling addresses are compared in. */
  email: string;
  expires_at: string;
  id: string;
  /** The place among the members that waits for whoever accepts it. */
  membership: string;
  revoked_at: string | null;
}

export interface IssuedApiKey {
  expires_at: string;
  id: string;
  membership: string;
  name: string;
  scope: string;
  /** The key itself. It is shown this once and never again. */
  secret: string;
}

export interface IssuedClientSecret {
  /** The secret itself. It is shown this once and never again. */
  client_secret: string;
  id: string;
  /** When the earlier secrets stop working. */
  others_expire_at: string;
}

export interface KeyRotation {
  algorithm: "RS256" | "PS256" | "ES256" | "EdDSA";
}

export interface Logo {
  /** How many bytes it has. */
  bytes: number;
  changed_at: string;
  media_type: "image/png" | "image/jpeg" | "image/webp" | "image/svg+xml";
}

export interface ManagedAccount {
  condition: "enabled" | "disabled" | "deleted";
  contacts: ManagedAccountContacts[];
  created_at: string;
  id: string;
  language: string | null;
  memberships: ManagedAccountMemberships[];
  /** In how many places they are signed in. */
  sessions: number;
  /** What the person can prove who they are with now; never a secret. */
  signs_in_with: string[];
  version: number;
}

export interface ManagedAccountContacts {
  address: string;
  id: string;
  is_primary: boolean;
  is_verified: boolean;
  kind: "email" | "phone";
}

export interface ManagedAccountMemberships {
  condition: "enabled" | "disabled" | "deleted";
  id: string;
  organization: string;
}

export interface Member {
  /** The client, where the member is a machine. */
  client_id?: string;
  condition: "enabled" | "suspended" | "ended";
  created_at: string;
  /** The name a provisioning system knows it by. */
  external_id: string | null;
  /** The sub of a person's tokens here. */
  id: string;
  /** Unclaimed: the place waits for the person it was meant for. */
  kind: "person" | "machine" | "unclaimed";
  profile: MemberProfile;
  roles: CarriedRole[];
  /** How often it has changed; also its ETag. */
  version: number;
}

export interface MemberPatch {
  profile?: MemberProfilePatch;
}

/** What the organization knows about the member, seen by it alone. */
export interface MemberProfile {
  department?: string;
  /** The address the organization reaches them at. Applications are told of it while a domain that the organization proved vouches for it. */
  email?: string;
  employee_number?: string;
  family_name?: string;
  given_name?: string;
  name?: string;
  title?: string;
}

/** What is named changes, what is null is forgotten, the rest stays. */
export interface MemberProfilePatch {
  department?: string | null;
  email?: string | null;
  employee_number?: string | null;
  family_name?: string | null;
  given_name?: string | null;
  name?: string | null;
  title?: string | null;
}

export interface MemberRoles {
  /** The ids of all roles the member carries from now on. */
  roles: string[];
}

export interface Message {
  attempts: number;
  channel: "mail" | "sms";
  created_at: string;
  /** After this it is worth nothing and is not sent; a while later it is forgotten. */
  expires_at: string;
  given_up_at: string | null;
  /** Also the beginning of the Message-ID of a mail, at every attempt the same. */
  id: string;
  /** What it is about. */
  kind: string;
  /** What was wrong at the last attempt that failed. */
  last_problem: string | null;
  next_attempt_at: string | null;
  sent_at: string | null;
  /** Sent means that the mail server or the gateway took it. */
  state: "waiting" | "sent" | "given_up" | "expired";
}

export interface NewApi {
  algorithm?: "RS256" | "PS256" | "ES256" | "EdDSA";
  /** Scopes separated by spaces; permissions among them are its own. */
  default_scope?: string;
  /** Types of RFC 9396 details it understands, each with its JSON Schema. */
  detail_types?: Record<string, Record<string, unknown>>;
  /** An absolute https, http or urn URI without a fragment. */
  identifier: string;
  name: string;
  /** The types of objects it keeps relationships of. */
  object_types?: Record<string, ObjectType>;
  /** Whether every organization may use it; only for an API of the instance. */
  offered_to_all?: boolean;
  permissions: PermissionText[];
  token_lifetime_seconds?: number;
  /** What clients that nobody vouches for may ask of it. */
  unverified_clients?: "allow" | "irreversible_refused" | "refuse";
}

export interface NewApiKey {
  /** How long it works; at most 365 days, 90 days unless said. */
  lifetime_seconds?: number;
  /** Whose it will be. */
  membership: string;
  /** What its owner calls it. */
  name: string;
  /** The most it may be used for: permissions, separated by spaces. Its holder and whoever issues it must hold all of them. */
  scope: string;
}

export interface NewAssignment {
  /** Within 30 days. */
  ends_at: string;
  /** The operator, by their membership; never oneself. */
  holder: string;
  /** Whom the operator may act as; left out, they may act inside the organization. */
  member?: string;
  /** The id or the slug of the organization. */
  organization: string;
  /** Why, in words that the organization reads in its trail. */
  reason: string;
}

export interface NewClient {
  /** A name an operator chooses, which does not look like a UUID; left out, one is made. */
  id?: string;
  kind: "application" | "service" | "agent";
  metadata: ClientMetadata;
  /** The member who answers for an agent. */
  owner?: string;
  /** What it is for; an agent says so. */
  purpose?: string;
  /** The ids of the roles it carries in its organization, where it acts for itself. */
  roles?: string[];
  /** Whether an operator vouches for it. */
  verified?: boolean;
}

export interface NewClientSecret {
  /** How long the earlier secrets keep working, so that the client can change over. */
  overlap_seconds?: number;
}

export interface NewConnection {
  /** How this service proves to the provider who it is: with its secret, or with a signature that its published keys verify. */
  authentication?: "client_secret" | "private_key";
  /** The name by which the provider knows this service. */
  client_id?: string;
  /** What the provider gave. It is never shown again. */
  client_secret?: string;
  /** The domains of the organization whose addresses lead to this provider, once they are proven. */
  domains?: string[];
  /** Whether people are sent there. */
  enabled?: boolean;
  /** The claim that equals the external id of a membership that was provisioned, at the one provider that names the people of the organization's directory; null at any other. */
  external_id_claim?: string | null;
  /** Who the provider is, exactly as it writes it; for SAML its entity ID. It cannot be changed later. */
  issuer?: string;
  /** What a provider that speaks SAML says about itself, as XML: who it is, where people are sent, and what it signs with are taken from there. */
  metadata?: string;
  /** What people read on the button. */
  name: string;
  /** What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does. */
  saml?: NewConnectionSaml;
  scopes?: string[];
  /** What the provider says that is taken for two factors. Everything else is one. */
  two_factors?: NewConnectionTwoFactors;
}

/** What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does. */
export interface NewConnectionSaml {
  /** The certificates whose keys verify what the provider signs, in PEM. */
  certificates?: string[];
  /** Authentication contexts that are asked for; any, where there are none. */
  contexts?: string[];
  /** The attribute that holds the address, which people must not be able to change there, or NameID. Without one nobody joins on the fly. */
  email?: string | null;
  family_name?: string | null;
  full_name?: string | null;
  given_name?: string | null;
  /** Where people are sent to sign in, by HTTP-Redirect. */
  sso_url?: string;
  /** What somebody is known by: NameID, where it is a persistent one, or the name of an attribute that stays theirs. */
  subject?: string;
}

/** What the provider says that is taken for two factors. Everything else is one. */
export interface NewConnectionTwoFactors {
  acr?: string[];
  amr?: string[];
}

export interface NewDomain {
  /** The domain, in its own script or as A-labels. One that everybody can have names or addresses in is refused. */
  domain: string;
}

/** Either `roles` for a new place among the members, or a `member` whose place waits. */
export interface NewInvitation {
  /** The one address it is sent to and works for. */
  email: string;
  /** Left out, the organization's. */
  language?: "en" | "pt";
  lifetime_seconds?: number;
  /** A member that a directory made and nobody has claimed: it becomes theirs, with the roles it carries. */
  member?: string;
  /** The ids of the roles they will carry. Nobody gives a role whose contents they do not hold. */
  roles?: string[];
}

export interface NewLogo {
  /** A PNG, JPEG, WebP or SVG picture of at most 40,960 bytes, in base64 (RFC 4648 section 4). An SVG holds no script and loads nothing. */
  data: string;
}

export interface NewOrganization {
  /** Left out, the slug. */
  name?: string;
  settings?: OrganizationSettings;
  /** Lower-case letters, digits and inner hyphens; it may not look like an id. */
  slug: string;
}

export interface NewRole {
  description?: string;
  /** Lower-case letters, digits, - and _; unique in the organization. */
  name: string;
  /** Permissions of ours and of APIs offered to the organization. Nobody gives a role what they do not hold. */
  permissions?: string[];
}

export interface NewWebhook {
  /** Where events are posted to: https, without credentials. */
  address: string;
  description?: string;
  /** The kinds of events it is told of; left out or empty, all of them. */
  kinds?: string[];
}

export interface ObjectAction {
  /** The relations that confer it: any one of them does. */
  relations: string[];
  /** The permission of the API that a token must carry for it. */
  scope?: string;
}

export interface ObjectRelation {
  /** Relations to the same object: whoever stands in one of them stands in this one too. */
  includes?: string[];
  /** Who may stand in it directly: member, client, role, the relation of a type such as team#member; or types of objects alone. */
  subjects?: string[];
  /** Relations to other objects: whoever stands in one of them stands in this one too. */
  through?: ObjectThrough[];
}

export interface ObjectThrough {
  /** The relation to those. */
  holders_of: string;
  /** The relation of this type that leads to the other objects. */
  relation: string;
}

export interface ObjectType {
  /** What can be done with one of them. */
  actions?: Record<string, ObjectAction>;
  /** The relations that somebody, or another object, can stand in to one of them. */
  relations: Record<string, ObjectRelation>;
}

export interface Organization {
  /** A suspended organization confers nothing and accepts no change; its members still see it. */
  condition: "enabled" | "suspended" | "ended";
  /** Why it was suspended. */
  condition_reason?: string;
  /** When it ends, if somebody asked for its deletion. */
  ends_at: string | null;
  id: string;
  /** A tenant, the operators' own organization, or the home of people whom nobody invited. */
  kind: "customer" | "operator" | "home";
  /** Its name, as people read it. */
  name: string;
  settings: OrganizationSettings;
  /** Its short name in addresses, unique and never reused. */
  slug: string;
  /** How often it has changed; also its ETag. */
  version: number;
}

export interface OrganizationPatch {
  name?: string;
  settings?: OrganizationSettingsPatch;
}

/** What the organization decides for itself. What is left out has its default. */
export interface OrganizationSettings {
  /** The credentials its members may sign in with; left out, every kind. */
  allowed_credentials?: ("passkey" | "magic_link" | "email_code" | "sms_code" | "totp" | "recovery_code" | "password" | "single_sign_on")[];
  /** How the hosted screens look. */
  branding?: OrganizationSettingsBranding;
  delegation?: OrganizationSettingsDelegation;
  /** The language in which people are written to whose own is not known. */
  language?: "en" | "pt";
  /** The least assurance a token of this organization is issued at. */
  least_assurance?: "aal1" | "aal2";
  /** The ways of getting a token that are switched off. */
  refused_grants?: ("client_credentials" | "token_exchange" | "device_code" | "backchannel" | "api_key")[];
  /** Whether its members must have signed in at a provider of its own. */
  single_sign_on?: "optional" | "required";
  /** Whether clients that nobody vouches for may ask its members for access. */
  unverified_clients?: "allow" | "refuse";
}

/** How the hosted screens look. */
export interface OrganizationSettingsBranding {
  /** A colour on which white text can be read, such as #1a5fb4. */
  accent?: string;
  /** A light colour behind everything, such as #eef2ff. The dark scheme keeps its own. */
  background?: string;
  name?: string;
}

export interface OrganizationSettingsDelegation {
  /** Whether its own agents may act for its members through token exchange. */
  own_agents?: boolean;
}

/** What is named changes, what is null goes back to its default, the rest stays. */
export interface OrganizationSettingsPatch {
  allowed_credentials?: ("passkey" | "magic_link" | "email_code" | "sms_code" | "totp" | "recovery_code" | "password" | "single_sign_on")[] | null;
  branding?: OrganizationSettingsPatchBranding | null;
  delegation?: OrganizationSettingsPatchDelegation | null;
  language?: "en" | "pt" | null;
  least_assurance?: "aal1" | "aal2" | null;
  refused_grants?: ("client_credentials" | "token_exchange" | "device_code" | "backchannel" | "api_key")[] | null;
  single_sign_on?: "optional" | "required" | null;
  unverified_clients?: "allow" | "refuse" | null;
}

export interface OrganizationSettingsPatchBranding {
  accent?: string | null;
  background?: string | null;
  name?: string | null;
}

export interface OrganizationSettingsPatchDelegation {
  own_agents?: boolean | null;
}

export interface Permission {
  /** What it allows, in English. */
  english: string;
  /** Whether what it allows cannot be taken back. */
  irreversible: boolean;
  /** How it is written in roles, scopes and tokens. */
  permission: string;
  /** What it allows, in Portuguese. */
  portuguese: string;
  /** Where it counts: inside one organization, over the instance, or only by an assignment with a reason and an end. */
  reach: "organization" | "instance" | "assignment";
}

export interface PermissionCatalogue {
  items: Permission[];
}

export interface PermissionText {
  /** What it allows, in English. */
  english: string;
  /** Whether what it allows cannot be taken back. */
  irreversible?: boolean;
  /** resource:action, never a wildcard. */
  permission: string;
  /** What it allows, in Portuguese; left out, the English words stand in. */
  portuguese?: string;
}

export interface ProtectedResource {
  /** Where clients look for the document. */
  address: string | null;
  /** What the API answers in WWW-Authenticate to whoever shows no token. */
  challenge: string;
  /** What the API publishes (RFC 9728). */
  document: Record<string, unknown>;
}

export interface Reason {
  /** Why, in words that the organization will read in its trail. */
  reason: string;
}

export interface RelatedObject {
  /** Its id among those: printable ASCII without a space. */
  id: string;
  /** A type of objects of the API. */
  type: string;
}

export interface RelatedSubject {
  /** The id of the member, client, role or object. */
  id: string;
  /** For everybody who stands in a relation to an object: which. */
  relation?: string;
  /** member, client, role, or a type of objects of the API. */
  type: string;
}

export interface Relationship {
  created_at: string;
  id: string;
  object: RelatedObject;
  relation: string;
  subject: RelatedSubject;
}

export interface RelationshipChange {
  change: "add" | "remove";
  object: RelatedObject;
  relation: string;
  subject: RelatedSubject;
}

export interface RelationshipChanges {
  /** All of them happen, or none. */
  changes: RelationshipChange[];
  /** What must be there or not for any of it to happen. */
  only_if?: RelationshipCondition[];
}

export interface RelationshipCondition {
  is: "there" | "absent";
  object: RelatedObject;
  relation: string;
  subject: RelatedSubject;
}

export interface RelationshipsChanged {
  /** How many were not there before. */
  added: number;
  /** How many are not there any more. */
  removed: number;
}

export interface Role {
  /** Whether the program decides what it holds. The built-in owner also holds everything that APIs offer to the organization. */
  built_in: boolean;
  description: string;
  id: string;
  /** As the role claim of a token lists it. */
  name: string;
  permissions: string[];
  /** How often it has changed; also its ETag. */
  version: number;
}

export interface RolePatch {
  description?: string | null;
  name?: string;
  permissions?: string[] | null;
}

export interface RotatedKey {
  /** The successor: published from now on. */
  kid: string;
  /** When it takes over, once everybody can know it. */
  signs_from: string;
}

export interface SettledClient {
  /** Its new secret, if it was given one. It is shown this once and never again. */
  client_secret?: string;
  condition: "enabled" | "suspended" | "ended";
  created_at: string;
  /** Its client_id. */
  id: string;
  kind: "application" | "service" | "agent";
  /** Its own membership, where it acts for itself. */
  membership?: string;
  metadata: ClientMetadata;
  /** Who added it: an operator, an organization for itself, or it registered itself. */
  origin: "operator" | "organization" | "self";
  /** The member who answers for an agent. */
  owner: string | null;
  purpose: string;
  roles?: CarriedRole[];
  /** When an operator vouched for it. */
  verified_at: string | null;
  /** How often it has changed; also its ETag. */
  version: number;
}

export interface SettledWebhook {
  /** What signatures are checked with. It is not shown again. */
  secret: string;
  webhook: Webhook;
}

export interface SigningKeys {
  items: SigningKeysItems[];
}

export interface SigningKeysItems {
  algorithm: string;
  is_development: boolean;
  kid: string;
  phase: "announced" | "signing" | "retiring" | "withdrawn";
  published_at: string;
  purpose: "tokens" | "log";
  signs_from: string;
  signs_until: string | null;
  source: "configuration" | "database";
  /** Why it does not count, if it does not. */
  unusable: string | null;
  withdrawn_at: string | null;
}

export interface Webhook {
  address: string;
  created_at: string;
  description: string;
  failing_since: string | null;
  /** How often it failed in a row. */
  failures: number;
  id: string;
  /** Whether there may be something it has not been told of yet. */
  is_behind: boolean;
  /** The kinds of events it is told of; empty means all of them. */
  kinds: string[];
  next_attempt_at: string | null;
  /** It failed for three days, it answered 410, or somebody stopped it. */
  pause_reason: "failing" | "gone" | "stopped" | null;
  paused_at: string | null;
  /** Until then what is sent is signed with the earlier secret too. */
  previous_secret_until: string | null;
  state: "working" | "failing" | "paused";
  version: number;
}

export interface WebhookAttempt {
  at: string;
  /** The event, which is also the webhook-id that was sent. */
  event: string;
  id: string;
  kind: string;
  outcome: "told" | "again" | "paused";
  /** What it answered; null where it was not reached, may not be reached or took too long. */
  status: number | null;
}

export interface WebhookPatch {
  address?: string;
  description?: string;
  kinds?: string[];
}

export interface WebhookReplay {
  since: string;
}

export interface WebhookSecretRotation {
  /** How long the earlier secret signs beside the new one. */
  overlap_seconds?: number;
}

/** Every call of the management API. */
export interface Calls {
  /**
   * Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a while.
   * Needs `clients:manage` or `agents:manage` in the organization, depending on its kind.
   */
  addClientSecret(organization: string, client: string, body: NewClientSecret): Promise<IssuedClientSecret>;
  /**
   * Adds a domain, and shows the record that proves it once it is published.
   * Needs `domains:manage` in the organization.
   */
  addDomain(organization: string, body: NewDomain): Promise<Domain>;
  /**
   * Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a while.
   * Needs `instance:operate` over the instance.
   */
  addInstanceClientSecret(client: string, body: NewClientSecret): Promise<IssuedClientSecret>;
  /**
   * Asks for an organization to be deleted. It ends after 30 days; until then this can be taken back.
   * Needs `organization:delete` in the organization.
   */
  askOrganizationDeletion(organization: string): Promise<Organization>;
  /**
   * Adds and removes relationships of an organization at an API of the instance's, all of them or none.
   * Needs `instance:relate` over the instance.
   */
  changeInstanceRelationships(api: string, organization: string, body: RelationshipChanges): Promise<RelationshipsChanged>;
  /**
   * Adds and removes relationships at an API of the organization's own, all of them or none.
   * Needs `apis:relate` in the organization.
   */
  changeRelationships(organization: string, api: string, body: RelationshipChanges): Promise<RelationshipsChanged>;
  /**
   * Chooses the logo that people see who sign in to an organization, in place of the one before.
   * Needs `organization:update` in the organization.
   */
  chooseOrganizationLogo(organization: string, version: number, body: NewLogo): Promise<Logo>;
  /**
   * Adds an API of the organization's own.
   * Needs `apis:manage` in the organization.
   */
  createApi(organization: string, body: NewApi): Promise<Api>;
  /**
   * Adds a client of the organization's own. A secret it is given is shown in this answer and never again.
   * Needs `clients:create` or `agents:manage` in the organization, depending on its kind.
   */
  createClient(organization: string, body: NewClient): Promise<SettledClient>;
  /**
   * Connects an organization to a provider of its own, at which its members sign in.
   * Needs `sso:manage` in the organization.
   */
  createConnection(organization: string, body: NewConnection): Promise<Connection>;
  /**
   * Adds an API of the instance's.
   * Needs `instance:operate` over the instance.
   */
  createInstanceApi(body: NewApi): Promise<Api>;
  /**
   * Adds a client that serves every organization. A secret it is given is shown in this answer and never again.
   * Needs `instance:operate` over the instance.
   */
  createInstanceClient(body: NewClient): Promise<SettledClient>;
  /**
   * Adds an address that is told of everything that happens from now on. The secret that signs is shown in this answer and never again.
   * Needs `instance:operate` over the instance.
   */
  createInstanceWebhook(body: NewWebhook): Promise<SettledWebhook>;
  /**
   * Makes an organization with its built-in roles.
   * Needs `organizations:create` over the instance.
   */
  createOrganization(body: NewOrganization): Promise<Organization>;
  /**
   * Makes a role, holding nothing that its maker does not hold.
   * Needs `roles:manage` in the organization.
   */
  createRole(organization: string, body: NewRole): Promise<Role>;
  /**
   * Adds an address that is told of what happens in an organization from now on. The secret that signs is shown in this answer and never again.
   * Needs `webhooks:manage` in the organization.
   */
  createWebhook(organization: string, body: NewWebhook): Promise<SettledWebhook>;
  /**
   * Switches an account off: nobody signs in with it and nothing it granted counts; never one's own.
   * Needs `accounts:manage` over the instance.
   */
  disableAccount(account: string): Promise<AccountSummary>;
  /**
   * Stops a client: nothing it holds counts until it is enabled again.
   * Needs `clients:manage` or `agents:manage` in the organization, depending on its kind.
   */
  disableClient(organization: string, client: string): Promise<Client>;
  /**
   * Stops a client: nothing it holds counts until it is enabled again.
   * Needs `instance:operate` over the instance.
   */
  disableInstanceClient(client: string): Promise<Client>;
  /**
   * Disables a member: nothing of theirs counts here until they are enabled again.
   * Needs `members:manage` in the organization.
   */
  disableMember(organization: string, member: string): Promise<Member>;
  /**
   * Switches an account on again: everything counts that counted before.
   * Needs `accounts:manage` over the instance.
   */
  enableAccount(account: string): Promise<AccountSummary>;
  /**
   * Lets a stopped client go on.
   * Needs `clients:manage` or `agents:manage` in the organization, depending on its kind.
   */
  enableClient(organization: string, client: string): Promise<Client>;
  /**
   * Lets a stopped client go on.
   * Needs `instance:operate` over the instance.
   */
  enableInstanceClient(client: string): Promise<Client>;
  /**
   * Enables a disabled member again.
   * Needs `members:manage` in the organization.
   */
  enableMember(organization: string, member: string): Promise<Member>;
  /**
   * Signs a person out everywhere.
   * Needs `accounts:manage` over the instance.
   */
  endAccountSessions(account: string): Promise<void>;
  /**
   * Signs everybody out everywhere, whoever asks for it included.
   * Needs `accounts:manage` over the instance.
   */
  endAllSessions(): Promise<void>;
  /**
   * Ends an assignment before its time.
   * Needs `instance:operate` over the instance.
   */
  endAssignment(assignment: string): Promise<void>;
  /**
   * Shows an API that the organization may use.
   * Needs `apis:read` in the organization.
   */
  getApi(organization: string, api: string): Promise<Api>;
  /**
   * Shows an API key, without its secret.
   * Needs `api_keys:manage` in the organization.
   */
  getApiKey(organization: string, api_key: string): Promise<ApiKey>;
  /**
   * Shows an assignment.
   * Needs `instance:read` over the instance.
   */
  getAssignment(assignment: string): Promise<Assignment>;
  /**
   * Shows a client.
   * Needs `clients:read` in the organization.
   */
  getClient(organization: string, client: string): Promise<Client>;
  /**
   * Shows a connection, without its secret.
   * Needs `sso:manage` in the organization.
   */
  getConnection(organization: string, connection: string): Promise<Connection>;
  /**
   * Shows a domain.
   * Needs `domains:manage` in the organization.
   */
  getDomain(organization: string, domain: string): Promise<Domain>;
  /**
   * Shows one thing that happened.
   * Needs `instance:read` over the instance.
   */
  getEvent(event: string): Promise<Event>;
  /**
   * Shows what a member let an application do.
   * Needs `members:read` in the organization.
   */
  getGrant(organization: string, grant: string): Promise<Grant>;
  /**
   * Shows any API.
   * Needs `instance:read` over the instance.
   */
  getInstanceApi(api: string): Promise<Api>;
  /**
   * Shows any client.
   * Needs `instance:read` over the instance.
   */
  getInstanceClient(client: string): Promise<Client>;
  /**
   * Shows what any API has to publish, and the exact challenge it answers.
   * Needs `instance:read` over the instance.
   */
  getInstanceProtectedResource(api: string): Promise<ProtectedResource>;
  /**
   * Shows a webhook of the instance.
   * Needs `instance:read` over the instance.
   */
  getInstanceWebhook(webhook: string): Promise<Webhook>;
  /**
   * Shows an invitation.
   * Needs `members:read` in the organization.
   */
  getInvitation(organization: string, invitation: string): Promise<Invitation>;
  /**
   * Shows a person: addresses, memberships, what they sign in with, never a secret.
   * Needs `accounts:manage` over the instance.
   */
  getManagedAccount(account: string): Promise<ManagedAccount>;
  /**
   * Shows a member.
   * Needs `members:read` in the organization.
   */
  getMember(organization: string, member: string): Promise<Member>;
  /**
   * Shows what became of a message.
   * Needs `instance:read` over the instance.
   */
  getMessage(message: string): Promise<Message>;
  /**
   * Shows an organization.
   * Needs `organization:read` in the organization.
   */
  getOrganization(organization: string): Promise<Organization>;
  /**
   * Says what logo an organization has.
   * Needs `organization:read` in the organization.
   */
  getOrganizationLogo(organization: string): Promise<Logo>;
  /**
   * Shows what an API has to publish, and the exact challenge it answers.
   * Needs `apis:read` in the organization.
   */
  getProtectedResource(organization: string, api: string): Promise<ProtectedResource>;
  /**
   * Shows a role.
   * Needs `roles:read` in the organization.
   */
  getRole(organization: string, role: string): Promise<Role>;
  /**
   * Shows how the instance is set up, as far as that is no secret.
   * Needs `instance:read` over the instance.
   */
  getSettings(): Promise<InstanceSettings>;
  /**
   * Shows a webhook.
   * Needs `webhooks:manage` in the organization.
   */
  getWebhook(organization: string, webhook: string): Promise<Webhook>;
  /**
   * Acts as the member that one's own assignment names: a token of five minutes that says so, for nothing that administers.
   * Needs `instance:read` over the instance.
   */
  impersonate(assignment: string, body: Impersonation): Promise<ImpersonationToken>;
  /**
   * Invites somebody by mail into a place among the members that waits for them.
   * Needs `members:manage` in the organization.
   */
  invite(organization: string, body: NewInvitation): Promise<Invitation>;
  /**
   * Issues an API key. Its secret is shown in this answer and never again.
   * Needs `api_keys:manage` in the organization.
   */
  issueApiKey(organization: string, body: NewApiKey): Promise<IssuedApiKey>;
  /**
   * Lists the accounts of the instance, or finds the one that proved an address.
   * Needs `accounts:manage` over the instance.
   */
  listAccounts(query?: { email?: string; limit?: number }): Pages<AccountSummary>;
  /**
   * Lists the API keys of an organization's members, without their secrets.
   * Needs `api_keys:manage` in the organization.
   */
  listApiKeys(organization: string, query?: { limit?: number }): Pages<ApiKey>;
  /**
   * Lists the organizations that an API of the instance's is offered to one by one.
   * Needs `instance:read` over the instance.
   */
  listApiOffers(api: string): Promise<ApiOffers>;
  /**
   * Lists the APIs that an organization may use: its own and those offered to it.
   * Needs `apis:read` in the organization.
   */
  listApis(organization: string, query?: { limit?: number }): Pages<Api>;
  /**
   * Lists the assignments concerning an organization, for the organization itself.
   * Needs `audit:read` in the organization.
   */
  listAssignments(organization: string, query?: { limit?: number }): Pages<Assignment>;
  /**
   * Shows who did what in an organization and to it, in pages or whole as a file.
   * Needs `audit:read` in the organization.
   */
  listAuditEntries(organization: string, query?: { since?: string; until?: string; actor?: string; kind?: string; limit?: number }): Pages<AuditEntry>;
  /**
   * Lists the secrets of a client that work now, without the secrets themselves.
   * Needs `clients:read` in the organization.
   */
  listClientSecrets(organization: string, client: string): Promise<ClientSecrets>;
  /**
   * Lists the clients of an organization.
   * Needs `clients:read` in the organization.
   */
  listClients(organization: string, query?: { limit?: number }): Pages<Client>;
  /**
   * Lists the providers that an organization is connected to, without their secrets.
   * Needs `sso:manage` in the organization.
   */
  listConnections(organization: string, query?: { limit?: number }): Pages<Connection>;
  /**
   * Lists the domains that an organization calls its own, with the records that prove them.
   * Needs `domains:manage` in the organization.
   */
  listDomains(organization: string, query?: { limit?: number }): Pages<Domain>;
  /**
   * Lists everything that happened, from the security log.
   * Needs `instance:read` over the instance.
   */
  listEvents(query?: { since?: string; organization?: string; limit?: number }): Pages<Event>;
  /**
   * Lists what the members of an organization let applications do.
   * Needs `members:read` in the organization.
   */
  listGrants(organization: string, query?: { member?: string; limit?: number }): Pages<Grant>;
  /**
   * Lists every API there is.
   * Needs `instance:read` over the instance.
   */
  listInstanceApis(query?: { limit?: number }): Pages<Api>;
  /**
   * Lists the assignments concerning an organization, for those who run the instance.
   * Needs `instance:read` over the instance.
   */
  listInstanceAssignments(query: { organization: string; limit?: number }): Pages<Assignment>;
  /**
   * Lists the secrets of a client that work now, without the secrets themselves.
   * Needs `instance:read` over the instance.
   */
  listInstanceClientSecrets(client: string): Promise<ClientSecrets>;
  /**
   * Lists the operators' clients, or those that registered themselves.
   * Needs `instance:read` over the instance.
   */
  listInstanceClients(query?: { origin?: "operator" | "self"; limit?: number }): Pages<Client>;
  /**
   * Lists relationships of an organization at an API of the instance's that it is offered.
   * Needs `instance:read` over the instance.
   */
  listInstanceRelationships(api: string, organization: string, query?: { object_type?: string; object_id?: string; subject_type?: string; subject_id?: string; limit?: number }): Pages<Relationship>;
  /**
   * Lists what became of telling a webhook of the instance, for 30 days.
   * Needs `instance:read` over the instance.
   */
  listInstanceWebhookAttempts(webhook: string, query?: { limit?: number }): Pages<WebhookAttempt>;
  /**
   * Lists the addresses of the instance that are told of events, without their secrets.
   * Needs `instance:read` over the instance.
   */
  listInstanceWebhooks(query?: { limit?: number }): Pages<Webhook>;
  /**
   * Lists the invitations of an organization, whatever has become of them.
   * Needs `members:read` in the organization.
   */
  listInvitations(organization: string, query?: { limit?: number }): Pages<Invitation>;
  /**
   * Lists the signing keys, each with its life, without their private halves.
   * Needs `instance:read` over the instance.
   */
  listKeys(): Promise<SigningKeys>;
  /**
   * Lists the members of an organization, or finds some of them.
   * Needs `members:read` in the organization.
   */
  listMembers(organization: string, query?: { search?: string; limit?: number }): Pages<Member>;
  /**
   * Lists what became of the messages that were sent, without their recipients and contents.
   * Needs `instance:read` over the instance.
   */
  listMessages(query?: { limit?: number }): Pages<Message>;
  /**
   * Lists the organizations of the instance.
   * Needs `instance:read` over the instance.
   */
  listOrganizations(query?: { limit?: number }): Pages<Organization>;
  /** Lists every permission of ours, with its text in both languages. */
  listPermissions(): Promise<PermissionCatalogue>;
  /**
   * Lists relationships of the organization at an API that it may use.
   * Needs `apis:read` in the organization.
   */
  listRelationships(organization: string, api: string, query?: { object_type?: string; object_id?: string; subject_type?: string; subject_id?: string; limit?: number }): Pages<Relationship>;
  /**
   * Lists the roles of an organization.
   * Needs `roles:read` in the organization.
   */
  listRoles(organization: string, query?: { limit?: number }): Pages<Role>;
  /**
   * Lists what became of telling a webhook, for 30 days.
   * Needs `webhooks:manage` in the organization.
   */
  listWebhookAttempts(organization: string, webhook: string, query?: { limit?: number }): Pages<WebhookAttempt>;
  /**
   * Lists the addresses of an organization that are told of events, without their secrets.
   * Needs `webhooks:manage` in the organization.
   */
  listWebhooks(organization: string, query?: { limit?: number }): Pages<Webhook>;
  /**
   * Assigns an operator to act inside an organization or as one of its members; never oneself.
   * Needs `instance:operate` over the instance.
   */
  makeAssignment(body: NewAssignment): Promise<Assignment>;
  /**
   * Offers an API of the instance's to an organization.
   * Needs `instance:operate` over the instance.
   */
  offerApi(api: string, organization: string): Promise<void>;
  /**
   * Tells a webhook of the instance of nothing until it is resumed.
   * Needs `instance:operate` over the instance.
   */
  pauseInstanceWebhook(webhook: string): Promise<Webhook>;
  /**
   * Tells a webhook of nothing until it is resumed.
   * Needs `webhooks:manage` in the organization.
   */
  pauseWebhook(organization: string, webhook: string): Promise<Webhook>;
  /**
   * Removes an API of the organization's own: nobody holds any of its permissions any more.
   * Needs `apis:manage` in the organization.
   */
  removeApi(organization: string, api: string, version: number): Promise<void>;
  /**
   * Removes a client for good, with every grant it was given.
   * Needs `clients:manage` or `agents:manage` in the organization, depending on its kind.
   */
  removeClient(organization: string, client: string): Promise<void>;
  /**
   * Removes a connection for good: nobody signs in there any more.
   * Needs `sso:manage` in the organization.
   */
  removeConnection(organization: string, connection: string): Promise<void>;
  /**
   * Removes a domain: the organization vouches for nobody in it any more.
   * Needs `domains:manage` in the organization.
   */
  removeDomain(organization: string, domain: string): Promise<void>;
  /**
   * Removes an API of the instance's: nobody holds any of its permissions any more.
   * Needs `instance:operate` over the instance.
   */
  removeInstanceApi(api: string, version: number): Promise<void>;
  /**
   * Removes a client for good, with every grant it was given.
   * Needs `instance:operate` over the instance.
   */
  removeInstanceClient(client: string): Promise<void>;
  /**
   * Removes a webhook of the instance for good.
   * Needs `instance:operate` over the instance.
   */
  removeInstanceWebhook(webhook: string): Promise<void>;
  /**
   * Removes a member for good. Whoever removes themself leaves.
   * Needs `members:manage` in the organization, unless the thing is the caller's own and the credential carries everything that the caller holds.
   */
  removeMember(organization: string, member: string): Promise<void>;
  /**
   * Takes the logo of an organization away.
   * Needs `organization:update` in the organization.
   */
  removeOrganizationLogo(organization: string, version: number): Promise<void>;
  /**
   * Removes a role. Whoever carried it does not any more.
   * Needs `roles:manage` in the organization.
   */
  removeRole(organization: string, role: string, version: number): Promise<void>;
  /**
   * Removes a webhook for good.
   * Needs `webhooks:manage` in the organization.
   */
  removeWebhook(organization: string, webhook: string): Promise<void>;
  /**
   * Tells a webhook of the instance of everything since a moment once more.
   * Needs `instance:operate` over the instance.
   */
  replayInstanceWebhook(webhook: string, body: WebhookReplay): Promise<Webhook>;
  /**
   * Tells a webhook of everything since a moment once more.
   * Needs `webhooks:manage` in the organization.
   */
  replayWebhook(organization: string, webhook: string, body: WebhookReplay): Promise<Webhook>;
  /**
   * Restores a suspended organization: everything counts again as it did.
   * Needs an assignment of the caller to the organization: its own members cannot do this.
   */
  restoreOrganization(organization: string, body: Reason): Promise<Organization>;
  /**
   * Tells a paused webhook of the instance of events again, beginning with the one it did not take.
   * Needs `instance:operate` over the instance.
   */
  resumeInstanceWebhook(webhook: string): Promise<Webhook>;
  /**
   * Tells a paused webhook of events again, beginning with the one it did not take.
   * Needs `webhooks:manage` in the organization.
   */
  resumeWebhook(organization: string, webhook: string): Promise<Webhook>;
  /**
   * Revokes an API key: it stops working everywhere at once.
   * Needs `api_keys:manage` in the organization.
   */
  revokeApiKey(organization: string, api_key: string): Promise<void>;
  /**
   * Revokes a secret of a client at once.
   * Needs `clients:manage` or `agents:manage` in the organization, depending on its kind.
   */
  revokeClientSecret(organization: string, client: string, secret: string): Promise<void>;
  /**
   * Takes back what a member let an application do: every token under it ends at once.
   * Needs `members:manage` in the organization.
   */
  revokeGrant(organization: string, grant: string): Promise<void>;
  /**
   * Revokes a secret of a client at once.
   * Needs `instance:operate` over the instance.
   */
  revokeInstanceClientSecret(client: string, secret: string): Promise<void>;
  /**
   * Takes an invitation back, and with it the place that waited.
   * Needs `members:manage` in the organization.
   */
  revokeInvitation(organization: string, invitation: string): Promise<void>;
  /**
   * Gives a webhook of the instance another secret; the earlier one signs beside it for a while.
   * Needs `instance:operate` over the instance.
   */
  rotateInstanceWebhookSecret(webhook: string, body: WebhookSecretRotation): Promise<SettledWebhook>;
  /**
   * Makes a successor for the key that signs with an algorithm: published now, signing once everybody can know it.
   * Needs `keys:rotate` over the instance.
   */
  rotateKey(body: KeyRotation): Promise<RotatedKey>;
  /**
   * Gives a webhook another secret; the earlier one signs beside it for a while.
   * Needs `webhooks:manage` in the organization.
   */
  rotateWebhookSecret(organization: string, webhook: string, body: WebhookSecretRotation): Promise<SettledWebhook>;
  /**
   * Gives a member these roles and no others.
   * Needs `members:manage` in the organization.
   */
  setMemberRoles(organization: string, member: string, version: number, body: MemberRoles): Promise<Member>;
  /**
   * Writes to a person that they should set a new password, which nobody but them chooses.
   * Needs `accounts:manage` over the instance.
   */
  startAccountReset(account: string): Promise<void>;
  /**
   * Suspends an organization: it confers nothing and accepts no change until it is restored.
   * Needs an assignment of the caller to the organization: its own members cannot do this.
   */
  suspendOrganization(organization: string, body: Reason): Promise<Organization>;
  /**
   * Tries a connection without anybody signing in, and says plainly what is wrong.
   * Needs `sso:manage` in the organization.
   */
  testConnection(organization: string, connection: string): Promise<ConnectionTrial>;
  /**
   * Has a webhook of the instance told of a trial, in its turn.
   * Needs `instance:operate` over the instance.
   */
  testInstanceWebhook(webhook: string): Promise<void>;
  /**
   * Has a webhook told of a trial, in its turn.
   * Needs `webhooks:manage` in the organization.
   */
  testWebhook(organization: string, webhook: string): Promise<void>;
  /**
   * Changes an API of the organization's own.
   * Needs `apis:manage` in the organization.
   */
  updateApi(organization: string, api: string, version: number, body: ApiPatch): Promise<Api>;
  /**
   * Changes a client.
   * Needs `clients:manage` or `agents:manage` in the organization, depending on its kind.
   */
  updateClient(organization: string, client: string, version: number, body: ClientPatch): Promise<SettledClient>;
  /**
   * Changes a connection. Who the provider is stays.
   * Needs `sso:manage` in the organization.
   */
  updateConnection(organization: string, connection: string, version: number, body: ConnectionPatch): Promise<Connection>;
  /**
   * Changes an API of the instance's.
   * Needs `instance:operate` over the instance.
   */
  updateInstanceApi(api: string, version: number, body: ApiPatch): Promise<Api>;
  /**
   * Changes a client.
   * Needs `instance:operate` over the instance.
   */
  updateInstanceClient(client: string, version: number, body: ClientPatch): Promise<SettledClient>;
  /**
   * Changes a webhook of the instance.
   * Needs `instance:operate` over the instance.
   */
  updateInstanceWebhook(webhook: string, version: number, body: WebhookPatch): Promise<Webhook>;
  /**
   * Changes what the organization knows about a member.
   * Needs `members:manage` in the organization.
   */
  updateMember(organization: string, member: string, version: number, body: MemberPatch): Promise<Member>;
  /**
   * Renames an organization or changes its settings.
   * Needs `organization:update` in the organization.
   */
  updateOrganization(organization: string, version: number, body: OrganizationPatch): Promise<Organization>;
  /**
   * Changes a role; a built-in one cannot be changed.
   * Needs `roles:manage` in the organization.
   */
  updateRole(organization: string, role: string, version: number, body: RolePatch): Promise<Role>;
  /**
   * Changes a webhook.
   * Needs `webhooks:manage` in the organization.
   */
  updateWebhook(organization: string, webhook: string, version: number, body: WebhookPatch): Promise<Webhook>;
  /**
   * Vouches for a client.
   * Needs `clients:verify` over the instance.
   */
  verifyClient(client: string): Promise<Client>;
  /**
   * Looks for the record of a domain. Where it is found, the domain is the organization's own.
   * Needs `domains:manage` in the organization.
   */
  verifyDomain(organization: string, domain: string): Promise<Domain>;
  /**
   * Takes an offer back: whatever its roles say, the organization holds nothing at the API.
   * Needs `instance:operate` over the instance.
   */
  withdrawApiOffer(api: string, organization: string): Promise<void>;
  /**
   * Withdraws that anybody vouches for a client.
   * Needs `clients:verify` over the instance.
   */
  withdrawClientVerification(client: string): Promise<Client>;
  /**
   * Takes back the deletion that somebody asked for.
   * Needs `organization:delete` in the organization.
   */
  withdrawOrganizationDeletion(organization: string): Promise<Organization>;
}
