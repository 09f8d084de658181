import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { asTyped } from '../../src/cli/typed-command.ts';
import { fileFolder } from '../support/folders.ts';

const folder = fileFolder('path');
const [bin, empty] = ['bin', 'empty'].map((name) => join(folder, name)) as [string, string];
for (const each of [bin, empty]) mkdirSync(each);
writeFileSync(join(bin, 'planwright'), '');
chmodSync(join(bin, 'planwright'), 0o755);

const both = [empty, bin].join(delimiter);
test.each([
  ['on the PATH', '/usr/bin/planwright', { PATH: both }, 'planwright status plan-1'],
  [
    'on it, and typed with npx',
    '/app/node_modules/.bin/planwright',
    { PATH: both, npm_command: 'exec' },
    'npx planwright status plan-1',
  ],
  [
    'on it, in a script of npm',
    '/app/dist/cli/main.js',
    { PATH: both, npm_command: 'run-script' },
    'npx planwright status plan-1',
  ],
  ['not on it', '/app/node_modules/.bin/planwright', { PATH: empty }, 'npx planwright status plan-1'],
  ['without a PATH', '/app/dist/cli/main.js', {}, 'npx planwright status plan-1'],
  ['below the Temporal CLI', '/usr/bin/temporal-plan', { PATH: both }, 'temporal plan status plan-1'],
  ['below it on Windows', '/bin/temporal-plan.cmd', { PATH: both }, 'temporal plan status plan-1'],
])('%s', (_where, program, env, command) => {
  expect(asTyped('status plan-1', { program, env })).toBe(command);
});
