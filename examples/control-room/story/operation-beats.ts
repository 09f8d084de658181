/** The second half of the story: what was approved is done once, whatever dies or breaks. */

import type { OpenItem } from 'planwright/client';
import { readLedger, type DemoWorker, type LedgerEntry } from '../../stage/index.ts';
import { OFFSET } from '../expected.ts';
import { FIRST_OPERATOR, SECOND_OPERATOR, spoken } from './people.ts';
import type { Kill } from './room-proof.ts';
import { questionOf } from './run-view.ts';
import { must, type Tale } from './tale.ts';

/** Kills the worker between the last approval and the first write, and returns the one that goes on. */
export async function workerIsKilled(tale: Tale, victim: DemoWorker): Promise<{ worker: DemoWorker; kill: Kill }> {
  const { beat, tell, view, stage, room } = tale;
  const { paint } = stage.screen;
  beat('The worker is killed between the last approval and the first write');
  await victim.kill();
  const written = room.look().entries.length;
  tell(`${paint('red', `worker ${victim.pid} killed`)} with SIGKILL; ${written} requests have reached the device room`);
  const worker = await stage.startWorker();
  const { status, open } = await view.until('another worker answers', () => true);
  must(
    status.phase === 'running' && questionOf(open) !== undefined,
    'the approvals and the question outlive the worker',
  );
  tell(`${paint('green', `worker ${worker.pid} started`)}: everything is still approved, and the question still asked`);
  return { worker, kill: { pid: victim.pid, written } };
}

export async function pausedRunStartsNothing(tale: Tale, question: OpenItem): Promise<void> {
  const { beat, tell, view, say, nodeId } = tale;
  beat('A paused run hears the answer and starts nothing');
  await say({ by: FIRST_OPERATOR, says: 'pauses the run', control: { action: 'pause' }, expects: 'taken' });
  const answer = { question: question.id };
  await say({
    by: SECOND_OPERATOR,
    says: `answers "${OFFSET} mm"`,
    answer: { ...answer, value: `${OFFSET} mm` },
    expects: 'wrong-answer',
  });
  await say({
    by: FIRST_OPERATOR,
    says: `answers ${OFFSET}`,
    answer: { ...answer, value: OFFSET },
    expects: 'taken',
  });
  const { status, nodes } = await view.now();
  must(status.paused === true && nodes['steered'] === 'pending', 'a paused run starts nothing');
  tell(`${nodeId('steered')} has all it needs and is approved, and does not start`);
  await say({ by: FIRST_OPERATOR, says: 'resumes the run', control: { action: 'resume' }, expects: 'taken' });
}

export async function repeatedWriteIsRecognised(tale: Tale): Promise<void> {
  const { beat, tell, view, room, nodeId } = tale;
  beat('The line breaks after a write that may be repeated: its key is recognised');
  await view.until('focused is written', ({ nodes }) => nodes['focused'] === 'succeeded');
  const arrived = room.look().entries.filter(({ channel }) => channel === 'QUAD:1:CURRENT');
  tell(`${nodeId('focused')} was begun ${attemptsAt(tale, 'focused').length} times, since no answer came to the first`);
  tell(`QUAD:1:CURRENT: ${arrived.map(({ verdict }) => verdict).join(', then ')}`);
}

export async function uncertainWriteIsSettled(tale: Tale): Promise<void> {
  const { beat, tell, view, say, room, stage, nodeId } = tale;
  beat('The line breaks after the shutter: nobody knows, so nothing is repeated');
  const { open, nodes } = await view.until('the shutter step is uncertain', ({ open: items }) =>
    items.some(({ kind }) => kind === 'uncertain'),
  );
  const item = open.find(({ kind }) => kind === 'uncertain');
  must(nodes['report'] === 'pending', 'what comes after an uncertain step waits');
  tell(`the run asks: ${item?.text ?? ''}`);
  tell(`${nodeId('exposed')} was begun ${attemptsAt(tale, 'exposed').length} time, and is not begun again`);
  const { pulses } = room.look();
  const seen = pulses['SHUTTER:1'];
  stage.screen.say(
    ...spoken(stage.screen, FIRST_OPERATOR, `goes to the device and looks: SHUTTER:1 has fired ${seen} pulse`),
  );
  await say({
    by: FIRST_OPERATOR,
    says: 'settles it: it happened',
    control: {
      action: 'resolve',
      node: nodeId('exposed'),
      outcome: 'succeeded',
      value: { shutter: 'SHUTTER:1', pulses: seen },
      comment: 'looked at the counter of the shutter',
    },
    expects: 'taken',
  });
}

function attemptsAt({ stage, nodeId }: Tale, step: string): readonly LedgerEntry[] {
  return readLedger(stage.ledgerFile).filter((entry) => entry.what === 'started' && entry.nodeId === nodeId(step));
}
