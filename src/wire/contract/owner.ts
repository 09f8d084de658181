/**
 * The run that something in the result store belongs to. What a name leads to, and what is kept of a finished node, says it: names
 * are hashed, and who looks after a store could not tell otherwise when nobody needs it any more.
 */

import { isRecord } from './payload.ts';
import { problemOf } from './shape.ts';

/** A run; its id is unique in its namespace only. */
export interface Owner {
  readonly namespace: string;
  readonly workflowId: string;
}

/** @example ownedBy({ namespace: 'default', workflowId: 'plan-1' }) // { of: ['default', 'plan-1'] } */
export function ownedBy({ namespace, workflowId }: Owner): { readonly of: readonly [string, string] } {
  return { of: [namespace, workflowId] };
}

/** The run that a stored value says it belongs to; undefined where it says none. */
export function ownerIn(value: unknown): Owner | undefined {
  const of: unknown = isRecord(value) ? value['of'] : undefined;
  if (!Array.isArray(of) || of.length !== 2) return undefined;
  const [namespace, workflowId] = of as readonly unknown[];
  return typeof namespace === 'string' && typeof workflowId === 'string' ? { namespace, workflowId } : undefined;
}

/** A namespace whose runs use a store. */
export interface StoreUser {
  readonly namespace: string;
  /** As its server has made it: another server may have a namespace of the same name. */
  readonly id: string;
}

/** Bound in a store to `usedBy` of a namespace. */
export const namespaceName = (id: string) => `namespace/${id}`;

export function usedBy(user: StoreUser): { readonly usedBy: StoreUser } {
  return { usedBy: user };
}

/** The namespace that a stored value tells; undefined where it tells none. */
export function userIn(value: unknown): StoreUser | undefined {
  const user: unknown = isRecord(value) ? value['usedBy'] : undefined;
  return problemOf({ namespace: 'text', id: 'text' }, user) === undefined ? (user as StoreUser) : undefined;
}
