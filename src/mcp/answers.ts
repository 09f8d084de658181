/**
 * What was answered through a host: a request stands under a key that is used once, so that a second answer, and one that comes
 * after an edit, is passed over. The run judges every answer that gets through; this says only what is still to be asked.
 */

export type Outcome =
  /** The run took it. It may still wait for another person, whom this host does not ask. */
  | 'taken'
  /** The person at the host said nothing. */
  | 'declined'
  /** It did not fit, or the run refused it: it is asked again, under another key. */
  | 'misfit';

export interface Answers {
  /** The key under which an open item is asked now; undefined where it was answered or declined here. */
  askedAs(itemKey: string): string | undefined;
  /** An answer under this key is on its way to the run: until `note`, the item is asked no more. False where the key asks nothing. */
  claim(itemKey: string, key: string): boolean;
  note(itemKey: string, outcome: Outcome, run: string, text: string): void;
  /** A note on a run that is about no item. */
  remark(run: string, text: string): void;
  /** The last note on a run. */
  lastOf(run: string): string | undefined;
  /** Keys of items that this host was told of, so that a wait for news is none for these. */
  toldOf(run: string): readonly string[];
  tell(run: string, itemKeys: readonly string[]): void;
}

/** Items and runs that are remembered; the oldest are forgotten, and then asked once more. */
const MOST_REMEMBERED = 10_000;
/** Times that one item is asked. */
const MOST_TRIES = 20;

export function createAnswers(): Answers {
  const tries = new Map<string, number>();
  const notes = new Map<string, string>();
  const told = new Map<string, readonly string[]>();
  const claimed = new Set<string>();
  const triesAt = (itemKey: string) => tries.get(itemKey) ?? 1;
  const askedAs = (itemKey: string) => {
    const nth = triesAt(itemKey);
    if (nth > MOST_TRIES || claimed.has(itemKey)) return undefined;
    return nth === 1 ? itemKey : `${itemKey}-${nth}`;
  };
  return {
    askedAs,
    claim(itemKey, key) {
      const isAsked = askedAs(itemKey) === key;
      if (isAsked) claimed.add(itemKey);
      return isAsked;
    },
    note(itemKey, outcome, run, text) {
      claimed.delete(itemKey);
      remember(tries, itemKey, outcome === 'misfit' ? triesAt(itemKey) + 1 : Infinity);
      remember(notes, run, text);
    },
    remark: (run, text) => remember(notes, run, text),
    lastOf: (run) => notes.get(run),
    toldOf: (run) => told.get(run) ?? [],
    tell: (run, itemKeys) => remember(told, run, itemKeys),
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
