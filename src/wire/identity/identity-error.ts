/** The errors before a message is signed. */

/**
 * A key or a message that cannot be used for signing. The message says what is wrong and what to do.
 * @example if (error instanceof IdentityError) console.error(error.message);
 */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
}
