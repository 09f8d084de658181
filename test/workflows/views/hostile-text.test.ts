/** Every text that a run gives out: well formed whatever came in, and all of it visible where a person reads it. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkQuestion } from '../../../src/capabilities/builtin/index.ts';
import { nodeSummary, renderTree } from '../../../src/plan/index.ts';
import { MESSAGE_NAMES } from '../../../src/protocol/index.ts';
import { permissionOf, previewRefusal, runResult } from '../../../src/workflows/run/index.ts';
import { parsePlanInput } from '../../../src/protocol/read-input.ts';
import { endingOf } from '../../../src/workflows/run/ending.ts';
import { closeRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { openOf, planOf, statusOf, nodesOf } from '../../../src/workflows/views/views.ts';
import { rolesWaitedFor } from '../../../src/workflows/views/openings.ts';
import { traceOf } from '../../../src/workflows/run/trace.ts';
import { visible } from '../../../src/plan/text/index.ts';
import { toApplicationFailure } from '../../../src/workflows/failures.ts';
import { anyText, RUNS } from '../../plan/text/arbitraries.ts';
import {
  AT,
  DIGEST,
  approvedRun,
  bring,
  executor,
  later,
  openedRun,
  REFUSES,
  say,
  shapeOf,
  turn,
} from '../run/make-run.ts';
import { compiledPlan } from '../../support/plans.ts';

const HOSTILE = [
  ...['\ud800', 'a\udc00', '\u001b[31m', '\u001b]0;x\u0007', '\u009b2J', '\u202e', '\u2066x', '\u{e0041}'],
  ...['\u00ad', '\ufe0f', '\ufff9', '\u180e', '\u3164', '\r', '\u2028', '\0', `${'x'.repeat(499)}😀`, '`', '\n'],
];

/** Keys under which there is data, given back exactly as it came: to be well formed is all that is asked of it. */
const DATA = new Set(['said', 'roles', 'schema', 'default', 'suggestions', 'send', 'results', 'workflowId']);

/** An expectation for each of millions of texts would take most of the time: it is made where it fails. */
function walk(value: unknown, path: string, isData = false): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) expect.fail(`${path} is not well formed: ${JSON.stringify(value)}`);
    if (!isData && visible(value, { lines: true }) !== value) expect(visible(value, { lines: true }), path).toBe(value);
  } else if (Array.isArray(value)) value.forEach((one, at) => walk(one, `${path}[${at}]`, isData));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      walk(key, `the keys of ${path}`, isData);
      walk(one, `${path}.${key}`, isData || DATA.has(key));
    }
  }
}

/** All that anybody can see of a run, and what its worker sends to the server. */
function everything(run: Run): Readonly<Record<string, unknown>> {
  return {
    status: statusOf(run),
    plan: planOf(run),
    nodes: nodesOf(run),
    trace: traceOf(run.state.trace),
    open: openOf(run),
    details: runDetails(run),
    roles: rolesWaitedFor(run),
    ending: endingOf(run),
    result: runResult(run),
    mayBegin: Object.keys(run.tasks)
      .map(Number)
      .map((id) => permissionOf(run, id)),
  };
}

function look(run: Run): void {
  const { roles, ...shown } = everything(run);
  walk(shown, 'run');
  walk(roles, 'roles', true);
}

/** Messages with the text in every field that a message has. */
function messagesWith(text: string, digest = DIGEST): readonly unknown[] {
  const who = { by: `a${text}`, role: `r${text}`, comment: text };
  return [
    ...[text, [text], { [text]: text, ...who }, { malformed: true, encoding: 'json/plain', reason: text }],
    ...[
      { digest, ...who },
      { digest, by: `b${text}` },
      { digest: text, by: 'a' },
      { digest, by: 'a', [text]: 1 },
    ],
    { kind: 'withdraw', digest, ...who },
    ...[
      { kind: text, digest, by: 'a' },
      { kind: 'revise', digest, by: `a${text}`, feedback: text || 'f' },
    ],
    ...[
      { kind: 'approve-part', digest, by: `a${text}`, nodes: ['node_1'] },
      { kind: 'approve-part', digest, nodes: [text] },
    ],
    ...[
      { question: text, value: text, ...who },
      { question: `${DIGEST.slice(0, 8)}.node_3`, value: text, ...who },
    ],
    { question: `${DIGEST.slice(0, 8)}.node_3`, value: text, by: `c${text}` },
    ...[
      { action: 'pause', ...who },
      { action: 'resume', by: `a${text}` },
      { action: text, by: 'a' },
    ],
    ...[
      { action: 'cancel-node', node: 'node_1', by: `a${text}` },
      { action: 'cancel-node', node: text, by: text },
    ],
    { action: 'resolve', node: 'node_2', outcome: 'failed', by: `a${text}`, comment: `c${text}` },
    ...[{ action: 'skip-node', node: 'node_4', by: `a${text}` }, { token: text }, { token: 'a.b.c', [text]: text }],
  ];
}

