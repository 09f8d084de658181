import { Context } from '@temporalio/activity';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import type { CompileRequest, KeepRequest, KeptResult, ConversationRun } from '../protocol/index.ts';
import { contextRefs } from '../plan/index.ts';
import type { ConversationSources } from '../planner/index.ts';
import { cutCharacters } from '../plan/text/index.ts';
import { type Stores, placeOf } from './stores.ts';
import type { Revision } from './revision.ts';
import { markResources, markResult } from './untrusted.ts';
import { conversationResource } from '../store/index.ts';

/** Maximum length of a stored result's objective. */
const OBJECTIVE_CHARACTERS = 500;

/** Stores the end of a run in its conversation. The key prevents a duplicate entry. */
export type KeepEnd = (conversation: string, end: ConversationRun, key: string) => Promise<void>;

export async function keepResults(
  request: KeepRequest,
  revision: Revision | undefined,
  registry: CapabilityRegistry,
  stores: Stores,
  keepEnd: KeepEnd | undefined,
): Promise<void> {
  const { conversation, outcome, goal, result } = request;
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const steps = resultsOfSteps(request, revision, registry);
  const whole = result === undefined ? [] : [{ objective: cutCharacters(goal, OBJECTIVE_CHARACTERS), ref: result }];
  const end = { workflowId, outcome, goal, results: [...steps, ...whole], left: request.left };
  // The conversation outlives the run, so the results are copied.
  const [own, kept] = [stores.of(placeOf(request)), stores.conversation(conversation)];
  for (const { ref } of end.results) await kept.put(await own.get(ref));
  const marked = request.steps.filter(({ nodeId }) => revision?.isUntrusted(nodeId)).map(({ ref }) => ref);
  if (request.untrusted === true && result !== undefined) marked.push(result);
  for (const ref of marked) await markResult(kept, ref);
  if (marked.length > 0 || request.untrusted === true)
    await markResources(stores, [conversationResource(conversation)]);
  await keepEnd?.(conversation, end, `${workflowId}/${runId}`);
}

function resultsOfSteps(
  { steps }: KeepRequest,
  revision: Revision | undefined,
  registry: CapabilityRegistry,
): readonly KeptResult[] {
  return steps.flatMap(({ nodeId, ref }) => {
    const node = revision?.plan.nodesById[nodeId];
    if (node?.kind !== 'task' || node.contextKey === undefined) return [];
    const { contextKey: key, expectedOutput, task, capability = '' } = node;
    const { provides = [] } = registry.capability(capability) ?? {};
    const type = expectedOutput ?? (provides.length === 1 ? provides[0] : undefined);
    return [{ key, ...(type !== undefined && { type }), objective: cutCharacters(task, OBJECTIVE_CHARACTERS), ref }];
  });
}

/** References of results that a plan may use: first from the replaced plan, then from the conversation. */
export async function earlierRefs(
  { conversation, context = {} }: CompileRequest,
  conversationOf: ((id: string) => ConversationSources) | undefined,
  base: Revision | undefined,
): Promise<Readonly<Record<string, string>>> {
  const results = conversation === undefined ? [] : await conversationOf?.(conversation).results?.();
  const earlier = (results ?? []).flatMap(({ key, ref }) => (ref === undefined ? [] : [[key, ref] as const]));
  const all = [...earlier, ...Object.entries(base === undefined ? {} : contextRefs(base.plan))];
  return Object.fromEntries(all.filter(([key]) => !Object.hasOwn(context, key)));
}
