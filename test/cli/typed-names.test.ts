/**
 * What people and other programs type and read, in a golden file: a name in it stays, or CHANGELOG.md says what to type
 * instead.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { allRows } from '../../src/cli/commands/index.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { ERROR_CODES, EXIT_CODES } from '../../src/operations/index.ts';
import { ISSUE_CODES } from '../../src/plan/index.ts';
import {
  AGENT_SIGNAL,
  AGENT_WORKFLOW,
  CONTROL_ACTIONS,
  DECISION_KINDS,
  MESSAGE_NAMES,
  METRICS,
  PART_SIGNAL,
  PLAN_WORKFLOW,
  QUERIES,
  REQUESTS,
  WAITS_FOR_ATTRIBUTE,
} from '../../src/protocol/index.ts';
import { expectGolden } from '../plan/golden.ts';
import { CONFIG, planwright } from './planwright.ts';

const rows = await allRows();

/** A line for each command: its words, its arguments and its flags. */
function commandLines(command: Command, path: readonly string[] = []): readonly string[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((below) => commandLines(below, [...path, command.name()]));
  const words = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  return [[...path, command.name(), ...words, ...command.options.map(({ flags }) => flags)].join(' ')];
}

test('commands with their flags', () => {
  const program = buildProgram('planwright', rows);
  expectGolden('typed-commands.txt', program.commands.flatMap((one) => commandLines(one)).join('\n'));
});

test('messages, codes and names that others type or read', () => {
  const tools = rows.filter(({ host }) => host !== undefined);
  const lists: Readonly<Record<string, readonly string[]>> = {
    'exit codes': Object.entries(EXIT_CODES).map(([name, { code }]) => `${code} ${name}`),
    'error codes': Object.entries(ERROR_CODES).map(([code, { exit }]) => `${code} ${exit}`),
    'issue codes': ISSUE_CODES,
    'messages, each a signal and an update': MESSAGE_NAMES,
    queries: Object.keys(QUERIES),
    decisions: DECISION_KINDS,
    'actions of control': CONTROL_ACTIONS,
    'workflows, signals, search attribute': [
      ...[PLAN_WORKFLOW, AGENT_WORKFLOW, AGENT_SIGNAL, PART_SIGNAL, WAITS_FOR_ATTRIBUTE],
    ],
    activities: Object.keys(REQUESTS),
    metrics: Object.values(METRICS).map(({ name, labels }) => [name, ...labels].join(' ')),
    'tools for hosts of MCP': tools.map(({ operation, host }) => [operation, ...host!.fields].join(' ')),
  };
  const text = Object.entries(lists).map(([name, list]) => `${name}\n${list.map((one) => `  ${one}`).join('\n')}`);
  expectGolden('typed-names.txt', text.join('\n'));
});

const DOCUMENT = JSON.stringify({
  goal: 'Count',
  plan: { operator: 'MINUS', left: { task: 'a', capability: 'letters' }, right: { task: 'b' } },
});
const OTHER = join(mkdtempSync(join(tmpdir(), 'planwright-typed-')), 'plan.json');
writeFileSync(OTHER, '{"goal":"Count","plan":{"task":"a"}}');
const OFFLINE: readonly (readonly string[])[] = [
  ['compile', '-', '--config', CONFIG],
  ['compile', '-', '--format', 'xml'],
  ['diff', '-', OTHER],
  ['capabilities', '--config', CONFIG],
  ['compile', '-', '--mermaid'],
  ['capabilities', '--policy', '--config', CONFIG],
];

test('fields of JSON output', async () => {
  const told: string[] = [];
  for (const args of OFFLINE) {
    const { stdout } = await planwright([...args, '-o', 'json'], { stdin: DOCUMENT });
    told.push(
      args.filter((one) => one !== CONFIG && one !== OTHER).join(' '),
      ...new Set(fieldsOf(JSON.parse(stdout))),
    );
  }
  expectGolden('typed-fields.txt', told.join('\n'));
  expect(told.length).toBeGreaterThan(OFFLINE.length);
});

/** Paths of the fields of a value, to three levels. A name that a plan or a digest gives is `*`. */
function fieldsOf(value: unknown, path = ' ', levels = 3): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`, levels));
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${path}.${/^node_\d+$/.test(key) ? '*' : key}`;
    return [at, ...fieldsOf(inner, at, levels - 1)];
  });
}
