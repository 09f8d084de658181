import { afterAll, beforeAll, expect, test } from 'vitest';
import { both, createProject, slowWord, word, type Project } from './project.ts';

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
  };
}

let project: Project;

beforeAll(async () => {
  project = createProject();
  await project.startWorker();
});

afterAll(() => project.close());

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

  const other = await json('approve', id, '--digest', '0'.repeat(64), '--by', 'ana');
  expect({ code: other.code, error: other.error?.code }).toEqual({ code: 6, error: 'STALE' });

  const approved = await json(
    'approve',
    id,
    '--digest',
    waiting.digest ?? '',
    '--by',
    'ana',
    '--role',
    'lead',
    '--comment',
    'go',
  );
  expect(approved).toMatchObject({
    code: 0,
    ok: true,
    kind: 'approve',
    by: 'ana',
    role: 'lead',
    comment: 'go',
    reply: 'approved',
  });

  const again = await json('approve', id, '--digest', waiting.digest ?? '', '--by', 'bo');
  expect({ code: again.code, error: again.error?.code }).toEqual({ code: 6, error: 'STALE' });
  expect(again.error?.message).toContain('ana already said approve');

  const running = await project.type('status', id);
  expect(running.code).toBe(0);
  expect(running.stdout).toContain(`next: planwright result ${id}`);
  project.open('approved-once');
  expect((await project.type('result', id)).code).toBe(0);

  const late = await json('reject', id, '--digest', waiting.digest ?? '', '--by', 'bo');
  expect({ code: late.code, error: late.error?.code }).toEqual({ code: 6, error: 'RUN_CLOSED' });
});

test('a rejected run ends with exit 5 for who waits, asks for its result or its status', async () => {
  const id = await project.detach(both(word('ab'), word('cd')));
  const waiting = project.begin('result', id, '-o', 'json');
  const rejected = await project.type('reject', id, '--digest', (await digestOf(id)).slice(0, 8), '--by', 'ana');
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

test('without a worker a decision is kept by the server', async () => {
  const lonely = createProject();
  const plan = both(word('ab'), word('cd'));
  const id = await lonely.detach(plan);
  const compiled = await project.detach(plan);
  const digest = await digestOf(compiled);
  const sent = await lonely.type('approve', id, '--digest', digest, '--by', 'ana');
  expect(sent.code).toBe(0);
  expect(sent.stdout).toContain('the decision is kept by the server');
  await lonely.startWorker();
  expect((await lonely.type('result', id)).stdout).toBe('a\nb\nc\nd\n');
  await lonely.close();
});
