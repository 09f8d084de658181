/** Finds the plan document that a model wrote into its notes instead of handing it over. */

import { compilePlan } from '../../../plan/index.ts';
import { jsonIn } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';

/** Node types that only a plan has. */
const NODE_TYPES = ['task', 'step', 'subtask', 'combine', 'op', 'operator'];
/** Characters looked at, so that a text of nothing but open braces costs no more than a large document does. */
const MAX_STEPS = 50_000_000;

/**
 * The notes themselves where the compiler reads a plan in them; else the text of the first JSON object in them that
 * looks like a plan (it has a `plan`, `steps`, or the type of a node), so that its own faults can be told.
 */
export function findPlan(notes: string): string | undefined {
  return compilePlan(notes).ok ? notes : firstPlanIn(notes);
}

function firstPlanIn(text: string): string | undefined {
  let steps = 0;
  let brokenUntil = 0;
  for (let start = text.indexOf('{'); start !== -1 && steps < MAX_STEPS; start = text.indexOf('{', start)) {
    const end = closingBrace(text, start);
    steps += (end ?? text.length) - start;
    const found = end === undefined ? '' : text.slice(start, end);
    const value = jsonIn(found);
    // A node inside something that is cut or broken is a piece of a plan, and running a piece would be a guess.
    if (isDocument(value) || (isNode(value) && start >= brokenUntil)) return found;
    if (value === undefined) brokenUntil = Math.max(brokenUntil, end ?? text.length);
    start = value === undefined || end === undefined ? start + 1 : end;
  }
  return undefined;
}

/** The offset after the brace that closes the one at `start`, braces in JSON texts not counted. */
function closingBrace(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at++;
      else if (character === '"') quoted = false;
      else if (character === '\n') return undefined;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

function isDocument(value: unknown): boolean {
  return isRecord(value) && (isRecord(value['plan']) || Array.isArray(value['steps']));
}

function isNode(value: unknown): boolean {
  const type = isRecord(value) ? (value['type'] ?? value['kind']) : undefined;
  return typeof type === 'string' && NODE_TYPES.includes(type.trim().toLowerCase());
}
