/** The pure half of identity: the claims of a token and whether it may make them, without files, clocks and Node. */

export { messageClaimedBy, readClaims } from './claims.ts';
export { isName, LEEWAY_SECONDS, LONGEST_LIFE_SECONDS, MAX_TOKEN_CHARACTERS } from './claims.ts';
export { verifyToken, type RefusedToken, type TokenFacts, type VerifiedToken } from './verify-token.ts';
