/** The keys of a store in a bucket. */

export const WEEK_MS = 604_800_000;

/** Weeks since 1970, as 5 digits, so that keys are listed in their order. */
export function weekOf(ms: number): string {
  return String(Math.floor(ms / WEEK_MS)).padStart(5, '0');
}

export const objectPrefix = (ref: string) => `objects/${ref}/`;
export const objectKey = (ref: string, week: string) => `${objectPrefix(ref)}${week}`;
export const nameKey = (key: string) => `names/${key}`;
export const keptPrefix = (key: string) => `kept/${key}/`;
export const keptKey = (key: string, ref: string) => `${keptPrefix(key)}${ref}`;
