/** The examples in the docstrings of what the package exports: each compiles as a program that imports the package. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { doorsOf, entriesOf, plainOf } from '../scripts/api-pages.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const NAMES = join(ROOT, 'test/support/api-example-names.ts');
const OPTIONS = {
  noUnusedLocals: false,
  noPropertyAccessFromIndexSignature: false,
  verbatimModuleSyntax: false,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: false,
};

const doors = doorsOf(ROOT).map(({ door, types }) => ({ door, entries: entriesOf(types) }));
const assumed = namesOf(readFileSync(NAMES, 'utf8'), /^export (?:declare )?(?:const |function |\{ )(\w+)/gm);

test('every example of a docstring compiles', { timeout: 120_000 }, async () => {
  // Inside the package, so that its name resolves as in a program that has installed it.
  const folder = mkdtempSync(join(ROOT, 'dist/.examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const programs = doors.flatMap(({ door, entries }) =>
    entries.flatMap(({ name, doc }) =>
      examplesOf(doc).map((example) => [name, `${importsOf(example, door)}${example}\nexport {};\n`] as const),
    ),
  );
  for (const [at, [name, text]] of programs.entries()) writeFileSync(join(folder, `${at}-${name}.ts`), text);
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions: OPTIONS, include: ['*.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const compiled = promisify(execFile)(process.execPath, [tsc, '-p', folder], { cwd: folder });
  const errors = await compiled.then(
    () => '',
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
  expect(errors).toBe('');
  expect(programs.length).toBeGreaterThan(100);
});

function examplesOf(doc: string): readonly string[] {
  const [, ...examples] = plainOf(doc).split(/(?<!\S)@example\s/);
  return examples.map((example) => (example.split(/^@(?=\w)/m)[0] ?? '').trim());
}

/** Imports what the example uses: the names that every example assumes, else from its own door, else from another. */
function importsOf(example: string, door: string): string {
  const code = example.replaceAll(/\/\/.*$/gm, '').replaceAll(/'(?:\\.|[^'\\])*'/g, "''");
  const declared = namesOf(code, /^(?:for (?:await )?\()?(?:const|let)\s+(\{[^}]*\}|\[[^\]]*\]|\w+)/gm).flatMap(
    (names) => namesOf(names, /(\w+)(?=\s*[,}\]]|$)/g),
  );
  const used = new Set(namesOf(code, /(?<!\w|[^.]\.)([A-Za-z_]\w*)/g));
  const byNearness = doors.toSorted((a, b) => Number(b.door === door) - Number(a.door === door));
  const lines = [...used].flatMap((name) => {
    if (declared.includes(name)) return [];
    const owner = byNearness.find(({ entries }) => entries.some((entry) => entry.name === name));
    const from = assumed.includes(name) ? NAMES : owner?.door;
    return from === undefined ? [] : [`import { ${name} } from '${from}';\n`];
  });
  return lines.join('');
}

function namesOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}
