/** Why a project cannot be opened. */

/** `ambiguous`: both a config and a demo are named. */
export type ProjectErrorCode = 'ambiguous' | 'invalid-config' | 'no-demo';

export class ProjectError extends Error {
  override readonly name = 'ProjectError';
  readonly code: ProjectErrorCode;
  /** `message` says what is wrong and what to do next. */
  constructor(code: ProjectErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
