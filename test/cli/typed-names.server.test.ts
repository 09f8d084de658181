/**
 * The names that people and other programs type and read, in one golden file, made from the product as it runs. A name
 * in it stays, or CHANGELOG.md says what to type instead.
 */

import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { DRAFT_ERROR_CODES } from '../../src/capabilities/builtin/drafts/drafts.ts';
import { allRows } from '../../src/cli/commands/index.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { CLIENT_ERROR_CODES } from '../../src/client/index.ts';
import { configSchema } from '../../src/config/schema.ts';
import { MODEL_ERROR_KINDS } from '../../src/models/index.ts';
import { ERROR_CODES, EXIT_CODES } from '../../src/operations/index.ts';
import { ISSUE_CODES } from '../../src/plan/index.ts';
import { NAMES, type Name } from '../../src/plan/names.ts';
import * as protocol from '../../src/protocol/index.ts';
import { parsePlanInput } from '../../src/protocol/read-input.ts';
import { STORE_ERROR_CODES } from '../../src/store/index.ts';
import { parseAnswer, parseControl, parseDecision } from '../../src/workflows/run/talk/read-message.ts';
import { expectGolden } from '../plan/golden.ts';
import { CONFIG, planwright } from './planwright.ts';
import { sharedProject, steps, writePlan } from './project.ts';

const project = sharedProject();
const rows = await allRows();

test('what people and programs type and read is what the golden file has', async () => {
  const lists: Readonly<Record<string, readonly string[]>> = {
    'commands with their flags': commandLines(buildProgram('planwright', rows)),
    'tools for hosts of MCP': rows.flatMap(({ operation, host }) =>
      host === undefined ? [] : [[operation, ...host.fields].join(' ')],
    ),
    'exit codes': Object.entries(EXIT_CODES).map(([name, { code }]) => `${code} ${name}`),
    ...codes(),
    ...wireNames(),
    'the input of a run': acceptedInputs(),
    'messages to a run': acceptedMessages(),
    'keys of a config': configKeys(z.toJSONSchema(configSchema('/'), { unrepresentable: 'any', io: 'input' })),
    'keys of a plan': Object.entries(NAMES).flatMap(([form, names]) =>
      Object.values<Name>(names).map(({ keys }) => `${form} ${keys.join(' ')}`),
    ),
    ...answerFields(),
    ...(await offlineFields()),
    ...(await runFields()),
  };
  const text = Object.entries(lists).map(([name, list]) => `${name}\n${list.map((line) => `  ${line}`).join('\n')}`);
  expectGolden('typed-names.txt', text.join('\n'));
  for (const [name, list] of Object.entries(lists)) expect(list, name).not.toEqual([]);
});

/** A line for each command: its words, its arguments and its flags. */
function commandLines(command: Command, path: readonly string[] = []): readonly string[] {
  const inner = command.commands.flatMap((below) => commandLines(below, [...path, below.name()]));
  if (inner.length > 0) return inner;
  const words = command
    .usage()
    .replaceAll(/\[options\] ?|(^| )?--.*/g, '')
    .trim();
  return [[...path, words, ...command.options.map(({ flags }) => flags)].filter((one) => one !== '').join(' ')];
}

function codes() {
  return {
    'error codes': Object.entries(ERROR_CODES).map(([code, { exit }]) => `${code} ${exit}`),
    'issue codes': ISSUE_CODES,
    'failure types': protocol.FAILURE_TYPES,
    refusals: protocol.REFUSALS,
    'codes of client errors': CLIENT_ERROR_CODES,
    'codes of store errors': STORE_ERROR_CODES,
    'codes of draft errors': DRAFT_ERROR_CODES,
    'kinds of model errors': MODEL_ERROR_KINDS,
  };
}

