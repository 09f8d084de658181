/** The program as a whole: its help, wrong usage, formats, and what a command loads. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildProgram, ownOptions } from '../../src/cli/program.ts';
import { allRows } from '../../src/cli/commands/index.ts';
import { CONFIG, planwright, start, type Answer } from './planwright.ts';
import { testFolder } from '../support/folders.ts';

const commands = buildProgram('planwright', await allRows()).commands;
const PLAN = '{"goal":"g","plan":{"task":"x"}}';

describe('the program', () => {
  test('shows its help on stdout and exits 0', async () => {
    const { code, stdout, stderr } = await planwright(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await planwright(['help'])).stdout).toBe(stdout);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(60);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`(^  |\`)${command.name()}[ \`]`, 'm'));
    // One line each: a capital, and no continuation.
    const listed = stdout.split('\n').filter((line) => line.startsWith('  '));
    expect(listed.filter((line) => !/^ {2}[\w-]+ +[A-Z]/.test(line))).toEqual([]);
    expect(listed.length).toBe(commands.length - 9);
  });

  test('has at most 250 options, and describes those that commands share once', async () => {
    const leaves = commands.flatMap((one) => (one.commands.length === 0 ? [one] : one.commands));
    const own = leaves.flatMap(ownOptions);
    const { stdout } = await planwright(['help', 'options']);
    const shared = stdout.match(/^ {2}(-\w, )?--/gm) ?? [];
    expect(own.length + shared.length).toBeLessThanOrEqual(250);
    for (const command of leaves)
      for (const option of command.options)
        if (!own.includes(option) && option.short !== '-w') expect(stdout, command.name()).toContain(option.long);
  });

  test.each([['--help'], ['help', 'run'], ['help', 'options'], ['version']])(
    '%j %s reads no config',
    async (...args) => {
      const cwd = testFolder('broken');
      writeFileSync(join(cwd, 'planwright.config.ts'), 'this is no config');
      expect(await planwright(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    },
  );

  test.each(commands.map((command) => [command.name()]))('%s --help has an example and exits 0', async (name) => {
    const { code, stdout } = await planwright([name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Example:\n  planwright ${name}`);
  });

  const named = commands.flatMap((one) => [
    one.name(),
    ...one.commands.map((below) => `${one.name()} ${below.name()}`),
  ]);
  test.each(['', ...named])('planwright %s --help fits 80 columns', async (words) => {
    const { stdout } = await planwright([...words.split(' ').filter(Boolean), '--help']);
    expect(stdout).toContain(`Usage: planwright ${words}`.trimEnd());
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test.each([
    [['compil', '-'], "unknown command 'compil' (Did you mean compile?)"],
    [['store', 'gc', '--dry-run', '--remove'], 'give --remove or --dry-run'],
    [['compile'], "missing required argument 'file'"],
    [['compile', '-', '--frmat', 'tree'], "unknown option '--frmat'"],
    [['compile', '-', 'more'], 'too many arguments'],
    [['status'], "missing required argument 'workflow-id'"],
    [['compile', '-', '--color', 'sometimes'], "option '--color <when>' argument 'sometimes' is invalid"],
    [[], 'name a command'],
    [['run', '-', '--timeout', 'soon'], '--timeout: expected a duration'],
    [['run', '-', '--approval-deadline', '0'], '--approval-deadline: expected a time above 0'],
    [['run', '-', '--approval', 'never'], '--approval: expected required or effects'],
    [['run', '-', '--config', CONFIG, '--demo', 'x'], 'give --config or --demo, not both'],
    [['approve', 'plan-1', '--digest', 'xyz'], 'digest: expected at least the first 8 hex digits'],
    [['approve', 'plan-1', '--digest', '01234567', '--by', ' '], 'say who decides with --by NAME'],
    [['decide', 'plan-1', '--kind', 'edit'], "unknown command 'decide'"],
    [['help', 'control'], "unknown command 'control'"],
    [['help', 'store', 'nothing'], "unknown command 'store nothing'"],
    [['edit', 'plan-1'], "required option '--plan <file>' not specified"],
    [['revise', 'plan-1'], "required option '--feedback <feedback>' not specified"],
    [['kill', 'plan-1'], "required option '--comment <comment>' not specified"],
    [['kill', 'plan-1', '--comment', ' '], 'comment: expected why'],
    [['resolve', 'plan-1', 'node_1'], "required option '--outcome <outcome>' not specified"],
    [['resolve', 'plan-1', 'node_1', '--outcome', 'maybe'], '--outcome: expected succeeded or failed'],
    [['resolve', 'plan-1', 'node_1', '--outcome', 'succeeded'], 'value: expected the result of the node'],
    [['retry', 'plan-1'], "missing required argument 'node'"],
    [['pause', 'plan-1', 'node_1'], "too many arguments for 'pause': expected 1 argument but got 2 (plan-1, node_1)"],
    [['cancel', 'plan-1', '--by', 'operator'], "unknown option '--by'"],
    [['why', '-w', 'plan-1'], "missing required argument 'node'"],
    [['status', 'plan-1', '--workflow-id', 'plan-2'], 'expected 1 argument but got 2 (plan-2, plan-1)'],
    [['pause', 'plan-1', '--comentt', 'x'], 'Did you mean --comment?'],
    [['status', '--colour', 'never'], 'Did you mean --color?'],
    [['completion', 'csh'], 'shell: expected bash or zsh or fish, got "csh"'],
    [['inbox', '--limit', '0'], '--limit: expected a whole number from 1'],
    [['trace', 'plan-1', '--after', '-1'], '--after: expected a whole number from 0'],
    [['run', '-', '--max-rejections', 'none'], '--max-rejections: expected a whole number'],
    [['run', '-', '--kid', 'operator'], 'add --key FILE'],
  ])('%j is wrong usage, told as text and as JSON', async (args, message) => {
    const text = await planwright(args, { stdin: PLAN });
    expect({ code: text.code, stdout: text.stdout }).toEqual({ code: 2, stdout: '' });
    expect(text.stderr).toContain('error[USAGE]: ');
    expect(text.stderr).toContain(message);
    const json = await planwright([...args, '--output=json'], { stdin: PLAN });
    const { ok, error } = JSON.parse(json.stdout) as Required<Answer>;
    expect({ code: json.code, ok, error: error.code }).toEqual({ code: 2, ok: false, error: 'USAGE' });
    expect(error.message).toContain(message);
  });

  test('colours stderr when it is told to, and never data', async () => {
    const stdin = '{"goal":"g","plan":{"task":"x","why":1}}';
    const args = ['compile', '-'];
    const always = await planwright([...args, '--color', 'always'], { stdin });
    const auto = await planwright(args, { stdin });
    expect(always.stderr).toContain('\u001B[33mwarning[unknown-key]\u001B[0m');
    expect(auto.stderr).not.toContain('\u001B');
    expect(always.stdout).toBe(auto.stdout);
  });

  test('takes the flags that the Temporal CLI hands on', async () => {
    const flags =
      '--tls=false --env prod --log-level=warn --time-format iso --codec-endpoint http://x --identity me -n ns';
    const { code } = await planwright(['compile', '-', ...flags.split(' '), '--grpc-meta', 'a=b'], { stdin: PLAN });
    expect(code).toBe(0);
  });

  test.each([
    ['worker', 'planwright worker --demo gene-strategies'],
    ['dev', 'planwright dev --demo gene-strategies'],
    ['capabilities', 'planwright capabilities --demo gene-strategies'],
  ])('%s without a config refuses and names a demo', async (name, advice) => {
    const { code, stderr } = await planwright([name]);
    expect(code).toBe(2);
    expect(stderr).toContain('error[NO_CONFIG]: ');
    expect(stderr).toContain(advice);
  });

  test('a config that does not fit is told field by field', async () => {
    const { code, stdout } = await planwright([
      'capabilities',
      '--config',
      join(CONFIG, '..', 'broken.config.ts'),
      '-o',
      'json',
    ]);
    const { error } = JSON.parse(stdout) as Required<Answer>;
    expect({ code, error: error.code }).toEqual({ code: 2, error: 'CONFIG_INVALID' });
    expect(error.message).toContain('config.capabilities');
    expect(error.message).toContain('config.tasks.default');
  });

  test('an unknown demo is told with the known ones', async () => {
    const { code, stderr } = await planwright(['worker', '--demo', 'nope']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/error\[NO_DEMO\]: there is no demo "nope"; known are .*gene-strategies/);
  });

  test('capabilities come with their arguments as JSON schema', async () => {
    const { code, stdout } = await planwright(['capabilities', '--config', CONFIG, '-o', 'json']);
    const answer = JSON.parse(stdout) as { capabilities: readonly { name: string }[]; default: string };
    expect(code).toBe(0);
    expect(answer.default).toBe('letters');
    expect(answer.capabilities.find(({ name }) => name === 'order')).toMatchObject({
      version: '1',
      effect: 'at-most-once',
      output: 'set',
      arguments: {
        type: 'object',
        required: ['item'],
        properties: { item: { type: 'string', description: 'what is ordered' } },
      },
    });
  });

  test('capabilities --policy draws what the project decides by, and what a project without a policy does', async () => {
    const market = await planwright(['capabilities', '--policy', '--demo', 'market-sizing', '-o', 'json']);
    const { policy, stages, exits } = JSON.parse(market.stdout) as {
      policy: string;
      stages: readonly { name: string; kind: string }[];
      exits: readonly object[];
    };
    expect({ policy, first: stages[0] }).toMatchObject({
      policy: 'venturescope',
      first: { name: 'g_iter_cap', kind: 'gate' },
    });
    expect(exits).toContainEqual({ from: 'g_region', to: 'dispatch', label: 'decides' });
    const plain = await planwright(['capabilities', '--policy', '--config', CONFIG]);
    expect(plain.stdout).toMatch(/^select_capabilities +enrich[^]*\ndecide +decide/);
    const nobody = await planwright(['capabilities', '--policy', 'nobody', '--config', CONFIG]);
    expect(nobody.stderr).toContain('the project has no agent nobody');
    const drawn = await planwright(['capabilities', '--policy', '--mermaid', '--config', CONFIG]);
    expect(drawn.stdout).toContain('flowchart');
    expect((await planwright(['capabilities', '--mermaid', '--config', CONFIG])).stderr).toContain('with --policy');
  });

  test('where no server listens, every command that needs one says so', async () => {
    const typed = await Promise.all(
      [
        ['status', 'plan-1'],
        ['list'],
        ['run', '-'],
        ['worker', '--config', CONFIG],
        ['approve', 'plan-1', '--digest', '01234567'],
        ['answer', 'plan-1', 'q', '1'],
        ['pause', '-w', 'plan-1'],
        ['cancel', 'a run'],
        ['inbox'],
        ['trace', 'plan-1'],
        ['why', 'plan-1', 'node_1'],
      ].map((args) => planwright([...args, '--address', '127.0.0.1:1', '-o', 'json'], { stdin: PLAN })),
    );
    for (const { args, code, stdout } of typed) {
      const { error } = JSON.parse(stdout) as Required<Answer>;
      const message = expect.stringContaining('127.0.0.1:1') as string;
      expect({ args, code, error }).toMatchObject({ args, code: 2, error: { code: 'NO_SERVER', message } });
    }
  });
});

describe('what a command loads', () => {
  const HEAVY = /node_modules\/(@temporalio|zod|jiti|@clack)\//;

  test.each([
    ['--help', ['--help']],
    ['compile', ['compile', '-']],
  ])('%s needs no server, schema or config library', async (_, args) => {
    const LOADED_MODULES = join(testFolder('loaded'), 'modules.txt');
    const preload = new URL('./record-modules.mjs', import.meta.url).href;
    const { code } = await start(args, {
      stdin: PLAN,
      env: { NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES },
    }).ended;
    const loaded = readFileSync(LOADED_MODULES, 'utf8').split('\n');
    expect(code).toBe(0);
    expect(loaded.some((url) => url.includes('/commander/'))).toBe(true);
    expect(loaded.filter((url) => HEAVY.test(url))).toEqual([]);
  });
});
