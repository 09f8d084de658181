/** The errors of finding or starting a Temporal server. */

export const DEV_SERVER_ERROR_CODES = [
  'unreachable',
  'no-namespace',
  'cli-path',
  'no-server',
  'database-in-use',
  'port-in-use',
  'start-failed',
] as const;
export type DevServerErrorCode = (typeof DEV_SERVER_ERROR_CODES)[number];

/** Why there is no Temporal server. The message says what was tried and what to do next. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
  readonly code: DevServerErrorCode;
  constructor(code: DevServerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
