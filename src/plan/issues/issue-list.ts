import { cutCharacters, visible } from '../text/index.ts';
import type { IssueCode, PlanIssue, Severity } from './issue.ts';

/** A place in a document, as a chain from the value up to the root. Its path is written only on demand. */
export interface Place {
  readonly parent: Place | null;
  readonly step: string | number;
  readonly nodeId?: string | undefined;
  /** The keys that the document uses below this place, by this project's names for them. */
  readonly names?: ReadonlyMap<string, string>;
}

export const ROOT: Place = { parent: null, step: '$' };

const MAX_LENGTH = 200;
const HALF = 99;
const MAX_ID = 100;

/** The JSONPath (RFC 9535) of a place, such as `$.plan.left.context['a b'][2]`, with at most 200 characters. */
export function pathOf(place: Place): string {
  const chain: Place[] = [];
  for (let at: Place | null = place; at !== null; at = at.parent) chain.push(at);
  let head = '';
  let next = chain.length - 1;
  while (next >= 0 && head.length <= MAX_LENGTH) head += segment(chain[next--]!);
  if (next < 0 && head.length <= MAX_LENGTH) return head;
  let tail = '';
  for (let index = 0; index < chain.length && tail.length < HALF; index++) tail = segment(chain[index]!) + tail;
  return cutCharacters(head, HALF + 1) + lastUnits(tail, HALF);
}

export function stepsTo(place: Place): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (let at = place; at.parent !== null; at = at.parent) steps.unshift(at.step);
  return steps;
}

/** Marks a place as the place of a node, so that its issues have the id of the node. */
export function nodeAt({ parent, step, names }: Place, id: unknown): Place {
  const nodeId = typeof id === 'number' ? String(id) : typeof id === 'string' ? cutCharacters(id, MAX_ID) : undefined;
  return names === undefined ? { parent, step, nodeId } : { parent, step, nodeId, names };
}

function nodeIdAt(place: Place): string | undefined {
  let at: Place | null = place;
  while (at !== null && !('nodeId' in at)) at = at.parent;
  return at?.nodeId;
}

export function below(parent: Place, step: string | number): Place {
  return { parent, step: (typeof step === 'string' && parent.names?.get(step)) || step };
}

export function farBelow(parent: Place, steps: readonly (string | number)[]): Place {
  return steps.reduce<Place>(below, parent);
}

function lastUnits(text: string, count: number): string {
  const start = Math.max(0, text.length - count);
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function segment(place: Place): string {
  if (place.parent === null) return '$';
  if (typeof place.step === 'number') return `[${place.step}]`;
  const name = place.step.slice(0, MAX_LENGTH + 1);
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${visible(name.replace(/['\\]/g, '\\$&'))}']`;
}

/** The words of an issue. They are computed only if the issue is listed. */
export type IssueDetail = Pick<PlanIssue, 'message' | 'expected' | 'got' | 'line' | 'column'>;

export type Locator = (places: readonly Place[]) => readonly ({ line: number; column: number } | undefined)[];

const MAX_PROBLEMS = 100;
const MAX_NOTES = 100;

/** Maximum characters of a message and of a value, both of which can contain text from the document. */
const MAX_CHARACTERS = { message: 2_000, value: 400 };

/** Collects the issues of a document: at most 100 errors and warnings, and 100 notes. `more-issues` counts the rest. */
export class IssueList {
  readonly #listed: PlanIssue[] = [];
  readonly #places: Place[] = [];
  #locate: Locator | undefined;
  readonly #counts = { error: 0, warning: 0, note: 0 };

  get errors(): number {
    return this.#counts.error;
  }

  /** Adds an issue. The place and the words are computed only if the issue is listed. */
  add(severity: Severity, code: IssueCode, place: Place | (() => Place), detail: () => IssueDetail): void {
    this.#counts[severity]++;
    if (this.#counts[severity] > (severity === 'note' ? MAX_NOTES : MAX_PROBLEMS)) return;
    const at = typeof place === 'function' ? place() : place;
    const nodeId = nodeIdAt(at);
    this.#places.push(at);
    const { message, expected, got, ...position } = detail();
    const cut = (text: string) => cutCharacters(text, MAX_CHARACTERS.value);
    this.#listed.push({
      code,
      severity,
      path: pathOf(at),
      ...position,
      message: visible(cutCharacters(message, MAX_CHARACTERS.message)),
      ...(expected !== undefined && { expected: typeof expected === 'string' ? cut(expected) : expected.map(cut) }),
      ...(got !== undefined && { got: cut(got) }),
      ...(nodeId !== undefined && { nodeId }),
    });
  }

  /** Sets the function that finds places in the text. It is called once, for all issues without a line. */
  locateBy(locate: Locator): void {
    this.#locate = locate;
  }

  list(): readonly PlanIssue[] {
    this.#addPositions();
    const warningsThatFit = MAX_PROBLEMS - Math.min(this.#counts.error, MAX_PROBLEMS);
    let warnings = 0;
    const kept = this.#listed.filter((issue) => issue.severity !== 'warning' || ++warnings <= warningsThatFit);
    const missing = {
      error: Math.max(0, this.#counts.error - MAX_PROBLEMS),
      warning: Math.max(0, this.#counts.warning - warningsThatFit),
      note: Math.max(0, this.#counts.note - MAX_NOTES),
    };
    const severity = (['error', 'warning', 'note'] as const).find((each) => missing[each] > 0);
    if (severity === undefined) return kept;
    const counted = Object.entries(missing).filter(([, count]) => count > 0);
    const message = `${counted.map(([name, count]) => plural(count, name)).join(', ')} not listed. Mend the listed ones first, then compile again.`;
    return [...kept, { code: 'more-issues', severity, path: pathOf(ROOT), message }];
  }

  #addPositions(): void {
    const without = this.#listed.flatMap(({ line }, index) => (line === undefined ? [index] : []));
    const positions = without.length === 0 ? undefined : this.#locate?.(without.map((index) => this.#places[index]!));
    for (const [at, index] of without.entries()) {
      const position = positions?.[at];
      if (position !== undefined) this.#listed[index] = { ...this.#listed[index]!, ...position };
    }
  }
}

function plural(count: number, name: string): string {
  return `${count} more ${name}${count === 1 ? '' : 's'}`;
}

/** A position in a text. Line and column count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionsIn(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((ending) => ending.index + ending[0].length)];
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  };
}

const MAX_NAME_LENGTH = 64;
/** Maximum number of known names with which a misspelt name is compared. A document can have 20,000 names. */
const MAX_NAMES = 1_000;

export function didYouMean(written: string, known: Iterable<string>): string {
  const nearest = nearestName(written, known);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** The nearest known name, ignoring case, spaces, `-` and `_`. At most a third of the characters may differ. */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  if (written.length > MAX_NAME_LENGTH) return undefined;
  const from = folded(written);
  let nearest: string | undefined;
  let min = Infinity;
  let count = 0;
  for (const name of known) {
    if (++count > MAX_NAMES) break;
    if (name.length > MAX_NAME_LENGTH) continue;
    const to = folded(name);
    const allowed = Math.max(1, Math.floor(Math.max(from.length, to.length) / 3));
    if (Math.abs(from.length - to.length) > allowed) continue;
    const edits = editDistance(from, to);
    if (edits <= allowed && edits < Math.min(min, to.length)) {
      nearest = name;
      min = edits;
    }
  }
  return nearest;
}

function folded(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '');
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
