/** An effect that has begun is known again in another plan: it keeps what it did, or the question says that it would be repeated. */

import { describe, expect, test } from 'vitest';
import { given, type PlanShape } from '../../../src/protocol/index.ts';
import { repetitionIn } from '../../../src/workflows/run/started-effects.ts';
import { askingNodes } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import {
  bring,
  BROKE,
  edit,
  editOf,
  executor,
  handle,
  landed,
  openedRun,
  progressOf,
  say,
  sayAndWait,
  shapeOf,
  underWay,
  takenUp,
} from './make-run.ts';

const NEW = 'e'.repeat(64);
const THIRD = 'd'.repeat(64);
const SET = 'Set the magnet to 44 A';
const AGAIN = `${SET} has run already (revision 1, node_1); approving this lets it run again`;

/** Effects with these keys, none of which needs another. */
function effects(keys: readonly string[], over: Partial<PlanShape> = {}): PlanShape {
  return shapeOf(
    keys.map(() => []),
    {
      executors: [executor('at-most-once')],
      summaries: keys.map(() => SET),
      effectKeys: Object.fromEntries(keys.entries()),
      ...over,
    },
  );
}

/** The first node is approved and ran, the others wait. */
function begun(over: Partial<PlanShape> = {}): Run {
  const run = openedRun(effects(['set', 'pay'], over));
  say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest: '3fa9c1d2', by: 'operator' });
  return run;
}

function ran(over: Partial<PlanShape> = {}): Run {
  const run = begun(over);
  bring(run, 0, handle('r0'));
  return run;
}

/** A plan in which nodes are those of the one before, in another form. */
function reform(run: Run, planShape: PlanShape, reformed: readonly number[]): void {
  const { work } = sayAndWait(run, 'decide', editOf(run));
  const sameAs = reformed.map(() => -1);
  landed(run, work, { ok: true, planShape, sameAs, reformed, project: { inbox: false } });
}

describe('what was seen before the plan was shown', () => {
  const THERE = '"result.bed" is there already';
  const warned = () => openedRun(effects(['a', 'b'], { warnings: { 1: THERE } }));

  test('stands in the first line of the question, in the details and in the trace', () => {
    const run = warned();
    const [item] = questionsOf(run);
    expect(item?.warning).toBe(`node_2: ${THERE}`);
    expect(item?.text).toMatch(/^node_2: "result\.bed" is there already\napprove /);
    expect(runDetails(run)).toContain('is there already');
  });

  test('what was read of the document otherwise than it was written stands in the question too', () => {
    const run = openedRun(effects(['a', 'b'], { documentWarnings: ['$.plan.args: read as "arguments"'] }));
    expect(questionsOf(run)[0]?.warning).toBe('$.plan.args: read as "arguments"');
  });

  test('is told of 5 nodes, and of the sixth that there are more', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const run = openedRun(effects(names, { warnings: Object.fromEntries(names.map((_, node) => [node, THERE])) }));
    expect(questionsOf(run)[0]?.warning).toContain(`node_5: ${THERE}`);
    expect(questionsOf(run)[0]?.warning).not.toContain('node_6');
    expect(questionsOf(run)[0]?.warning).toContain('1 more nodes have warnings');
  });

  test('of what need not be approved any more is not told', () => {
    const run = warned();
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_2'], digest: '3fa9c1d2', by: 'operator' });
    expect(questionsOf(run)[0]).not.toHaveProperty('warning');
  });

  test('is told after an edit of what was not looked at again, in its new place', () => {
    const run = warned();
    edit(run, effects(['b', 'c'], { digest: NEW }), [1, -1]);
    expect(questionsOf(run)[0]?.warning).toBe(`node_1: ${THERE}`);
  });
});

