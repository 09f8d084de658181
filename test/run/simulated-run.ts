/** A run with everything around it but Temporal: work in flight, values being stored, plans being compiled, time. */

import { nextDeadline, passDeadlines } from '../../src/run/deadlines.ts';
import type { Decision } from '../../src/run/decision.ts';
import { hearEarly, judge, refused, takeEdit, type MessageName } from '../../src/run/hear.ts';
import { mayRun } from '../../src/run/may-run.ts';
import { cancelPending, startNext, succeed } from '../../src/run/progress.ts';
import { ask, giveUp, takeDefault } from '../../src/run/questions.ts';
import type { Question } from '../../src/run/question.ts';
import type { ApprovalRule } from '../../src/run/rules.ts';
import { endNode, openRun, planCompiled, type Heard, type Run } from '../../src/run/run.ts';
import { checkHeard, checkRefused, checkWorld, snapshotOf } from './invariants.ts';
import { handle, NO_PROJECT, progressOf } from './make-run.ts';
import { count, digestOf, hold, isCovered, now, remember, type World } from './model.ts';
import { applyEdit, sliceOfPlan, type RandomEdit, type RandomPlan } from './random-plan.ts';

export type Ending = 'succeeded' | 'failed' | 'uncertain' | 'cancelled' | Question;

export function openWorld(plan: RandomPlan, rules: readonly ApprovalRule[], options: Partial<Run['options']>): World {
  const run = openRun('plan-1');
  run.options = { ...run.options, approvalDeadlineMs: 1000, answerDeadlineMs: 500, ...options, approval: { rules } };
  return {
    run,
    ms: 0,
    plan,
    rules,
    flights: [],
    arriving: [],
    stands: new Map(),
    readers: new Set(),
    started: new Set(),
    askedBy: new Map(),
    seen: {},
    plans: 1,
  };
}

export function compile(world: World): void {
  const { run, plan } = world;
  for (const decision of planCompiled(run, sliceOfPlan(plan, digestOf(1)), NO_PROJECT, now(world))) {
    const before = run.approval.decisions.length;
    hearEarly(run, decision, now(world));
    if (run.approval.decisions.length > before) remember(world, decision);
  }
  advance(world);
}

/** Says something, and sees that it is either refused and without effect, or taken and on record. */
export function hear(world: World, name: MessageName, payload: unknown, edit?: RandomEdit): void {
  const { run } = world;
  const before = snapshotOf(run);
  const judgement = judge(run, name, payload, false, now(world));
  hold('a refusal changes nothing', snapshotOf(run), before);
  if (!judgement.ok) {
    count(world, `refused ${judgement.refusal}`);
    checkRefused(judgement);
    refused(run, name, judgement, now(world));
  } else if (judgement.todo === 'nothing') {
    take(world, name, payload, () => judgement.take(now(world)));
  } else if (judgement.todo === 'compile') {
    if (edit !== undefined) compileEdit(world, judgement.decision, edit);
  } else {
    const ref = `ref-${JSON.stringify(judgement.value)}`;
    world.arriving.push((ok) => {
      if (ok) take(world, name, payload, () => judgement.take(handle(ref), now(world)));
    });
  }
  advance(world);
}

function take(world: World, name: MessageName, payload: unknown, work: () => Heard): void {
  const { run } = world;
  const before = snapshotOf(run);
  const status = [...(run.progress?.status ?? [])];
  const drafting = run.approval.phase === 'drafting';
  const heard = work();
  if (!heard.ok) {
    hold('a refusal changes nothing', snapshotOf(run), before);
    count(world, `refused late ${heard.refusal}`);
    checkRefused(heard);
    refused(run, name, heard, now(world));
    return;
  }
  const said = payload as Record<string, unknown> & { kind?: string; action?: string };
  count(world, `taken ${said.kind ?? said.action ?? name}`);
  checkHeard(world, name, said, heard.reply);
  if (name === 'control' && said['action'] === 'retry-node') {
    const node = Number(String(said['node']).slice('node_'.length)) - 1;
    if (!['pending', 'running', 'waiting'].includes(status[node] ?? ''))
      world.started.delete(world.plan[node]?.key ?? '');
    if (heard.reply.includes('approved again')) world.stands.delete(world.plan[node]?.key ?? '');
  }
  if (name !== 'control' && name !== 'answer' && !drafting) {
    remember(world, { ...said, kind: said['kind'] ?? name } as unknown as Decision);
  }
}

