export { Guard, Identity, shownBy } from "./guard.js";
export { MemoryReplays } from "./proofs.js";
export { Refused } from "./refused.js";
export { TokenRefused, Tokens } from "./tokens.js";
