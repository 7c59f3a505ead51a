export { AccessTokenVerifier, VerifiedAccessToken, readCredentials } from "./access_token_verifier.js";
export { MemoryReplayCache } from "./dpop.js";
export { ManagementApiError, ManagementClient, PagedList } from "./management_client.js";
export { RequestRejectedError } from "./request_rejected.js";
export { TokenClient, TokenRequestError } from "./token_client.js";
