import { maybe, type Of } from './shape.ts';

export const MISSING = {
  /** `count`: how many more people must approve. `of`: how many approvals the rule requires. */
  count: 'count',
  of: 'count',
  /** The roles that count; absent if any role counts. */
  roles: maybe(['text']),
  person: 'true?',
  /** The approval must come from somebody who did not start or edit the plan and did not answer its planner. */
  notStarter: 'true?',
  /** For rules that count only certain people: who may approve, whether others may too, and which authors may not. */
  mayDecide: maybe(['text']),
  anybody: 'true?',
  authors: maybe(['text']),
} as const;

/** An approval that one rule still requires for a node. */
export interface MissingApproval extends Of<typeof MISSING> {}

/** Maximum number of roles or people that a text names; the rest is counted. */
const NAMED = 8;

/**
 * Describes a missing approval, such as `1 more approval in the role ops or safety, signed with a person's key`.
 * @example missingApprovalText({ count: 1, of: 2 }); // '1 more approval'
 */
export function missingApprovalText(missing: MissingApproval): string {
  const { count, of, roles, person, notStarter, authors } = missing;
  const more = count < of ? ' more' : '';
  const what = [
    `${count}${more} approval${count === 1 ? '' : 's'}${roles === undefined ? '' : ` in the role ${listPeople(roles)}`}`,
    ...(person === true ? ["signed with a person's key"] : []),
    ...(notStarter === true && authors === undefined ? ['by somebody whose words are not in the plan'] : []),
  ].join(', ');
  return what + peopleText(missing);
}

function peopleText({ count, mayDecide, anybody, authors }: MissingApproval): string {
  if (mayDecide === undefined) return '';
  const not = authors === undefined ? '' : `, not from ${listPeople(authors)}, whose words are in the plan`;
  const others = anybody === true ? ["anybody else whom an authority's key names"] : [];
  if (anybody === true || mayDecide.length >= count)
    return `, which may come from ${listPeople([...mayDecide, ...others])}${not}`;
  const few = mayDecide.length === 0 ? 'nobody' : `${listPeople(mayDecide)} alone`;
  return `, which may come from ${few} of those whom the project's keys name${not}: ${NEXT}`;
}

const NEXT =
  "add somebody else's key to identity.keys and sign with it, or reject the plan and have somebody else start it";

function listPeople(names: readonly string[]): string {
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(' or ')}${more > 0 ? ` or ${more} others` : ''}`;
}
