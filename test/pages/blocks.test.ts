/** What stands between fences: commands that there are, and documents that can be read. Another test types the commands. */

import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createRegistry, calculate } from '../../src/capabilities/builtin/index.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { allRows } from '../../src/cli/commands/index.ts';
import { compilePlan, FILE_LIMITS } from '../../src/plan/index.ts';
import { parseRules } from '../../src/protocol/index.ts';
import { blocksOf, linesOf, NOT_TYPED, PAGES, type Block } from '../support/pages.ts';
import { readSource } from '../support/source-files.ts';

const blocks = PAGES.flatMap(blocksOf);
const named = (list: readonly Block[]) => list.map((block) => [`${block.page}:${block.line}`, block] as const);

describe('a fence', () => {
  test('is closed, and says what is in it', () => {
    const fences = PAGES.flatMap((page) => readSource(page).match(/^ *```/gm) ?? []);
    expect(fences).toHaveLength(2 * blocks.length);
    const odd = blocks.filter(({ language }) => !/^(sh|text|ts|json|yaml|xml|toml|bed|gff3|python|go)$/.test(language));
    expect(odd.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
  });

  test('of commands says how they are typed', () => {
    const titles = new Set(blocks.filter(({ language }) => language === 'sh').map(({ title }) => title));
    expect([...titles].toSorted()).toEqual(['', 'first terminal', 'script']);
  });

  test('has every line that is not typed', () => {
    const lines = blocks.flatMap((block) => linesOf(block).map((line) => [block.page, line] as const));
    const gone = NOT_TYPED.filter(
      ([page, begins]) => !lines.some(([of, line]) => of === page && line.startsWith(begins)),
    );
    expect(gone).toEqual([]);
  });
});

/** What is typed behind `planwright` in a line of a block, as far as a comment or another command. */
const typed = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap((block) =>
    linesOf(block).map(
      (line) => [`${block.page}: ${line}`, /(?:^|\$\()npx planwright ([^#|>]*)/.exec(line)?.[1]] as const,
    ),
  )
  .flatMap(([where, words]) => (words === undefined ? [] : [[where, words.replace(/\)$/, '').trim()] as const]));

/** Commands in the midst of a text. They may leave out what has to be given, and have more than one way to go on. */
const told = PAGES.flatMap((page) =>
  [
    ...readSource(page)
      .replaceAll(/^```[^]*?^```$/gm, '')
      .matchAll(/`(?:npx )?planwright ([a-z][^`]*)`/g),
  ].map(
    ([, words = '']) =>
      [`${page}: planwright ${words}`, words.replaceAll(/[[\]]/g, '').replaceAll(/\s+/g, ' ')] as const,
  ),
);

describe('a command', () => {
  test.each(typed)('%s', async (_where, words) => {
    await expect(parsed(words)).resolves.toBeUndefined();
  });

  test.each(told)('%s', async (_where, words) => {
    expect((await parsed(words)) ?? '').not.toMatch(/unknown (command|option)/);
  });

  test('in a block works without the program on the PATH', () => {
    const bare = blocks.filter(
      ({ language, text }) => language === 'sh' && /^\s*(planwright|temporal plan) /m.test(text),
    );
    expect(bare.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });

  test('that there is not is seen', async () => {
    expect(await parsed('aprove plan-1')).toMatch(/unknown command/);
    expect(await parsed('approve plan-1 --digset 3fa9c1d2')).toMatch(/unknown option/);
    expect(typed.length).toBeGreaterThan(30);
    expect(told.length).toBeGreaterThan(50);
  });
});

/** What the program says of it before it does anything. */
async function parsed(words: string): Promise<string | undefined> {
  const program = buildProgram('planwright', await allRows());
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) quiet(command);
  const args = (words.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
  try {
    await program.parseAsync(args, { from: 'user' });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A group such as `draft` has no action of its own. */
function quiet(command: Command): void {
  command.exitOverride();
  if (command.commands.length === 0) command.action(() => {});
}

const registry = createRegistry([calculate], { files: { folders: ['.'] } });
const catalogue = { catalogue: registry, limits: FILE_LIMITS };

/** A file of Prometheus or Kubernetes. */
const OF_ANOTHER_PROGRAM = /^(prometheus\.yml|planwright\.yaml)$/;

describe('a plan', () => {
  const texts = blocks.filter(
    ({ language, title, text }) =>
      language === 'xml' ||
      (language === 'yaml' && !OF_ANOTHER_PROGRAM.test(title)) ||
      (language === 'json' && /"(steps|plan)":/.test(text)),
  );
  const plans = texts.filter(({ text }) => !isMessage(text));
  test.each(named(plans))('%s', (_where, { language, text }) => {
    const own = /capability: (ask|calculate|records)/.test(text) ? catalogue : {};
    const compiled = compilePlan(documentIn(text, language), {
      ...(language === 'yaml' && { syntax: 'yaml' as const }),
      ...own,
    });
    expect(compiled.ok ? [] : compiled.issues).toEqual([]);
  });
});

/** What a run is started with, and what it is told, hold a plan beside other things: test/demos/control-room reads them. */
function isMessage(text: string): boolean {
  return /^\s*\{\s*("kind"|"plan":\s*\{\s*"goal")/.test(text);
}

function documentIn(text: string, language: string): unknown {
  return language === 'json' ? (JSON.parse(text) as unknown) : text;
}

describe('whatever is JSON or YAML', () => {
  const documents = blocks.filter(({ language }) => language === 'json' || language === 'yaml');
  test.each(named(documents))('%s can be read', (_where, { text }) => {
    expect(parse(text)).toBeTypeOf('object');
  });

  test("a model's list of nodes is a plan", () => {
    const [found] = documents.filter(({ page }) => page === 'docs/planning.md');
    const { nodes } = JSON.parse(found?.text ?? '{}') as { readonly nodes?: unknown };
    expect(compilePlan({ goal: 'Find genes', nodes })).toMatchObject({ ok: true });
  });

  test('rules are rules', () => {
    const [found] = documents.filter(({ page }) => page === 'docs/approval.md');
    const { rules } = JSON.parse(found?.text ?? '{}') as { readonly rules: readonly unknown[] };
    const problems: string[] = [];
    expect(parseRules(rules, 'rules', problems)).toHaveLength(3);
    expect(problems).toEqual([]);
  });
});