function wireNames() {
  const { PLAN_WORKFLOW, AGENT_WORKFLOW, AGENT_SIGNAL, PART_SIGNAL, WAITS_FOR_ATTRIBUTE, METRICS, REQUESTS } = protocol;
  return {
    'messages, each a signal and an update': protocol.MESSAGE_NAMES,
    queries: Object.keys(protocol.QUERIES),
    'workflows, signals, search attribute': [
      ...[PLAN_WORKFLOW, AGENT_WORKFLOW, AGENT_SIGNAL, PART_SIGNAL, WAITS_FOR_ATTRIBUTE],
    ],
    activities: Object.keys(REQUESTS),
    metrics: Object.values(METRICS).map(({ name, labels }) => [name, ...labels].join(' ')),
    phases: protocol.PHASES,
    outcomes: protocol.OUTCOMES,
    'states of nodes': protocol.NODE_STATUSES,
    'kinds of what waits for a person': protocol.OPEN_ITEM_KINDS,
    'kinds of trace entries': protocol.TRACE_KINDS,
  };
}

const PLAN = { task: 'a' };
const REF = '0'.repeat(64);
const BUDGET = { tokens: 1, money: 1, steps: 1, onEnd: 'ask' };
const RULE = { effect: 'at-most-once', capability: 'pay', minCost: 1, roles: ['r'], count: 2, person: true };
const OPTIONS: { readonly [Key in keyof protocol.RunSettings]-?: unknown } = {
  mode: 'plan-first',
  approval: { rules: [{ ...RULE, notStarter: true }] },
  approvalDeadline: '1h',
  answerDeadline: '1h',
  maxRejections: 1,
  maxRevisions: 1,
  onFailure: 'ask',
  maxRounds: 1,
  concurrency: 1,
  lane: 'auto',
  budget: BUDGET,
  limits: { depth: 1, nodes: 1 },
  context: { key: 1 },
  conversation: 'lab',
  reuse: 'run-1',
  fresh: true,
};

/** The fields of inputs that are accepted; one that is not names its problems. */
function acceptedInputs() {
  return [{ goal: 'g', plan: PLAN, options: OPTIONS }, { ref: REF, options: {} }, { goal: 'g' }].flatMap((input) => {
    const parsed = parsePlanInput(input);
    return [parsed.ok ? 'accepted' : parsed.problems.join('; '), ...fieldsOf(input, { levels: 5 })];
  });
}

function acceptedMessages() {
  const sender = { by: 'operator', role: 'reviewer', comment: 'why' };
  const values = { ref: REF, nodes: ['node_1'], feedback: 'f', outcome: 'succeeded', value: 1 };
  const valuesOf = (fields: readonly string[]) =>
    Object.fromEntries(fields.filter((field) => field !== 'plan').map((field) => [field, values[field as 'ref']]));
  const messages = [
    ...Object.entries(protocol.DECISIONS).map(([kind, { fields }]) =>
      parseDecision({ kind, digest: '0'.repeat(8), revision: 1, ...sender, ...valuesOf(fields) }),
    ),
    parseDecision({ kind: 'edit', digest: '0'.repeat(8), plan: PLAN, by: 'operator' }),
    parseAnswer({ question: 'q', value: 1, digest: '0'.repeat(8), ...sender }),
    ...Object.entries(protocol.CONTROLS).map(([action, { node, fields = [] }]) =>
      parseControl({ action, ...(node === 'required' && { node: 'node_1' }), ...sender, ...valuesOf(fields) }),
    ),
  ];
  return messages.map((message) => {
    const { kind, action, ...fields } = Object.values(message).find((part) => typeof part === 'object') ?? {
      ...message,
    };
    return [kind ?? action ?? 'answer', ...Object.keys(fields).toSorted()].join(' ');
  });
}

/** The keys of the objects in a JSON schema; a name that a project chooses is `*`. */
function configKeys(schema: z.core.JSONSchema.JSONSchema, path = ''): readonly string[] {
  const { properties = {}, additionalProperties: others } = schema;
  const keys = { ...properties, ...(typeof others === 'object' && { '*': others }) };
  return Object.entries(keys).flatMap(([key, inner]) =>
    typeof inner === 'boolean' ? [] : [`${path}.${key}`, ...configKeys(inner, `${path}.${key}`)],
  );
}

