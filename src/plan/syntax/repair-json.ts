/** Broken JSON, mended where nothing has to be guessed. */

import { jsonrepair } from 'jsonrepair';
import { scanLooseJson } from './scan-loose-json.ts';

/** A place where the text was changed. Offsets count UTF-16 units of the broken text. */
export interface Repair {
  readonly offset: number;
  /** The fault at that place, in words that follow "At line 1, column 2 ". */
  readonly what: string;
}

export type RepairResult =
  | { readonly ok: true; readonly text: string; readonly repairs: readonly Repair[] }
  | { readonly ok: false };

/** jsonrepair reads some faults again and again, so that faults times length must be bounded, and it is recursive. */
const MAX_FLAWS = 200;
const MAX_WORK = 2_000_000;
const MAX_DEPTH = 400;

/** Mends what is broken in the syntax only. Refused when brackets, numbers or words of a text would have to be guessed. */
export function repairJson(text: string): RepairResult {
  const { flaws, depth, end } = scanLooseJson(text, 0);
  if (end === undefined || flaws > MAX_FLAWS || (flaws + 1) * text.length > MAX_WORK + text.length || depth > MAX_DEPTH)
    return { ok: false };
  let mended: string;
  try {
    mended = jsonrepair(text);
    JSON.parse(mended);
  } catch {
    return { ok: false };
  }
  const repairs = compareTexts(text, mended);
  return repairs === undefined ? { ok: false } : { ok: true, text: mended, repairs };
}

/** The changes between the two, or nothing when one of them is more than syntax. */
function compareTexts(before: string, after: string): readonly Repair[] | undefined {
  const repairs: Repair[] = [];
  let from = 0;
  let to = 0;
  let isBare = false;
  while (from < before.length || to < after.length) {
    if (before[from] === after[to]) {
      from++;
      to++;
      continue;
    }
    const change = changeAt(before, from, after, to);
    if (change === undefined) return undefined;
    const [removed, added, what] = change;
    // Added quotes come in pairs: one that opens a text, then one that closes it.
    if (removed === 0 && after[to] === '"') {
      if (isBare === (what !== undefined)) return undefined;
      isBare = !isBare;
    }
    if (what !== undefined) repairs.push({ offset: from, what });
    from += removed;
    to += added;
  }
  return repairs;
}

type Change = readonly [removed: number, added: number, what: string | undefined];

const WORDS = [
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
] as const;
const SPACE = /^[ \t\r\n\u00a0]$/;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/y;
const ELLIPSIS = /,?\s*\.\.\.,?/y;

function changeAt(before: string, from: number, after: string, to: number): Change | undefined {
  const was = before[from] ?? '';
  const is = after[to] ?? '';
  for (const [python, json] of WORDS) {
    if (before.startsWith(python, from) && after.startsWith(json, to))
      return [python.length, json.length, `stood Python's ${python}; it is read as ${json}`];
  }
  COMMENT.lastIndex = from;
  const comment = COMMENT.exec(before);
  if (comment !== null) return [comment[0].length, 0, 'stood a comment; it was taken off'];
  ELLIPSIS.lastIndex = from;
  const ellipsis = ELLIPSIS.exec(before);
  if (ellipsis !== null && is !== '"')
    return [ellipsis[0].length, 0, 'stood "..." for something left out; it was taken off'];
  if (is === '"' && `'\`“”‘’´`.includes(was) && was !== '') {
    return [
      1,
      1,
      isOpening(after, to)
        ? `stood a text in ${was === "'" ? 'single' : 'other'} quotes; it is read as if in double quotes`
        : undefined,
    ];
  }
  if (is === '\\' && was < ' ' && was !== '') return [1, 2, 'stood a line break or a tab inside a text; it is kept'];
  if (is === '\\' && was === '"' && after[to + 1] === '"')
    return [1, 2, 'stood a quote inside a text that was not escaped; it is kept'];
  if (was === '\\' && before[from + 1] === is)
    return [1, 0, 'stood a backslash that escapes nothing; it was taken off'];
  if (was === ',') return [1, 0, 'stood a comma too many; it was taken off'];
  if (is === ',') return [0, 1, 'a comma was missing; it was added'];
  if (is === ':') return [0, 1, 'a colon was missing; it was added'];
  // A number that JSON does not have would become a text.
  if (is === '"' && /^(?:[-+.\d]|NaN|Infinity|undefined)/.test(before.slice(from, from + 9))) return undefined;
  if (is === '"')
    return [0, 1, isOpening(after, to) ? 'stood a text without quotes; it is read as if in double quotes' : undefined];
  if (SPACE.test(is)) return [0, 1, undefined];
  if (SPACE.test(was)) return [1, 0, undefined];
  return undefined;
}

/** Whether the quote at this offset of a JSON text opens a text: no member stands before it. */
function isOpening(json: string, offset: number): boolean {
  let before = offset - 1;
  while (before >= 0 && SPACE.test(json[before]!)) before--;
  return before < 0 || '{[,:'.includes(json[before]!);
}
