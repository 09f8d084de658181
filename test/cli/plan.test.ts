/** `planwright plan`: plans from goals, without a server. The model is a double. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { chatEvents, startModelServer } from '../support/model-server.ts';
import { CONFIG, planwright, type Answer } from './planwright.ts';
import { testFolder } from '../support/folders.ts';

const PLANNING = fileURLToPath(new URL('../fixtures/planning/planwright.config.ts', import.meta.url));

const typed = (...args: string[]) => planwright(['plan', ...args, '--config', PLANNING]);

async function planned(
  ...args: string[]
): Promise<Answer<'plan'> & { readonly text: string } & { readonly code: number }> {
  const { code, stdout } = await typed(...args, '-o', 'json');
  return { code, ...(JSON.parse(stdout) as Answer<'plan'> & { readonly text: string }) };
}

describe('plan', () => {
  test('shows the plan, its document and what it cost; the rest is told while it is made', async () => {
    const { code, stdout, stderr } = await typed('GOOD letters');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^├─ node_1 {2}ab\n│ {5}with the capability "letters"/m);
    expect(stdout).toMatch(/^digest [0-9a-f]{64}\n3 nodes: 2 tasks, 1 combine$/m);
    expect(stdout).toMatch(/^1 model call, 100 tokens read \(20 of them cached\), 10 written, cost 0\.001$/m);
    expect(stdout).toContain('"operator": "UNION"');
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      'Reading the goal',
      'Selecting capabilities',
      'Offered: letters, order, respond, ask, clarify, agent clerk.',
      'Not offered, since the configuration names no folders for files (files.folders): records.file, records.write.',
      'Writing the plan',
      'The letters of ab and more.',
      't0: ab (letters)',
      't1: cd (letters)',
      'j0: t0 UNION t1',
    ]);
  });

  test('--out writes the document, and overwrites nothing', async () => {
    const file = join(testFolder('plan'), 'plan.json');
    const { code, stdout, stderr } = await typed('GOOD letters', '--out', file);
    expect(code).toBe(0);
    expect(stdout).not.toContain('"operator"');
    expect(stderr).toContain(`next: planwright run ${file}`);
    const written = readFileSync(file, 'utf8');
    expect(JSON.parse(written)).toEqual((await planned('GOOD letters')).document);
    const again = await typed('MENDED letters', '--out', file);
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 2, stdout: '' });
    expect(again.stderr).toContain('is there already');
    expect(again.stderr).not.toContain('Reading the goal');
    expect(readFileSync(file, 'utf8')).toBe(written);
  });
});

describe('a question of the planner', () => {
  test('is answered by --answer', async () => {
    const { code, text } = await planned('ASKING', '--answer', 'gh');
    expect(code).toBe(0);
    expect(text).toContain('"h"');
  });
});

describe('the model', () => {
  test('where there is none, all ways to name one are told', async () => {
    const { code, stderr } = await planwright(['plan', 'Letters', '--config', CONFIG]);
    expect(code).toBe(2);
    for (const way of ['error[USAGE]', '"model"', '--model URL', 'PLANWRIGHT_MODEL_KEY', 'OPENAI_API_KEY']) {
      expect(stderr).toContain(way);
    }
  });

  test('that is typed is asked in place of the configured one, with its own key alone', async () => {
    const nodes = [{ id: 'a', task: 'zz', capability: 'letters', arguments: { word: 'zz' } }];
    const server = await startModelServer(() => ({ events: chatEvents([JSON.stringify({ nodes })]) }));
    const args = [
      'plan',
      'Letters',
      '--config',
      CONFIG,
      '--model',
      server.baseURL,
      '--model-name',
      'tiny',
      '-o',
      'json',
    ];
    const { code, stdout } = await planwright(args, {
      env: { OPENAI_API_KEY: 'sk-of-somebody', PLANWRIGHT_MODEL_KEY: '' },
    });
    expect(code).toBe(0);
    const { usage, fallback } = JSON.parse(stdout) as Answer<'plan'>;
    expect(fallback).toBe(false);
    expect(usage.calls).toBe(server.asked.length);
    expect(usage.cost).toBeUndefined();
    expect(server.asked.map(({ body }) => body['model'])).toEqual(server.asked.map(() => 'tiny'));
    expect(server.asked.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  test.each([
    [['--model', 'http://127.0.0.1:1/v1'], '--model-name NAME'],
    [['--model', 'not an address', '--model-name', 'tiny'], 'expected http(s)://host/v1'],
    [['--model-name', 'tiny'], 'client scripted-letters, which has a server of its own; --model URL names a server'],
    [['--config', PLANNING, '--demo', 'gene-strategies'], 'give --config or --demo, not both'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stdout, stderr } = await typed('Letters', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

test('a run of a goal is refused in advance where it cannot be what is meant', async () => {
  const wrong = async (...args: string[]) => (await planwright(['run', ...args])).stderr;
  expect(await wrong('--goal', 'Letters', '--model', 'http://127.0.0.1:1/v1')).toContain("unknown option '--model'");
  expect(await wrong('--goal', 'Letters', '--approve')).toContain('there is none yet');
  expect(await wrong()).toContain(
    'give a plan document (a file, or - for standard input), --goal GOAL, or --reuse RUN alone',
  );
  expect(await wrong('-', '--goal', 'Letters')).toContain('one of the three');
});

test('a worker with agents and no model does not start', async () => {
  const folder = testFolder('agents');
  const config = join(folder, 'planwright.config.mjs');
  writeFileSync(
    config,
    `import planning from ${JSON.stringify(PLANNING)};\nconst { model: _, ...config } = planning;\nexport default config;\n`,
  );
  const { code, stderr } = await planwright(['worker', '--config', config, '--address', '127.0.0.1:1']);
  expect(code).toBe(2);
  expect(stderr).toContain('error[CONFIG_INVALID]: the agent clerk has no model to decide with; set "model"');
});
