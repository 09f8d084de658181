/** Tools of other libraries as capabilities: what is read of them, how they are called, and what cannot be used. */

import { createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTool } from '@mastra/core/tools';
import { tool as agentTool } from '@openai/agents';
import { jsonSchema, tool, zodSchema } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { createRegistry, fromTools, type ForeignTool } from '../../src/capabilities/builtin/index.ts';
import { checkArguments, NotApplied, type WorkCapability } from '../../src/capabilities/index.ts';
import { capabilityGuides } from '../../src/planner/prompts/guides.ts';
import { fileFolder } from '../support/folders.ts';
import { FOREIGN_EFFECTS, foreignTools } from '../support/foreign-tools.ts';

const VERSION = '2.1.0';
const ANY = { version: VERSION, effects: { '*': 'at-most-once' } } as const;
const READ = { version: VERSION, effects: { it: 'read' } } as const;

function only(it: ForeignTool, options: Parameters<typeof fromTools>[1] = READ): WorkCapability {
  return fromTools({ it }, options)[0]!;
}

async function call(
  capability: WorkCapability,
  args: object,
  beats: unknown[] = [],
  signal = new AbortController().signal,
) {
  const heartbeat = (details: unknown) => void beats.push(details);
  const given = { goal: '', task: 't', idempotencyKey: 'key-1', inputs: [], signal, heartbeat };
  return capability.execute({ ...given, arguments: capability.input.parse(args) });
}

const problems = (capability: WorkCapability, args: object) =>
  checkArguments(capability.input, args as never).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a tool of each library', () => {
  const folder = fileFolder('foreign');
  const capabilities = fromTools(foreignTools(folder), { version: VERSION, effects: FOREIGN_EFFECTS });

  test.each(['refundByAiSdk', 'refundByAgents', 'refundByMastra'])(
    '%s has its description, its arguments, and the idempotency key as the id of its call',
    async (name) => {
      const found = capabilities.find((one) => one.name === name)!;
      expect(found).toMatchObject({
        ...{ effect: 'at-most-once', output: 'value', usesGoal: false, describedBy: 'a library of tools' },
        version: expect.stringMatching(/^2\.1\.0-[0-9a-f]{12}$/) as string,
        description: expect.stringMatching(/^Pays back a bill\. Arguments: amount: in cents$/) as string,
      });
      expect(problems(found, { amount: 'much', until: '.', current: 1 })).toHaveLength(2);
      expect(await call(found, { amount: 5, until: '.' })).toEqual({ paid: 5 });
      expect(readFileSync(join(folder, 'ledger'), 'utf8').trim().split('\n').at(-1)).toMatch(/ 5 key-1$/);
      // Each library answers its own model in another way if its tool throws; here all of them fail.
      await expect(call(found, { amount: -1, until: '.' })).rejects.toThrow(/no bill of -1|hides the reason/);
    },
  );

  test('the signal reaches the tool', async () => {
    const over = new AbortController();
    const waits = capabilities.slice(0, 3).map((one) => call(one, { amount: 1, until: 'never' }, [], over.signal));
    over.abort(new Error('no longer'));
    const ends = await Promise.allSettled(waits);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  test('a tool that streams reports each value, and its last one is the result', async () => {
    const beats: unknown[] = [];
    expect(await call(capabilities[3]!, { to: 3 }, beats)).toEqual({ counted: 3 });
    expect(beats).toEqual([{ counted: 1 }, { counted: 2 }, { counted: 3 }]);
  });

  test('models read the descriptions as data of a third party', () => {
    expect(
      capabilityGuides(createRegistry(capabilities).all.filter((one) => capabilities.includes(one as never))),
    ).toMatch(/<data-\w+ source="a library of tools">[^]*Pays back a bill/);
  });

  test('the version changes with the description, the schema and the version of the package, and with nothing else', () => {
    const made = (description: string, key = 'a', version = VERSION) =>
      only({ description, inputSchema: z.object({ [key]: z.string() }), execute: () => 1 }, { ...READ, version })
        .version;
    const versions = [made('A'), made('A'), made('B'), made('A', 'b'), made('A', 'a', '2.1.1')];
    expect(new Set(versions).size).toBe(4);
    expect(versions[0]).toBe(versions[1]);
  });
});

const echo = { execute: (args: unknown) => args };

