/**
 * The stable code of a `PolicyError`: `invalid` for a definition, and for a round `stage-threw`, `stage-late`,
 * `undeclared-write`, `unknown-action`, `no-decision`, `not-json` or `too-large`.
 */
export type PolicyErrorCode =
  | 'invalid'
  | 'stage-threw'
  | 'stage-late'
  | 'undeclared-write'
  | 'unknown-action'
  | 'no-decision'
  | 'not-json'
  | 'too-large';

/**
 * An error in the code of a policy, with its stage. No step was dispatched.
 * @example if (error instanceof PolicyError && error.code === 'undeclared-write') show(error.stage);
 */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly code: PolicyErrorCode;
  readonly stage?: string;
  constructor(code: PolicyErrorCode, message: string, options: ErrorOptions & { readonly stage?: string } = {}) {
    super(message, options);
    this.code = code;
    if (options.stage !== undefined) this.stage = options.stage;
  }
}
