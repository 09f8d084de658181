import { describe, expect, test } from 'vitest';
import { nextDeadline, passDeadlines } from '../../src/run/deadlines.ts';
import { hearEarly, judge } from '../../src/run/hear.ts';
import { fail, startNext, succeed } from '../../src/run/progress.ts';
import { closedResult, endingOf } from '../../src/run/result.ts';
import { closeRun, openRun, planCompiled, type Run } from '../../src/run/run.ts';
import { nodesOf, planOf, statusOf } from '../../src/run/views.ts';
import { AT, DIGEST, handle, later, NO_PROJECT, openedRun, progressOf, say, sliceOf } from './make-run.ts';

const APPROVE = { digest: '3fa9c1d2', by: 'ana' };
const SLICE = sliceOf([[], [], [0, 1]], { summaries: ['exons', 'repeats', 'exons MINUS repeats'] });
const BROKE = { type: 'CRITICAL', message: 'broke' };

describe('a run that is told something before its plan is compiled', () => {
  test('takes it when the plan is there', () => {
    const run = openRun('plan-1');
    expect(say(run, 'approve', APPROVE)).toEqual({ ok: true, reply: 'kept until the plan is compiled', kept: true });
    expect(statusOf(run).phase).toBe('drafting');
    compiled(run);
    expect(statusOf(run).phase).toBe('running');
    expect(run.approval.decisions).toMatchObject([{ kind: 'approve', by: 'ana', at: later(1), revision: 1 }]);
    expect(run.trace.entries.filter(({ what }) => what === 'decision')).toHaveLength(1);
  });

  test('refuses it when it was about another plan', () => {
    const run = openRun('plan-1');
    say(run, 'approve', { ...APPROVE, digest: 'ffffffff' });
    compiled(run);
    expect(statusOf(run).phase).toBe('awaiting-approval');
    expect(run.trace.entries.at(-1)).toMatchObject({ what: 'refused', said: { refusal: 'stale-digest' } });
    expect(run.trace.entries.at(-1)?.text).toContain('names digest ffffffff, the open plan is 3fa9c1d2');
  });

  test('takes in order of arrival: what was rejected first is not approved', () => {
    const run = openRun('plan-1');
    say(run, 'reject', { ...APPROVE, by: 'ben' });
    say(run, 'approve', APPROVE);
    compiled(run);
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'rejected' });
  });

  test('refuses what is not signed, where that turns out to be asked', () => {
    const run = openRun('plan-1');
    say(run, 'approve', APPROVE);
    compiled(run, { identity: true, inbox: false });
    expect(statusOf(run).phase).toBe('awaiting-approval');
    expect(run.trace.entries.at(-1)).toMatchObject({ what: 'refused', said: { refusal: 'not-verified' } });
  });
});

