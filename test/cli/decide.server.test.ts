/** `planwright approve`, `reject` and `decide` on a server. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { both, sharedProject, slowWord, word, writePlan } from './project.ts';

interface Answer {
  readonly ok: boolean;
  readonly phase?: string;
  readonly digest?: string;
  readonly nodes?: readonly { readonly id: string; readonly status: string }[];
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly digest?: string;
    readonly command?: string;
    readonly refusal?: string;
    readonly issues?: readonly { readonly code: string }[];
  };
}

const project = sharedProject();

async function json(...args: string[]): Promise<Answer & { readonly code: number }> {
  const { code, stdout } = await project.type(...args, '-o', 'json');
  return { code, ...(JSON.parse(stdout) as Answer) };
}

async function digestOf(id: string): Promise<string> {
  return (await json('status', id)).digest ?? '';
}

test('a run is approved once, by its digest, and by nothing else', async () => {
  const id = await project.detach(both(word('ab'), slowWord('cd', 'approved-once')));
  const waiting = await json('status', id, '--nodes');
  expect(waiting).toMatchObject({ code: 4, ok: true, phase: 'awaiting-approval', counts: { total: 3, pending: 3 } });
  expect(waiting.nodes?.map((node) => node.id)).toEqual(['node_1', 'node_2', 'node_3']);

  const unnamed = await json('approve', id);
  expect({ code: unnamed.code, error: unnamed.error?.code }).toEqual({ code: 2, error: 'USAGE' });
  expect(unnamed.error?.digest).toBe(waiting.digest);
  expect(unnamed.error?.command).toBe(`planwright approve ${id} --digest ${waiting.digest?.slice(0, 8)}`);

  const other = await json('approve', id, '--digest', '0'.repeat(64), '--by', 'operator');
  expect({ code: other.code, error: other.error?.code }).toEqual({ code: 6, error: 'STALE' });

  const approved = await json(
    'approve',
    id,
    '--digest',
    waiting.digest ?? '',
    '--by',
    'operator',
    '--role',
    'lead',
    '--comment',
    'go',
  );
  expect(approved).toMatchObject({
    code: 0,
    ok: true,
    kind: 'approve',
    by: 'operator',
    role: 'lead',
    comment: 'go',
    reply: 'approved',
  });

  const again = await json('approve', id, '--digest', waiting.digest ?? '', '--by', 'deputy');
  expect({ code: again.code, error: again.error?.code }).toEqual({ code: 6, error: 'STALE' });
  expect(again.error?.message).toContain('operator already said approve');

  const repeated = await json('approve', id, '--digest', waiting.digest ?? '', '--by', 'operator', '--role', 'lead');
  expect(repeated).toMatchObject({ code: 0, reply: expect.stringMatching(/^taken already, at \d{4}-/) });

  const running = await project.type('status', id);
  expect(running.code).toBe(0);
  expect(running.stdout).toContain(`next: planwright result ${id}`);
  project.open('approved-once');
  expect((await project.type('result', id)).code).toBe(0);

  // What ran is what was approved: to say so once more is no mistake.
  const after = await json('approve', id, '--digest', waiting.digest ?? '', '--by', 'operator', '--role', 'lead');
  expect(after).toMatchObject({ code: 0, reply: expect.stringMatching(/^taken already, at \d{4}-/) });

  const late = await json('reject', id, '--digest', waiting.digest ?? '', '--by', 'deputy');
  expect({ code: late.code, error: late.error?.code }).toEqual({ code: 6, error: 'RUN_CLOSED' });
});

test('a rejected run ends with exit 5 for who waits, asks for its result or its status', async () => {
  const id = await project.detach(both(word('ab'), word('cd')));
  const waiting = project.begin('result', id, '-o', 'json');
  const rejected = await project.type('reject', id, '--digest', (await digestOf(id)).slice(0, 8), '--by', 'operator');
  expect(rejected).toMatchObject({ code: 0, stdout: `${id}: rejected\n` });
  const { code, stdout } = await waiting.ended;
  expect({ code, error: (JSON.parse(stdout) as Answer).error?.code }).toEqual({ code: 5, error: 'RUN_REJECTED' });
  expect(await json('status', id)).toMatchObject({ code: 5, phase: 'closed', outcome: 'rejected' });
});

test('silence is refusal', async () => {
  const id = await project.detach(both(word('ab'), word('cd')), '--approval-deadline', '1s');
  const { code, stdout } = await project.type('result', id, '-o', 'json');
  expect({ code, error: (JSON.parse(stdout) as Answer).error?.code }).toEqual({ code: 1, error: 'RUN_EXPIRED' });
});

describe('decide', () => {
  const order = (item: string) => ({ task: `order ${item}`, capability: 'order', arguments: { item } });

  test('an edit opens another revision; what it names is stale then, and its plan may be large', async () => {
    const id = await project.detach(both(word('ab'), word('cd')));
    const before = await digestOf(id);
    const hint = 'a hint of many words '.repeat(200);
    const file = writePlan(project.folder, both({ ...word('xy'), hint }, word('cd')));
    const edit = ['decide', id, '--kind', 'edit', '--plan', file, '--by', 'operator', '--comment', 'xy it is'];
    const edited = await json(...edit, '--digest', before, '--revision', '1');
    expect(edited).toMatchObject({ code: 0, kind: 'edit', reply: expect.stringContaining('revision 2 is open') });
    expect(edited).not.toHaveProperty('plan');
    const open = await json('status', id);
    expect(open).toMatchObject({ code: 4, revision: 2, waitingFor: 1 });
    expect(open.digest).not.toBe(before);
    expect(await json('approve', id, '--digest', before, '--by', 'deputy')).toMatchObject({
      code: 6,
      error: { code: 'STALE' },
    });
    expect((await json('approve', id, '--digest', open.digest ?? '', '--by', 'deputy')).code).toBe(0);
    expect((await project.type('result', id)).stdout).toBe('c\nd\nx\ny\n');

    const { stdout } = await project.type('trace', id, '-o', 'jsonl');
    const entries = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { what: string; said?: object });
    expect(entries.filter(({ what }) => what === 'decision').map(({ said }) => said)).toMatchObject([
      { kind: 'edit', digest: before, revision: 1, by: 'operator', comment: 'xy it is', verified: false },
      { kind: 'approve', digest: open.digest, by: 'deputy', verified: false },
    ]);
    const text = await project.type('trace', id);
    expect(text.stdout).toMatch(
      /^ *\d+ +[-\d]*[ \d:]+Z +decision +edit .* by operator \(xy it is\): .*\(operator, unverified\)$/m,
    );
    const later = await project.type('trace', id, '--after', String(entries.length - 1), '-o', 'jsonl');
    expect(later.stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  test('a part is approved with what it depends on, and an approval is taken back', async () => {
    const id = await project.detach(both(word('ab'), order('primer')), '--approval', 'effects');
    const digest = await digestOf(id);
    const rules = join(project.folder, 'rules.json');
    writeFileSync(rules, JSON.stringify({ rules: [{ effect: 'idempotent', roles: ['lead'] }] }));
    expect(await json('approve', id, '--nodes', 'node_9', '--digest', digest, '--by', 'operator')).toMatchObject({
      code: 2,
      error: { refusal: 'unknown-node' },
    });
    const part = await json('approve', id, '--nodes', 'node_2', '--digest', digest, '--by', 'operator');
    expect(part).toMatchObject({ code: 0, kind: 'approve-part', nodes: ['node_2'], reply: 'approved' });

    const ruled = await project.detach(both(word('ab'), order('tip')), '--approval', rules);
    const { open, digest: other } = await project.until(ruled, ({ waitingFor }) => waitingFor === 1);
    expect(open[0]?.command).toBe(`planwright approve ${ruled} --digest ${other.slice(0, 8)} --role lead`);
    const wrong = await json('approve', ruled, '--digest', other, '--by', 'operator');
    expect(wrong).toMatchObject({ code: 2, error: { code: 'REFUSED', refusal: 'wrong-role' } });
    const back = await json('decide', ruled, '--kind', 'withdraw', '--digest', other, '--by', 'operator');
    expect(back).toMatchObject({ code: 2, error: { refusal: 'not-possible' } });
    expect((await json('reject', ruled, '--digest', other, '--by', 'operator')).code).toBe(0);
  });
});
