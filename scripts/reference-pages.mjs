/**
 * The pages of reference that the build writes into docs, from the code and the docstrings beside it. Nobody edits them; they are
 * in git, and `npm run check` fails if they are out of date. A `docs/runs.md#control` in a docstring becomes a link.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { evaluate } from 'mathjs';
import { docBefore, plainOf } from './api-pages.mjs';

/** By their names, each with what makes it. @type {Readonly<Record<string, (root: string) => string | Promise<string>>>} */
const PAGES = {
  'cli.md': commandPage,
  'errors.md': errorPage,
  'bounds.md': boundPage,
  'config-keys.md': keyPage,
  'metrics.md': metricPage,
  'foreign-keys.md': foreignPage,
};

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
  /** @type {typeof import('../src/cli/program.ts')} */
  const { buildProgram, optionsPage, ownOptions } = await built(root, 'cli/program.js');
  /** @type {typeof import('../src/cli/commands/index.ts')} */
  const { describeAll } = await built(root, 'cli/commands/index.js');
  /** @type {typeof import('../src/cli/flags.ts')} */
  const { commonText } = await built(root, 'cli/flags.js');
  const rows = await describeAll();
  const program = buildProgram('planwright', rows);
  const docs = new Map([
    ...commandDocs(root, 'src/operations', 'rows.ts'),
    ...commandDocs(root, 'src/cli/commands', 'index.ts'),
  ]);
  const optionsOf = (/** @type {string} */ path) =>
    ownOptions(
      path.split(' ').reduce((above, name) => above.commands.find((one) => one.name() === name) ?? above, program),
    );
  const ofWorker = new Set(optionsOf('worker').map(({ flags }) => flags));
  const parts = rows.map((row) => {
    const { operation, words, does, more, example } = row;
    const path = words.replace(/ [<[].*/, '');
    const says = [does, more ?? ''];
    const options = optionsOf(path);
    return [
      `## ${path}\n\n\`planwright ${words}\``,
      says.join(' ').trim(),
      docs.get(operation) ?? '',
      path === 'dev'
        ? `The options of \`worker\`, and:\n\n${optionList(options.filter(({ flags }) => !ofWorker.has(flags)))}`
        : optionList(options),
      commonText(row.fields, row.place ?? []).join('. '),
      example === undefined ? '' : `Example: \`planwright ${example}\``,
    ];
  });
  const codes = Object.values(await exitCodes(root)).map(({ code, meaning }) => [String(code), meaning]);
  return pageOf(
    'The command line',
    docAt(readFileSync(join(root, 'src/cli/program.ts'), 'utf8'), /^export function buildProgram\b/m),
    `## Options of every command\n\n${optionList(optionsPage(program).options)}`,
    `## Exit codes\n\n${tableOf(['code', 'meaning'], codes)}`,
    ...parts.flat(),
  );
}

/** @param {string} root @returns {Promise<Readonly<Record<string, { code: number, meaning: string }>>>} */
async function exitCodes(root) {
  return (await built(root, 'operations/error-codes.js')).EXIT_CODES;
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
function optionList(options) {
  return options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, defaultValue, negate }) => {
      const initial =
        defaultValue === undefined || negate ? '' : `; default \`${/** @type {string | number} */ (defaultValue)}\``;
      return `- \`${flags}\`: ${description}${initial}`;
    })
    .join('\n');
}