/** The fields of the answers to queries, by the tables that check them. */
function answerFields() {
  const tables = { status: protocol.STATUS, plan: protocol.PLAN_VIEW, nodes: protocol.NODES_PAGE };
  const others = { questions: protocol.OPEN_ITEM, trace: protocol.TRACE_PAGE, mayBegin: protocol.MAY_BEGIN };
  return Object.fromEntries(
    Object.entries({ ...tables, ...others }).map(([query, table]) => [`answer to the query ${query}`, fieldsOf(table)]),
  );
}

const DOCUMENT = JSON.stringify({
  goal: 'Count',
  plan: { operator: 'MINUS', left: { task: 'a', capability: 'letters' }, right: { task: 'b' } },
});

async function offlineFields() {
  const other = writePlan(project.folder, { goal: 'Count', plan: PLAN });
  const commands = [
    ['compile', '-', '--config', CONFIG],
    ['compile', '-', '--format', 'xml'],
    ['diff', '-', other],
    ['capabilities', '--config', CONFIG],
    ['compile', '-', '--mermaid'],
    ['capabilities', '--policy', '--config', CONFIG],
  ];
  const entries = commands.map(async (args) => {
    const { stdout } = await planwright([...args, '-o', 'json'], { stdin: DOCUMENT });
    const words = args.filter((word) => word !== CONFIG && word !== other).join(' ');
    return [`JSON of ${words}`, fieldsOf(JSON.parse(stdout))] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** A run that waits, is approved, and ends. */
async function runFields() {
  const lists: Record<string, readonly string[]> = {};
  const order = { capability: 'order', arguments: { item: 'tea' }, context_key: 'tea' };
  const id = await project.detach(steps(order, { capability: 'letters' }));
  const { digest } = await project.until(id, ({ phase }) => phase === 'awaiting-approval');
  const type = async (command: string, ...args: string[]) => {
    const { code, ...answer } = await project.json(command, ...args);
    expect([command, code, answer.ok]).toEqual([command, expect.any(Number), true]);
    const flags = args.filter((word) => word === '--nodes');
    // Runs of other tests that nobody answers for are listed there too.
    lists[['JSON of', command, ...flags].join(' ')] = fieldsOf(
      'unreachable' in answer ? { ...answer, unreachable: [] } : answer,
      { levels: 4 },
    );
  };
  await type('status', id, '--nodes');
  const listed = async (command: string, key: string) => (await project.json(command, '--plan', digest))[key];
  await expect.poll(() => listed('inbox', 'items')).toHaveLength(1);
  await type('inbox', '--plan', digest);
  await type('effects', id);
  await type('approve', id, '--digest', digest, '--by', 'operator');
  await project.until(id, ({ phase }) => phase === 'closed');
  for (const command of ['watch', 'status', 'result', 'trace']) await type(command, id);
  await type('why', id, 'node_2');
  await expect.poll(() => listed('list', 'runs')).toMatchObject([{ closeTime: expect.any(String) as string }]);
  await type('list', '--plan', digest);
  return lists;
}

/** A line for each object in a value: its path and its fields. A name that a plan or a digest gives is `*`. */
function fieldsOf(value: unknown, { path = '', levels = 3 } = {}): readonly string[] {
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  if (Array.isArray(value)) return joined(value.flatMap((item) => fieldsOf(item, { path: `${path}[]`, levels })));
  const entries = Object.entries(value).map(([key, inner]) => [/^node_\d+$/.test(key) ? '*' : key, inner] as const);
  const own = entries.map(([key]) => key).join(' ');
  const below = entries.flatMap(([key, inner]) => fieldsOf(inner, { path: `${path}.${key}`, levels: levels - 1 }));
  return joined([`${path || '.'}: ${own}`, ...below]);
}

/** Lines of one path are one line. */
function joined(lines: readonly string[]): readonly string[] {
  const fields = new Map<string, Set<string>>();
  for (const line of lines) {
    const [path = '', names = ''] = line.split(': ');
    fields.set(path, new Set([...(fields.get(path) ?? []), ...names.split(' ')]));
  }
  return [...fields].map(([path, names]) => `${path}: ${[...names].join(' ')}`);
}
