/**
 * Answers given through a host. Each request has a key that works once, so a second answer, or one after an edit, is
 * ignored. The run validates every accepted answer; this only tracks what is still to be asked.
 */

export type AnswerOutcome =
  /** The run accepted it. It may wait for another person, whom this host does not ask. */
  | 'taken'
  /** The person did not answer. */
  | 'declined'
  /** It did not fit, or the run rejected it; it is asked again with a new key. */
  | 'misfit';

export interface Answers {
  /** The current key of an open item; undefined if it was answered or declined. */
  askedAs(itemKey: string): string | undefined;
  /** Marks an answer as sent: until `note`, the item is not asked. False if the key is not current. */
  claim(itemKey: string, key: string): boolean;
  note(itemKey: string, outcome: AnswerOutcome, run: string, text: string): void;
  /** Adds a note without an item. */
  remark(run: string, text: string): void;
  lastOf(run: string): string | undefined;
  /** Item keys that the host knows; a wait for news ignores these. */
  announcedOf(run: string): readonly string[];
  announce(run: string, itemKeys: readonly string[]): void;
}

/** Items and runs; the oldest are forgotten, and then asked again. */
const MOST_REMEMBERED = 10_000;
/** Per item. */
const MOST_TRIES = 20;

export function createAnswers(): Answers {
  const tries = new Map<string, number>();
  const notes = new Map<string, string>();
  const announced = new Map<string, readonly string[]>();
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
    announcedOf: (run) => announced.get(run) ?? [],
    announce: (run, itemKeys) => remember(announced, run, itemKeys),
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
