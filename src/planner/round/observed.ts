import type { Happened } from '../../capabilities/policy/index.ts';
import type { Capability } from '../../capabilities/index.ts';
import { oneLine, cutCharacters } from '../../plan/text/index.ts';
import { stepKey, type Observation, type RoundRequest } from '../../protocol/index.ts';
import { readResult, type Result, type ResultStore } from '../../store/index.ts';
import { readConversation, type ConversationSources } from '../notes.ts';
import { lastRound, NO_NOTES, withObservation, type LoopNotes, type NotedRound } from './notes.ts';
import type { JsonValue } from '../../plan/index.ts';

export interface Before {
  readonly notes: LoopNotes;
  /** What the policy's observers receive; absent if the last round had no step or another policy. */
  readonly happened?: Happened;
}

export async function takeIn(
  { notes: ref, observation }: RoundRequest,
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
  const byKey: Record<string, Result> = {};
  const refs: Record<string, string> = {};
  for (const [at, { ref: one }] of Object.entries(results)) {
    const key = at === 'result' ? stepKey(round) : at;
    refs[key] = one;
    byKey[key] = await readResult(store, one);
  }
  const calls = lastRound(notes);
  const typesOf = ({ does, gives }: NotedRound) => [
    ...(capabilities.find(({ name }) => name === does)?.provides ?? []),
    ...(gives === undefined ? [] : [gives]),
  ];
  const typed = calls.flatMap((call) =>
    (call.key === undefined ? Object.keys(refs) : [call.key]).map((key) => [key, typesOf(call)] as const),
  );
  const { decision } = notes.policy?.name === policy ? notes.policy : {};
  return {
    notes: withObservation(notes, {
      observed: (call) => observedOf(call, observation, byKey),
      results: refs,
      types: Object.fromEntries(typed.filter(([key]) => key in refs && (isSuccess(observation) || calls.length > 1))),
    }),
    ...(decision?.round === round && {
      happened: {
        round,
        decision: decision.decision,
        status,
        results: Object.fromEntries(Object.entries(byKey).map(([at, result]) => [at, resultJson(result)])),
        ...(message !== undefined && { message }),
      },
    }),
  };
}

/** How one call of the round ended. Each read ends independently of the others. */
function observedOf(
  call: NotedRound,
  observation: Observation,
  byKey: Readonly<Record<string, Result>>,
): Pick<NotedRound, 'observed' | 'line' | 'refused'> {
  const { key, observed, does = 'nothing', said, refused, warned } = call;
  const line = (word: string) => `- Step '${key ?? stepKey(call.round)}' (${does}): ${word} - ${said}`;
  if (observed !== undefined) return { observed, line: line('FAILED') };
  const own = key === undefined ? observation : ofCall(key, observation);
  const results = key === undefined ? byKey : Object.fromEntries(Object.entries(byKey).filter(([at]) => at === key));
  const words = wordsFor(own, results);
  const texts = {
    observed: warned === undefined ? words : `${warned}\n${words}`,
    line: line(isSuccess(own) ? 'SUCCESS' : 'FAILED'),
  };
  // Only a step that did not run counts as rejected. A failed step ran.
  return { ...texts, ...(refused !== undefined && observation.status === 'rejected' && { refused }) };
}

function ofCall(key: string, { failures = {}, ...observation }: Observation): Observation {
  const { message: _, ...rest } = observation;
  if (key in rest.results) return { ...rest, status: 'succeeded' };
  const message = failures[key] ?? observation.message;
  const status = isSuccess(rest) ? 'failed' : rest.status;
  return { ...rest, status, ...(message !== undefined && { message }) };
}

const EARLIER_SHOWN = 50;

/** The notes for the first round, with results of earlier runs if they are readable (Osprey: context reuse). */
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

function wordsFor({ status, message, failures = {} }: Observation, results: Readonly<Record<string, Result>>): string {
  const lines = [`The step ended: ${status}${message === undefined ? '' : `. ${message}`}`];
  for (const [key, result] of Object.entries(results)) lines.push(`${key}: ${resultText(result)}`);
  for (const [key, why] of Object.entries(failures)) lines.push(`${key}: no result. ${why}`);
  return lines.join('\n');
}

const RESULT_CHARACTERS = 8000;
const IDS_SHOWN = 100;

/** A result as text for a model: the first 8,000 characters or, for a set, the first 100 ids. */
export function resultText(result: Result): string {
  const text =
    result.kind === 'text'
      ? result.text
      : result.kind === 'value'
        ? JSON.stringify(result.value)
        : `${result.set.ids.length} records: ${result.set.ids.slice(0, IDS_SHOWN).join(', ')}`;
  return text.length <= RESULT_CHARACTERS
    ? text
    : `${cutCharacters(text, RESULT_CHARACTERS)} (${text.length} characters in all)`;
}

export function resultJson(result: Result): JsonValue {
  switch (result.kind) {
    case 'set':
      return result.set.ids;
    case 'value':
      return result.value;
    case 'text':
      return result.text;
  }
}