/** The lists of codes, each with its file and what its codes are told with. */
const CODES = [
  { title: 'Plan issues', file: 'src/plan/issues/issue.ts', names: ['ISSUE_CODES'] },
  { title: 'Failure types', file: 'src/protocol/failure-types.ts', names: ['FAILURE_TYPES', 'ERROR_CLASSES'] },
  { title: 'Refused messages', file: 'src/protocol/refusal.ts', names: ['REFUSALS'] },
  { title: 'Store errors', file: 'src/store/store.ts', names: ['STORE_ERROR_CODES'] },
  { title: 'Client errors', file: 'src/client/client-error.ts', names: ['CLIENT_ERROR_CODES'] },
  { title: 'Draft errors', file: 'src/capabilities/builtin/drafts/drafts.ts', names: ['DRAFT_ERROR_CODES'] },
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

/** What a user does when a bound is met, in the order of the page, with the folders of src whose bounds are met there. */
const SITUATIONS = {
  plans: { title: 'Writing a plan', rooms: ['plan'] },
  approving: { title: 'Starting, approving, answering', rooms: [] },
  running: { title: 'Running', rooms: ['protocol', 'workflows', 'activities', 'client'] },
  models: { title: 'Asking models', rooms: ['models', 'planner'] },
  files: { title: 'Files, results and tools', rooms: ['store', 'capabilities'] },
  page: { title: 'On the page', rooms: ['page'] },
  hosts: { title: 'In a host of MCP', rooms: ['mcp'] },
  operating: { title: 'Operating', rooms: ['worker', 'config', 'operations', 'cli'] },
};

/**
 * Every bound that a user can meet: a constant with `@bound`, what it bounds, and `@beyond`, what happens then. Before
 * the words `.soft.events` names a member of the constant, `{characters}` a unit that its name does not say, and
 * `[approving]` the situation if it is not that of the folder.
 *
 * @param {string} root
 */
function boundPage(root) {
  const sources = Object.entries(SITUATIONS).flatMap(([situation, { rooms }]) =>
    rooms.flatMap((room) => {
      const files = readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' }).toSorted();
      const code = files.filter((file) => /\.(ts|tsx|js)$/.test(file));
      return code.map((file) => ({ situation, text: readFileSync(join(root, 'src', room, file), 'utf8') }));
    }),
  );
  const all = sources.map(({ text }) => text).join('\n');
  const bounds = sources.flatMap((source) => boundsIn(source, all));
  const parts = Object.entries(SITUATIONS).map(([situation, { title }]) => {
    const rows = bounds.filter((bound) => bound.situation === situation).map(({ row }) => row);
    return rows.length === 0 ? '' : `## ${title}\n\n${tableOf(['what', 'bound', 'beyond it'], rows)}`;
  });
  return pageOf(
    'Bounds',
    'The bounds that a user can meet, by what the user is doing. If something is _cut_, `…` stands for the rest; if it is _counted_, the number of the others is shown. A code alone is the refusal or the failure.',
    ...parts,
  );
}

/** @param {{ situation: string, text: string }} source @param {string} all every source, for constants of other files */
function boundsIn({ situation, text }, all) {
  return [...text.matchAll(/\/\*\*((?:(?!\*\/)[^])*@bound(?:(?!\*\/)[^])*)\*\/\s*/g)].flatMap((match) => {
    const declared = text.slice(match.index + match[0].length);
    const [, name = ''] = /^(?:export )?(?:const )?(\w+)/.exec(declared) ?? [];
    const [, ...tags] = plainOf(match[1] ?? '').split(/^@bound /m);
    return tags.map((tag) => {
      const [first = '', beyond = ''] = tag.replaceAll('\n', ' ').trim().split(' @beyond ');
      const [, path = '', unit, other, what = ''] =
        /^(?:\.([\w.]+) )?(?:\{(.+?)\} )?(?:\[(\w+)\] )?(.*)$/.exec(first) ?? [];
      if (other !== undefined && !Object.hasOwn(SITUATIONS, other)) throw new Error(`${what}: no situation ${other}`);
      const value = valueAt(declared, path === '' ? [] : path.split('.'), text, all);
      return { situation: other ?? situation, row: [what, measured(value, unit ?? `${name}.${path}`), beyond] };
    });
  });
}

/**
 * The value of a constant or a field, or of a member of it: a number, or a text as it is written.
 *
 * @param {string} declared
 * @param {readonly string[]} path
 * @param {string} source
 * @param {string} all
 * @returns {number | string}
 * @throws Error where it is neither
 */
function valueAt(declared, path, source, all) {
  const start = /^(?:export )?const [^=]+= |^\w+: /.exec(declared)?.[0].length ?? 0;
  const at = path.reduce((from, name) => {
    const found = declared.slice(from).search(new RegExp(`(?<![\\w.])${name}: `));
    return found < 0 ? declared.length : from + found + name.length + 2;
  }, start);
  const [, text] = /^['[](.*?)['\]]/.exec(declared.slice(at)) ?? [];
  if (text !== undefined) return text;
  const [written = ''] = /^[^;,}\n]*/.exec(declared.slice(at)) ?? [];
  const plain = written.replaceAll(/(?<=\d)_(?=\d)/g, '').replaceAll(/\b(?!e\d)[A-Za-z]\w*/g, (name) => {
    const named = new RegExp(`^(?:export )?const ${name}\\b[^=]*= `, 'm');
    const other = [source, all].find((one) => named.test(one));
    return other === undefined ? name : `(${valueAt(other.slice(other.search(named)), [], other, all)})`;
  });
  if (!/^[\de.+*/() -]+$/.test(plain)) throw new Error(`no value of a bound: ${declared.slice(0, 80)}`);
  return evaluate(plain.replaceAll('**', '^'));
}

/** Units of lengths of time and of bytes, from the largest. @type {Readonly<Record<string, readonly (readonly [number, string])[]>>} */
const UNITS = {
  ms: [
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ],
  bytes: [
    [2 ** 20, 'MiB'],
    [1024, 'KiB'],
  ],
};

