/** `planwright status` of runs that did not end well. */

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { both, createProject, sharedProject, word } from './project.ts';
import { fileClient } from '../support/file-client.ts';

const project = sharedProject();
const client = await fileClient();

const INVALID = { goal: 'g', plan: { task: 'x', capability: 'nothing' } };

describe('a run that was terminated', () => {
  let id: string;

  beforeAll(async () => {
    id = await project.detach(both(word('a'), word('b')));
    await project.until(id, ({ phase }) => phase === 'awaiting-approval');
    await client.workflow.getHandle(id).terminate('the room is closed');
  });

  test('is told as such, with nothing to type that cannot work', async () => {
    const { code, stdout } = await project.type('status', id);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^.*: closed, terminated\nstarted .*Z, took .* s\nthe room is closed\nplan [0-9a-f]{64}\nrevision 1\n/,
    );
    expect(stdout).not.toMatch(/next:|approve/);
  });

  test('in JSON waits for nobody', async () => {
    expect(await project.json('status', id)).toMatchObject({
      ...{ code: 1, ok: true, phase: 'closed', outcome: 'terminated', reason: 'the room is closed' },
      ...{ waitingFor: 0, open: [] },
    });
  });
});

test('a run that failed exits 1 by status and by watch alike, whatever it failed of', async () => {
  const id = await project.detach(INVALID);
  await project.until(id, ({ phase }) => phase === 'closed');
  expect((await project.type('status', id)).code).toBe(1);
  const watched = await project.type('watch', id, '-o', 'json');
  expect(watched.code).toBe(1);
  expect(JSON.parse(watched.stdout)).toMatchObject({ outcome: 'failed', error: { code: 'PLAN_INVALID' } });
});

test('how a run ended is told when nobody is left to say more', { tags: ['slow'] }, async () => {
  const lonely = createProject();
  onTestFinished(() => lonely.close());
  const worker = await lonely.startWorker();
  const id = await lonely.detach(both(word('a'), word('b')), '--approval', 'effects');
  await lonely.until(id, ({ phase }) => phase === 'closed');
  worker.child.kill('SIGTERM');
  await worker.ended;
  const { code, stdout, stderr } = await lonely.type('status', id);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^.*: closed, done\nstarted .*Z, took .* s\nplan [0-9a-f]{64}\nrevision 1\n/),
  ]);
  expect(stderr).toContain('no worker answers for this run, so that its nodes are not shown');
});
