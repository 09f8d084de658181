/** The end of the story: the proof, the result, the audit, and commands to try next. */

import { relative } from 'node:path';
import type { TraceEntry } from 'planwright/client';
import {
  firstLines,
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
} from '../../stage/index.ts';
import { clockText, wrap } from '../../words.ts';
import { EXPECTED_WRITES } from '../expected.ts';
import { runIsUndone } from './undo-beat.ts';
import { proofOfRoom, type Kill, type RoomProof, type WriteRow } from './room-proof.ts';
import type { Tale } from './tale.ts';

interface RoomEnd {
  readonly tale: Tale;
  readonly output: Output;
  readonly kill: Kill | undefined;
  readonly seconds: number;
  /** Whether server and worker go on after this. */
  readonly stays: boolean;
}

/** The audit is the part of the trace that people said. */
const SAID: readonly TraceEntry['what'][] = ['decision', 'answer', 'control', 'refused'];

/** Columns of the audit, and those before the rest of an entry that takes several lines. */
const AUDIT_COLUMNS = 76;
const AUDIT_INDENT = 3;

/** `badOutcome` when the ledgers are not as they must be. */
export async function showRoom({ tale, output, kill, seconds, stays }: RoomEnd): Promise<StoryEnd['ended']> {
  const { stage, run, view, room, nodeId } = tale;
  const { screen, workflowId, ledgerFile } = stage;
  const { paint } = screen;
  const end = await run.end(stage.signal);
  const report = await textOf(run, end, stage);
  const expected = EXPECTED_WRITES.map((write) => ({ ...write, nodeId: nodeId(write.step) }));
  const proof = proofOfRoom({ expected, entries: room.look().entries, attempts: readLedger(ledgerFile), kill });
  screen.say('', ...proofLines(proof, kill, tale));

  const undone = await runIsUndone(tale);
  const faults = [...proof.faults, ...undone.faults];
  const audit = (await view.trace()).filter(({ what }) => SAID.includes(what));
  const link = await linkOf(stage);
  if (output.format === 'text') screen.say('', paint('bold', 'Result'), '');
  output.print(
    {
      ...{ ok: faults.length === 0, workflowId, link, seconds, report, writes: proof.rows },
      ...{ undone: undone.writes, faults, ...(kill && { killed: kill }), audit, ledgerFile, deviceFile: room.file },
    },
    () => firstLines(report.split('\n'), stage),
    () => audit,
  );
  if (output.format === 'text')
    screen.say('', `${paint('bold', 'Who said what')}  (-o jsonl has it as data)`, '', ...audit.flatMap(auditLines));
  const span = 'from the start of the run to its end';
  const ended = sayEnd(stage, { link, stays, seconds, span, next: nextCommands(stage, stays), faults });
  screen.say('', paint('dim', 'docs/control-room.md has the same story by hand, in the Web UI.'));
  return ended;
}

/** `14:03:07Z decision  approve: approved (operator as ops)`, wrapped below itself. */
function auditLines({ at, what, text, said }: TraceEntry): readonly string[] {
  const { by, role } = said ?? { by: undefined, role: undefined };
  const who = by === undefined ? '' : ` (${by}${role === undefined ? '' : ` as ${role}`})`;
  const [first = '', ...rest] = wrap(`${clockText(at)} ${what}  ${text}${who}`, AUDIT_COLUMNS);
  return [first, ...rest.map((line) => `${' '.repeat(AUDIT_INDENT)}${line}`)];
}

function proofLines({ rows, faults }: RoomProof, kill: Kill | undefined, { stage, room }: Tale): readonly string[] {
  const { paint } = stage.screen;
  const good = [
    `Each of the ${rows.length} writes happened exactly once.`,
    ...(kill === undefined ? [] : ['Nothing had been written when the worker was killed, and nothing was lost.']),
  ];
  return [
    `${paint('bold', 'Ledger')}  what arrived at the device room (a double: no hardware, one file)`,
    paint('dim', `        ${shortPath(room.file)}`),
    '',
    paint(
      'dim',
      `  ${'node'.padEnd(8)}${'channel'.padEnd(17)}${'value'.padStart(6)}${'begun'.padStart(7)}${'arrived'.padStart(9)}${'written'.padStart(9)}`,
    ),
    ...rows.map((row) => rowLine(row) + paint('dim', remarkOf(row))),
    '',
    ...verdictLines(faults, good, stage.screen),
  ];
}

function rowLine({ nodeId, channel, value, begun, arrived, applied }: WriteRow): string {
  const numbers = `${String(begun).padStart(7)}${String(arrived).padStart(9)}${String(applied).padStart(9)}`;
  return `  ${nodeId.padEnd(8)}${channel.padEnd(17)}${String(value).padStart(6)}${numbers}`;
}

function remarkOf({ effect, arrived, applied }: WriteRow): string {
  if (effect === 'at-most-once') return '  settled by its probe';
  return arrived > applied ? '  repeat recognised' : '';
}

function nextCommands(stage: Stage, stays: boolean): readonly string[] {
  const { demo, workflowId } = stage;
  return [
    // A run answers questions about itself through a worker on its own queue.
    ...reachRun(stage, stays, workflowId),
    `npx planwright status ${workflowId} --nodes`,
    `npx planwright trace ${workflowId} -o jsonl   # all of the audit`,
    `${temporalCli(stage)} workflow query -w ${workflowId} --type trace`,
    `${temporalCli(stage)} workflow show -w ${workflowId}`,
    `npx planwright compile ${relative('.', demo.planFile)}`,
  ];
}
