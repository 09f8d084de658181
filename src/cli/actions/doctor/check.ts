/** One thing that runs stand on, and what was found of it. */

/** `warn`: runs work, and something should be better. `fail`: runs do not work. */
export interface Check {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found and, unless it is ok, what to do. */
  readonly message: string;
}
