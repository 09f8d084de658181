/** The cases over the examples: a scripted model passes each, and with the replies to another case it passes none. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEMOS } from '../../../examples/index.ts';
import { createRegistry } from '../../../src/capabilities/builtin/index.ts';
import { readCases, runCases, type EvalCase } from '../../../src/operations/evaluation/index.ts';
import type { ModelClient } from '../../../src/models/index.ts';
import { createFileStore, resultsIn } from '../../../src/store/index.ts';
import { USAGE } from '../../support/scripted-planner.ts';
import { REPLIES, type Reply } from './shipped-replies.ts';
import { fileFolder } from '../../support/folders.ts';

const dir = fileFolder('shipped-cases');

interface Shipped {
  readonly one: EvalCase;
  readonly demo: (typeof DEMOS)[number];
}

const shipped: readonly Shipped[] = DEMOS.flatMap((demo) => {
  const file = `examples/${demo.name}/cases.json`;
  const { cases, problems } = readCases(readFileSync(file, 'utf8'), file);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return cases.map((one) => ({ one, demo }));
});

function modelOf(replies: readonly Reply[]): ModelClient {
  const left = [...replies];
  return {
    name: 'scripted',
    async complete() {
      const reply = left.shift();
      if (reply === undefined) throw new Error('the script has no more replies');
      const said = { text: '', toolCalls: [], finish: 'stop', usage: USAGE, model: 'scripted' } as const;
      if ('call' in reply) {
        const called = { id: 'call_1', name: reply.call, arguments: JSON.stringify(reply.arguments) };
        return { ...said, finish: 'tool-calls', toolCalls: [called] };
      }
      const value = { ...reply, explanation: 'So.' } as never;
      return { ...said, text: JSON.stringify(value), value };
    },
  };
}

let runs = 0;
async function attempt({ one, demo }: Shipped, replies: readonly Reply[]) {
  const { config } = await demo.load();
  const registry = createRegistry(config.capabilities ?? [], {
    ...(config.tasks !== undefined && { tasks: config.tasks }),
    ...(config.agents !== undefined && { agents: config.agents }),
  });
  const agents = registry.agents.flatMap((name) => registry.agent(name) ?? []);
  const report = await runCases([one], {
    ...{ agents, capabilities: registry.offered, catalogue: registry },
    ...{
      model: modelOf(replies),
      store: resultsIn(createFileStore(join(dir, `${++runs}`)), 'runs/o/c'),
      sleep: async () => {},
    },
  });
  return report.cases[0]!.attempts[0]!;
}

test('there are 20, of every demo, each under a name of its own', () => {
  expect(shipped).toHaveLength(20);
  expect(new Set(shipped.map(({ demo }) => demo.name)).size).toBe(DEMOS.length);
  expect(shipped.map(({ one }) => one.name).toSorted()).toEqual(Object.keys(REPLIES).toSorted());
});

test.each(shipped.map((each) => [each.one.name, each] as const))('%s is passed', async (name, each) => {
  const { passed, grades, trouble } = await attempt(each, REPLIES[name]!);
  expect({ passed, trouble, why: grades.filter(({ why }) => why !== undefined) }).toEqual({ passed: true, why: [] });
});

test.each(shipped.map((each) => [each.one.name, each] as const))(
  '%s is not passed by any other',
  async (name, each) => {
    const others = shipped.filter(({ demo, one }) => demo === each.demo && one.name !== name);
    for (const { one } of others) {
      const { passed } = await attempt(each, REPLIES[one.name]!);
      expect({ by: one.name, passed }).toEqual({ by: one.name, passed: false });
    }
  },
);
