/** `planwright list`, `inbox`, `status` and `open` on a server: the runs as a person at 80 columns looks for one. */

import { createServer, type Server } from 'node:http';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { columnsIn } from '../plan/lines/wide-texts.ts';
import { both, sharedProject, question, steps, word } from './project.ts';
import { type OutputOf } from '../../src/operations/perform.ts';
import { fileNamespace } from '../support/file-client.ts';
import { eventually } from '../support/eventually.ts';

const namespace = await fileNamespace();
const project = sharedProject(undefined, namespace);
/** In the order in which they were started. */
let done: string;
let failed: string;
let waiting: string;

const GOAL = `Find every letter of a word ${'and of another one '.repeat(5)}`.trim();

beforeAll(async () => {
  done = await project.detach({ ...both(word('ab'), word('c')), goal: GOAL }, '--approval', 'effects');
  await project.until(done, ({ outcome }) => outcome === 'done');
  failed = await project.detach(
    { goal: 'Break', plan: { task: 'Break', capability: 'broken' } },
    '--approval',
    'effects',
  );
  await project.until(failed, ({ outcome }) => outcome === 'failed');
  waiting = await project.detach(steps(question('How many?')), '--approval', 'effects');
  await project.until(waiting, ({ waitingFor }) => waitingFor === 1);
});

/** What the server's visibility store tells of a run comes a moment later than the run itself. */
function listed(count: number, closed: number, ...args: string[]): Promise<OutputOf<'list'>['runs']> {
  return eventually(async () => {
    const { runs } = await project.json<'list'>('list', ...args);
    const isSettled = runs.filter(({ closeTime }) => closeTime !== undefined).length === closed;
    return runs.length === count && isSettled && runs;
  });
}

describe('list', () => {
  test('is newest first, each with its goal, its outcome or what it waits for', async () => {
    const runs = await listed(3, 2);
    expect(runs.map(({ workflowId }) => workflowId)).toEqual([waiting, failed, done]);
    expect(runs.map(({ startTime }) => startTime)).toEqual(
      runs
        .map(({ startTime }) => startTime)
        .toSorted()
        .reverse(),
    );
    expect(runs[0]).toMatchObject({ status: 'running', phase: 'running', waitingFor: 1 });
    expect(runs[0]).not.toHaveProperty('closeTime');
    expect(runs[1]).toMatchObject({ status: 'failed', goal: 'Break' });
    expect(runs[2]).toMatchObject({ status: 'completed', outcome: 'done', goal: GOAL });
  });

  test.each<[filter: readonly string[], found: () => readonly string[]]>([
    [['--goal', 'BREAK'], () => [failed]],
    [['--goal', 'letter of a word', '--state', 'done'], () => [done]],
    [['--state', 'running'], () => [waiting]],
    [['--state', 'killed'], () => []],
    [['--person', 'nobody'], () => []],
    [['--since', '2020-01-01', '--until', '2020-12-31'], () => []],
    [['--since', new Date().toISOString().slice(0, 10), '--limit', '1'], () => [waiting]],
    [['--until', new Date(Date.now() + 86_400_000).toISOString()], () => [waiting, failed, done]],
  ])('of %j', async (filter, found) => {
    await listed(3, 2);
    const { runs } = await project.json<'list'>('list', ...filter);
    expect(runs.map(({ workflowId }) => workflowId)).toEqual(found());
  });

  test.each(['yesterday', '12', '2026-13-01', '2026-01-01" OR WorkflowId != "'])(
    'of --since %s is refused',
    async (at) => {
      const { code, stderr } = await project.type('list', '--since', at);
      expect([code, stderr]).toEqual([2, expect.stringContaining('since: expected a date or a time such as 2026')]);
    },
  );

  test('for a person is a goal, its plan with counts, and its runs, of 80 columns at most, a long goal cut', async () => {
    await listed(3, 2);
    const { stdout, code } = await project.type('list');
    expect(code).toBe(0);
    const all = stdout.trimEnd().split('\n');
    // An id that no line holds stands alone, whole, so that it can be copied.
    expect(all.filter((line) => line.length > 80 && line.includes(' '))).toEqual([]);
    const linesOf = (id: string, count = 3) => {
      const at = all.findIndex((line) => line.trimStart().startsWith(id));
      return all.slice(at - 2, at - 2 + count);
    };
    const time = String.raw`(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ`;
    const age = String.raw`\d+(?:\.\d)? \w+(?: \d+ \w+)?`;
    const head = (says: string) => expect.stringMatching(new RegExp(`^  plan [0-9a-f]{8}, 1 run: ${says}$`)) as string;
    expect(linesOf(waiting)).toEqual([
      expect.stringMatching(/^\S/),
      head('1 running; waits for a person: 1'),
      expect.stringMatching(new RegExp(`^  ${waiting} +running; ${time}, ${age} ago$`)),
    ]);
    expect(linesOf(failed)).toEqual([
      'Break',
      head('1 failed'),
      expect.stringMatching(new RegExp(`^  ${failed} +failed; ${time}, took ${age}$`)),
    ]);
    // Its id is made of its goal, and no line holds more than that.
    expect(linesOf(done, 4)).toEqual([
      `${GOAL.slice(0, 79)}…`,
      head('1 done'),
      done,
      expect.stringMatching(new RegExp(`^    done; ${time}, took ${age}$`)),
    ]);
  });
});

