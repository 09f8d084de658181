/** The last beat: what the run wrote is undone, by a plan that is shown, approved and run like any other. */

import { createFileStore } from 'planwright/results';
import { endRun, showPlan, StoryError, verdictLines } from '../../stage/index.ts';
import { approvalOption } from '../room.ts';
import { createSay, FIRST_OPERATOR } from './people.ts';
import { undoFaults } from './room-proof.ts';
import { approvalOf, createRunView, previewsOf } from './run-view.ts';
import { must, type Tale } from './tale.ts';

interface UndoneWrite {
  readonly channel: string;
  readonly value: number;
}

/** Runs after the proof of the writes, which counts them. */
export async function runIsUndone(tale: Tale): Promise<{
  /** The writes of the undo, in their order. */
  readonly writes: readonly UndoneWrite[];
  readonly faults: readonly string[];
}> {
  const { beat, tell, stage, run, room } = tale;
  const { backstage, client, plans, registry, screen, server, signal, storeDir } = stage;
  beat('The run is undone: "planwright undo" writes a plan, which waits for approval like any other');
  const session = { plans, run, client, namespace: server.namespace, results: createFileStore(storeDir) };
  const { document, left } = await backstage.undoDocument(session, registry, (command) => `npx planwright ${command}`);
  for (const { node, reason } of left) tell(`${node} stays: ${reason}`);
  const workflowId = `${stage.workflowId}-undo`;
  const started = await plans.start(document, { workflowId, options: { approval: approvalOption() } });
  if (!started.ok) throw new StoryError('invalid-plan', 'the plan of the undo is invalid', started.issues);
  stage.cleanup.add(() => endRun({ client, workflowId }));
  showPlan(stage, started.plan);
  const view = createRunView(stage, started.run, started.plan);
  const { open, status } = await view.until('the undo shows what it changes', ({ open: items }) =>
    ['QUAD', 'STEER'].every((channel) => previewsOf(items).includes(channel)),
  );
  tell(previewsOf(open));
  const shown = approvalOf(open)?.shown?.slice(0, 8);
  const arrived = room.look().entries.length;
  await createSay(
    started.run,
    stage,
  )({
    by: FIRST_OPERATOR,
    says: 'approves the undo',
    decide: { kind: 'approve', digest: status.digest.slice(0, 8), ...(shown !== undefined && { shown }) },
    expects: 'taken',
  });
  const end = await started.run.end(signal);
  must(end.how === 'completed' && end.result.outcome === 'done', 'the undo succeeds');
  const after = room.look();
  const faults = undoFaults(after);
  screen.say('', ...verdictLines(faults, ['Each supply is where it would be without the run.'], screen));
  return { writes: after.entries.slice(arrived).map(({ channel, value }) => ({ channel, value })), faults };
}
