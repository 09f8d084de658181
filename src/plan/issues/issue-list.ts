import { cutCharacters, visible } from '../text/index.ts';
import { ROOT, nodeIdAt, pathOf } from './json-path.ts';
import type { IssueCode, PlanIssue, Severity } from './issue.ts';
import type { Place } from './json-path.ts';

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
