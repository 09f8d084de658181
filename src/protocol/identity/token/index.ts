/** Verifies tokens without files, clocks or Node, so that workflows can do it. */

export { messageClaimedBy, readClaims } from './claims.ts';
export { isName, LEEWAY_SECONDS, LONGEST_LIFE_SECONDS, MAX_TOKEN_CHARACTERS } from './claims.ts';
export { grantClaimedBy, GRANT_GOAL, readGrant, type GrantTerms, type GrantUse } from './grant.ts';
export { verifyToken, type RefusedToken, type TokenFacts, type VerifiedToken } from './verify-token.ts';
export { figureOf, figuresBehind, figuresOf, shownHash } from './figures.ts';
