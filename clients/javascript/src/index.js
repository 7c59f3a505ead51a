export { Guard, Identity, shownBy } from "./guard.js";
export { Management, Pages, Problem } from "./management.js";
export { MemoryReplays } from "./proofs.js";
export { Refused } from "./refused.js";
export { TokenRefused, Tokens } from "./tokens.js";
