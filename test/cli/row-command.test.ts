/** A row of the operations is a command: its flags, its help and its answer come from the row alone. */

import { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { describeAll } from '../../src/cli/commands/index.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { byHand, declareCommand, exitCodeOf } from '../../src/cli/define-command.ts';
import { describeRows, OPERATIONS } from '../../src/operations/index.ts';
import { operation } from '../../src/operations/operation.ts';

const FILE = new URL('../../package.json', import.meta.url).pathname;
const PARTS = Object.entries({ a: 1, bc: 20 }).map(([name, grams]) => ({ name, grams }));

const FROM = { document: 'object', wide: 'columns', hidden: 'none' } as const;
const added = operation({
  command: {
    words: 'weigh <file> [unit]',
    example: 'weigh plan.json',
    from: FROM,
    place: ['timeout'],
    more: 'It exits 0.',
  },
  does: 'Weigh a plan.',
  input: (z) =>
    z.object({
      document: z.unknown().describe('what is weighed'),
      unit: z.string().optional().describe('the unit'),
      most: z.int().positive().default(3).describe('at most so many'),
      scale: z.enum(['fine', 'coarse']).optional().describe('which scale'),
      only: z.array(z.string()).optional().describe('only these'),
      wide: z.int().optional(),
      hidden: z.string().default('h'),
      shape: z.object({ a: z.string() }).optional().describe('no word can stand for it'),
      tare: z.boolean().optional().describe('without the box'),
    }),
  run: async (_plans, input) => ({ given: JSON.stringify(input), parts: PARTS }),
});
const rows = await describeRows({ weigh: async () => added } as object);

async function type(...args: string[]): Promise<{ readonly code: number; readonly stdout: string }> {
  let stdout = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((stdout += String(text))));
  Object.assign(OPERATIONS, { weigh: async () => added });
  const program = buildProgram('planwright', rows);
  await program.parseAsync(args, { from: 'user' });
  return { code: exitCodeOf(program), stdout };
}

afterEach(() => {
  vi.restoreAllMocks();
  Reflect.deleteProperty(OPERATIONS, 'weigh');
});

describe('a row that is added', () => {
  test('stands in the help of the program, and has its own', () => {
    const program = buildProgram('planwright', rows);
    expect(program.helpInformation()).toMatch(/^ {2}weigh +Weigh a plan$/m);
    const weigh = program.commands.find((one) => one.name() === 'weigh')!;
    expect(weigh.helpInformation()).toContain('<file> [unit]\n\nWeigh a plan. It exits 0.');
    expect(weigh.helpInformation()).toMatch(/--most <n> +at most so many \(default: 3\)/);
    const flags = '--most <n>, --scale <scale>, --only <only>, --tare, --timeout <duration>';
    expect(weigh.options.map((one) => one.flags).join(', ')).toBe(flags);
  });

  test('is carried out with what was typed, and answers in names and values', async () => {
    const { code, stdout } = await type('weigh', FILE, 'g', '--most', '5', '--only', 'a, b', '--tare');
    const given = /^given {2}\{.*"unit":"g","most":5,"only":\["a","b"\],"wide":\d+,"hidden":"h","tare":true\}$/m;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(given) as string });
    expect(stdout).toContain('parts\n  name  grams\n  a     1\n  bc    20\n');
    const json = JSON.parse((await type('weigh', FILE, '-o', 'json')).stdout) as { readonly given: string };
    expect(json).toMatchObject({ ok: true, parts: [{ grams: 1 }, { grams: 20 }] });
    expect(JSON.parse(json.given)).toMatchObject({ most: 3, hidden: 'h', document: { name: 'planwright' } });
  });
});

describe('a command by hand', async () => {
  const row = byHand({
    command: {
      words: 'try <workflow-id> [node]',
      place: ['timeout'],
      from: { role: 'words', model: 'text-or-flag' },
      flags: (z) => ({ loud: z.boolean().optional() }),
    },
    does: 'Tries.',
    input: (z) =>
      z.object({
        workflowId: z.string(),
        node: z.string().optional(),
        role: z.array(z.string()).optional(),
        keyPair: z.boolean().optional().meta({ short: '-k' }),
        model: z.union([z.literal(true), z.string()]).optional(),
        run: z.boolean().default(true),
        pace: z.int().min(0).max(60).default(7),
      }),
    // Its values have the types of its fields.
    run: async ({ workflowId, pace, run }) => (workflowId.length + pace > 7 && run ? 'stale' : 'done'),
  });
  const [described] = await describeRows<string>({ try: async () => row });

  async function typed(...args: string[]) {
    let seen: object = {};
    const command = declareCommand(described!, async (all) => ((seen = all), 'stale'));
    const program = new Command('planwright').exitOverride().addCommand(command.exitOverride());
    await program.parseAsync(['try', ...args], { from: 'user' });
    expect(exitCodeOf(program)).toBe(6);
    return seen;
  }

  test.each<[args: readonly string[], values: object]>([
    [['--role', 'operator', 'safety'], { node: undefined, role: ['operator', 'safety'], run: true, pace: 7 }],
    [['n', '--timeout', '90s'], { node: 'n', timeout: { typed: '90s', ms: 90_000 }, run: true, pace: 7 }],
    [['--timeout', '0s', '--model'], { timeout: { typed: '0s', ms: undefined }, model: true, run: true, pace: 7 }],
    [['-k', '--no-run', '--pace', '60', '--loud'], { keyPair: true, run: false, pace: 60, loud: true }],
  ])('reads %j as its fields say', async (args, values) => {
    expect(await typed('plan-1', ...args)).toEqual({ workflowId: 'plan-1', ...values });
  });

  test.each([
    [[], "missing required argument 'workflow-id'"],
    [['plan-1', '--pace', '61'], '--pace: expected a whole number from 0 to 60, got "61"'],
    [['plan-1', '--timeout', 'soon'], '--timeout: expected a duration'],
  ])('refuses %j', async (args, message) => {
    await expect(typed(...args)).rejects.toThrow(message);
  });

  test('has each flag once, as all commands have', async () => {
    const twice = { ...described!, flags: described!.fields };
    expect(() => declareCommand(twice, async () => 'done')).toThrow(/--role.*conflict/);
    expect((await describeAll()).length).toBeGreaterThan(30);
  });
});
