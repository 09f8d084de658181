/** Why a story does not come to its end. */

/** `invalid-plan`: of the demo itself. `failed`: the run did not go as the story needs it. */
export type StoryErrorCode = 'interrupted' | 'no-worker' | 'invalid-plan' | 'failed' | 'no-result';

export class StoryError extends Error {
  override readonly name = 'StoryError';
  readonly code: StoryErrorCode;
  /** For `invalid-plan`: what is wrong with the plan. */
  readonly issues?: readonly unknown[];
  /** `message` says what is wrong and what to do next. */
  constructor(code: StoryErrorCode, message: string, issues?: readonly unknown[]) {
    super(message);
    this.code = code;
    if (issues !== undefined) this.issues = issues;
  }
}
