/** A missing approval, as data and as text. */

import { maybe, type Of } from './shape.ts';

export const MISSING = {
  /** How many people more must approve, and how many the rule asks for. */
  count: 'count',
  of: 'count',
  /** In one of these roles; in any when absent. */
  roles: maybe(['text']),
  /** Signed with a person's key. */
  person: 'true?',
  /** By somebody who is not an author of the plan: did not start the run, edit it, or answer its planner. */
  notStarter: 'true?',
  /**
   * Of rules that count certain people alone: whom the project's keys name for it, that another key may name anybody else, and who does
   * not count as an author of the plan.
   */
  mayDecide: maybe(['text']),
  anybody: 'true?',
  authors: maybe(['text']),
} as const;

/** An approval that a node still waits for, by one rule. */
export interface MissingApproval extends Of<typeof MISSING> {}

/** Roles and people that are named; the rest is counted. */
const NAMED = 8;

/**
 * `1 more approval in the role ops or safety, signed with a person's key`
 *
 * @example missingWords({ count: 1, of: 2 }); // '1 more approval'
 */
export function missingWords(missing: MissingApproval): string {
  const { count, of, roles, person, notStarter, authors } = missing;
  const more = count < of ? ' more' : '';
  const what = [
    `${count}${more} approval${count === 1 ? '' : 's'}${roles === undefined ? '' : ` in the role ${some(roles)}`}`,
    ...(person === true ? ["signed with a person's key"] : []),
    ...(notStarter === true && authors === undefined ? ['by somebody whose words are not in the plan'] : []),
  ].join(', ');
  return what + whose(missing);
}

function whose({ count, mayDecide, anybody, authors }: MissingApproval): string {
  if (mayDecide === undefined) return '';
  const not = authors === undefined ? '' : `, not from ${some(authors)}, whose words are in the plan`;
  const others = anybody === true ? ["anybody else whom an authority's key names"] : [];
  if (anybody === true || mayDecide.length >= count)
    return `, which may come from ${some([...mayDecide, ...others])}${not}`;
  const few = mayDecide.length === 0 ? 'nobody' : `${some(mayDecide)} alone`;
  return `, which may come from ${few} of those whom the project's keys name${not}: ${NEXT}`;
}

const NEXT =
  "add somebody else's key to identity.keys and sign with it, or reject the plan and have somebody else start it";

function some(names: readonly string[]): string {
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(' or ')}${more > 0 ? ` or ${more} others` : ''}`;
}