describe('a run', () => {
  test('runs reads without a decision where only effects are asked about', () => {
    expect(statusOf(openedRun(SLICE, { approval: 'effects' })).phase).toBe('running');
  });

  test('is bound by the rules of its project beside its own', () => {
    const run = openedRun(
      SLICE,
      { approval: 'effects' },
      { ...NO_PROJECT, rules: [{ effect: 'read', roles: ['ops'] }] },
    );
    expect(say(run, 'approve', APPROVE)).toMatchObject({ ok: false, refusal: 'wrong-role' });
    expect(say(run, 'approve', { ...APPROVE, role: 'ops' })).toMatchObject({ ok: true });
  });

  test.each(['approve', 'reject', 'decide', 'answer', 'control'] as const)(
    'takes no unsigned %s where messages are signed',
    (name) => {
      const run = openedRun(SLICE, {}, { identity: true, inbox: false });
      expect(judge(run, name, { ...APPROVE, kind: 'approve' }, false, AT)).toMatchObject({
        ok: false,
        refusal: 'not-verified',
      });
      const signed = judge(run, 'approve', APPROVE, true, AT);
      if (!signed.ok || signed.todo !== 'nothing') throw new Error('expected a decision that can be taken');
      signed.take(AT);
      expect(run.approval.decisions).toMatchObject([{ by: 'ana', verified: true }]);
    },
  );

  test('keeps what it refuses, with the reason, and goes on', () => {
    const run = openedRun(SLICE);
    expect(say(run, 'approve', { malformed: true, reason: 'bad JSON' })).toMatchObject({ refusal: 'malformed' });
    expect(run.trace.entries.at(-1)).toMatchObject({
      at: AT,
      what: 'refused',
      text: 'approve: the message could not be decoded (bad JSON)',
    });
    expect(say(run, 'approve', APPROVE)).toEqual({ ok: true, reply: 'approved' });
  });

  test('that nobody approves in time is closed, at the deadline and not before', () => {
    const run = openedRun(SLICE, { approvalDeadlineMs: 1000 });
    expect(nextDeadline(run)).toBe(later(1000));
    passDeadlines(run, later(999));
    expect(statusOf(run).phase).toBe('awaiting-approval');
    passDeadlines(run, later(1000));
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'expired' });
    expect(nextDeadline(run)).toBeUndefined();
  });

  test('judges without a trace', () => {
    const run = openedRun(SLICE);
    const before = structuredClone(run);
    expect(judge(run, 'approve', APPROVE, false, AT).ok).toBe(true);
    expect(judge(run, 'decide', { kind: 'approve', digest: 'ffffffff', by: 'ana' }, false, AT).ok).toBe(false);
    expect(structuredClone(run)).toEqual(before);
  });

  test('records what it takes with who, role, when, plan and comment', () => {
    const run = openedRun(SLICE);
    say(
      run,
      'decide',
      { kind: 'approve-part', nodes: ['node_2'], ...APPROVE, revision: 1, role: 'ops', comment: 'go' },
      later(7),
    );
    const said = {
      kind: 'approve-part',
      nodes: ['node_2'],
      digest: '3fa9c1d2',
      revision: 1,
      by: 'ana',
      role: 'ops',
      comment: 'go',
      verified: false,
    };
    expect(run.approval.decisions).toEqual([{ ...said, at: later(7), revision: 1 }]);
    expect(run.trace.entries.at(-1)).toMatchObject({
      what: 'decision',
      at: later(7),
      said: { ...said, digest: DIGEST },
    });
  });

  test('looks at what it has to in proportion to what is there', () => {
    // Of 8,000 nodes that one person approves one by one, each is asked about by few of the rules: counted, not timed.
    const run = openedRun(sliceOf(Array.from({ length: 8000 }, () => [])), { concurrency: 8000 });
    let asked = 0;
    const isFree = (node: number) => {
      asked += 1;
      return run.approval.uncovered.every((open) => open !== node) || run.approval.phase === 'running';
    };
    expect(startNext(progressOf(run), isFree)).toBeUndefined();
    expect(asked).toBe(8000);
    // Held nodes are not looked at again until somebody says something.
    expect(startNext(progressOf(run), isFree)).toBeUndefined();
    expect(asked).toBe(8000);
    say(run, 'approve', APPROVE);
    for (let node = startNext(progressOf(run), isFree); node !== undefined;) node = startNext(progressOf(run), isFree);
    expect(asked).toBe(16_000);
  });
});

describe('the answers of a run', () => {
  test('name the exact next command', () => {
    expect(statusOf(openedRun(SLICE)).next).toBe(
      `temporal workflow signal -w plan-1 --name approve --input '{"digest":"3fa9c1d2","by":"YOUR NAME"}'`,
    );
  });

  test('quote an id that a shell would read otherwise', () => {
    const run = openRun("it's $(x)");
    compiled(run);
    expect(statusOf(run).next).toContain(String.raw`-w 'it'\''s $(x)' --name`);
  });

  test('tell the plan with its reference', () => {
    expect(planOf(openedRun(SLICE))).toEqual({ revision: 1, digest: DIGEST, ref: DIGEST, text: 'tree' });
  });

  test('are there before the plan', () => {
    const run = openRun('plan-1');
    expect(statusOf(run)).toMatchObject({
      phase: 'drafting',
      revision: 0,
      digest: '',
      waitingFor: 0,
      counts: { total: 0 },
    });
    expect(nodesOf(run)).toEqual({ nodes: [] });
  });

  test('page through the nodes', () => {
    const run = openedRun(SLICE);
    const first = nodesOf(run, { limit: 2 });
    expect(first.nodes.map((node) => node.id)).toEqual(['node_1', 'node_2']);
    expect(first.next).toBe('node_2');
    expect(nodesOf(run, { after: first.next })).toMatchObject({ nodes: [{ id: 'node_3' }] });
    expect(nodesOf(run, { after: first.next })).not.toHaveProperty('next');
    expect(nodesOf(run, { after: 'node_99' }).nodes).toEqual([]);
  });

  test('page through many nodes, each page of a size that fits the answer to a query', () => {
    const run = openedRun(sliceOf(Array.from({ length: 1234 }, () => [])));
    for (let node = 0; node < 1234; node++)
      fail(progressOf(run), node, 'failed', { ...BROKE, message: '\u{4e2d}'.repeat(5000) });
    const ids: string[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = nodesOf(run, { after, limit: 1e9 });
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(2 * 1024 * 1024);
      ids.push(...page.nodes.map(({ id }) => id));
      after = page.next;
    }
    expect(ids).toEqual(Array.from({ length: 1234 }, (_, node) => `node_${node + 1}`));
  });

  test.each([{ after: 7 }, { after: 'x' }, { limit: -1 }, { limit: 'x' }, {}])('survive the page %j', (page) => {
    expect(nodesOf(openedRun(SLICE), page).nodes[0]?.id).toBe('node_1');
  });
});

