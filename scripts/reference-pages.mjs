/**
 * The pages of reference that the build writes into docs, from the code and the docstrings beside it: nobody edits them, and git
 * does not have them. A `docs/runs.md#control` in a docstring becomes a link.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** By their names, each with what makes it. @type {Readonly<Record<string, (root: string) => string | Promise<string>>>} */
const PAGES = { 'cli.md': commandPage, 'errors.md': errorPage };

/** @param {string} root */
export function referencePages(root) {
  return Object.keys(PAGES).map((name) => join(root, 'docs', name));
}

/** Once dist is there. @param {string} root */
export async function writeReferencePages(root) {
  for (const [name, make] of Object.entries(PAGES)) writeFileSync(join(root, 'docs', name), await make(root));
}

/** Every command with its words, its docstring and its options. @param {string} root */
async function commandPage(root) {
  const built = (/** @type {string} */ path) => import(pathToFileURL(join(root, 'dist', path)).href);
  /** @type {typeof import('../src/cli/program.ts')} */
  const { buildProgram } = await built('cli/program.js');
  /** @type {typeof import('../src/cli/commands/index.ts')} */
  const { describeAll } = await built('cli/commands/index.js');
  const rows = await describeAll();
  const program = buildProgram('planwright', rows);
  const docs = new Map([
    ...commandDocs(root, 'src/operations', 'rows.ts'),
    ...commandDocs(root, 'src/cli/commands', 'index.ts'),
  ]);
  const parts = rows.map(({ operation, words, does, more, example }) => {
    const path = words.replace(/ [<[].*/, '');
    const command = path
      .split(' ')
      .reduce((above, name) => above.commands.find((one) => one.name() === name) ?? above, program);
    const says = [does, more === undefined ? '' : `${more.replace(/^./, (first) => first.toUpperCase())}.`];
    return [
      `## ${path}\n\n\`planwright ${words}\``,
      says.join(' ').trim(),
      docs.get(operation) ?? '',
      optionTable(command.options),
      example === undefined ? '' : `Example: \`planwright ${example}\``,
    ];
  });
  const codes = Object.values(await exitCodes(root)).map(({ code, meaning }) => [String(code), meaning]);
  return pageOf(
    'The command line',
    docAt(readFileSync(join(root, 'src/cli/program.ts'), 'utf8'), /^export function buildProgram\b/m),
    `## Options of every command\n\n${optionTable(program.options)}`,
    `## Exit codes\n\n${tableOf(['code', 'meaning'], codes)}`,
    ...parts.flat(),
  );
}

/** @param {string} root @returns {Promise<Readonly<Record<string, { code: number, meaning: string }>>>} */
async function exitCodes(root) {
  return (await import(pathToFileURL(join(root, 'dist', 'operations', 'error-codes.js')).href)).EXIT_CODES;
}

/**
 * The docstrings of commands, by the names of their rows.
 *
 * @param {string} root
 * @param {string} folder
 * @param {string} table the file there that names the rows, each with the file that has it
 * @returns {(readonly [string, string])[]}
 */
function commandDocs(root, folder, table) {
  const source = readFileSync(join(root, folder, table), 'utf8');
  const rows = source.matchAll(/(\w+): async \(\) => \(await import\('(.+?)'\)\)\.(\w+)/g);
  return [...rows].map(([, operation = '', file = '', name]) => {
    const declared = new RegExp(`^export const ${name} = `, 'm');
    return [operation, docAt(readFileSync(join(root, folder, file), 'utf8'), declared)];
  });
}

/** @param {readonly import('commander').Option[]} options */
function optionTable(options) {
  const rows = options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, defaultValue, negate }) => {
      const initial =
        defaultValue === undefined || negate ? '' : `; default \`${/** @type {string | number} */ (defaultValue)}\``;
      return [`\`${flags}\``, description + initial];
    });
  return rows.length === 0 ? '' : tableOf(['option', 'meaning'], rows);
}

/** The lists of codes, each with its file and what its codes are told with. */
const CODES = [
  { title: 'Plan issues', file: 'src/plan/issues/issue.ts', names: ['ISSUE_CODES'] },
  { title: 'Failure types', file: 'src/protocol/failure-types.ts', names: ['FAILURE_TYPES', 'ERROR_CLASSES'] },
  { title: 'Refused messages', file: 'src/protocol/refusal.ts', names: ['REFUSALS'] },
  { title: 'Store errors', file: 'src/store/store.ts', names: ['STORE_ERROR_CODES'] },
  { title: 'Client errors', file: 'src/client/client-error.ts', names: ['CLIENT_ERROR_CODES'] },
  { title: 'Draft errors', file: 'src/capabilities/builtin/drafts/fields.ts', names: ['DRAFT_ERROR_CODES'] },
  { title: 'Model errors', file: 'src/models/model-error.ts', names: ['KINDS'], also: 'class' },
  { title: 'Command line errors', file: 'src/operations/error-codes.ts', names: ['ERROR_CODES'], also: 'exit' },
];

/** Every code, with what its docstring says of it. @param {string} root */
async function errorPage(root) {
  const exits = await exitCodes(root);
  const parts = CODES.map(({ title, file, names, also }) => {
    const source = readFileSync(join(root, file), 'utf8');
    const rows = names.flatMap((name) => {
      const [, list = ''] = source.split(new RegExp(`^(?:export )?const ${name} = `, 'm'));
      return [...(list.split(/^[}\]] as const/m)[0] ?? '').matchAll(CODE)].map(([, doc = '', code, value = '']) => {
        const [meaning = '', fix] = plainOf(doc).replaceAll('\n', ' ').split(' @fix ');
        if (fix === undefined) throw new Error(`${file}: ${code} needs a docstring with @fix, what to do about it`);
        return [`\`${code}\``, ...(also === undefined ? [] : [String(exits[value]?.code ?? value)]), meaning, fix];
      });
    });
    const head = ['code', ...(also === undefined ? [] : [also]), 'meaning', 'what to do'];
    const about = docAt(source, new RegExp(`^(?:export )?const ${names[0]} = `, 'm'));
    return `## ${title}\n\n${about}\n\n${tableOf(head, rows)}`;
  });
  return pageOf('Errors', 'Every code there is, and what to do.', ...parts);
}

/** An entry of a list of codes: its docstring, its name, and the first word of its value if it has one. */
const CODE = /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?^ {2}'?(\w[\w.-]*)'?(?:: [[{]\s*(?:exit: )?'(\w+)'[^]*?[\]}])?,$/gm;

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function tableOf(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {string} title @param {readonly string[]} parts in Markdown; an empty one is left out */
function pageOf(title, ...parts) {
  const text = [`# ${title}`, ...parts.filter((part) => part !== '')].join('\n\n');
  return `${text.replace(/(?<![`\w/.]|\]\()docs\/([\w/-]+\.md)(#[\w-]+)?/g, '[$1]($1$2)')}\n`;
}

/**
 * The text of the docstring of a declaration, '' where it has none.
 *
 * @param {string} source
 * @param {RegExp} declared
 */
function docAt(source, declared) {
  const at = source.search(declared);
  const [, doc = ''] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\n$/.exec(source.slice(0, Math.max(at, 0))) ?? [];
  return plainOf(doc);
}

/** A docstring without its stars. @param {string} doc */
function plainOf(doc) {
  return doc.replace(/^[ \t]*\*? ?/gm, '').trim();
}
