/** The outcome of the step before: for the notes of the loop, for the model, and for the observers of a policy. */

import type { Happened } from '../../define/policy/index.ts';
import type { Capability } from '../../define/index.ts';
import { oneLine } from '../../language/text/index.ts';
import type { DecideRequest, Observation } from '../../wire/contract/index.ts';
import { readResult, type Result, type ResultStore } from '../../wire/results/index.ts';
import { readConversation, type ConversationSources } from '../notes.ts';
import { jsonOf, textOf } from '../told-result.ts';
import { NO_NOTES, withObservation, type LoopNotes } from './notes.ts';

export interface Before {
  /** The notes with the observation in them. */
  readonly notes: LoopNotes;
  /** The facts for the observers of the policy; absent where the round before was no step, or of another policy. */
  readonly happened?: Happened;
}

export async function takeIn(
  { notes: ref, observation }: DecideRequest,
  policy: string,
  capabilities: readonly Capability[],
  store: ResultStore,
  conversation?: ConversationSources,
): Promise<Before> {
  const notes =
    ref === undefined
      ? await firstNotes(conversation)
      : (JSON.parse(Buffer.from(await store.get(ref)).toString('utf8')) as LoopNotes);
  if (observation === undefined) return { notes };
  const { round, status, results, message } = observation;
  const last = notes.recent.at(-1);
  const key = stepKey(round);
  const word = isSuccess(observation) ? 'SUCCESS' : 'FAILED';
  const given: Record<string, Result> = {};
  for (const [at, { ref: one }] of Object.entries(results)) {
    given[at === 'result' ? key : at] = await readResult(store, one);
  }
  const refs = Object.entries(results).map(([at, { ref: one }]) => [at === 'result' ? key : at, one] as const);
  const capability = capabilities.find(({ name }) => name === last?.does);
  const types = [...(capability?.provides ?? []), ...(last?.gives === undefined ? [] : [last.gives])];
  const { decision } = notes.policy?.name === policy ? notes.policy : {};
  return {
    notes: withObservation(notes, {
      observed: wordsFor(observation, given),
      line: `- Step '${key}' (${last?.does ?? 'nothing'}): ${word} - ${last?.said ?? ''}`,
      results: Object.fromEntries(refs),
      types: isSuccess(observation) ? Object.fromEntries(refs.map(([one]) => [one, types])) : {},
    }),
    ...(decision?.round === round && {
      happened: {
        round,
        decision: decision.decision,
        status,
        results: Object.fromEntries(Object.entries(given).map(([at, result]) => [at, jsonOf(result)])),
        ...(message !== undefined && { message }),
      },
    }),
  };
}

/** Results of earlier runs that a prompt lists, the last ones. */
const EARLIER_SHOWN = 50;

/** Osprey: context reuse. A source that fails is ignored: without it the loop knows less, and can still do its task. */
async function firstNotes(sources: ConversationSources | undefined): Promise<LoopNotes> {
  if (sources?.results === undefined) return NO_NOTES;
  const { conversation } = await readConversation({ results: sources.results });
  const known = (conversation.results ?? []).flatMap((one) =>
    one.ref === undefined ? [] : [{ ...one, ref: one.ref }],
  );
  if (known.length === 0) return NO_NOTES;
  return {
    ...NO_NOTES,
    results: Object.fromEntries(known.map(({ key, ref }) => [key, ref])),
    types: Object.fromEntries(known.flatMap(({ key, type }) => (type === undefined ? [] : [[key, [type]]]))),
    earlier: known
      .slice(-EARLIER_SHOWN)
      .map(({ key, type, objective }) => `- ${key}${type === undefined ? '' : ` (${type})`}: ${oneLine(objective)}`),
  };
}

function isSuccess({ status }: Observation): boolean {
  return status === 'succeeded' || status === 'reused';
}

/** The step of a round, as people, plans and results know it. */
export function stepKey(round: number): string {
  return `step_${round}`;
}

function wordsFor({ status, message }: Observation, results: Readonly<Record<string, Result>>): string {
  const told = [`The step ended: ${status}${message === undefined ? '' : `. ${message}`}`];
  for (const [key, result] of Object.entries(results)) told.push(`${key}: ${textOf(result)}`);
  return told.join('\n');
}