test('status --web prints the address of its page, and nothing else', async () => {
  const asked: string[] = [];
  const ui = await webUi(asked);
  const url = `${ui}/namespaces/${namespace}/workflows/${done}`;
  const { code, stdout, stderr } = await project.type('status', done, '--web');
  expect([code, stdout, stderr]).toEqual([0, `${url}\n`, '']);
  expect(await project.json('status', done, '--web')).toMatchObject({ code: 0, ok: true, workflowId: done, url });
  expect(asked).toContain(`/api/v1/namespaces/${namespace}/workflows/${done}`);
});

describe('a run whose names are of wide characters, on a terminal of 80 columns', () => {
  const WIDE = '遺伝子の座標を読み、長さと向きを表に書いて、最後に数を確かめる。😀'.repeat(2);
  const IDS = ['計画-座標-1', `計画-${'遺伝子'.repeat(8)}-2`];

  beforeAll(async () => {
    for (const id of IDS) {
      const plan = {
        ...steps({ ...question(WIDE, { roles: ['研究者'] }), context_key: '数', display_name: WIDE }),
        goal: WIDE,
      };
      await project.detach(plan, '--approval', 'effects', '--workflow-id', id);
      await project.until(id, ({ waitingFor }) => waitingFor === 1);
    }
    await listed(IDS.length + 1, 0, '--open');
  });

  /** The lines that a person reads; a command is never broken, so that it can be pasted. */
  async function linesOf(...args: string[]): Promise<readonly string[]> {
    const { isTTY, columns } = process.stdout;
    Object.assign(process.stdout, { isTTY: true, columns: 80 });
    onTestFinished(() => void Object.assign(process.stdout, { isTTY, columns }));
    const { stdout } = await project.type(...args);
    return stdout.split('\n').filter((line) => !/planwright answer/.test(line));
  }

  test.each<[command: string, args: readonly string[], told: string]>([
    ['list', [], WIDE.slice(0, 12)],
    ['inbox', [], '  question for 研究者, since '],
    ['status', [IDS[0]!, '--nodes'], `${IDS[0]}: waits for a person`],
    ['status', [IDS[1]!, '--nodes'], '数'],
  ])('%s %j', async (command, args, told) => {
    const lines = await linesOf(command, ...args);
    expect(lines.filter((line) => columnsIn(line) > 80 && line.includes(' '))).toEqual([]);
    expect(lines.join('\n')).toContain(told);
    // Only a list is cut.
    if (command === 'status') expect(lines.join('').replaceAll(' ', '')).toContain(WIDE);
  });
});

/** Stands where a dev server has its Web UI, and knows one run. */
async function webUi(asked: string[]): Promise<string> {
  const [host, port] = inject('address').split(':');
  const server: Server = createServer(({ url = '' }, reply) => {
    asked.push(url);
    reply.writeHead(url.endsWith(`/workflows/${done}`) ? 200 : 404).end('{}');
  });
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const at = Number(port) + 1000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, host, resolve);
  });
  return `http://${host}:${at}`;
}