/** A plan of a document with the text in it: a read, an effect, a node that asks, one that only reads, and all of them. */
function shapeWith(text: string) {
  const written = `x${text.toWellFormed().replaceAll('\0', '')}`;
  const task = (more: object) => ({
    type: 'task',
    task: written,
    hint: written,
    context: { [written]: written },
    ...more,
  });
  const compiled = compiledPlan({
    goal: written,
    plan: task({ display_name: written, arguments: [written], capability: written, agent: undefined }),
  });
  const { plan } = compiled;
  const summary = nodeSummary(plan.tasks[0]!);
  const named = (effect: 'read' | 'at-most-once') => ({
    ...executor(effect),
    label: `capability x@${text} ${effect}`,
  });
  return shapeOf([[], [], [], [], [0, 1, 2, 3]], {
    goal: plan.goal,
    text: renderTree(plan),
    summaries: [summary, summary, summary, summary, summary],
    executors: [named('read'), named('at-most-once')],
    executorOf: [0, 1, 0, 0, 0],
  });
}

function question(text: string) {
  const asked = {
    text: `q${text}`,
    roles: [`r${text}`],
    schema: { type: 'string', description: text },
    suggestions: [text],
  };
  const checked = checkQuestion(asked);
  if (checked.ok) return checked.question;
  walk(checked.problems, 'problems of a question');
  return { text: 'q' };
}

/** A run in which the text stands wherever others can put one, looked at after every step. */
function play(text: string): void {
  const planShape = shapeWith(text);
  const parsed = parsePlanInput({
    plan: {},
    options: { approval: { rules: [{ roles: [`r${text}`] }, {}] }, onFailure: 'ask', [text]: text, mode: text },
    [text]: text,
  });
  walk(parsed.ok ? [] : parsed.problems, 'problems of the input');
  const rules = parsePlanInput({ plan: {}, options: { approval: { rules: [{ roles: [`r${text}`] }] } } });
  const asking = openedRun(planShape, { ...(rules.ok && { approval: rules.options.approval }), onFailure: 'ask' });
  look(asking);
  const twice = openedRun(planShape, { approval: { rules: [{ count: 2 }] } });
  say(twice, 'approve', { digest: DIGEST, by: `a${text.toWellFormed()}` });
  look({ ...twice, workflowId: `plan ${text.toWellFormed()}` });
  for (const run of [asking, approvedRun(planShape, { onFailure: 'ask' })]) {
    turn(run);
    if (run !== asking) {
      bring(run, 1, { status: 'uncertain', type: 'RETRIABLE', message: text });
      bring(run, 2, { asks: question(text) });
      bring(run, 3, { status: 'failed', type: 'CRITICAL', message: `${text}${'😀'.repeat(300)}` });
    }
    look(run);
    for (const name of MESSAGE_NAMES) {
      for (const payload of messagesWith(text)) {
        walk(previewRefusal(run, { name, payload, at: AT }, REFUSES), 'preview');
        walk(say(run, name, payload), `the reply to ${name} ${JSON.stringify(payload)}`);
      }
    }
    look(run);
  }
  const late = openedRun(planShape, { answerDeadlineMs: 1000 });
  say(late, 'approve', { digest: DIGEST, by: 'a' });
  turn(late);
  bring(late, 2, { asks: question(text) });
  turn(late, later(5000));
  closeRun(late, 'aborted', AT, text);
  look(late);
  const { message } = toApplicationFailure({ type: 'PlanFailed', message: text, details: [] });
  walk(message, 'the failure of the run');
}

describe('whatever text comes in, what goes out is well formed and can be seen', () => {
  test.each(HOSTILE)('%j', play);

  test('any text', () => {
    fc.assert(fc.property(anyText, play), { ...RUNS, numRuns: 40 });
  });
});
