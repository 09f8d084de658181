/** The diagram of a plan and the run of it. */

import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { renderMermaid } from '../../src/plan/index.ts';
import { mermaidEdges } from '../plan/mermaid-edges.ts';
import { ids } from '../support/capabilities.ts';
import { compiledPlan, combine, idsOf, planOf } from '../support/plans.ts';
import { ownRig } from '../support/rig.ts';
import type { WorkflowHandle } from '@temporalio/client';

test('the diagram of a plan and the history of its run have the same arrows', async () => {
  const rig = await ownRig({ capabilities: [ids] });
  // Every result differs, so that a reference tells which node it is of.
  const shared = combine('UNION', idsOf('a', 'b'), idsOf('c', 'd'));
  const document = planOf(
    combine('MINUS', combine('RMINUS', idsOf('c', 'x'), shared), combine('INTERSECT', shared, idsOf('b', 'z'))),
  );
  const run = await rig.startApproved(document);
  await run.result();
  const compiled = compiledPlan(document);
  const drawn = mermaidEdges(renderMermaid(compiled.plan));
  expect(drawn).toHaveLength(8);
  expect((await edgesOf(run)).toSorted()).toEqual(drawn.toSorted());
});

/** Each use of one node's result by another, from the inputs and the results of the activities. */
async function edgesOf(run: WorkflowHandle): Promise<string[]> {
  const { events } = await run.fetchHistory();
  const nodeByEvent = new Map<string, { readonly id: string; readonly inputs: readonly string[] }>();
  const nodeByRef = new Map<string, string>();
  for (const event of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (['runTask', 'combine'].includes(scheduled?.activityType?.name ?? '')) {
      const payload = scheduled!.input!.payloads![0]!;
      const { inputs } = defaultPayloadConverter.fromPayload<{ inputs: string[] }>(payload);
      nodeByEvent.set(String(event.eventId), { id: scheduled!.activityId ?? '', inputs });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const node = nodeByEvent.get(String(completed?.scheduledEventId));
    if (completed?.result?.payloads != null && node !== undefined) {
      const { ref } = defaultPayloadConverter.fromPayload<{ ref: string }>(completed.result.payloads[0]!);
      nodeByRef.set(ref, node.id);
    }
  }
  expect(nodeByRef.size).toBe(nodeByEvent.size);
  return [...nodeByEvent.values()].flatMap(({ id, inputs }) => inputs.map((ref) => `${nodeByRef.get(ref)} ${id}`));
}
