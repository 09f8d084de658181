/** The orders and reports of a process with a store, and what it writes. */

export type Order =
  | { readonly put: readonly string[]; readonly bytes: string }
  | { readonly pour: number; readonly marked: string };
/** The keys that were free, or the number of what is on the disk. */
export type Told = { readonly free: readonly string[] } | { readonly poured: number } | { readonly ready: true };

/** The n-th thing that is poured. */
export function pouredAs(marked: string, n: number) {
  return { key: `runs/${marked}/${n}`, bytes: Buffer.from(`${marked} ${n} `.repeat(1 + (n % 200))) };
}
