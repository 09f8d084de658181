/** The namespaces that use a store: each must be asked, or be gone for good. */

import { quote } from '../../../plan/text/index.ts';
import type { StoreUser } from '../../../protocol/index.ts';
import { termsOf, type Place, type Terms } from './histories.ts';
import type { Stock } from './stock.ts';

/** It cannot be told what the store may do without. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
  constructor(why: string) {
    super(`${why}. Nothing was removed`);
  }
}

/** Those that are asked, by their names: two servers may have a namespace of one name. */
export type Asked = ReadonlyMap<string, readonly (Place & Terms)[]>;

/**
 * Whether every namespace whose runs use the store is among those that are asked. Another server, even one with a namespace of the same
 * name, knows none of these runs, and everything would seem to be needed by nobody.
 * @param gone ids of namespaces that are gone for good
 * @throws Unsure
 */
export async function askedOf(stock: Stock, places: readonly Place[], gone: readonly string[]): Promise<Asked> {
  const asked = new Map<string, (Place & Terms)[]>();
  const users = new Map(stock.names.flatMap(({ user }) => (user === undefined ? [] : [[user.id, user] as const])));
  for (const place of places) {
    const terms = await termsOf(place);
    const here = `namespace ${place.namespace} on ${place.address}`;
    if (!users.has(terms.id)) {
      throw new Unsure(
        `no worker of ${here} has used this store${othersOf([...users.values()])}. Name the server and the namespace of its runs; if they are these, start a worker there first`,
      );
    }
    asked.set(place.namespace, [...(asked.get(place.namespace) ?? []), { ...place, ...terms }]);
  }
  const ids = new Set([...asked.values()].flat().map(({ id }) => id));
  const missing = [...users.values()].filter(({ id }) => !ids.has(id) && !gone.includes(id));
  if (missing.length > 0) {
    const names = missing.map(({ namespace, id }) => `${quote(namespace)} (${id})`).join(', ');
    throw new Unsure(
      `runs of other namespaces use this store too: ${names}. Give --also PROFILE for each, a profile of the Temporal config file, or --gone ID for one that is gone for good`,
    );
  }
  const named = new Set([...asked.keys(), ...[...users.values()].map(({ namespace }) => namespace)]);
  const unknown = [...stock.names, ...stock.kept].find(
    ({ owner }) => owner !== undefined && !named.has(owner.namespace),
  );
  if (unknown?.owner === undefined) return asked;
  throw new Unsure(
    `${quote(unknown.owner.workflowId)} is a run of namespace ${quote(unknown.owner.namespace)}, which nobody has noted in this store; start a worker there first`,
  );
}

function othersOf(users: readonly StoreUser[]): string {
  if (users.length === 0) return ', nor of any other';
  return `; used by ${users.map(({ namespace, id }) => `${quote(namespace)} (${id})`).join(', ')}`;
}