describe('an effect without a result whose node an edit removed', () => {
  const dials = (keys: readonly string[], digest?: string) =>
    effects(keys, { executors: [executor('idempotent', 'dial')], ...given({ digest }) });
  const LEFT = [{ summary: SET, where: 'revision 1, node_2' }];
  const begunDials = () => {
    const run = openedRun(dials(['dial', 'dial', 'pay']));
    const nodes = ['node_1', 'node_2'];
    say(run, 'decide', { kind: 'approve-part', nodes, digest: '3fa9c1d2', by: 'operator' });
    bring(run, 0, handle('r0'));
    return run;
  };

  test('stays in the status, although others with its effect key have succeeded before and after', () => {
    const run = begunDials();
    bring(run, 1, { ...BROKE, status: 'failed' });
    edit(run, dials(['dial'], NEW), [-1]);
    say(run, 'approve', { digest: NEW, by: 'operator' });
    bring(run, 0, handle('r1'));
    expect(statusOf(takenUp(run)).mayHaveRun).toEqual(LEFT);
  });

  test('stays in the status until it succeeds itself', () => {
    const run = begunDials();
    edit(run, dials(['pay'], NEW), [2]);
    expect(statusOf(run).mayHaveRun).toEqual(LEFT);
    const [id] = Object.entries(run.tasks).find(([, { kind }]) => kind === 'unused')!;
    landed(run, Number(id), handle('r1'));
    expect(statusOf(run)).not.toHaveProperty('mayHaveRun');
  });

  test('stays in the status if it was uncertain and a person skipped it', () => {
    const run = begun();
    bring(run, 0, { ...BROKE, status: 'uncertain' });
    edit(run, effects(['pay'], { digest: NEW }), [1]);
    expect(statusOf(run)).not.toHaveProperty('mayHaveRun');
    const { digest, revision } = questionsOf(run).find(({ kind }) => kind === 'uncertain')!;
    expect(revision).toBe(1);
    say(run, 'control', { action: 'skip-node', node: 'node_1', digest, by: 'operator' });
    expect(statusOf(run).mayHaveRun).toEqual([{ summary: SET, where: 'revision 1, node_1' }]);
  });
});

describe('in a plan of another form', () => {
  test('what has run keeps its result, is not asked about and does not run again', () => {
    const run = ran();
    reform(run, effects(['set', 'pay'], { digest: NEW }), [0, 1]);
    expect(progressOf(run).status).toEqual(['reused', 'pending']);
    expect(askingNodes(run)).toEqual([1]);
    expect(questionsOf(run)[0]?.text).toMatch(/^approve one node of/);
    say(run, 'approve', { digest: NEW, by: 'operator' });
    expect(underWay(run)).toEqual([1]);
    expect(run.state.trace.entries.some(({ text }) => text.includes('2 only in form, and keep what they did'))).toBe(
      true,
    );
  });

  test('what was approved and has not begun is asked about again: execute may read the difference', () => {
    const run = openedRun(effects(['set', 'pay']), { concurrency: 1, approval: { rules: [{ count: 2 }] } });
    say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' });
    reform(run, effects(['set', 'pay'], { digest: NEW }), [0, 1]);
    expect(askingNodes(run)).toEqual([0, 1]);
  });

  test('work under way is taken over, and held where its effect has not begun', () => {
    const run = begun();
    reform(run, effects(['set', 'pay'], { digest: NEW }), [0, 1]);
    expect(progressOf(run).status[0]).toBe('running');
    bring(run, 0, { deferred: 'run', reason: 'it is not approved' } as never);
    expect(progressOf(run).status[0]).toBe('pending');
    expect(underWay(run)).toEqual([]);
    expect(askingNodes(run)).toEqual([0, 1]);
  });
});