describe('arguments', () => {
  test.each<[what: string, schema: unknown, args: object, result: unknown, wrong: object]>([
    ['zod 4', z.object({ n: z.number().min(1) }), { n: 1 }, { n: 1 }, { n: 0 }],
    ['zod 4, with a key that it would drop', z.object({ n: z.number() }), { n: 1 }, { n: 1 }, { n: 1, m: 1 }],
    [
      'zod 4, with a default and a transform',
      z.object({ n: z.string().transform(Number).default(3) }),
      {},
      { n: 3 },
      { n: 1 },
    ],
    [
      'zod 4, with a rule of its own',
      z.object({ n: z.number() }).refine(({ n }) => n % 2 === 0),
      { n: 2 },
      { n: 2 },
      { n: 1 },
    ],
    [
      'zod 4, of two parts',
      z.intersection(z.object({ n: z.number() }), z.object({ m: z.number() })),
      { n: 1, m: 1 },
      { n: 1, m: 1 },
      { n: 1 },
    ],
    ['zod 3', z3.object({ n: z3.number().min(1) }), { n: 1 }, { n: 1 }, { n: 0 }],
    ['JSON Schema', { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, { n: 1 }, { n: 1 }, {}],
    [
      'jsonSchema() of the AI SDK',
      jsonSchema({ type: 'object', properties: { n: { type: 'number' } } }),
      { n: 1 },
      { n: 1 },
      { n: 'x' },
    ],
    ['zodSchema() of the AI SDK', zodSchema(z.object({ n: z.number().default(2) })), {}, { n: 2 }, { n: 'x' }],
    ['a function that returns one', () => jsonSchema({ type: 'object', required: ['n'] }), { n: 1 }, { n: 1 }, {}],
    ['none', undefined, {}, {}, { n: 1 }],
  ])(
    '%s: are checked when a plan is compiled, and arrive as the library reads them',
    async (_, inputSchema, args, result, wrong) => {
      const it = only({ ...echo, inputSchema });
      expect(problems(it, args)).toEqual([]);
      expect(problems(it, wrong)).not.toEqual([]);
      expect(await call(it, args)).toEqual(result);
    },
  );

  test('a rule that takes time is checked right before the call, and an effect whose arguments fail has not begun', async () => {
    const inputSchema = z.object({ n: z.number() }).refine(async ({ n }) => Promise.resolve(n > 1), 'too small');
    const execute = vi.fn(() => 1);
    const it = only({ inputSchema, execute }, ANY);
    expect(problems(it, { n: 1 })).toEqual([]);
    const error: unknown = await call(it, { n: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotApplied);
    expect(String(error)).toContain('the arguments do not fit it: too small');
    expect(execute).not.toHaveBeenCalled();
    await expect(call(only({ inputSchema, execute }), { n: 1 })).rejects.toMatchObject({ errorClass: 'REPLANNING' });
  });

  test('a library that converts arguments itself gets them as they were approved', async () => {
    const it = createTool({
      id: 'it',
      description: '',
      inputSchema: z.object({ n: z.string().transform(Number) }),
      execute: async (args) => args,
    });
    expect(await call(only(it), { n: '7' })).toEqual({ n: 7 });
  });
});

describe('results', () => {
  test('nothing is null, a stream without a value too, and progress that cannot be reported hurts nothing', async () => {
    const beats: unknown[] = [];
    expect(await call(only({ execute: () => undefined }), {})).toBeNull();
    expect(await call(only({ async *execute() {} }), {})).toBeNull();
    const large = only({
      async *execute() {
        yield 1n;
        yield 'end';
      },
    });
    const heartbeat = (details: unknown) => void beats.push(JSON.stringify(details));
    const given = {
      goal: '',
      task: 't',
      idempotencyKey: 'k',
      inputs: [],
      arguments: {},
      heartbeat,
      signal: new AbortController().signal,
    };
    expect(await large.execute(given)).toBe('end');
    expect(beats).toEqual(['"a value that is no JSON of at most 64 KiB"', '"end"']);
  });

  const strictOutput = {
    id: 'it',
    description: '',
    inputSchema: z.object({}),
    outputSchema: z.object({ n: z.number() }),
  };
  const agents = { name: 'it', description: '', parameters: z.object({}) };
  const fail = () => Promise.reject(new Error('the bank is closed'));
  test.each<[what: string, it: ForeignTool, why: RegExp]>([
    [
      'an error of the AI SDK',
      tool({ inputSchema: z.object({ n: z.number().optional() }), execute: async () => (await fail()) as number }),
      /the bank is closed/,
    ],
    [
      'an error that OpenAI Agents hides',
      agentTool({ ...agents, execute: fail }),
      /hides the reason; write errorFunction: null/,
    ],
    [
      'an error that OpenAI Agents shows',
      agentTool({ ...agents, errorFunction: null, execute: fail }),
      /the bank is closed/,
    ],
    [
      'a timeout of OpenAI Agents',
      agentTool({ ...agents, timeoutMs: 1, execute: () => new Promise(() => {}) }),
      /timed out after 1ms/,
    ],
    [
      'a result that Mastra rejects',
      createTool({ ...strictOutput, execute: () => Promise.resolve({ n: 'x' } as never) }),
      /output validation failed/,
    ],
    [
      'a Mastra tool that waits for a person',
      createTool({
        ...strictOutput,
        execute: async (_, { agent }) => {
          await (agent as { suspend(payload: object): Promise<void> } | undefined)?.suspend({});
          return { n: 1 };
        },
      }),
      /waits for a person \(suspend\)/,
    ],
    [
      'an answer of an MCP server',
      { execute: () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }) },
      /failed: .*no/,
    ],
  ])('%s is a failure', async (_, it, why) => {
    await expect(call(only(it), {})).rejects.toThrow(why);
  });
});

