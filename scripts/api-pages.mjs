/**
 * The pages of `docs/api`, one for each door of the package and an index, from the declarations that the build made: every
 * name that a program can import, with its docstring, its example and its signature. By hand, since typedoc does not know TypeScript 7.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * @param {string} root
 * @returns {string[]} the paths of the pages, whether they are there or not
 */
export function apiPages(root) {
  return [indexPage(root), ...doorsOf(root).map(({ page }) => page)];
}

/** @param {string} root */
function indexPage(root) {
  return join(root, 'docs', 'api', 'README.md');
}

/** @param {string} root */
export function writeApiPages(root) {
  rmSync(join(root, 'docs', 'api'), { recursive: true, force: true });
  mkdirSync(join(root, 'docs', 'api'), { recursive: true });
  const index = [];
  for (const { door, types, page } of doorsOf(root)) {
    const [, about = ''] = /^\/\*\*([^]*?)\*\//.exec(readFileSync(types, 'utf8')) ?? [];
    const entries = entriesOf(types);
    const parts = entries.map((entry) => `## ${entry.name}\n\n${textOf(entry.doc)}${fence(entry.code)}`);
    writeFileSync(page, `# ${door}\n\n${textOf(about)}${parts.join('\n')}`);
    const links = entries.map(({ name }) => `[${name}](${basename(page)}#${name.toLowerCase()})`);
    index.push(`## [${door}](${basename(page)})\n\n${textOf(about)}${links.join(',\n')}\n`);
  }
  writeFileSync(indexPage(root), `# Every export, by the door it is imported from\n\n${index.join('\n')}`);
}

/**
 * The exports of a door, each with the file that declares it.
 *
 * @param {string} types the declarations of the door
 */
export function entriesOf(types) {
  return namesIn(readFileSync(types, 'utf8')).map(({ original, name, from }) => ({
    ...find(join(dirname(types), from), original),
    name,
  }));
}

/** @param {string} root */
export function doorsOf(root) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, files]) => typeof files === 'object')
    .map(([path, { types }]) => ({
      door: join(name, path),
      types: join(root, types),
      page: join(root, 'docs', 'api', `${path === '.' ? name : path.slice(2)}.md`),
    }));
}

/**
 * What a file exports from others, in its order.
 *
 * @param {string} source
 */
function namesIn(source) {
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '(.*?)';/gm)];
  return lists.flatMap(([, names = '', from = '']) =>
    names.split(',').flatMap((each) => {
      const [original = '', name = original] = each
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      return original === '' ? [] : [{ original, name, from: from.replace(/\.[jt]s$/, '.d.ts') }];
    }),
  );
}

/**
 * @param {string} file
 * @param {string} name
 * @returns {{ file: string, doc: string, code: string }}
 */
function find(file, name) {
  const found = lookUp(file, name);
  if (found === undefined) throw new Error(`${file} does not declare ${name}`);
  return found;
}

/**
 * The declaration itself, or that of a file that this one passes on; undefined where there is none.
 *
 * @param {string} file
 * @param {string} name
 * @returns {{ file: string, doc: string, code: string } | undefined}
 */
function lookUp(file, name) {
  const source = readFileSync(file, 'utf8');
  const declared = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:function|class|const|type|interface) ${name}\\b`,
    'gm',
  );
  const starts = [...source.matchAll(declared)].map(({ index }) => index);
  if (starts[0] === undefined) {
    const passed = namesIn(source).find((one) => one.name === name);
    const below = (/** @type {string} */ from) => join(dirname(file), from.replace(/(?:\.d)?\.[jt]s$/, '.d.ts'));
    if (passed !== undefined) return lookUp(below(passed.from), passed.original);
    const whole = [...source.matchAll(/^export (?:type )?\* from '(.*?)';/gm)].map(([, from = '']) => below(from));
    return whole.map((one) => lookUp(one, name)).find((one) => one !== undefined);
  }
  const doc = docBefore(source, starts[0]);
  const code = starts.map((start) => statementAt(source, start)).join('\n');
  // The keys of a schema, each with its docstring.
  const shape = source.indexOf(`declare const ${/typeof (\w+)/.exec(code)?.[1]}:`);
  return { file, doc, code: shape < 0 ? code : `${code}\n${statementAt(source, shape)}` };
}

/**
 * Up to the line that closes all that the statement has opened.
 *
 * @param {string} source
 * @param {number} start
 */
function statementAt(source, start) {
  const lines = [];
  let depth = 0;
  for (const line of source.slice(start).split('\n')) {
    lines.push(line);
    const code = line.replace(/^\s*(?:\/\*\*|\*).*/, '').replace(/'(?:\\.|[^'\\])*'/g, '');
    depth += (code.match(/[{([]/g) ?? []).length - (code.match(/[})\]]/g) ?? []).length;
    if (depth === 0 && /[;}]$/.test(code)) break;
  }
  return lines
    .join('\n')
    .replace(/^export (?:declare )?/, '')
    .replace(/import\("[^"]+"\)\./g, '');
}

/**
 * A docstring as Markdown: its sentences, then a line for each tag, and the example as code.
 *
 * @param {string} doc
 */
function textOf(doc) {
  const plain = plainOf(doc);
  const [sentences = '', ...tags] = plain.split(/^@(?=\w)|(?<=\s)@(?=(?:example|throws|returns|param) )/m);
  const told = tags.map((tag) => {
    const [, kind = '', rest = ''] = /^(\w+)\s*([^]*)$/.exec(tag.trim()) ?? [];
    return kind === 'example' ? fence(rest) : `- ${kind}: ${rest.replace(/\s*\n\s*/g, ' ')}\n`;
  });
  const text = [sentences.trim(), ...told]
    .filter((part) => part !== '')
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n');
  return text === '' ? '' : `${text.trimEnd()}\n\n`;
}

/** The docstring that ends right before a place of a source, with its stars; '' where there is none. @param {string} source @param {number} at */
export function docBefore(source, at) {
  const [, doc = ''] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\n$/.exec(source.slice(0, at)) ?? [];
  return doc;
}

/** A docstring without its stars. @param {string} doc */
export function plainOf(doc) {
  return doc.replace(/^[ \t]*\*? ?/gm, '').trim();
}

/** @param {string} code */
function fence(code) {
  return `\`\`\`ts\n${code.trim()}\n\`\`\`\n`;
}
