/** `calculate`: what it is given, what it answers, and that its thread is stopped. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { calculate, createRegistry } from '../../src/capabilities/builtin/index.ts';
import { threadOf } from '../../src/capabilities/in-thread.ts';
import { calculateInThread } from '../../src/capabilities/builtin/calculate/calculate.ts';
import { compilePlan } from '../../src/plan/index.ts';
import type { Result } from '../../src/store/index.ts';
import { carryOut } from './carry-out.ts';

const value = (given: unknown): Result => ({ kind: 'value', value: given }) as Result;

describe('VentureScope: calculate', () => {
  test('answers a decimal with what it was made from', async () => {
    const variables = { people: 1_200_000, share: '3 / 100', price: '9.90' };
    expect(await carryOut(calculate, { expression: 'people * share * price', variables, unit: 'EUR' })).toEqual({
      ...{ value: '356400', unit: 'EUR', expression: 'people * share * price' },
      variables: { people: '1200000', share: '0.03', price: '9.9' },
    });
    expect(await carryOut(calculate, { expression: '2 / 3', precision: 2 })).toEqual({
      ...{ value: '0.67', expression: '2 / 3', variables: {}, rounded: true },
    });
  });

  test('takes earlier results that are numbers under their keys, and tells those that it has used', async () => {
    const inputs = {
      users: value(250),
      price: value('9.50'),
      share: value({ value: '0.2', unit: 'of all' }),
      unused: value(1),
      'with-dash': value(2),
      note: { kind: 'text', text: '7' } as const,
    };
    expect(await carryOut(calculate, { expression: 'users * price * share * 2' }, { inputs })).toMatchObject({
      value: '950',
      variables: { users: '250', price: '9.5', share: '0.2' },
    });
  });

  test('takes a result among its variables, also where its step is an input of that name', async () => {
    const args = { expression: 'users * 2', variables: { users: { value: '3', expression: '1 + 2', variables: {} } } };
    const inputs = { users: value({ value: '3' }) };
    expect(await carryOut(calculate, args, { inputs })).toMatchObject({ value: '6', variables: { users: '3' } });
  });

  test.each<[name: string, args: Parameters<typeof calculate.input.parse>[0], says: string]>([
    [
      'an unknown variable',
      { expression: 'a + usrs', variables: { a: 1, users: 2 } },
      'calculate: expression: there is no variable usrs. Did you mean "users"? Known are a, users, pi, e',
    ],
    [
      'an unknown function',
      { expression: 'sqroot(2)' },
      'expression: there is no function sqroot. Did you mean "sqrt"?',
    ],
    [
      'a variable that cannot be read',
      { expression: 'a', variables: { a: '1 +' } },
      'calculate: variables.a, character 4: it cannot be read',
    ],
    ['a division by zero', { expression: '1 / (1 - 1)' }, 'calculate: expression: division by zero, in 1 / (1 - 1)'],
  ])('fails with REPLANNING and the place of %s', async (_, args, says) => {
    await expect(carryOut(calculate, args as { expression: string })).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringContaining(says) as string,
    });
  });

  test.each<[args: object, path: string]>([
    [{}, '$.expression'],
    [{ expression: 'x'.repeat(2001) }, '$.expression'],
    [{ expression: '1', variables: { a: [] } }, '$.variables.a'],
    [
      { expression: '1', variables: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`v${at}`, at])) },
      '$.variables',
    ],
    [{ expression: '1', unit: ' ' }, '$.unit'],
    [{ expression: '1', precision: 65 }, '$.precision'],
    [{ expression: '1', precison: 2 }, '$.precison'],
  ])('of %j is an issue of the plan', (args, path) => {
    const plan = { type: 'task', task: 'Work it out', capability: 'calculate', arguments: args };
    const compiled = compilePlan({ goal: 'g', plan }, { catalogue: createRegistry([calculate]) });
    expect(compiled).toMatchObject({ ok: false, issues: [{ path: path.replace('$', '$.plan.arguments') }] });
  });

  test('takes a result of another step as a variable of the plan', () => {
    const steps = [
      { context_key: 'users', capability: 'ask', task_objective: 'Ask', parameters: { question: 'How many?' } },
      {
        ...{ context_key: 'revenue', capability: 'calculate', task_objective: 'Work it out' },
        parameters: { expression: 'n * 2', variables: { n: 'result_from_step_1' } },
      },
    ];
    const catalogue = createRegistry([calculate]);
    expect(compilePlan({ goal: 'g', steps }, { catalogue })).toMatchObject({ ok: true });
  });
});

describe('the thread of a calculation', () => {
  const never = new AbortController().signal;
  const easy = { expression: '1 + 1', variables: [] };

  test('is stopped when its time is up', async () => {
    const hard = { expression: 'combinations(1e9, 5e8)', variables: [] };
    expect(await calculateInThread(hard, never, 100)).toEqual({
      ok: false,
      problem: { part: 'expression', message: 'it takes more than 100 ms; make it smaller' },
    });
    expect(await calculateInThread(easy, never)).toMatchObject({ ok: true, value: '2' });
  });

  test('is stopped with the run, as is one that waits for another', async () => {
    const controller = new AbortController();
    const [first, second] = [easy, easy].map((one) => calculateInThread(one, controller.signal));
    const gone = new Error('cancelled');
    controller.abort(gone);
    await expect(first).rejects.toBe(gone);
    await expect(second).rejects.toBe(gone);
    expect(await calculateInThread(easy, never)).toMatchObject({ ok: true });
  });

  test('is one for all where it is kept, and another one where that has ended', async () => {
    const code = `import { parentPort } from 'node:worker_threads';
      let asked = 0;
      parentPort.on('message', ({ last }) => (last ? process.exit() : parentPort.postMessage((asked += 1))));
      parentPort.postMessage('ready');`;
    const file = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
    const [own, kept] = [threadOf<number>(file), threadOf<number>(file, 60_000)];
    expect([await own({}, 5000), await own({}, 5000)]).toEqual([1, 1]);
    expect([await kept({}, 5000), await kept({}, 5000)]).toEqual([1, 2]);
    await expect(kept({ last: true }, 5000)).rejects.toThrow('its thread has ended without an answer');
    expect(await kept({}, 5000)).toBe(1);
  });

  test('is there in the built program', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      `import { calculate } from ${JSON.stringify(new URL('../../dist/capabilities.js', import.meta.url).href)};
      const { signal } = new AbortController();
      console.log(await calculate.execute({ arguments: { expression: '6 * 7' }, inputs: [], signal }));`,
    ]);
    expect(stdout).toContain("value: '42'");
  });
});
