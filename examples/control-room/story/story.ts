/**
 * Three scripted people, a plan that writes to a device room, and everything that may go wrong between an approval and
 * a write. Their words are written down beforehand; the answers of the run are not.
 */

import type { CompiledPlan } from 'planwright';
import type { ApprovalRule } from 'planwright/client';
import { wrap } from '../../words.ts';
import { propose, type Scene, type Stage, type StoryEnd } from '../../stage/index.ts';
import { approvalOption } from '../room.ts';
import {
  editAsksAgainForOneWrite,
  partIsApproved,
  questionBlocksNobody,
  readsRunWritesWait,
  secondPersonInWords,
  staleApprovalIsRefused,
  unknownCapabilityIsRefused,
} from './approval-beats.ts';
import {
  magnetIsMoved,
  pausedRunStartsNothing,
  repeatedWriteIsRecognised,
  runAsksAgain,
  uncertainWriteIsSettled,
  workerIsKilled,
} from './operation-beats.ts';
import { showRoom } from './show-room.ts';
import { createTale } from './tale.ts';

/** Ends as done when every message was answered as it must be and everything was written exactly once. */
export async function tellControlRoom({ stage, worker: first, options, output }: Scene): Promise<StoryEnd> {
  const { screen } = stage;
  const began = Date.now();
  const approval = approvalOption();
  const { rules } = approval;
  const indented = (text: string) => wrap(text, screen.width - 2).map((part) => `  ${part}`);
  const proposed = await propose(stage, {
    options: { approval },
    draw: (shown) => stepLines(shown, stage),
  });
  screen.say('', screen.paint('bold', 'Rules'), ...rules.flatMap((rule) => indented(inWords(rule))));
  screen.say('', screen.paint('dim', 'The people are scripted; what the run answers them is not.'));

  const tale = createTale(stage, proposed);
  await readsRunWritesWait(tale);
  const question = await questionBlocksNobody(tale);
  await unknownCapabilityIsRefused(tale);
  await partIsApproved(tale);
  const before = await editAsksAgainForOneWrite(tale);
  await staleApprovalIsRefused(tale, before);
  await secondPersonInWords(tale);
  const { worker, kill } = options.kill ? await workerIsKilled(tale, first) : { worker: first, kill: undefined };
  await pausedRunStartsNothing(tale, question);
  await magnetIsMoved(tale);
  await runAsksAgain(tale);
  await repeatedWriteIsRecognised(tale);
  await uncertainWriteIsSettled(tale);

  const seconds = (Date.now() - began) / 1000;
  const ended = await showRoom({ tale, output, kill, seconds, stays: options.keep });
  return { ended, worker, stays: false };
}

function inWords({ effect, roles = [], count = 1 }: ApprovalRule): string {
  const who = roles.join(' or ');
  const what = effect === 'idempotent' ? 'whatever writes' : `whatever is ${effect ?? 'done'}`;
  return `${what} needs ${count === 1 ? `somebody of the role ${who}` : `${count} different people of the roles ${who}`}`;
}

/** The steps in their order, each with what it does to the world. */
function stepLines(plan: CompiledPlan, { registry, backstage, screen: { paint, width } }: Stage): readonly string[] {
  const effectOf = new Map(
    plan.tasks.map(({ id, capability = '' }) => [id, registry.executor('capability', capability)?.effect ?? 'read']),
  );
  const outline = backstage.outlineOf(plan, { words: 'none', more: (id) => ({ effect: effectOf.get(id) ?? 'read' }) });
  return [
    ...backstage.outlineLines(outline, { width: width - 2, paint }),
    '',
    backstage.sumOf(outline.entries.values()),
  ];
}
