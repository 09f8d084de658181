/**
 * Says how much the unit tests of a folder of src notice: changes one operator, condition, constant or statement of its
 * sources at a time, in a copy of the project, and runs the folder's tests on it. A mutant that no test notices has
 * survived.
 *
 * `node scripts/mutants.mjs [--room NAME] [--sample N] [--seed N] [--list | --check | --write]`. Prints the share of
 * killed mutants by room, and each survivor. A room is a folder of src, such as `plan`, or a path in one, such as
 * `workflows/run` or `activities/gate.ts`; room and seed may be named several times. `--list` only prints the sample.
 * `--check` fails where a share is lower than the one in test/mutants.json, which `--write` writes.
 */

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SyntaxKind } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';

/** @typedef {import('typescript/unstable/ast').Node} Node */
/** @typedef {import('typescript/unstable/ast').SourceFile} SourceFile */
/** @typedef {{ file: string, line: number, start: number, end: number, text: string, says: string, context: string }} Mutant */
/** @typedef {{ mutants: number, killed: number, survived: readonly string[] }} Share */
/** Of each seed the shares of its rooms. @typedef {{ sample: number, seeds: Record<string, Record<string, Share>> }} Shares */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NOTED = join(root, 'test', 'mutants.json');
/** What tests of a room may read of the project; those that load a config import the package as it is built. */
const COPIED = /^(src|dist|test|examples|bench|scripts|schema|docs|[\w.-]+\.(json|ts|md))$/;
const CONFIG = 'mutants.config.ts';
/** A mutant that loops for ever is killed after this, and so many times what the tests take without it. */
const LIMIT = { ms: 60_000, times: 5 };

/** Tests run in stages, quick ones first: most mutants need no other. */
const SLOW = 'test/workflows/run/simulation/';

/** @type {Record<string, string>} */
const OTHER_OPERATOR = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '&&': '||', '||': '&&' },
  ...{ '+': '-', '-': '+', '*': '/', '/': '*' },
};

const { values: flags } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: foldersOfSources() },
    sample: { type: 'string', default: '24' },
    seed: { type: 'string', multiple: true, default: ['1', '7'] },
    list: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const unknown = flags.room.filter((name) => !existsSync(join(root, 'src', name)));
if (unknown.length > 0) exit(2, `Not in src: ${unknown.join(', ')}. Its folders: ${foldersOfSources().join(', ')}.`);
const sample = Number(flags.sample);
if (!flags.seed.every((seed) => /^\d+$/.test(seed)) || !(sample > 0))
  exit(2, '--seed and --sample: expected whole numbers, such as 16');
/** @type {Shares} */
const noted = existsSync(NOTED) ? JSON.parse(readFileSync(NOTED, 'utf8')) : { sample, seeds: {} };
if (flags.check && noted.sample !== sample)
  exit(2, `test/mutants.json has another sample: only shares of one sample can be compared`);

const mutants = chosenMutants();
if (flags.list) {
  for (const { room, some } of mutants) for (const one of some) console.log(`${room}: ${nameOf(one)}`);
  process.exit(0);
}
const copy = copyOfProject();
process.once('exit', () => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(130));

/** @type {Shares} */
const shares = { sample, seeds: noted.sample === sample ? structuredClone(noted.seeds) : {} };
/** @type {Map<string, readonly number[]>} */
const limits = new Map();
/** @type {string[]} */
const rows = [];
let isLower = false;
for (const { seed, room, some } of mutants) {
  if (!limits.has(room)) limits.set(room, await limitsOf(room));
  const share = await shareOf(room, some);
  (shares.seeds[seed] ??= {})[room] = share;
  if (flags.write) writeFileSync(NOTED, `${JSON.stringify(shares, null, 2)}\n`);
  const { mutants: all, killed } = share;
  const before = noted.seeds[seed]?.[room];
  const lower = flags.check && before !== undefined && killed / all < before.killed / before.mutants;
  isLower ||= lower;
  const percent = `${Math.round((100 * killed) / all)} %`;
  rows.push(`| ${seed} | ${room} | ${all} | ${killed} | ${percent}${lower ? `, was ${before.killed}` : ''} |`);
}
console.log(
  ['\n| seed | room | mutants | killed | share |', '| ---: | --- | ---: | ---: | ---: |', ...rows].join('\n'),
);
if (isLower) exit(1, 'Fewer mutants are killed than test/mutants.json says: add the tests that notice the survivors.');

