import { cutCharacters, visible } from '../text/index.ts';
import type { IssueCode, PlanIssue, Severity } from './issue.ts';

/**
 * A place in a document, as a chain from the leaf to the root: one small object per node, and a path only on demand.
 */
export interface Place {
  readonly parent: Place | null;
  readonly step: string | number;
  /** Present at a node: the id that the document gave to it, if any. */
  readonly nodeId?: string | undefined;
  /** Keys of the document below this place, by our names. */
  readonly names?: ReadonlyMap<string, string>;
}

export const ROOT: Place = { parent: null, step: '$' };

const MAX_LENGTH = 200;
const HALF = 99;
const MAX_ID = 100;

/**
 * JSONPath (RFC 9535) of a place, such as `$.plan.left.context['a b'][2]`. Over 200 characters, `…` replaces the
 * middle.
 */
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

/** The keys and indexes from the root to a place. */
export function stepsTo(place: Place): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (let at = place; at.parent !== null; at = at.parent) steps.unshift(at.step);
  return steps;
}

/** The place as that of a node, so that its issues echo the id. */
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

/** At most so many UTF-16 units from the end, never half a surrogate pair. */
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
  // The limit of the path cuts longer keys anyway.
  const name = place.step.slice(0, MAX_LENGTH + 1);
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${visible(name.replace(/['\\]/g, '\\$&'))}']`;
}

/** The words of an issue, made only if the issue is listed. */
export type IssueDetail = Pick<PlanIssue, 'message' | 'expected' | 'got' | 'line' | 'column'>;

/** The 1-based positions of places, in their order. */
export type Locator = (places: readonly Place[]) => readonly ({ line: number; column: number } | undefined)[];

const MAX_PROBLEMS = 100;
const MAX_NOTES = 100;

/** Messages can contain names and values from the document. */
const MAX_CHARACTERS = { message: 2_000, value: 400 };

/**
 * Collects the problems of one document. It lists at most 100 errors and warnings (errors first) and 100 notes; one
 * `more-issues` at the end counts the rest.
 */
export class IssueList {
  readonly #listed: PlanIssue[] = [];
  readonly #places: Place[] = [];
  #locate: Locator | undefined;
  readonly #counts = { error: 0, warning: 0, note: 0 };

  get errors(): number {
    return this.#counts.error;
  }

  /** The place and the words are computed only if the issue is listed. */
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

  /** Sets a function that finds issues in the text. It is called once, for those without a line. */
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

/** 1-based, the column in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds the positions of offsets in a text. A line ends with LF, CR or both. */
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
