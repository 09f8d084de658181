/** The approval that is still missing, as data and in words. */

/** An approval that a node still waits for, by one rule. */
export interface MissingApproval {
  /** How many people more must approve, and how many the rule asks for. */
  readonly count: number;
  readonly of: number;
  /** In one of these roles; in any when absent. */
  readonly roles?: readonly string[];
  /** Signed with a person's key. */
  readonly person?: true;
  /** By somebody who neither started the run nor edited its plan. */
  readonly notStarter?: true;
}

/** Roles that are named; the rest is counted. */
const ROLES_NAMED = 8;

/**
 * `1 more approval in the role ops or safety, signed with a person's key`
 *
 * @example missingWords({ count: 1, of: 2 }); // '1 more approval'
 */
export function missingWords({ count, of, roles, person, notStarter }: MissingApproval): string {
  const more = count < of ? ' more' : '';
  return [
    `${count}${more} approval${count === 1 ? '' : 's'}${roles === undefined ? '' : ` in the role ${eitherRole(roles)}`}`,
    ...(person === true ? ["signed with a person's key"] : []),
    ...(notStarter === true ? ['by somebody who neither started the run nor edited its plan'] : []),
  ].join(', ');
}

function eitherRole(roles: readonly string[]): string {
  const more = roles.length - ROLES_NAMED;
  return `${roles.slice(0, ROLES_NAMED).join(' or ')}${more > 0 ? ` or ${more} others` : ''}`;
}