describe('the end of a run', () => {
  test('is done with the handle of the root', () => {
    expect(endingOf(finished([0, 1, 2]))).toMatchObject({ ok: true, outcome: 'done', result: { result: handle('r') } });
  });

  test('is a failure that tells every node without a result', () => {
    const ending = endingOf(finished([1]));
    expect(ending).toMatchObject({
      ok: false,
      failure: { type: 'PlanFailed', message: 'node_1 failed: broke (exons)' },
    });
    expect(ending.ok ? [] : ending.failure.details).toMatchObject([
      {
        nodes: [
          { id: 'node_1', status: 'failed' },
          { id: 'node_3', status: 'skipped', cause: 'node_1' },
        ],
      },
    ]);
  });

  test('counts what it does not tell', () => {
    const run = openedRun(
      sliceOf(
        Array.from({ length: 150 }, () => []),
        { summaries: [] },
      ),
    );
    for (let node = 0; node < 150; node++) fail(progressOf(run), node, 'failed', BROKE);
    const ending = endingOf(run);
    expect(ending).toMatchObject({ ok: false, failure: { message: 'node_1 failed and 149 more: broke ()' } });
    expect(ending.ok ? [] : ending.failure.details).toMatchObject([{ total: 150, nodes: { length: 100 } }]);
  });

  test('is partial where that was asked for: results that nothing used, and what is missing', () => {
    const run = finished([1]);
    run.options = { ...run.options, onFailure: 'partial' };
    expect(endingOf(run)).toMatchObject({
      ok: true,
      outcome: 'partial',
      result: { results: { node_2: handle('r') }, missing: [{ id: 'node_1' }, { id: 'node_3' }] },
    });
  });

  test('leaves what was done, also where the run was closed before it', () => {
    const run = finished([1]);
    closeRun(run, 'expired', AT);
    expect(closedResult(run)).toMatchObject({
      outcome: 'expired',
      results: { node_2: handle('r') },
      missing: { length: 2 },
    });
    const untouched = openedRun(SLICE);
    closeRun(untouched, 'rejected', AT);
    expect(closedResult(untouched)).toEqual({ outcome: 'rejected', digest: DIGEST, revision: 1 });
  });

  test('is set once, with one entry in the trace', () => {
    const run = openedRun(SLICE);
    closeRun(run, 'expired', AT);
    closeRun(run, 'done', AT);
    expect(statusOf(run).outcome).toBe('expired');
    expect(run.trace.entries.filter(({ what }) => what === 'closed')).toHaveLength(1);
  });
});

function compiled(run: Run, project = NO_PROJECT): void {
  for (const decision of planCompiled(run, SLICE, project, AT)) hearEarly(run, decision, later(1));
}

/** A run whose nodes have all ended; those of `succeeding` with a result. */
function finished(succeeding: readonly number[]): Run {
  const run = openedRun(SLICE);
  say(run, 'approve', APPROVE);
  const progress = progressOf(run);
  for (let node = startNext(progress); node !== undefined; node = startNext(progress)) {
    if (succeeding.includes(node)) succeed(progress, node, handle('r'));
    else fail(progress, node, 'failed', BROKE);
  }
  return run;
}
