/** Conversations for the planner. Its plans are saved as drafts in the project's store. */

import { createDrafts, type FullEntry } from '../../capabilities/builtin/drafts/index.ts';
import { canonicalJson, MODEL_LIMITS, type Catalogue, type JsonValue } from '../../plan/index.ts';
import type { Store } from '../../store/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';
import type { WorkerOptions } from '../../worker/index.ts';

const MAX_ENTRIES = 50;
const ENTRY_CHARACTERS = 2000;

type Conversations = {
  readonly [Name in 'conversationOf' | 'keepDraft' | 'keepEnd']: NonNullable<WorkerOptions[Name]>;
};

/**
 * Functions for `createWorker` that read the conversations of a store, and save the planner's drafts and the results of
 * runs.
 * @example createWorker({ ...place, registry, store, models, ...openConversations(store, registry) });
 */
export function openConversations(store: Store, catalogue?: Catalogue): Conversations {
  const drafts = createDrafts(store, catalogue === undefined ? {} : { catalogue });
  return {
    conversationOf: (id) => ({
      async history() {
        const { entries, total } = await drafts.list(id, { full: true, limit: MAX_ENTRIES });
        const left = total - entries.length;
        const older = left > 0 ? [`(${left} older entries are left out)`] : [];
        const texts = entries.map((entry) => cutCharacters(textOf(entry), ENTRY_CHARACTERS));
        return [...older, ...texts].join('\n\n') || undefined;
      },
      async results() {
        return (await drafts.results(id)).results.map((result) => {
          const { workflowId: _, ...entry } = result;
          return entry;
        });
      },
    }),
    async keepDraft(conversation, document, key) {
      const options = { by: 'planner', idempotencyKey: key, limits: MODEL_LIMITS };
      // The planner returns JSON, which must be validated like any input of drafts.
      await drafts.saveDraft(conversation, { plan: document }, options);
    },
    async keepEnd(conversation, end, key) {
      await drafts.saveEnd(conversation, end, { idempotencyKey: key });
    },
  };
}

function textOf(entry: FullEntry): string {
  const by = entry.by === undefined ? '' : ` by ${entry.by}`;
  const head = `${entry.number}. ${entry.createdAt}${by}`;
  switch (entry.kind) {
    case 'artifact': {
      const { title, summary, assumptions, parameters, proposedPlan } = entry;
      const named = Object.keys(parameters).length === 0 ? '' : `\nParameters: ${canonicalJson(parameters)}`;
      const plan = proposedPlan === undefined ? '' : `\nProposed plan: ${planText(proposedPlan)}`;
      return `${head}, artifact "${title}": ${summary}${listed('Assumptions', assumptions)}${named}${plan}`;
    }
    case 'draft': {
      const state = entry.errors === 0 ? '' : ` (its plan has ${entry.errors} errors)`;
      const notes = entry.notes === undefined ? '' : `\n${entry.notes}`;
      return `${head}, revision ${entry.revision} of draft "${entry.id}"${state}: ${entry.goal}${notes}\n${planText(entry.plan)}`;
    }
    case 'handed-off': {
      const words = entry.instructions === undefined ? '' : `: ${entry.instructions}`;
      return `${head}, run ${entry.workflowId} of draft "${entry.draft}", revision ${entry.revision}, was started${words}`;
    }
    case 'ended': {
      const keys = entry.results.map(({ key = `run_${entry.number}` }) => key);
      const more = entry.left > 0 ? ` and ${entry.left} more` : '';
      return `${head}, run ${entry.workflowId} has ended: ${entry.outcome}. Results: ${keys.join(', ')}${more}`;
    }
  }
}

function planText(plan: JsonValue): string {
  return typeof plan === 'string' ? plan : canonicalJson(plan);
}

function listed(title: string, values: readonly unknown[]): string {
  return values.length === 0 ? '' : `\n${title}: ${JSON.stringify(values)}`;
}
