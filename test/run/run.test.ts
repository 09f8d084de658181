import { describe, expect, test } from 'vitest';
import { detailsOf } from '../../src/run/details.ts';
import { fail, startNext, succeed, type Progress } from '../../src/run/progress.ts';
import { endingOf } from '../../src/run/result.ts';
import { closeRun, hearDecision, note, openRun, planCompiled, previewDecision, type Run } from '../../src/run/run.ts';
import type { RunSlice } from '../../src/run/slice.ts';
import { nodesOf, questionsOf, statusOf, traceOf } from '../../src/run/views.ts';

const AT = '2026-01-02T03:04:05.000Z';
const DIGEST = '3fa9c1d2'.repeat(8);
const APPROVE = { digest: '3fa9c1d2', by: 'ana' };
const HANDLE = { ref: 'r', kind: 'set', count: 3, bytes: 9 } as const;
const SLICE: RunSlice = {
  goal: 'Find *genes*',
  digest: DIGEST,
  revisionRef: 'rev',
  root: 2,
  inputs: [[], [], [0, 1]],
  executors: [
    {
      label: 'capability track.records@1 read',
      effect: 'read',
      startToCloseMs: 1,
      scheduleToCloseMs: 1,
      heartbeatMs: 1,
      retry: { attempts: 1, initialMs: 1, factor: 1 },
    },
  ],
  executorOf: [0, 0, 0],
  summaries: ['exons', 'repeats', 'exons MINUS repeats'],
  counts: { tasks: 2, combines: 1, aboveRead: 0 },
  text: 'tree',
  warnings: 0,
};

describe('a run', () => {
  test('takes a decision that came before its plan, when the plan is there', () => {
    const run = openRun('plan-1');
    expect(hearDecision(run, APPROVE, AT, 'approve')).toEqual({ ok: true, reply: 'kept until the plan is compiled' });
    expect(statusOf(run).phase).toBe('drafting');
    planCompiled(run, SLICE, AT);
    expect(statusOf(run).phase).toBe('running');
    expect(traceOf(run).decisions).toMatchObject([{ kind: 'approve', by: 'ana' }]);
  });

  test('refuses an early decision for another plan, when the plan is there', () => {
    const run = openRun('plan-1');
    hearDecision(run, { ...APPROVE, digest: 'ffffffff' }, AT, 'approve');
    planCompiled(run, SLICE, AT);
    expect(statusOf(run).phase).toBe('awaiting-approval');
    expect(traceOf(run).entries.at(-1)?.text).toContain('names digest ffffffff, the open plan is 3fa9c1d2');
  });

  test('runs reads without a decision under "effects"', () => {
    const run = openRun('plan-1');
    run.options = { ...run.options, approval: 'effects' };
    planCompiled(run, SLICE, AT);
    expect(statusOf(run).phase).toBe('running');
  });

  test('keeps what it refuses, with the reason, and goes on', () => {
    const run = opened();
    expect(hearDecision(run, { malformed: true, reason: 'bad JSON' }, AT, 'approve')).toMatchObject({
      refusal: 'malformed',
    });
    expect(traceOf(run).entries.at(-1)).toEqual({
      at: AT,
      what: 'refused',
      text: 'approve: the message could not be decoded (bad JSON)',
    });
    expect(hearDecision(run, APPROVE, AT, 'approve')).toEqual({ ok: true, reply: 'approved' });
  });

  test('previews a decision without a trace', () => {
    const run = opened();
    const before = structuredClone(run);
    expect(previewDecision(run, { kind: 'approve', ...APPROVE }, AT)).toEqual({ ok: true, reply: 'approved' });
    expect(previewDecision(run, { kind: 'approve', digest: 'ffffffff', by: 'ana' }, AT)).toMatchObject({ ok: false });
    expect(structuredClone(run)).toEqual(before);
  });

  test('keeps a bounded trace and counts the rest', () => {
    const run = opened();
    for (let i = 0; i < 600; i++) note(run, AT, 'refused', `${i}`);
    expect(traceOf(run)).toMatchObject({ dropped: 101 });
    expect(traceOf(run).entries).toHaveLength(500);
  });

  test('asks one question while it waits, and none after', () => {
    const run = opened();
    expect(questionsOf(run)).toEqual([
      { id: 'approval', kind: 'approval', workflowId: 'plan-1', digest: DIGEST, revision: 1 },
    ]);
    hearDecision(run, APPROVE, AT, 'approve');
    expect(questionsOf(run)).toEqual([]);
  });
});

