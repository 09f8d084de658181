/** `planwright control` on a server: an operator steers a run. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { both, BROKEN, createProject, question, slowWord, steps, word, type Project } from './project.ts';

interface Said {
  readonly reply?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly refusal?: string };
}

let project: Project;

beforeAll(async () => {
  project = createProject();
  await project.startWorker();
});

afterAll(() => project.close());

const control = (...args: string[]) => project.json<Said>('control', ...args, '--by', 'operator');

describe('control', () => {
  test('pause and resume, each as often as one likes', async () => {
    const id = await project.detach(both(word('ab'), slowWord('c', 'control-pause')), '--approval', 'effects');
    await project.until(id, ({ counts }) => counts['running'] === 1 && counts['succeeded'] === 1);
    for (const expected of ['paused; what has begun goes on', 'it is paused already']) {
      expect(await control(id, 'pause')).toMatchObject({ code: 0, reply: expected });
    }
    project.open('control-pause');
    expect(await project.until(id, ({ counts }) => counts['running'] === 0)).toMatchObject({
      code: 4,
      paused: true,
      counts: { pending: 1 },
    });
    const text = await project.type('status', id);
    expect(text.stdout).toContain(': running, paused\n');
    expect(text.stdout).toContain(`next: planwright control ${id} resume`);
    expect(await control(id, 'resume')).toMatchObject({ code: 0, reply: 'resumed' });
    expect((await project.type('result', id)).stdout).toBe('a\nb\nc\n');
  });

  test('a node that failed waits under --on-failure ask; the status says what to type, and skip ends it', async () => {
    const plan = steps({ capability: 'broken' }, { capability: 'note' });
    const id = await project.detach(plan, '--approval', 'effects', '--on-failure', 'ask');
    const { code, open } = await project.until(id, ({ waitingFor }) => waitingFor === 1);
    expect(code).toBe(4);
    expect(open).toMatchObject([
      { id: 'node_1', kind: 'failed', command: `planwright control ${id} retry-node node_1` },
    ]);
    expect(await control(id, 'retry-node', 'node_1')).toMatchObject({
      code: 0,
      reply: expect.stringContaining('runs again'),
    });
    await project.until(id, ({ waitingFor }) => waitingFor === 1);
    expect(await control(id, 'skip-node', 'node_1')).toMatchObject({ code: 0 });
  });

  test('resolve gives a node its result; cancel-node takes what depends on it along', async () => {
    const plan = both(BROKEN, word('ab'));
    const id = await project.detach(plan, '--approval', 'effects', '--on-failure', 'ask');
    await project.until(id, ({ waitingFor }) => waitingFor === 1);
    const resolve = ['resolve', 'node_1', '--outcome', 'succeeded'];
    expect(await control(id, ...resolve, '--value', 'x y')).toMatchObject({ code: 2, error: { code: 'USAGE' } });
    expect(await control(id, ...resolve, '--value', '["x"]')).toMatchObject({ code: 0 });
    await project.until(id, ({ counts }) => counts['waiting'] === 0 && counts['running'] === 0);

    const asks = await project.detach(steps(question('What?')), '--approval', 'effects');
    await project.until(asks, ({ waitingFor }) => waitingFor === 1);
    expect(await control(asks, 'cancel-node', 'node_1')).toMatchObject({ code: 0 });
    await project.until(asks, ({ phase }) => phase === 'closed');
  });

  test('kill takes a comment, and whoever waits for the run exits 5 and is told who and why', async () => {
    const id = await project.detach(both(word('ab'), slowWord('c', 'control-kill')), '--approval', 'effects');
    await project.until(id, ({ counts }) => counts['running'] === 1);
    expect(await control(id, 'kill')).toMatchObject({
      code: 2,
      error: { code: 'USAGE', message: expect.stringContaining('--comment TEXT') },
    });
    expect(await control(id, 'kill', '--comment', 'the beam is lost')).toMatchObject({
      code: 0,
      reply: 'killed; what is under way is asked to stop',
    });
    const who = { outcome: 'aborted', by: 'operator', comment: 'the beam is lost' };
    expect(await project.json('result', id)).toMatchObject({
      code: 5,
      error: {
        code: 'RUN_KILLED',
        message: expect.stringContaining(`run ${id} was killed by operator: the beam is lost`),
        ...who,
      },
    });
    expect(await project.json('status', id)).toMatchObject({ code: 5, phase: 'closed', ...who });
    expect(await project.json('watch', id)).toMatchObject({
      code: 5,
      outcome: 'aborted',
      error: { code: 'RUN_KILLED' },
    });
  });

  test.each<[string, readonly string[], string, string]>([
    ['an unknown action', ['stop'], 'USAGE', 'action: expected pause or resume'],
    ['a node where none belongs', ['pause', 'node_1'], 'USAGE', 'pause is about the whole run'],
    ['no node where one belongs', ['retry-node'], 'USAGE', 'expected the id of a node'],
    ['an unknown node', ['retry-node', 'node_99'], 'REFUSED', 'this plan has no node_99'],
    ['another plan', ['cancel-node', 'node_1', '--digest', '00000000'], 'STALE', 'the open plan is'],
  ])('%s is refused', async (_, args, code, message) => {
    const id = await project.detach(both(word('a'), word('b')));
    await project.until(id, ({ waitingFor }) => waitingFor === 1);
    const { error, ...said } = await control(id, ...args);
    expect({ exit: said.code, code: error?.code }).toEqual({ exit: code === 'STALE' ? 6 : 2, code });
    expect(error?.message).toContain(message);
  });
});
