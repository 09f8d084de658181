/** The second half of the story: what was approved is done once, whatever dies or breaks. */

import type { OpenItem } from 'planwright/client';
import { readLedger, type DemoWorker, type LedgerEntry } from '../../stage/index.ts';
import { MOVED_CURRENT, OFFSET } from '../expected.ts';
import { AT_DEVICE } from '../room-rules.ts';
import { FIRST_OPERATOR, SECOND_OPERATOR, spoken } from './people.ts';
import type { Kill } from './room-proof.ts';
import { approvalOf, previewsOf, questionOf } from './run-view.ts';
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
}

export async function magnetIsMoved({ beat, view, say, stage, room }: Tale): Promise<void> {
  beat('Somebody moves a magnet between the yes and the write');
  const { screen } = stage;
  room.send({ channel: 'QUAD:1:CURRENT', value: MOVED_CURRENT, key: AT_DEVICE });
  screen.say(...spoken(screen, SECOND_OPERATOR, `sets QUAD:1:CURRENT to ${MOVED_CURRENT} A, at the device itself`));
  await say({ by: FIRST_OPERATOR, says: 'resumes the run', control: { action: 'resume' }, expects: 'taken' });
  await view.until('the run goes on', ({ status }) => status.paused !== true);
}

/** One write has its value only now, and the other would start from a value that nobody was shown. */
export async function runAsksAgain({ beat, tell, view, say, nodeId }: Tale): Promise<void> {
  beat('Before each write its worker looks again: the run asks with what it sees');
  for (const step of ['steered', 'focused']) {
    const node = nodeId(step);
    const { open, status } = await view.until(`${node} asks again`, ({ open: items }) =>
      previewsOf(items).includes(`${node} ${step === 'focused' ? `QUAD:1:CURRENT ${MOVED_CURRENT}` : 'STEER'}`),
    );
    const { warning = '', shown = '' } = approvalOf(open) ?? {};
    tell(warning);
    await say({
      by: FIRST_OPERATOR,
      says: `approves ${node} as it is now`,
      decide: { kind: 'approve', digest: status.digest.slice(0, 8), shown: shown.slice(0, 8) },
      expects: 'taken',
    });
  }
}

export async function repeatedWriteIsRecognised(tale: Tale): Promise<void> {
  const { beat, tell, view, room, nodeId } = tale;
  beat('The line breaks after a write that may be repeated: its key is recognised');
  await view.until('focused is written', ({ nodes }) => nodes['focused'] === 'succeeded');
  const arrived = room.look().entries.filter(({ channel, key }) => channel === 'QUAD:1:CURRENT' && key !== AT_DEVICE);
  tell(
    `${nodeId('focused')} was begun ${attemptsAt(tale, 'focused').length} times: one found the magnet moved, and one got no answer`,
  );
  tell(`QUAD:1:CURRENT: ${arrived.map(({ verdict }) => verdict).join(', then ')}`);
}

export async function uncertainWriteIsSettled(tale: Tale): Promise<void> {
  const { beat, tell, view, nodeId } = tale;
  beat('The line breaks after the shutter: its record is asked, and nobody else');
  const { open } = await view.until('the shutter has fired', ({ nodes }) => nodes['exposed'] === 'succeeded');
  must(open.length === 0, 'nobody is asked whether the shutter has fired');
  const node = nodeId('exposed');
  const probed = (await view.trace()).find(({ text }) => text.startsWith(node) && text.includes('the probe'));
  tell(`${node} was begun ${attemptsAt(tale, 'exposed').length} time. In the trace: ${probed?.text ?? ''}`);
}

function attemptsAt({ stage, nodeId }: Tale, step: string): readonly LedgerEntry[] {
  return readLedger(stage.ledgerFile).filter((entry) => entry.what === 'started' && entry.nodeId === nodeId(step));
}
