/** The time of the run, which replay repeats; ISO 8601. */

export function now(): string {
  return new Date().toISOString();
}
