/** The declarations that the package holds: what a program can reach through its doors, with the docstrings of what it can import. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entriesOf } from './api-pages.mjs';

const FROM = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.[jt]s['"]/g;
/** About a file, and so about code that is not in it. */
const HEAD = /^\/\*\*(?:(?!\*\/)[^])*\*\/\n(?=import |\/\*\*)/;
const COMMENT = /^[ \t]*\/\*\*[^]*?\*\/\n/gm;

/**
 * Removes the files that no door reaches, the comments of those from which no door exports a name, and the first
 * comment of the others.
 *
 * @param {readonly string[]} files all declarations
 * @param {readonly string[]} doors
 */
export function keepReached(files, doors) {
  const reached = reachedFrom(doors);
  const named = new Set([...doors, ...doors.flatMap((door) => entriesOf(door).map(({ file }) => file))]);
  for (const file of files) {
    if (!reached.has(file)) rmSync(file);
    else writeFileSync(file, readFileSync(file, 'utf8').replace(named.has(file) ? HEAD : COMMENT, ''));
  }
}

/** @param {readonly string[]} doors */
function reachedFrom(doors) {
  const reached = new Set(doors);
  // A set gives what is added to it while it is walked.
  for (const file of reached) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(FROM)) {
      reached.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return reached;
}

const TABLE_TYPE = /^(export interface \w+ extends )Of<typeof (\w+)> \{/gm;
const FORM_TYPES = {
  text: 'string',
  name: 'string',
  time: 'string',
  ref: 'string',
  node: 'string',
  flag: 'boolean',
  true: 'true',
};
const NUMBERS = ['count', 'number', 'amount', 'place'];

/** One that no other file imports. */
const TABLE = /^declare const (\w+): \{\n.*?^\};\n/gms;

/**
 * Writes out the fields of each interface that is the type of a table, with their comments: the language server of TypeScript 7
 * shows no comment of a field whose type is computed.
 *
 * @param {readonly string[]} files declarations
 */
export function writeOutTables(files) {
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    const written = source.replace(TABLE_TYPE, (whole, head, table) => {
      const rows = new RegExp(`^(?:export )?declare const ${table}: \\{\\n(.*?)^\\};`, 'ms').exec(source);
      return rows ? `${head.replace(' extends ', ' ')}{\n${fieldsOf(rows[1] ?? '').trimEnd()}` : whole;
    });
    const isUsed = (/** @type {string} */ table) => new RegExp(`typeof ${table}\\b`).test(written);
    const short = written.replace(TABLE, (whole, table) => (isUsed(table) ? whole : ''));
    if (written !== source) writeFileSync(file, short);
  }
}

/** The rows of a table as fields. @param {string} rows @returns {string} */
function fieldsOf(rows) {
  const indent = /^ *(?=readonly )/m.exec(rows)?.[0] ?? '';
  const row = new RegExp(`^${indent}readonly (\\w+): (.*?);$(?=\\n${indent}(?:readonly |/\\*)|\\s*$(?![^]))`, 'gms');
  return rows.replace(row, (_, field, shape) => {
    const isMaybe = /^(?:import\("[^"]+"\)\.)?Maybe<|^['"]\w+\?['"]$/.test(shape);
    return `${indent}readonly ${field}${isMaybe ? '?' : ''}: ${typeOf(shape)};`;
  });
}

/** The type of the values of a shape. @param {string} shape @returns {string} */
function typeOf(shape) {
  const [, form] = /^['"](\w+)\??['"]$/.exec(shape) ?? [];
  if (form !== undefined)
    return NUMBERS.includes(form) ? 'number' : (FORM_TYPES[/** @type {'text'} */ (form)] ?? `Of<'${form}'>`);
  const [, one] = /^readonly \[(.*)\]$/s.exec(shape) ?? [];
  if (one !== undefined) return `readonly (${typeOf(one)})[]`.replace(/\((\w+)\)\[\]$/, '$1[]');
  if (shape.startsWith('{')) return fieldsOf(shape);
  return /^(?:import\("[^"]+"\)\.)?(?:Maybe|Check)<(.*)>$/s.exec(shape)?.[1] ?? shape;
}
