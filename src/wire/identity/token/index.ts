/** The pure half of identity: what a token says and whether it may, without files, clocks and Node. */

export { readClaims } from './claims.ts';
export { isName } from './name.ts';
export { LEEWAY_SECONDS, LONGEST_LIFE_SECONDS, MAX_TOKEN_CHARACTERS } from './limits.ts';
export { verifyToken, type RefusedToken, type TokenFacts, type VerifiedToken } from './verify-token.ts';
