/** A model whose replies are bought once: a second run of the same case and repeat finds them in the journal. */

import { journaled, paidBy, type ModelClient } from '../../models/index.ts';
import type { ResultStore } from '../../store/index.ts';

export interface CountedModel {
  readonly model: ModelClient;
  /** Calls that went out to the model, and replies that were in the journal already. */
  readonly counts: { bought: number; reused: number };
}

/**
 * Only calls that were paid for are numbered: one that failed on its way leaves nothing in the journal, and would shift the
 * keys of those behind it.
 */
export function countedModel(client: ModelClient, store: ResultStore, place: string): CountedModel {
  const counts = { bought: 0, reused: 0 };
  let paid = 0;
  const asked: ModelClient = {
    name: client.name,
    async complete(request, options) {
      counts.bought += 1;
      return client.complete(request, options);
    },
  };
  const model: ModelClient = {
    name: client.name,
    async complete(request, options) {
      const before = counts.bought;
      const settled = () => {
        paid += 1;
        if (counts.bought === before) counts.reused += 1;
      };
      try {
        const reply = await journaled(asked, { key: `${place}/${paid + 1}`, store }, request, options);
        settled();
        return reply;
      } catch (error) {
        if (paidBy(error) !== undefined) settled();
        throw error;
      }
    },
  };
  return { model, counts };
}
