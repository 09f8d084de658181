/** The scripted operator's word on each card, and the faults on the way. */

import { setTimeout as pause } from 'node:timers/promises';
import type { RunEnd } from 'planwright/client';
import { StoryError, type DemoWorker, type Stage } from '../../../stage/index.ts';
import type { CorrectorRoom } from '../corrector-room.ts';
import { CENTRE, MAKE_SAFE, SECOND_MONITOR } from '../model-script.ts';
import { FIRST_OPERATOR, SECOND_OPERATOR, type Person } from '../../story/people.ts';
import { must, type Teller } from '../../story/tale.ts';
import { askInWords, type AskedRun, type WaitingCard } from './asked-run.ts';
import { deedText, type Said, type WriteKill } from './orbit-proof.ts';

export interface OrbitTale extends Teller {
  readonly stage: Stage;
  readonly room: CorrectorRoom;
  /** Every card that was answered, in order. */
  readonly said: Said[];
}

export async function limitsComeFirst({ beat, stage }: OrbitTale): Promise<AskedRun> {
  beat('An operator asks in words; a model decides one step after the other');
  return askInWords(stage, CENTRE, stage.workflowId);
}

export async function rejectionIsObserved(tale: OrbitTale, asked: AskedRun): Promise<void> {
  const card = await cardFor(asked, 'pulse CORR:1 0 -> 0.5');
  tale.beat('A rejection writes nothing, and is what the model is told');
  await reject(tale, asked, card, 'too much, take half');
}

export async function deviceHasItsOwnWord(tale: OrbitTale, asked: AskedRun): Promise<void> {
  const card = await cardFor(asked, 'pulse CORR:1 0 -> 0.25');
  tale.beat('Approved, and still refused: the device is not armed');
  await approve(tale, asked, card);
}

export async function armingIsAWrite(tale: OrbitTale, asked: AskedRun): Promise<void> {
  const card = await cardFor(asked, 'arm CORR:1');
  tale.beat('Arming is a write as any other');
  await approve(tale, asked, card);
}

export interface Survived {
  readonly worker: DemoWorker;
  readonly kill?: WriteKill;
  readonly end: RunEnd;
}

/** Kills the worker when the pulse has arrived at the device and nobody has heard of it. */
export async function workerDiesInTheWrite(
  tale: OrbitTale,
  asked: AskedRun,
  first: DemoWorker,
  wantsKill: boolean,
): Promise<Survived> {
  const { beat, tell, stage, room } = tale;
  const { paint } = stage.screen;
  const card = await cardFor(asked, 'pulse CORR:1 0 -> 0.25');
  beat(wantsKill ? 'The worker is killed after the write, before its step has ended' : 'Armed, it takes the pulse');
  await approve(tale, asked, card);
  if (!wantsKill) return { worker: first, end: await asked.untilEnd() };
  const key = await pulseAt(room, stage.signal);
  await first.kill();
  tell(`${paint('red', `worker ${first.pid} killed`)} with SIGKILL: CORR:1 has its pulse, and the run does not know`);
  const worker = await stage.startWorker();
  tell(`${paint('green', `worker ${worker.pid} started`)}; the step is overdue after 5 s of silence`);
  const end = await asked.untilEnd();
  const verdicts = room.look().entries.flatMap((entry) => (entry.key === key ? [entry.verdict] : []));
  tell(`The same key came again, and CORR:1 recognised it: ${verdicts.join(', then ')}. It has disarmed by itself.`);
  return { worker, kill: { pid: first.pid, key }, end };
}

export async function killWaitsForNobody(tale: OrbitTale): Promise<{ workflowId: string; end: RunEnd }> {
  const { beat, tell, stage, said } = tale;
  beat('Whoever kills a run needs no approval, and says why');
  const workflowId = `${stage.workflowId}-killed`;
  const asked = await askInWords(stage, SECOND_MONITOR, workflowId);
  await approve(tale, asked, await cardFor(asked, 'arm CORR:2'));
  const { step, deed } = await cardFor(asked, 'pulse CORR:2 0 -> -0.1');
  said.push({ step, deed, word: 'killed' });
  await asked.say({
    by: SECOND_OPERATOR,
    says: 'kills it: somebody is at the magnet',
    control: { action: 'kill', comment: 'somebody is at the magnet' },
    expects: 'taken',
  });
  const end = await asked.untilEnd();
  if (end.how !== 'completed' || end.result.outcome !== 'aborted')
    throw new StoryError('failed', `${workflowId} was not aborted`);
  must(tale.room.look().armed['CORR:2'], 'CORR:2 is still armed');
  const { by = '', comment = '' } = end.result;
  tell(`The run is aborted, by ${by} (${comment}). What waited is not written; CORR:2 is still armed.`);
  return { workflowId, end };
}

export async function safetyWaitsForNobody(tale: OrbitTale): Promise<{ workflowId: string }> {
  const { beat, tell, stage, room } = tale;
  beat('The way to safety waits for nobody');
  const workflowId = `${stage.workflowId}-safe`;
  const asked = await askInWords(stage, MAKE_SAFE, workflowId);
  const end = await asked.untilEnd();
  must(end.how === 'completed' && end.result.outcome === 'done', 'the run to safety is done');
  for (const { what } of (await asked.run.view(['trace'])).trace.entries)
    must(what !== 'decision', 'nobody had to decide it');
  must(!Object.values(room.look().armed).includes(true), 'nothing is armed');
  tell('Nothing is armed, and nobody was asked.');
  return { workflowId };
}

async function cardFor(asked: AskedRun, deed: string): Promise<WaitingCard> {
  const card = await asked.nextCard();
  must(deedText(card.deed) === deed, `the card of ${card.step} is about "${deed}", not "${deedText(card.deed)}"`);
  return card;
}

async function approve(tale: OrbitTale, asked: AskedRun, card: WaitingCard): Promise<void> {
  await decide(tale, asked, card, { by: FIRST_OPERATOR, word: 'approved' });
}

async function reject(tale: OrbitTale, asked: AskedRun, card: WaitingCard, comment: string): Promise<void> {
  await decide(tale, asked, card, { by: FIRST_OPERATOR, word: 'rejected', comment });
}

interface Spoken {
  readonly by: Person;
  readonly word: 'approved' | 'rejected';
  readonly comment?: string;
}

async function decide(
  { said }: OrbitTale,
  asked: AskedRun,
  { step, deed, digest }: WaitingCard,
  { by, word, comment }: Spoken,
): Promise<void> {
  said.push({ step, deed, word });
  const [kind, verb] = word === 'approved' ? (['approve', 'approves'] as const) : (['reject', 'rejects'] as const);
  await asked.say({
    by,
    says: `${verb} ${step}${comment === undefined ? '' : `: ${comment}`}`,
    decide: { kind, digest, ...(comment !== undefined && { comment }) },
    expects: 'taken',
  });
}

const POLL_MS = 10;
const WITHIN_MS = 120_000;

/** The key of the first pulse that a corrector takes. */
async function pulseAt(room: CorrectorRoom, signal: AbortSignal): Promise<string> {
  for (const deadline = Date.now() + WITHIN_MS; ;) {
    const pulse = room.look().entries.find(({ does, verdict }) => does === 'pulse' && verdict === 'applied');
    if (pulse !== undefined) return pulse.key;
    if (Date.now() > deadline) throw new StoryError('failed', 'no pulse has arrived at the correctors in 2 minutes');
    await pause(POLL_MS, undefined, { signal });
  }
}