describe('effects', () => {
  const asksAbove = (_: unknown, { amount }: { amount: number }) => Promise.resolve(amount > 100);
  const agents = { name: 'it', description: '', parameters: z.object({ amount: z.number() }), execute: () => 1 };
  test.each<[what: string, it: ForeignTool, asks: boolean]>([
    ['the AI SDK, always', { ...echo, needsApproval: true }, true],
    ['the AI SDK, by arguments', { ...echo, needsApproval: ({ amount }: { amount: number }) => amount > 100 }, true],
    ['the AI SDK, never', { ...echo, needsApproval: false }, false],
    ['OpenAI Agents, always', agentTool({ ...agents, needsApproval: true }), true],
    ['OpenAI Agents, by arguments', agentTool({ ...agents, needsApproval: asksAbove }), true],
    ['OpenAI Agents, never', agentTool(agents), false],
    [
      'Mastra, always',
      createTool({
        id: 'it',
        description: '',
        inputSchema: z.object({}),
        requireApproval: true,
        execute: () => Promise.resolve(1),
      }),
      true,
    ],
    [
      'Mastra, by arguments',
      createTool({
        id: 'it',
        description: '',
        inputSchema: z.object({}),
        requireApproval: ({ n }: { n?: number }) => n === 1,
        execute: () => Promise.resolve(1),
      } as never),
      true,
    ],
    [
      'Mastra, never',
      createTool({ id: 'it', description: '', inputSchema: z.object({}), execute: () => Promise.resolve(1) }),
      false,
    ],
    [
      'a policy that throws',
      {
        ...echo,
        needsApproval: () => {
          throw new Error('no');
        },
      },
      true,
    ],
  ])('approval in its own library makes a tool at-most-once, with a note: %s', (_, it, asks) => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    for (const effect of ['read', 'idempotent'] as const) {
      const made = only(it, { version: VERSION, effects: { it: effect } });
      expect([made.effect, made.description.includes('It needs approval in its own library')]).toEqual([
        asks ? 'at-most-once' : effect,
        asks,
      ]);
    }
    expect(warned.mock.calls.map(([text]) => String(text))).toEqual(
      asks ? [expect.stringContaining('not read'), expect.stringContaining('not idempotent')] : [],
    );
    warned.mockRestore();
  });

  test('a policy that is settled is read in a process with async hooks too', () => {
    const hook = createHook({ init: () => undefined }).enable();
    const made = only(
      { ...echo, needsApproval: () => Promise.resolve(false) },
      { version: VERSION, effects: { it: 'read' } },
    );
    hook.disable();
    expect(made.effect).toBe('read');
  });

  test('a tool without one is rejected with what to write', () => {
    expect(() =>
      fromTools({ search: echo, 'pay-back': echo, done: echo }, { version: VERSION, effects: { done: 'read' } }),
    ).toThrow(/effects lacks 2 of 3 tools\. Add "search": 'at-most-once', "pay-back": 'at-most-once'; or 'idempotent'/);
  });
});
