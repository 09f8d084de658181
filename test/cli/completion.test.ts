/** The scripts of `completion`, from the program itself. bash runs its own here. */

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { allRows } from '../../src/cli/commands/index.ts';
import { completionScript } from '../../src/cli/completion.ts';
import { buildProgram } from '../../src/cli/program.ts';

const program = buildProgram('planwright', await allRows());

test.each([
  [['app'], 'approve'],
  [['retry', 'plan-1', 'node_1', '--dig'], '--digest'],
  [['store', 'c'], 'copy'],
  [['store', 'gc', '--d'], '--dry-run --deleted --demo'],
  [['-o', 'json', 'stat'], 'status'],
  [['help', 'opt'], 'options'],
  [['completion', 'fi'], 'fish'],
  [['status', 'plan-1', ''], expect.stringMatching(/^--workflow-id .*--address/)],
  [['$(touch x)', ''], expect.stringContaining('approve')],
])('bash completes %j with %s', (words, completed) => {
  const typed = ['planwright', ...words].map((word) => `'${word}'`).join(' ');
  const asks = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _planwright; echo "\${COMPREPLY[*]}"`;
  const found = execFileSync('bash', ['-c', `${completionScript(program, 'bash')}\n${asks}`], { encoding: 'utf8' });
  expect(found.trimEnd()).toEqual(completed);
});

test('zsh runs the script of bash, which uses no variable of zsh; fish gets a line for each command', () => {
  const zsh = completionScript(program, 'zsh');
  expect(zsh).toContain(completionScript(program, 'bash'));
  expect(zsh).not.toMatch(/\b(path|words|status|argv)=/);
  expect(completionScript(program, 'fish')).toMatch(
    /^complete -c planwright -n '__fish_seen_subcommand_from store; and __fish_seen_subcommand_from gc' -a '--remove /m,
  );
});
