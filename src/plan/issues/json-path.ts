import { cutCharacters, visible } from '../text/index.ts';

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
/** Characters of an id that issues echo. */
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

export function nodeIdAt(place: Place): string | undefined {
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
