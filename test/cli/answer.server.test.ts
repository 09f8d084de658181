/** `planwright answer` on a server: values, questions that are named or not, and refusals. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, question, steps, type Project } from './project.ts';

interface Said {
  readonly ok: boolean;
  readonly reply?: string;
  readonly value?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly refusal?: string;
    readonly command?: string;
    readonly questions?: readonly { readonly id: string; readonly command: string }[];
  };
}

let project: Project;

beforeAll(async () => {
  project = createProject();
  await project.startWorker();
});

afterAll(() => project.close());

/** Starts a run that asks at once, and waits until it has asked. */
async function asking(...questions: readonly object[]) {
  const id = await project.detach(steps(...questions), '--approval', 'effects');
  const { open } = await project.until(id, ({ waitingFor }) => waitingFor === questions.length);
  const inOrder = open.toSorted((a, b) => a.id.localeCompare(b.id));
  return { id, ids: inOrder.map((item) => item.id), open: inOrder };
}

const answer = (...args: string[]) => project.json<Said>('answer', ...args);

describe('answer', () => {
  test('in any order, each to its own question; the same twice is one, another is stale', async () => {
    const { id, ids } = await asking(question('What?'), question('How many?', { schema: { type: 'number' } }));
    const [what = '', many = ''] = ids;
    const second = await answer(id, many, '42', '--by', 'operator', '--role', 'lead', '--comment', 'counted');
    expect(second.error).toBeUndefined();
    expect(second).toMatchObject({ code: 0, ok: true, value: 42, reply: 'answered', by: 'operator', role: 'lead' });
    expect(await answer(id, many, '42', '--by', 'operator')).toMatchObject({
      code: 0,
      reply: expect.stringMatching(/^answered so already, by operator at /),
    });
    const other = await answer(id, many, '43', '--by', 'deputy');
    expect(other).toMatchObject({ code: 6, error: { code: 'STALE', refusal: 'already-answered' } });
    expect(other.error?.message).toContain('was answered by operator');
    expect(await answer(id, what, 'some text', '--by', 'operator')).toMatchObject({ code: 0, value: 'some text' });
    const { stdout } = await project.type('result', id, '--node', 'node_2', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({ ok: true, kind: 'value', value: 42 });
  });

  test('a wrong type and an unknown id are refused with what was expected, and the run waits', async () => {
    const { id, ids } = await asking(question('How many?', { schema: { type: 'number' } }));
    const wrong = await answer(id, ids[0] ?? '', 'many', '--by', 'operator');
    expect(wrong).toMatchObject({ code: 2, error: { code: 'REFUSED', refusal: 'wrong-answer' } });
    expect(wrong.error?.message).toMatch(/expected number/);
    const unknown = await answer(id, 'nothing', '1', '--by', 'operator');
    expect(unknown).toMatchObject({ code: 2, error: { code: 'REFUSED', refusal: 'unknown-question' } });
    expect(unknown.error?.message).toContain(`open are ${ids[0]}`);
    expect(await project.json('status', id)).toMatchObject({ code: 4, waitingFor: 1 });
    expect((await answer(id, ids[0] ?? '', '3', '--by', 'operator')).code).toBe(0);
  });

  test('yes and no count as words; anything else asks again and sends nothing', async () => {
    const { id, ids } = await asking(question('Go on?', { schema: { type: 'boolean' } }));
    const [only = ''] = ids;
    const unclear = await answer(id, only, 'not now', '--by', 'operator');
    expect(unclear).toMatchObject({ code: 4, ok: false, error: { code: 'UNCLEAR' } });
    expect(unclear.error?.message).toContain('yes, y, yep, yeah, ok, okay or no, n, nope, nah, cancel');
    expect(await project.json('status', id)).toMatchObject({ waitingFor: 1 });
    const { entries } = await project.json<{ entries: { what: string }[] }>('trace', id);
    expect(entries.map(({ what }) => what)).toEqual(['compiled', 'asked']);
    expect(await answer(id, only, 'Nope.', '--by', 'operator')).toMatchObject({ code: 0, value: false });
  });

  test('a text stays a text where one is wanted, --json takes JSON alone, and a negative number is a value', async () => {
    const { id, ids } = await asking(
      question('Name?', { schema: { type: 'string' } }),
      question('Which?', { options: ['1', '2'] }),
      question('Any?'),
      question('Offset?'),
    );
    const [name = '', which = '', any = '', offset = ''] = ids;
    expect(await answer(id, name, '42', '--by', 'operator')).toMatchObject({ code: 0, value: '42' });
    expect(await answer(id, which, '2', '--by', 'operator')).toMatchObject({ code: 0, value: '2' });
    const text = await answer(id, any, 'plain', '--json', '--by', 'operator');
    expect(text).toMatchObject({ code: 2, error: { code: 'USAGE' } });
    expect(await answer(id, any, '{"a":[1]}', '--json', '--by', 'operator')).toMatchObject({
      code: 0,
      value: { a: [1] },
    });
    expect(await answer(id, offset, '-5', '--by', 'operator')).toMatchObject({ code: 0, value: -5 });
  });

  test('a script must name the question and give the answer; it is told the commands', async () => {
    const { id, ids, open } = await asking(question('One?'), question('Two?'));
    const unnamed = await answer(id, '--by', 'operator');
    expect(unnamed).toMatchObject({ code: 2, error: { code: 'USAGE' } });
    expect(unnamed.error?.questions?.map((one) => one.id).toSorted()).toEqual(ids);
    expect(open.map(({ command }) => command)).toEqual(ids.map((one) => `planwright answer ${id} ${one} ANSWER`));
    const unsaid = await answer(id, ids[0] ?? '', '--by', 'operator');
    expect(unsaid).toMatchObject({ code: 2, error: { code: 'USAGE', command: open[0]?.command } });
    const none = await project.json<Said>(
      'answer',
      await project.detach(steps({ capability: 'note' })),
      '--by',
      'operator',
    );
    expect(none).toMatchObject({
      code: 2,
      error: { code: 'REFUSED', message: expect.stringContaining('asks nothing') },
    });
  });

  test('without a worker the server keeps the answer', async () => {
    const lonely = createProject();
    const worker = await lonely.startWorker();
    const id = await lonely.detach(steps(question('What?')), '--approval', 'effects');
    const { open } = await lonely.until(id, ({ waitingFor }) => waitingFor === 1);
    worker.child.kill('SIGTERM');
    await worker.ended;
    const kept = await lonely.json<Said>('answer', id, open[0]?.id ?? '', 'this', '--by', 'operator');
    expect(kept).toMatchObject({ code: 0, reply: expect.stringContaining('the answer is kept by the server') });
    await lonely.startWorker();
    expect(await lonely.json('result', id, '--node', 'node_1')).toMatchObject({ code: 0, value: 'this' });
    // Heard as an update and as a signal, it is one answer, and nobody was refused.
    const { entries } = await lonely.json<{ entries: { what: string }[] }>('trace', id);
    expect(entries.filter(({ what }) => what === 'answer')).toHaveLength(1);
    expect(entries.filter(({ what }) => what === 'refused')).toEqual([]);
    await lonely.close();
  });
});