describe('a question that would let an effect happen again', () => {
  test('says so in its first line, in the details and in the reply to the edit', () => {
    const run = ran();
    expect(edit(run, effects(['set'], { digest: NEW }), [-1])?.ok).toBe(true);
    const [item] = questionsOf(run);
    expect(item).toMatchObject({ kind: 'approval', warning: AGAIN });
    expect(item?.text.split('\n')).toEqual([AGAIN, expect.stringMatching(/^approve the plan/)]);
    expect(runDetails(run)).toContain(AGAIN.replace('node_1', 'node\\_1'));
    expect(run.state.trace.entries.some(({ text }) => text.endsWith(`unchanged; ${AGAIN}`))).toBe(true);
  });

  test('says nothing of an effect with another key, or of one that has not begun', () => {
    const run = ran();
    edit(run, effects(['fire', 'pay'], { digest: NEW }), [-1, -1]);
    expect(questionsOf(run)[0]).not.toHaveProperty('warning');
  });

  test('knows it also when a plan between has left it out, and in the histories to come', () => {
    const run = ran();
    edit(run, effects(['pay'], { digest: NEW }), [1]);
    const resumed = takenUp(run);
    edit(resumed, effects(['set'], { digest: THIRD }), [-1]);
    expect(repetitionIn(resumed, askingNodes(resumed))).toBe(AGAIN);
  });

  test('knows the same effect in the plan that is open, and counts the others', () => {
    const run = ran();
    const planShape = effects(['set', 'set', 'fire'], { digest: NEW });
    edit(run, planShape, [0, -1, -1]);
    expect(repetitionIn(run, askingNodes(run))).toBe(AGAIN.replace('revision 1', 'revision 2'));
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_3'], digest: NEW, by: 'operator' });
    bring(run, 2, handle('r2'));
    edit(run, effects(['set', 'fire'], { digest: THIRD }), [-1, -1]);
    expect(repetitionIn(run, askingNodes(run))).toBe(
      `${SET} has run already (revision 2, node_1), and so have 1 more; approving this lets them run again`,
    );
  });

  test.each([
    ['is under way', 'at-most-once', undefined, true],
    ['is uncertain', 'at-most-once', { ...BROKE, status: 'uncertain' }, true],
    ['was uncertain, and skipped', 'at-most-once', { ...BROKE, status: 'uncertain' }, true],
    ['failed, and is idempotent', 'idempotent', { ...BROKE, status: 'failed' }, true],
    ['failed, and had not happened', 'at-most-once', { ...BROKE, status: 'failed' }, false],
    ['was held back', 'at-most-once', { deferred: 'run', reason: 'the run is paused' }, false],
  ] as const)('of what %s it says that it may have run', (name, effect, end, isTold) => {
    const run = begun({ executors: [executor(effect, 'set')] });
    if (end !== undefined && 'deferred' in end)
      say(run, 'control', { action: 'pause', digest: '3fa9c1d2', by: 'operator' });
    if (end !== undefined) bring(run, 0, end as never);
    if (name.includes('skipped'))
      say(run, 'control', { action: 'skip-node', node: 'node_1', digest: '3fa9c1d2', by: 'operator' });
    edit(run, effects(['set'], { digest: NEW, executors: [executor(effect)] }), [-1]);
    const told = repetitionIn(run, askingNodes(run));
    // While one is uncertain, another effect of its capability may be the same one, whatever its arguments say.
    const other = told?.replace(';', ', by the same capability;').replace('lets', 'may let');
    const isUncertain = end !== undefined && 'status' in end && end.status === 'uncertain';
    const reason = isUncertain || end === undefined ? ', and takes a reason' : '';
    edit(run, effects(['else'], { digest: THIRD, executors: [executor(effect, 'set')] }), [-1]);
    expect(repetitionIn(run, askingNodes(run))).toBe(isUncertain ? other : undefined);
    expect(told).toBe(isTold ? `${AGAIN.replace('has run', 'may have run')}${reason}` : undefined);
  });

  test.each([
    ['in a loop, where each step is worded anew', true],
    ['not in another plan, where the words are all that it says', false],
  ])('knows a task without arguments by its capability: %s', (_, isLoop) => {
    const run = begun({ effectKeys: { 0: 'flush.words' } });
    if (isLoop) run.state.loop = {} as never;
    bring(run, 0, handle('r0'));
    edit(run, effects(['flush.others'], { digest: NEW }), [-1]);
    expect(repetitionIn(run, askingNodes(run))).toBe(isLoop ? AGAIN : undefined);
  });
});
