/** The offsets of places in a JSON text. */

import type { Place } from '../issues/index.ts';

/**
 * The offset of each place in a JSON text (RFC 8259, without a fault), in one pass: that of its key for a member, that of
 * its first character for an entry of a list. Undefined for a place that the text does not have.
 */
export function locatePlaces(text: string, places: readonly Place[]): readonly (number | undefined)[] {
  const offsets = new Map<Branch, number>();
  const root = newBranch();
  const leaves = places.map((place) => branchOf(place, root));
  const open: Frame[] = [];
  TOKEN.lastIndex = 0;
  let member: Branch | undefined = root;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const first = token[0][0]!;
    const top = open.at(-1);
    if (first === '}' || first === ']') open.pop();
    else if (first === ',') {
      if (top !== undefined) top.next++;
    } else {
      const isKey = first === '"' && top?.isObject === true && !top.afterKey;
      if (isKey) {
        top.afterKey = true;
        member = top.branch?.members.get(keyOf(token[0]));
        if (member !== undefined) offsets.set(member, token.index);
        continue;
      }
      if (top !== undefined && !top.isObject) {
        member = top.branch?.members.get(top.next);
        if (member !== undefined) offsets.set(member, token.index);
      }
      if (top !== undefined) top.afterKey = false;
      if (first === '{' || first === '[')
        open.push({ branch: member, isObject: first === '{', afterKey: false, next: 0 });
    }
  }
  return leaves.map((leaf) => offsetOf(leaf, offsets));
}

/** The steps below a place that are looked for. */
interface Branch {
  readonly parent: Branch | undefined;
  readonly members: Map<string | number, Branch>;
}

interface Frame {
  readonly branch: Branch | undefined;
  readonly isObject: boolean;
  afterKey: boolean;
  next: number;
}

/** Texts, brackets, commas, and words and numbers; colons and white space are passed over. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s{}[\],:"]+/g;

function newBranch(parent?: Branch): Branch {
  return { parent, members: new Map() };
}

function branchOf(place: Place, root: Branch): Branch {
  const steps: (string | number)[] = [];
  for (let at = place; at.parent !== null; at = at.parent) steps.push(at.step);
  let branch = root;
  for (const step of steps.reverse()) {
    const known = branch.members.get(step) ?? newBranch(branch);
    branch.members.set(step, known);
    branch = known;
  }
  return branch;
}

/**
 * The offset of a place. A field that is missing in the text is put where it should be: in the nearest place that the
 * text has.
 */
function offsetOf(leaf: Branch, offsets: ReadonlyMap<Branch, number>): number | undefined {
  for (let branch: Branch | undefined = leaf; branch !== undefined; branch = branch.parent) {
    const offset = offsets.get(branch);
    if (offset !== undefined) return offset;
  }
  return undefined;
}

function keyOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