describe('the answers of a run', () => {
  test('name the exact next command', () => {
    expect(statusOf(opened()).next).toBe(
      `temporal workflow signal -w plan-1 --name approve --input '{"digest":"3fa9c1d2","by":"YOUR NAME"}'`,
    );
  });

  test('quote an id that a shell would read otherwise', () => {
    const run = openRun("it's $(x)");
    planCompiled(run, SLICE, AT);
    expect(statusOf(run).next).toContain(String.raw`-w 'it'\''s $(x)' --name`);
  });

  test('fit the answer to a query, however long the messages are', () => {
    const run = opened();
    for (let i = 0; i < 600; i++) note(run, AT, 'node', '\u{4e2d}'.repeat(2000));
    expect(Buffer.byteLength(JSON.stringify(traceOf(run)))).toBeLessThan(1_000_000);
    fail(progressOf(run), 0, 'failed', { type: 'CRITICAL', message: 'x'.repeat(2000) });
    expect(nodesOf(run).nodes[0]?.failure?.message).toHaveLength(500);
  });

  test('page through the nodes', () => {
    const run = opened();
    const first = nodesOf(run, { limit: 2 });
    expect(first.nodes.map((node) => node.id)).toEqual(['node_1', 'node_2']);
    expect(first.next).toBe('node_2');
    expect(nodesOf(run, { after: first.next }).nodes.map((node) => node.id)).toEqual(['node_3']);
  });

  test.each([{ after: 7 }, { after: 'x' }, { limit: -1 }, { limit: 'x' }, {}])('survive the page %j', (page) => {
    expect(nodesOf(opened(), page).nodes[0]?.id).toBe('node_1');
  });

  test('show counts, failures with their text made harmless, decisions and the plan', () => {
    const run = opened();
    hearDecision(run, { ...APPROVE, comment: '<b>go</b>' }, AT, 'approve');
    const progress = progressOf(run);
    startNext(progress);
    fail(progress, 0, 'failed', { type: 'CRITICAL', message: 'a|b\n# c' });
    const details = detailsOf(run);
    expect(details).toContain('### Running, 0 of 3 nodes done');
    expect(details).toContain('| pending | failed | skipped |');
    expect(details).toContain(String.raw`- node_1 exons: **failed**, a\|b # c`);
    expect(details).toContain(String.raw`- ana said **approve** at ${AT} (unverified): \<b\>go\</b\>`);
    expect(details).toContain(`plan \`${DIGEST}\``);
  });
});

describe('the end of a run', () => {
  test('is done with the handle of the root', () => {
    expect(endingOf(finished([0, 1, 2]))).toMatchObject({ ok: true, outcome: 'done', result: { result: HANDLE } });
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
    const run = openRun('plan-1');
    const many = Array.from({ length: 150 }, () => []);
    planCompiled(
      run,
      { ...SLICE, inputs: many, root: 149, summaries: many.map(() => ''), executorOf: many.map(() => 0) },
      AT,
    );
    for (let node = 0; node < 150; node++)
      fail(progressOf(run), node, 'failed', { type: 'CRITICAL', message: 'broke' });
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
      result: { results: { node_2: HANDLE }, missing: [{ id: 'node_1' }, { id: 'node_3' }] },
    });
  });

  test('is set once', () => {
    const run = opened();
    closeRun(run, 'expired', AT);
    closeRun(run, 'done', AT);
    expect(statusOf(run).outcome).toBe('expired');
  });
});

function opened(): Run {
  const run = openRun('plan-1');
  planCompiled(run, SLICE, AT);
  return run;
}

/** A run whose nodes have all ended; those of `succeeding` with a result. */
function finished(succeeding: readonly number[]): Run {
  const run = opened();
  hearDecision(run, APPROVE, AT, 'approve');
  const progress = progressOf(run);
  for (let node = startNext(progress); node !== undefined; node = startNext(progress)) {
    if (succeeding.includes(node)) succeed(progress, node, HANDLE);
    else fail(progress, node, 'failed', { type: 'CRITICAL', message: 'broke' });
  }
  return run;
}

function progressOf(run: Run): Progress {
  if (run.progress === undefined) throw new Error('the run has no plan');
  return run.progress;
}