/** @param {number | string} value @param {string} unit, or a name that tells it: `IDLE_MS`, `MAX_BYTES` */
function measured(value, unit) {
  if (typeof value === 'string') return value;
  const words = unit.split(/[_.]|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  const of = words.find((word) => ['ms', 'seconds', 'bytes', 'characters'].includes(word));
  if (of === 'seconds') return measured(value * 1000, 'ms');
  const [size, name] = UNITS[of ?? '']?.find(([one]) => value % one === 0) ?? [1, of ?? ''];
  return `${(value / size).toLocaleString('en-US')} ${name}`.trim();
}

/** The objects of a config, each with its file and the line that begins it; nothing of another object stands within. */
const OBJECTS = [
  { title: 'The project', file: 'schema.ts', begins: 'const keys = {', also: 'export interface PlanwrightConfig ' },
  { title: 'identity', file: 'identity-schema.ts', begins: '  return strict({' },
  {
    title: 'identity.keys.NAME',
    file: 'identity-schema.ts',
    begins: '  const publicPart = {',
    also: '  const key = strict({',
  },
  { title: 'results', file: 'schema.ts', begins: 'const store = strict({' },
  { title: 'mcp.NAME', file: 'schema.ts', begins: 'const mcpServer = strict({' },
  {
    title: 'mcp.NAME.verify.TOOL',
    file: '../capabilities/builtin/mcp/verify-tool.ts',
    begins: 'const verification = {',
  },
  { title: 'encryption', file: 'schema.ts', begins: 'const encryption = strict({' },
  { title: 'model', file: 'model-schema.ts', begins: 'const settings = {' },
  { title: 'planner', file: 'model-schema.ts', begins: 'const planning = {' },
];

/** Every key of a config with its docstring. @param {string} root */
function keyPage(root) {
  const parts = OBJECTS.map(({ title, file, ...places }) => {
    const source = readFileSync(join(root, 'src', 'config', file), 'utf8');
    const rows = [places.begins, places.also ?? []].flat().flatMap((begins) => keysOf(source, begins));
    return `## ${title}\n\n${tableOf(['key', 'meaning'], rows)}`;
  });
  const about =
    'Every key of a `planwright.config.ts`; each may be left out, but for the `name` of a model. docs/configuration.md has examples.';
  return pageOf('Keys of a config', about, ...parts);
}

/** @param {string} source @param {string} begins @returns {(readonly [key: string, meaning: string])[]} */
function keysOf(source, begins) {
  const margin = begins.search(/\S/);
  const [, after = ''] = source.split(`\n${begins}`);
  const [block = ''] = after.split(new RegExp(`^ {${margin}}\\}`, 'm'));
  const depth = margin + 2;
  let above = '';
  const entries = block.matchAll(/(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?^( +)(?:readonly )?(\w+)(?:\??: |,$)/gm);
  return [...entries].flatMap(([, doc, indent = '', key = '']) => {
    if (indent.length === depth) above = key;
    if (doc === undefined) return [];
    return [[`\`${indent.length === depth ? key : `${above}.${key}`}\``, plainOf(doc).replaceAll(/\s+/g, ' ')]];
  });
}

/** Every key of other systems, by the key of ours that it is read as. @param {string} root */
async function foreignPage(root) {
  /** @type {typeof import('../src/plan/names.ts')} */
  const { FOREIGN_KEYS, NAMES } = await built(root, 'plan/names.js');
  const listed = (/** @type {readonly string[]} */ keys) => keys.map((key) => `\`${key}\``).join(', ');
  const rows = /** @type {const} */ (['step', 'task', 'combine']).flatMap((form) =>
    Object.values(/** @type {Record<string, import('../src/plan/names.ts').Name>} */ (NAMES[form])).flatMap(
      ({ keys, foreign = [] }) => (foreign.length === 0 ? [] : [[listed(foreign), form, `\`${keys.at(-1)}\``]]),
    ),
  );
  return pageOf(
    'Keys of other systems',
    'docs/coming-from.md#keys-of-other-systems says when such a key is read, and when it is an error.',
    tableOf(['keys', 'in a', 'read as'], rows),
    `An error wherever they hold a part of a plan that is read under no key of ours: ${listed(FOREIGN_KEYS.nodes)}.`,
  );
}

/** Every metric of a worker. @param {string} root */
async function metricPage(root) {
  /** @type {typeof import('../src/protocol/metrics.ts')} */
  const { METRICS } = await built(root, 'protocol/metrics.js');
  const rows = Object.values(METRICS).map(({ name, is, labels, tells }) => [
    `\`${name}\``,
    is,
    labels.map((label) => `\`${label}\``).join(', '),
    tells,
  ]);
  return pageOf(
    'Metrics',
    'docs/operations.md#metrics-and-alerts says how they are read.',
    tableOf(['metric', 'kind', 'labels', 'what it counts'], rows),
  );
}

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
  return plainOf(docBefore(source, Math.max(source.search(declared), 0)));
}

/** What the build has made of a source. @param {string} root @param {string} path below dist @returns {Promise<any>} */
function built(root, path) {
  return import(pathToFileURL(join(root, 'dist', path)).href);
}