/** @returns {string[]} */
function foldersOfSources() {
  const entries = readdirSync(join(root, 'src'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** @param {string} room @returns {{ tests: string, without?: string }[]} */
function stagesOf(room) {
  let tests = join('test', room);
  while (!existsSync(join(root, tests))) tests = dirname(tests);
  return SLOW.startsWith(`${tests}/`)
    ? [{ tests: `${tests}/`, without: SLOW }, { tests: SLOW }]
    : [{ tests: `${tests}/` }];
}

/** How long each stage of a room may take, from what it takes without a mutant. @param {string} room */
async function limitsOf(room) {
  const found = [];
  for (const stage of stagesOf(room)) {
    const started = Date.now();
    if (!(await pass(stage))) exit(1, `${stage.tests} fails without a mutant: mend that first`);
    found.push(LIMIT.ms + LIMIT.times * (Date.now() - started));
  }
  return found;
}

/** @param {string} room @param {readonly Mutant[]} some @returns {Promise<Share>} */
async function shareOf(room, some) {
  const survived = [];
  for (const mutant of some) {
    const path = join(copy, mutant.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end));
    let lives = true;
    for (const [at, stage] of stagesOf(room).entries()) lives &&= await pass(stage, limits.get(room)?.[at]);
    writeFileSync(path, source);
    if (lives) survived.push(nameOf(mutant));
    console.log(`${room}: ${lives ? 'SURVIVED' : 'killed'} ${nameOf(mutant)}`);
  }
  return { mutants: some.length, killed: some.length - survived.length, survived };
}

/**
 * Whether the tests of a stage pass in the copy.
 * @param {{ tests: string, without?: string }} stage
 * @param {number} [limitMs] none for the tests without a mutant, which say why they fail
 * @returns {Promise<boolean>}
 */
function pass({ tests, without }, limitMs) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--config', CONFIG, '--bail', '1', '--silent', '--reporter', 'dot', tests];
  if (without !== undefined) args.push('--exclude', `${without}**`);
  const told = limitMs === undefined ? 'inherit' : 'ignore';
  const env = { ...process.env, NO_COLOR: '1' };
  // A process group of its own: what loops for ever are the children of vitest.
  const child = spawn(process.execPath, args, { cwd: copy, env, stdio: ['ignore', told, told], detached: true });
  const stop = () => void (child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGKILL'));
  process.prependOnceListener('exit', stop);
  const timer = limitMs === undefined ? undefined : setTimeout(stop, limitMs);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', stop);
      resolve(code === 0);
    });
  });
}

/** The project without what is fetched; its unit tests by their own settings, and each run of them the same. */
function copyOfProject() {
  const build = "import('./test/support/build.ts').then(({ setup }) => setup())";
  const built = spawnSync(process.execPath, ['--import', 'tsx', '--eval', build], { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) exit(1, 'The project cannot be built: mend that first');
  const folder = mkdtempSync(join(tmpdir(), 'planwright-mutants-'));
  for (const name of readdirSync(root).filter((one) => COPIED.test(one)))
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, CONFIG),
    `import config from './vitest.config.ts';
const { projects, ...all } = config.test;
const { globalSetup, ...unit } = projects.find(({ test }) => test.name === 'unit').test;
const settled = { maxWorkers: 2, setupFiles: ['./mutants.setup.ts'] };
const cache = { fsModuleCache: true, fsModuleCachePath: '${folder}/.cache' };
export default { resolve: config.resolve, test: { ...all, ...unit, ...settled, experimental: cache } };
`,
  );
  writeFileSync(
    join(folder, 'mutants.setup.ts'),
    `import fc from 'fast-check';\nfc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });\n`,
  );
  return folder;
}

