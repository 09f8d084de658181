/** `planwright answer` on a server: values, questions that are named or not, and refusals. */

import { describe, expect, test } from 'vitest';
import { sharedProject, question, steps } from './project.ts';

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

const project = sharedProject();

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
});
