/** `planwright control` on a server: an operator steers a run. */

import { describe, expect, test } from 'vitest';
import { both, sharedProject, slowWord, steps, word } from './project.ts';

interface Said {
  readonly reply?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly refusal?: string };
}

const project = sharedProject();

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
});
