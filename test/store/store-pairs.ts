/** The orders and reports of a process with a store, and the pairs that it writes. */

export type Order =
  | { readonly bind: readonly string[]; readonly to: string }
  | { readonly keep: string; readonly values: readonly string[] }
  | { readonly pour: number; readonly marked: string };
/** The outcome of `bind`, or the number of a pair that is on the disk. */
export type Told = { readonly bound: readonly string[] } | { readonly poured: number } | { readonly ready: true };

/** The n-th pair that is poured. */
export function pairOf(marked: string, n: number) {
  return {
    bytes: Buffer.from(`${marked} ${n} `.repeat(1 + (n % 200))),
    name: `${marked}/${n}`,
    value: Buffer.from(`value ${n}`),
  };
}
