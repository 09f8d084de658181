/** The form of a signed message, before anybody knows who wrote it. */

/** A token goes through the history of its run. */
export const MAX_TOKEN_CHARACTERS = 65_536;
/** A compact JWS (RFC 7515): three parts, base64url, the last the 64 bytes of an Ed25519 signature. */
export const TOKEN_FORM = /^[\w-]+\.[\w-]+\.([\w-]{86})$/;
