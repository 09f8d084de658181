/** `planwright inbox` on a server, over several runs. */

import { describe, expect, test } from 'vitest';
import { createProject, sharedProject, question, steps } from './project.ts';
import { linesIn } from './planwright.ts';
import { type OutputOf } from '../../src/operations/perform.ts';
import { eventually } from '../support/eventually.ts';

type Item = OutputOf<'inbox'>['items'][0] & { readonly command: string };
type Typed = Omit<OutputOf<'inbox'>, 'items'> & { readonly items: readonly Item[] };

const project = sharedProject();

/** Starts a run that asks at once, and waits until it has asked. */
async function asking(text: string, over: object = {}): Promise<string> {
  const id = await project.detach(steps(question(text, over)), '--approval', 'effects');
  await project.until(id, ({ waitingFor }) => waitingFor === 1);
  return id;
}

/** Other test files have runs of their own on this server. */
async function inbox(...args: string[]): Promise<Typed & { mine: readonly Item[] }> {
  const answer = await project.json<Typed>('inbox', '--limit', '10000', ...args);
  return { ...answer, mine: answer.items.filter(({ taskQueue }) => taskQueue === project.taskQueue) };
}

/** What the server's visibility store tells of a run comes a moment later than the run itself. */
function inboxOf(count: number, ...args: string[]): Promise<readonly Item[]> {
  return eventually(async () => {
    const { mine } = await inbox(...args);
    return mine.length === count && mine;
  });
}

describe('inbox', () => {
  test(
    'is by role, the oldest first, with the command that can be typed as it stands',
    { timeout: 90_000 },
    async () => {
      const plan = { goal: 'g', plan: { task: 'order', capability: 'order', arguments: { item: 'primer' } } };
      const anyone = await asking('For anyone?');
      const lab = await asking('For the lab?', { roles: ['lab'], options: ["it's ready", 'not yet'] });
      const approval = await project.detach(plan);
      const { digest } = await project.until(approval, ({ waitingFor }) => waitingFor === 1);
      const legal = await asking('For legal?', { roles: ['legal'], default: 5 });

      const all = await inboxOf(4);
      expect(all.map(({ workflowId }) => workflowId)).toEqual([anyone, lab, approval, legal]);
      expect(all.map(({ since }) => since)).toEqual(all.map(({ since }) => since).toSorted());
      expect(all.map(({ kind }) => kind)).toEqual(['question', 'question', 'approval', 'question']);
      expect(all.map(({ command }) => command)).toEqual([
        `planwright answer ${anyone} ${all[0]?.id} ANSWER`,
        `planwright answer ${lab} ${all[1]?.id} ANSWER --role lab`,
        `planwright approve ${approval} --digest ${digest.slice(0, 8)}`,
        `planwright answer ${legal} ${all[3]?.id} ANSWER --role legal`,
      ]);
      const ofLab = await inboxOf(3, '--role', 'lab');
      expect(ofLab.map(({ workflowId }) => workflowId)).toEqual([anyone, lab, approval]);

      const { stdout } = await project.type('inbox', '--limit', '10000');
      const time = /T(\d\d:\d\d:\d\d)/.exec(all[3]?.since ?? '')?.[1];
      expect(stdout).toMatch(
        new RegExp(
          `^${legal}  question for legal, since (\\S+ )?${time}Z\n  For legal\\?\n  planwright answer ${legal} \\S+ ANSWER --role legal$`,
          'm',
        ),
      );
      const lines = await project.type('inbox', '--limit', '10000', '-o', 'jsonl');
      const items = linesIn(lines.stdout);
      expect(items.filter(({ taskQueue }) => taskQueue === project.taskQueue)).toEqual(all);

      const [answered] = await Promise.all([
        project.type('answer', legal, all[3]?.id ?? '', '7', '--role', 'legal', '--by', 'operator'),
        project.type('reject', approval, '--digest', digest, '--by', 'operator'),
      ]);
      expect(answered.code).toBe(0);
      expect((await inboxOf(2)).map(({ workflowId }) => workflowId)).toEqual([anyone, lab]);
    },
  );

  test(
    'says what it leaves out: what is above the limit, and runs whose worker is away',
    { tags: ['slow'], timeout: 90_000 },
    async () => {
      await asking('One?');
      const lonely = createProject();
      const unheard = await lonely.detach(steps(question('Heard?')), '--approval', 'effects');
      const found = await eventually(async () => {
        const answer = await inbox();
        return answer.unreachable.some(({ workflowId }) => workflowId === unheard) && answer;
      });
      expect(found.unreachable).toContainEqual(
        expect.objectContaining({
          workflowId: unheard,
          taskQueue: lonely.taskQueue,
          reason: expect.stringContaining('worker'),
        }),
      );
      expect(found.notAsked).toBe(0);
      const limited = await project.type('inbox', '--limit', '1');
      expect(limited.code).toBe(0);
      expect(limited.stdout.trimEnd().split('\n')).toHaveLength(3);
      expect(limited.stderr).toMatch(/note: \d+ more wait, younger than these; --limit shows more/);
      expect(limited.stderr).toContain(`note: no answer from `);
      await lonely.startWorker();
      await lonely.until(unheard, ({ waitingFor }) => waitingFor === 1);
      await lonely.close();
    },
  );
});
