/** The end of the reactive story: the proof, the answer, and commands to try next. */

import type { RunEnd, RunHandle } from 'planwright/client';
import {
  linkOf,
  reachRun,
  readLedger,
  sayEnd,
  shortPath,
  temporalCli,
  textOf,
  verdictLines,
  type Output,
  type Stage,
  type StoryEnd,
} from '../../../stage/index.ts';
import { wrap } from '../../../words.ts';
import type { OrbitTale } from './beats.ts';
import { deedText, proofOfOrbit, type DeedRow, type OrbitProof, type Said, type WriteKill } from './orbit-proof.ts';

interface OrbitEnd {
  readonly tale: OrbitTale;
  readonly run: RunHandle;
  readonly end: RunEnd;
  readonly kill: WriteKill | undefined;
  readonly killed: { readonly workflowId: string; readonly end: RunEnd };
  readonly safe: { readonly workflowId: string };
  readonly output: Output;
  readonly seconds: number;
  /** Whether server and worker go on after this. */
  readonly stays: boolean;
}

/** `badOutcome` when the ledgers are not as they must be. */
export async function showOrbit(given: OrbitEnd): Promise<StoryEnd['ended']> {
  const { tale, run, end, kill, killed, safe, output, seconds, stays } = given;
  const { stage, room, said } = tale;
  const { screen, workflowId, ledgerFile, modelFile } = stage;
  const { paint, width } = screen;
  const answer = await textOf(run, end, stage);
  const state = room.look();
  const proof = proofOfOrbit({ said, room: state, attempts: readLedger(ledgerFile), kill });
  const { faults, rows } = proof;
  screen.say('', ...proofLines(proof, said, kill, tale));
  const aborted = killed.end.how === 'completed' ? killed.end.result : undefined;
  const link = await linkOf(stage);
  if (output.format === 'text') screen.say('', paint('bold', 'Answer'));
  output.print(
    {
      ...{ ok: faults.length === 0, workflowId, link, seconds, answer, said, writes: rows, faults },
      ...{ setPoints: state.setPoints, armed: state.armed, ...(kill && { killed: kill }) },
      ...{ aborted: { workflowId: killed.workflowId, by: aborted?.by, comment: aborted?.comment }, safe },
      ...{ ledgerFile, modelFile, deviceFile: room.file },
    },
    () => wrap(answer, width).join('\n'),
  );
  const span = 'from the first words to the end';
  return sayEnd(stage, { link, stays, seconds, span, next: nextCommands(stage, stays), faults });
}

function proofLines(
  { rows, faults }: OrbitProof,
  said: readonly Said[],
  kill: WriteKill | undefined,
  { stage, room }: OrbitTale,
): readonly string[] {
  const { paint } = stage.screen;
  const count = (word: Said['word']) => said.filter((one) => one.word === word).length;
  const written = rows.filter(({ applied }) => applied === 1).length;
  const refused = rows.filter((row) => row.refused !== undefined).length;
  const good = [
    `Each of the ${written} writes happened exactly once.`,
    `${count('approved')} cards were approved, and ${refused} of them the device refused.`,
    `Of ${count('rejected')} rejected and ${count('killed')} killed proposal nothing arrived.`,
    ...(kill === undefined ? [] : ['The write of the killed worker was recognised, and not repeated.']),
    'No device was written to twice at once, and none is left armed.',
  ];
  const head = `  ${'write'.padEnd(26)}${'begun'.padStart(7)}${'arrived'.padStart(9)}${'written'.padStart(9)}`;
  return [
    `${paint('bold', 'Ledger')}  what arrived at the correctors (simulated: no hardware, one file)`,
    paint('dim', `        ${shortPath(room.file)}`),
    '',
    paint('dim', head),
    ...rows.map((row) => rowLine(row) + paint('dim', remarkOf(row))),
    '',
    ...verdictLines(faults, good, stage.screen),
  ];
}

function rowLine({ deed, begun, arrived, applied }: DeedRow): string {
  const numbers = `${String(begun).padStart(7)}${String(arrived).padStart(9)}${String(applied).padStart(9)}`;
  return `  ${deedText(deed).padEnd(26)}${numbers}`;
}

function remarkOf({ deed, arrived, applied, refused }: DeedRow): string {
  if (refused !== undefined) return `  ${refused.split(':')[0] ?? ''}`;
  if (deed.does === 'safe') return '  asked nobody';
  return arrived > applied ? '  its key was recognised' : '';
}

function nextCommands(stage: Stage, stays: boolean): readonly string[] {
  const { workflowId, modelFile } = stage;
  return [
    ...reachRun(stage, stays, workflowId),
    `npx planwright trace ${workflowId} --rounds`,
    `npx planwright trace ${workflowId}-killed`,
    `${temporalCli(stage)} workflow show -w ${workflowId}`,
    `less ${shortPath(modelFile)}`,
  ];
}