/** @returns {readonly { seed: string, room: string, some: readonly Mutant[] }[]} */
function chosenMutants() {
  const api = new API({ cwd: root });
  const config = join(root, 'tsconfig.json');
  const program = api.updateSnapshot({ openProjects: [config] }).getProject(config)?.program;
  const names = (program?.getSourceFileNames() ?? []).map((path) => relative(root, path)).toSorted();
  const chosen = flags.room.flatMap((room) => {
    const source = join('src', room);
    const files = names.filter((path) => path === source || path.startsWith(`${source}/`));
    const all = files.flatMap((file) => mutantsOf(file, program?.getSourceFile(join(root, file))));
    return flags.seed.map((seed) => ({ seed, room, some: sampleOf(seed, all) }));
  });
  api.close();
  return chosen;
}

/**
 * Those with the lowest hashes. A mutant's hash holds its line and no path, so that the sample stays where code is moved,
 * and changes only by what was changed.
 * @param {string} seed @param {readonly Mutant[]} all
 */
function sampleOf(seed, all) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return all
    .map((mutant) => {
      const times = (seen.get(mutant.context) ?? 0) + 1;
      seen.set(mutant.context, times);
      return { mutant, hash: createHash('sha256').update(`${seed} ${times} ${mutant.context}`).digest('hex') };
    })
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, sample)
    .map(({ mutant }) => mutant);
}

/** @param {string} file @param {SourceFile | undefined} source @returns {readonly Mutant[]} */
function mutantsOf(file, source) {
  if (source === undefined) return [];
  /** @type {Mutant[]} */
  const found = [];
  /** @param {number} start @param {number} end @param {string} text */
  const add = (start, end, text) => {
    const before = source.text.slice(0, start);
    const first = before.lastIndexOf('\n') + 1;
    const last = source.text.indexOf('\n', start);
    const says = `${clip(source.text.slice(start, end))} -> ${clip(text)}`;
    const context = `${source.text.slice(first, last).trim()} ${says}`;
    found.push({ file, line: before.split('\n').length, start, end, text, says, context });
  };
  /** @param {Node} node @param {string} text */
  const replace = (node, text) => add(node.getStart(source), node.end, text);
  /** @param {Node} node */
  const visit = (node) => {
    if (is.isTypeNode(node) || is.isTypeAliasDeclaration(node) || is.isInterfaceDeclaration(node)) return;
    if (is.isImportDeclaration(node) || is.isExportDeclaration(node)) return;
    if (is.isBinaryExpression(node)) {
      const { left, operatorToken, right } = node;
      const other = OTHER_OPERATOR[operatorToken.getText(source)];
      if (other !== undefined && ![left, right].some(isText)) replace(operatorToken, other);
    } else if (is.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
      replace(node, node.operand.getText(source));
    } else if (is.isIfStatement(node)) {
      for (const text of ['true', 'false']) replace(node.expression, text);
    } else if (is.isConditionalExpression(node)) {
      for (const text of ['true', 'false']) replace(node.condition, text);
    } else if (node.kind === SyntaxKind.TrueKeyword) {
      replace(node, 'false');
    } else if (node.kind === SyntaxKind.FalseKeyword) {
      replace(node, 'true');
    } else if (is.isNumericLiteral(node) && !isName(node)) {
      for (const sign of ['+', '-']) replace(node, `(${node.text} ${sign} 1)`);
    } else if (is.isExpressionStatement(node)) {
      replace(node, ';');
    } else if (is.isBlock(node) && node.statements.length > 0 && is.isFunctionLikeDeclaration(node.parent)) {
      const start = node.getStart(source);
      add(start, start + 1, '{ return;');
    }
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return found;
}

/** @param {Node} node what is put together to a text is no sum */
function isText(node) {
  return is.isStringLiteral(node) || is.isTemplateExpression(node) || is.isNoSubstitutionTemplateLiteral(node);
}

/** @param {Node} node */
function isName(node) {
  return is.isPropertyAssignment(node.parent) && node.parent.name === node;
}

/** @param {Mutant} mutant */
function nameOf({ file, line, says }) {
  return `${file}:${line} ${says}`;
}

/** @param {string} text */
function clip(text) {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

/** @param {number} code @param {string} message @returns {never} */
function exit(code, message) {
  console.error(message);
  process.exit(code);
}