function compileEdit(world: World, decision: Parameters<typeof takeEdit>[1], edit: RandomEdit): void {
  const { run } = world;
  const base = world.plan;
  world.plans += 1;
  const { plan, sameAs } = applyEdit(base, edit, world.plans);
  const slice = sliceOfPlan(plan, digestOf(world.plans));
  world.arriving.push((ok) => {
    if (!ok) return;
    const before = snapshotOf(run);
    const statuses = [...progressOf(run).status];
    const heard = takeEdit(run, decision, { slice, sameAs }, now(world));
    if (!heard.ok) {
      hold('a refusal changes nothing', snapshotOf(run), before);
      count(world, `refused late ${heard.refusal}`);
      refused(run, 'decide', heard, now(world));
      return;
    }
    count(world, 'taken edit');
    checkHeard(world, 'decide', { ...decision }, heard.reply);
    world.plan = plan;
    const keys = new Set(plan.map(({ key }) => key));
    for (const key of [...world.stands.keys()]) if (!keys.has(key)) world.stands.delete(key);
    plan.forEach(({ key, effect }, node) => {
      const old = sameAs[node] ?? -1;
      // A read that failed is tried anew in the new plan.
      if (old >= 0 && statuses[old] === 'failed' && effect === 'read') world.started.delete(key);
    });
  });
}

/** Work in flight ends, if there is any. */
export function land(world: World, pick: number, ending: Ending): void {
  const { run, flights } = world;
  const [landed] = flights.splice(pick % Math.max(1, flights.length), 1);
  if (landed === undefined) return;
  const { flight, stopped } = landed;
  run.flights.delete(flight);
  const { node } = flight;
  if (node !== undefined) {
    const effect = world.plan[node]?.effect;
    if (ending === 'succeeded') succeed(progressOf(run), node, handle(`result of ${world.plan[node]?.key}`));
    else if (typeof ending === 'object') {
      ask(run, node, ending, now(world));
      for (const id of run.questions.keys()) {
        if (run.questions.get(id)?.node === node) world.askedBy.set(id, world.plan[node]?.key ?? '');
      }
    } else {
      const unsure = effect === 'at-most-once' && ending !== 'failed';
      const status = unsure ? 'uncertain' : ending === 'cancelled' && stopped ? 'cancelled' : 'failed';
      endNode(run, node, { status, type: 'CRITICAL', message: 'broke' }, now(world), true);
    }
    count(world, typeof ending === 'object' ? 'landed question' : `landed ${ending}`);
  } else count(world, 'landed unused');
  advance(world);
}

export function arrive(world: World, pick: number, ok: boolean): void {
  const [work] = world.arriving.splice(pick % Math.max(1, world.arriving.length), 1);
  work?.(ok);
  advance(world);
}

/** Time passes; the alarm may ring later than what is said at that time. */
export function wait(world: World, ms: number, rings: boolean): void {
  world.ms += ms;
  const due = nextDeadline(world.run);
  if (rings && due !== undefined && due <= now(world)) {
    for (const asked of passDeadlines(world.run, now(world))) {
      world.arriving.push((ok) => {
        if (ok) takeDefault(world.run, asked, handle('default'), now(world));
        else giveUp(world.run, asked, now(world), 'its default could not be stored');
      });
    }
    count(world, 'deadline');
  }
  advance(world);
}

/** What the workflow does after everything that happens. */
function advance(world: World): void {
  const { run } = world;
  const { progress, slice } = run;
  if (progress !== undefined && slice !== undefined) {
    if (run.approval.phase === 'closed') {
      cancelPending(progress);
      run.questions.clear();
      run.settling.clear();
    } else if (!run.paused) {
      const isFree = (node: number) => mayRun({ digest: slice.digest, node }, run.approval).ok;
      for (let node = startNext(progress, isFree); node !== undefined; node = startNext(progress, isFree))
        start(world, node);
    }
  }
  checkWorld(world);
}

function start(world: World, node: number): void {
  const { run, plan, started, flights } = world;
  const key = plan[node]?.key ?? '';
  hold(`${key} is started with approval`, isCovered(world, node), true);
  hold(`${key} is started once more`, started.has(key), false);
  const inputs = plan[node]?.inputs ?? [];
  hold(
    `${key} has its inputs`,
    inputs.every((input) => progressOf(run).handles[input] !== undefined),
    true,
  );
  started.add(key);
  const flying: World['flights'][number] = {
    flight: { node, cancel: () => void (flying.stopped = true) },
    stopped: false,
  };
  run.flights.add(flying.flight);
  flights.push(flying);
  count(world, 'started');
  if (plan[node]?.effect !== 'read') count(world, 'started above read');
}
