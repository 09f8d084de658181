/** The time of the run, the same in a replay; ISO 8601. */

export function now(): string {
  return new Date().toISOString();
}
