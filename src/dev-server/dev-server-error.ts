export type DevServerErrorCode =
  /** `TEMPORAL_ADDRESS` is set and no server answers there. */
  | 'unreachable'
  /** A server answers and does not have the namespace. */
  | 'no-namespace'
  /** `TEMPORAL_CLI_PATH` is set and is not a program. */
  | 'cli-path'
  /** No server, and no way to get one worked. */
  | 'no-server'
  /** Another process uses the database file. */
  | 'database-in-use'
  /** The port that was asked for is taken. */
  | 'port-in-use'
  /** The server was started and ended, or did not become ready in time. */
  | 'start-failed';

/** Why there is no Temporal server. The message says what was tried and what to do next. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
  readonly code: DevServerErrorCode;
  constructor(code: DevServerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
