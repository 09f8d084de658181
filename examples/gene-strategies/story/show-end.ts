/** The end of the story: the proof, the answer, and commands to try next. */

import { relative } from 'node:path';
import type { CompiledPlan } from 'planwright';
import type { RunHandle } from 'planwright/client';
import {
  firstLines,
  linkOf,
  reachRun,
  resultOf,
  sayEnd,
  shortPath,
  temporalCli,
  verdictLines,
  type Output,
  type Screen,
  type Stage,
  type StoryEnd,
} from '../../stage/index.ts';
import { grouped } from '../../words.ts';
import { EXPECTED_ANSWER } from '../expected.ts';
import { proofOf, type Proof, type ProofRow } from './proof.ts';
import type { Watched } from './watch-run.ts';

interface EndOptions {
  readonly stage: Stage;
  readonly run: RunHandle;
  readonly plan: CompiledPlan;
  readonly output: Output;
  readonly watched: Watched;
  /** Faults of the plan and its counts: sentences. */
  readonly faults: readonly string[];
  /** The plan was made from the goal. */
  readonly isFromGoal: boolean;
  /** Whether a worker was to be killed. */
  readonly kill: boolean;
  /** Whether server and worker go on after this. */
  readonly stays: boolean;
}

/**
 * `badOutcome` when a node that had finished was carried out again, when the answer is another than expected, or when
 * there was no kill to survive.
 */
export async function showEnd({
  stage,
  run,
  plan,
  output,
  watched,
  faults,
  isFromGoal,
  kill: wantedKill,
  stays,
}: EndOptions): Promise<StoryEnd['ended']> {
  const { screen, workflowId } = stage;
  const { paint } = screen;
  const { end, facts, kill, ledger } = watched;
  const answer = await resultOf(run, end, stage);
  const ids = answer.kind === 'set' ? answer.set.ids : [];
  const attempts = proofOf(nodeIdsOf(plan), ledger, kill);
  const proof = { ...attempts, faults: [...attempts.faults, ...faults, ...answerFaults(ids.length)] };
  screen.say('', ...proofLines(proof, watched, stage));
  const link = await linkOf(stage);
  if (output.format === 'text')
    screen.say('', `${paint('bold', 'Answer')}  ${grouped(ids.length)} ${EXPECTED_ANSWER.what}`);
  output.print(
    {
      ...{ ok: proof.faults.length === 0, workflowId, digest: plan.digest, link, seconds: watched.seconds },
      ...{ count: ids.length, nodes: countsOf(plan, facts.completed), attempts: proof.rows, faults: proof.faults },
      ...(kill && { killed: { pid: kill.pid, finished: [...kill.finished], inFlight: [...kill.inFlight] } }),
      ledgerFile: stage.ledgerFile,
    },
    () => firstLines(ids, stage),
  );
  return sayEnd(stage, {
    ...{ link, stays, seconds: watched.seconds, span: 'from the approval to the answer' },
    next: nextCommands(stage, stays, isFromGoal),
    faults: proof.faults,
    missedKill: wantedKill && kill === undefined,
  });
}

function proofLines({ rows, faults }: Proof, { kill }: Watched, { screen, ledgerFile }: Stage): readonly string[] {
  const { paint } = screen;
  const good =
    kill === undefined
      ? 'Each node was started once.'
      : `None of the ${kill.finished.size} nodes that had finished was started again.`;
  return [
    `${paint('bold', 'Attempts')}  as the workers wrote them down, before and after each one`,
    paint('dim', `  ${shortPath(ledgerFile)}`),
    '',
    paint('dim', `  ${'node'.padEnd(9)}${'started'.padStart(9)}${'finished'.padStart(10)}  by worker`),
    ...rows.map((row) => rowLine(row, kill?.pid, screen)),
    '',
    ...verdictLines(faults, [good], screen),
  ];
}

const STANDINGS: Readonly<Record<ProofRow['standing'], string>> = {
  'finished before': 'had finished',
  'in flight': 'in flight: ran again',
  after: '',
  'no kill': '',
};

function rowLine(
  { nodeId, started, finished, pids, standing }: ProofRow,
  killed: number | undefined,
  { paint }: Screen,
): string {
  const workers = pids.map((pid) => (pid === killed ? `${pid} (killed)` : String(pid))).join(', ');
  const numbers = `  ${nodeId.padEnd(9)}${String(started).padStart(9)}${String(finished).padStart(10)}`;
  return `${numbers}  ${workers.padEnd(24)}  ${paint(standing === 'in flight' ? 'yellow' : 'dim', STANDINGS[standing])}`.trimEnd();
}

function answerFaults(count: number): readonly string[] {
  const { what, count: expected } = EXPECTED_ANSWER;
  return count === expected ? [] : [`The answer has ${grouped(count)} ${what}, and should have ${grouped(expected)}.`];
}

function nextCommands(stage: Stage, stays: boolean, isFromGoal: boolean): readonly string[] {
  const { demo, workflowId } = stage;
  const planFile = relative('.', demo.planFile);
  return [
    ...reachRun(stage, stays),
    ...(stays ? [`npx planwright status ${workflowId} --nodes`] : []),
    `npx planwright result ${workflowId} > answer.txt`,
    `${temporalCli(stage)} workflow show -w ${workflowId}`,
    `npx planwright compile ${planFile}`,
    ...(isFromGoal ? [] : [`npx planwright demo ${demo.name} --goal   # the same, from the goal in words`]),
    `cp ${planFile} my-plan.json   # change it, then`,
    `npx planwright diff ${planFile} my-plan.json`,
    `npx planwright run my-plan.json --demo ${demo.name}${stays ? ` --task-queue ${workflowId}` : ''}`,
  ];
}

function countsOf(
  plan: CompiledPlan,
  completed: ReadonlyMap<string, number>,
): Readonly<Record<string, number | undefined>> {
  return Object.fromEntries(nodeIdsOf(plan).map((id) => [id, completed.get(id)]));
}

function nodeIdsOf({ tasks, combines }: CompiledPlan): readonly string[] {
  return [...tasks, ...combines].map(({ id }) => id).sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
}
