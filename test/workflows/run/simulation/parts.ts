/** The worker of a part in a simulated run: it carries the nodes out one by one, tells of them by news, and gives back the rest. */

import { packEnds, type PartEnd } from '../../../../src/protocol/index.ts';
import { arrive } from '../../../../src/workflows/run/arrive.ts';
import { cancelsEverything } from '../../../../src/workflows/run/run.ts';
import type { TaskEnd } from '../../../../src/workflows/run/task-traits.ts';
import { REFUSES } from '../make-run.ts';
import { count, hold, now, type Flight, type World } from './model.ts';
import { advance } from './turns.ts';

type Piece = Flight & { readonly part: string };

/** The worker does something else: it gives the rest back, or is lost with it, so that a node of it goes alone. */
const ENDS = ['goes on', 'goes on', 'goes on', 'gives back', 'is lost'] as const;

/** The same in both lanes. */
export function resultOf(key: string): string {
  return `result-of-${key}`.padEnd(43, '-');
}

export function isPiece(flight: Flight): flight is Piece {
  return flight.part !== undefined;
}

/**
 * A node of the part that has its inputs is tried, and maybe its part ends with it.
 * @param isWell whether it has a result; else it goes alone
 */
export function landPiece(world: World, { part: name }: Piece, pick: number, isWell: (piece: Flight) => boolean): void {
  const { run } = world;
  const part = run.parts.get(name);
  if (part === undefined) throw new Error(`${name} is not under way`);
  const isHalted = part.isCancelled === true;
  const pieces = [...world.flights.values()].filter((flight) => flight.part === name);
  const able = pieces.filter((piece) => hasInputs(world, piece));
  const piece = able[pick % Math.max(1, able.length)];
  const tried = piece === undefined ? -1 : (part.nodes[piece.id - part.first] ?? -1);
  const isDone = piece !== undefined && isWell(piece);
  const ends: PartEnd[] = isDone ? [doneAs(tried, piece)] : [];
  const alone = piece === undefined || isDone ? [] : [tried];
  const end = piece === undefined ? 'gives back' : ENDS[isHalted ? 3 + (pick % 2) : pick % ENDS.length];
  const stopping = piece === undefined ? undefined : stoppedBy(world, piece);
  const place = piece === undefined ? -1 : nodeOf(world, piece);
  if (part.key === undefined) hear(world, { is: 'part-begun', part: name, key: `key of ${name}`, at: now(world) });
  const news = { key: `key of ${name}`, ends: packEnds(ends, { alone }) };
  hear(world, { is: 'part', message: { ...news, key: 'a guess' }, at: now(world) });
  hold('who guesses the word is not heard', run.tasks[piece?.id ?? pieces[0]?.id ?? 0] !== undefined, true);
  if (pick % 2 === 0) hear(world, { is: 'part', message: news, at: now(world) });
  if (end !== 'goes on') landAll(world, name, { ends, alone }, end === 'is lost', pieces);
  else if (pick % 2 === 1) hear(world, { is: 'part', message: news, at: now(world) });
  hear(world, { is: 'part', message: news, at: now(world) });
  if (piece !== undefined) world.flights.delete(piece.id);
  if (alone.length > 0) count(world, 'goes alone');
  if (alone.length > 0 && stopping === undefined && place >= 0) world.started.delete(piece?.key ?? '');
  if (place >= 0 && stopping !== undefined) {
    hold('what was cancelled is cancelled', run.execution?.progress.status[place], 'cancelled');
  }
  count(world, `a part ${end}`);
  world.history.events += 2;
  advance(world);
}

function landAll(
  world: World,
  name: string,
  { ends, alone }: { readonly ends: readonly PartEnd[]; readonly alone: readonly number[] },
  isLost: boolean,
  pieces: readonly Flight[],
): void {
  const { run } = world;
  const part = run.parts.get(name);
  const [next] = part?.nodes.filter((_, at) => run.tasks[(part.first ?? 0) + at] !== undefined) ?? [];
  const troubled = isLost && next !== undefined && !alone.includes(next) ? [...alone, next] : alone;
  const isGone = isLost && part?.isCancelled === true;
  const ended: TaskEnd = isGone ? LOST : { ok: true, value: packEnds(ends, { alone: troubled }) };
  const told = new Set(isGone ? [] : ends.map(({ node }) => node));
  for (const piece of pieces) {
    if (run.tasks[piece.id] === undefined) continue;
    world.flights.delete(piece.id);
    const isTold = told.has(part?.nodes[piece.id - (part?.first ?? 0)] ?? -1);
    // It is as if it had not begun.
    if (!isTold && stoppedBy(world, piece) === undefined && nodeOf(world, piece) >= 0) {
      world.started.delete(piece.key ?? '');
      count(world, 'given back');
    }
  }
  hear(world, { is: 'part-ended', part: name, ended, at: now(world) });
  hold(
    'a part that has ended has nothing under way',
    Object.values(run.tasks).some((one) => 'part' in one && one.part === name),
    false,
  );
  hold('it is not there any more', run.parts.has(name), false);
}

const LOST: TaskEnd = {
  ok: false,
  end: { status: 'failed', type: 'Timeout.HEARTBEAT', message: 'lost' },
  failure: { type: 'CRITICAL', message: 'lost', details: [] },
};

function hear({ run }: World, incoming: Parameters<typeof arrive>[1]): void {
  arrive(run, incoming, REFUSES);
}

function doneAs(node: number, { key = '' }: Flight): PartEnd {
  return { node, handle: { ref: resultOf(key), kind: 'set', count: 3, bytes: 9 } };
}

/** The node of the open plan; -1 where that has it no more. */
function nodeOf({ run }: World, { id }: Flight): number {
  const work = run.tasks[id];
  return work?.kind === 'node' ? work.node : -1;
}

/** By a person; a run that is cut off uses what has succeeded before it heard of it. */
function stoppedBy({ run }: World, { id }: Flight): string | undefined {
  const work = run.tasks[id];
  return work?.kind === 'node' && !cancelsEverything(run) ? work.stopping : undefined;
}

/** A worker waits for the results of the nodes before; what no plan needs any more may end at any time. */
function hasInputs(world: World, piece: Flight): boolean {
  const node = nodeOf(world, piece);
  const { handles } = world.run.execution?.progress ?? {};
  return node < 0 || (world.plan[node]?.inputs ?? []).every((input) => handles?.[input] !== undefined);
}
