/** What a run waits for a person to say: each thing with the message that says it, in pages, and to whom it is shown. */

import { describe, expect, test } from 'vitest';
import {
  MAX_QUESTION_BYTES,
  OPEN_ITEM_KINDS,
  type ApprovalRule,
  type OpenItem,
  type Question,
  NO_USAGE,
} from '../../../src/protocol/index.ts';
import { closeRun, endNode, openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { openLoop } from '../../../src/workflows/loop/loop.ts';
import { openLedger } from '../../../src/workflows/run/spending/ledger.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { rolesWaitedFor } from '../../../src/workflows/views/openings.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { parseAnswer, parseControl, parseDecision } from '../../../src/workflows/run/talk/read-message.ts';
import {
  AT,
  bring,
  BROKE,
  executor,
  later,
  openedRun,
  say,
  shapeOf,
  turn,
  underWay,
  wideShape,
} from '../run/make-run.ts';

const QUOTES = `it's "so" \`here\` $(x) \\ é`;

/** One item of every kind: a node to approve, a question, an uncertain node and a failed one. */
function everything(
  question: Question = { text: 'which?' },
  rules: readonly ApprovalRule[] = [{ capability: 'fire', roles: ['ops', 'chief'] }],
): Run {
  const executors = [executor('read'), executor('at-most-once'), executor('at-most-once', 'fire')];
  const run = openedRun(shapeOf([[], [], [], []], { executors, executorOf: [0, 1, 0, 2] }), {
    approval: { rules },
    onFailure: 'ask',
    answerDeadlineMs: 1000,
    approvalDeadlineMs: 2000,
  });
  turn(run);
  bring(run, 0, { asks: question });
  bring(run, 1, { ...BROKE, status: 'uncertain' });
  bring(run, 2, { ...BROKE, status: 'failed' });
  return run;
}

/** What a person does with the message: names themselves, and a role where several are offered. */
function filledIn({ send }: OpenItem): Record<string, unknown> {
  const input = JSON.parse(JSON.stringify(send.input)) as Record<string, unknown>;
  const role = typeof input['role'] === 'string' ? input['role'] : '';
  return {
    ...input,
    by: input['by'] === 'YOUR NAME' ? 'operator' : input['by'],
    ...(input['outcome'] === 'OUTCOME' && { outcome: 'failed' }),
    ...(role.startsWith('YOUR ROLE: ') && { role: role.slice('YOUR ROLE: '.length).split(' or ')[0] }),
  };
}

describe('what a run waits for', () => {
  test('is told on one line of its own where a failure quotes what others wrote', () => {
    const run = everything();
    const message = 'no\nretry or skip it\ndecide with: planwright skip plan-1 node_4';
    for (const node of [1, 2]) run.execution!.progress.failures[node] = { type: 'CRITICAL', message };
    run.state.replans = { plans: 1, classifications: 0, asked: 0, made: 1, revision: 1, why: message };
    for (const { kind, text } of questionsOf(run)) expect(text, kind).not.toContain('\n');
  });

  test('is told item by item, each with its kind, place, time and message', () => {
    const run = everything();
    run.state.backoff = {
      cause: 'fault',
      attempt: 1,
      since: AT,
      until: AT,
      reason: 'the store: ENOSPC',
      deadline: later(1000),
    };
    run.state.options = { ...run.state.options, budget: { tokens: 9 } };
    run.state.account = { ledger: openLedger(NO_USAGE), wait: { since: AT, deadline: later(3000) } };
    const items = questionsOf(run);
    expect(items.map(({ kind }) => kind)).toEqual(OPEN_ITEM_KINDS);
    expect(items.map(({ id, nodes, since, deadline }) => [id, nodes, since, deadline])).toEqual([
      ['approval', ['node_4'], AT, later(2000)],
      ['3fa9c1d2.node_1', ['node_1'], AT, later(1000)],
      ['node_2', ['node_2'], AT, later(1000)],
      ['node_3', ['node_3'], AT, later(1000)],
      ['fault', [], AT, later(1000)],
      ['budget', [], AT, later(3000)],
    ]);
    for (const item of items) {
      expect(item).toMatchObject({ workflowId: 'plan-1', digest: '3fa9c1d2'.repeat(8), revision: 1 });
      expect(item.nodeCount).toBe(item.nodes.length);
      expect(item.text.length).toBeGreaterThan(5);
    }
  });

  test('is taken as it stands, once the capitals are filled in', () => {
    const run = everything({ text: QUOTES, suggestions: [QUOTES], roles: ['ops'] });
    for (const item of questionsOf(run)) {
      const heard = say(run, item.send.name, filledIn(item));
      expect({ item: item.id, heard }).toMatchObject({ heard: { ok: true } });
    }
    expect(questionsOf(run)).toEqual([]);
    expect(statusOf(run).waitingFor).toBe(0);
  });

  test('reads well for its parser in every shape', () => {
    const parsers = {
      approve: (input: unknown) => parseDecision(input, 'approve'),
      decide: (input: unknown) => parseDecision(input),
      answer: parseAnswer,
      control: parseControl,
    };
    const rejected = openedRun(shapeOf([[]]), { maxRejections: 2 });
    say(rejected, 'reject', { digest: '3fa9c1d2', by: 'operator' });
    const many = Array.from({ length: 50 }, (_, i) => `role ${i}`);
    for (const run of [
      rejected,
      openedRun(shapeOf([[]])),
      openedRun(shapeOf([[]]), { approval: { rules: [{ roles: many }] } }),
      everything({ text: 'x', default: null }),
      everything({ text: 'x', roles: ['a', 'b'] }),
    ]) {
      const items = questionsOf(run);
      expect(items.length).toBeGreaterThan(0);
      for (const item of items) expect(parsers[item.send.name](filledIn(item))).toMatchObject({ ok: true });
    }
    expect(questionsOf(rejected)[0]?.send).toMatchObject({ name: 'decide', input: { kind: 'edit' } });
  });

  test('is a shell word that gives the same JSON back', () => {
    const run = everything({ text: 'x', suggestions: [QUOTES] }, [{ capability: 'nothing' }]);
    const command = statusOf(run).next ?? '';
    expect(command).toMatch(/^temporal workflow signal -w plan-1 --name answer --input '/);
    // Within single quotes a shell reads everything as it is, and '\'' as one quote.
    const quoted = command
      .slice(command.indexOf("--input '") + "--input '".length, -1)
      .replaceAll(String.raw`'\''`, "'");
    expect(JSON.parse(quoted)).toEqual(questionsOf(run)[0]?.send.input);
  });

  test.each(['drafting', 'closed'])('is nothing while the run is %s', (phase) => {
    const run = phase === 'drafting' ? openRun('plan-1', AT) : everything();
    if (phase === 'closed') closeRun(run, 'expired', AT);
    expect([questionsOf(run), rolesWaitedFor(run), statusOf(run).next]).toEqual([[], [], undefined]);
  });

  test('names the approval once nobody has to be asked any more', () => {
    const run = everything();
    say(run, 'control', { action: 'skip-node', node: 'node_4', by: 'operator', role: 'ops' });
    expect(questionsOf(run).map(({ kind }) => kind)).toEqual(['question', 'uncertain', 'failed']);
    expect(statusOf(run)).toMatchObject({ phase: 'running', waitingFor: 3 });
  });

  test('is an edit by anybody, where a plan was rejected and all that is left of it is approved', () => {
    const run = openedRun(shapeOf([[], [0], []]), { maxRejections: 2 });
    const nodes = ['node_2'];
    say(run, 'decide', { kind: 'approve-part', nodes, digest: '3fa9c1d2', by: 'operator' });
    say(run, 'control', { action: 'cancel-node', node: 'node_3', by: 'operator' });
    expect(questionsOf(run)).toEqual([]);
    say(run, 'reject', { digest: '3fa9c1d2', by: 'reviewer' });
    const [item] = questionsOf(run);
    expect([item?.nodes, item?.roles, item?.send.input['role'], rolesWaitedFor(run)]).toEqual([
      ['node_2'],
      undefined,
      undefined,
      ['anyone'],
    ]);
  });

  test('of a loop says which step it is, and what it does', () => {
    const run = openedRun(shapeOf([[]]));
    run.state.loop = {
      ...openLoop({ goal: 'Find *genes*' }, 5),
      step: { round: 2, summary: 'Order\nthe \u202egel' },
    };
    expect(questionsOf(run)[0]?.text).toBe(
      String.raw`approve step 2 "Order the \u202egel" of the plan "Find *genes*"?`,
    );
  });

  test('says that some of what anybody may approve needs a role', () => {
    const executors = [executor('read'), executor('at-most-once', 'fire')];
    const rules = [{ effect: 'read' }, { capability: 'fire', roles: ['ops'] }] as const;
    const run = openedRun(shapeOf([[], []], { executors, executorOf: [0, 1] }), { approval: { rules } });
    const asked = () => questionsOf(run).find(({ kind }) => kind === 'approval');
    expect(asked()).toMatchObject({ text: 'approve the plan "Find *genes*"? Some of it needs the role ops.' });
    expect(asked()?.roles).toBeUndefined();
    const reply = 'approved; still to be approved: 1 of its nodes, by ops';
    expect(say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' })).toEqual({ ok: true, reply });
    expect(asked()?.roles).toEqual(['ops']);
  });

  test('names the people who can end a wait, and nobody whose word ends none', () => {
    const rules = [
      { roles: ['operator', 'safety'] },
      { roles: ['safety'] },
      { roles: ['operator', 'safety'], count: 2 },
    ];
    const run = openedRun(shapeOf([[], []]), { approval: { rules: rules.slice(0, 2) } });
    const reply = say(run, 'approve', { digest: '3fa9c1d2', by: 'operator', role: 'operator' });
    expect(reply).toEqual({ ok: true, reply: 'approved; still to be approved: 2 of its nodes, by safety' });
    const both = openedRun(shapeOf([[], []]), { approval: { rules: rules.slice(2) } });
    expect(say(both, 'approve', { digest: '3fa9c1d2', by: 'operator', role: 'operator' })).toMatchObject({
      reply: 'approved; still to be approved: 2 of its nodes, by operator or safety',
    });
  });

  test('names who has approved so far', () => {
    const run = openedRun(shapeOf([[], []]), { approval: { rules: [{ count: 2 }] } });
    say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' });
    expect(questionsOf(run)[0]).toMatchObject({
      text: 'approve the plan "Find *genes*"? It takes 1 more approval. Approved so far by operator.',
      missing: [{ count: 1, of: 2 }],
      approvedBy: ['operator'],
    });
    expect(questionsOf(run)[0]?.since).toBe(AT);
  });
});

test('an approval names five kinds of what it takes, and in its text no more than 500 characters of them', () => {
  const rules = Array.from({ length: 6 }, (_, at) => ({
    capability: 'pay',
    count: at + 2,
    roles: [`${'r'.repeat(150)} ${at}`],
  }));
  const run = openedRun(shapeOf([[]], { executors: [executor('at-most-once', 'pay')] }), { approval: { rules } });
  const [item] = questionsOf(run);
  expect(item?.missing).toHaveLength(5);
  expect(item?.missing?.[0]).toEqual({ count: 2, of: 2, roles: rules[0]?.roles });
  expect(item?.text.length).toBeLessThan(700);
});

describe('the roles that are waited for', () => {
  test('are those of the rules not met yet, or anyone', () => {
    const run = everything({ text: 'x', roles: ['ops', 'lab'] });
    expect(rolesWaitedFor(run)).toEqual(['anyone', 'chief', 'lab', 'ops']);
    const two = openedRun(shapeOf([[]]), { approval: { rules: [{ roles: ['ops'] }, { roles: ['chief'] }] } });
    expect(rolesWaitedFor(two)).toEqual(['chief', 'ops']);
    say(two, 'approve', { digest: '3fa9c1d2', by: 'operator', role: 'ops' });
    expect(rolesWaitedFor(two)).toEqual(['chief']);
  });

  test('fit a search attribute, and everybody is asked in place of those that do not', () => {
    const roles = Array.from({ length: 300 }, (_, i) => `役割 ${i} ${'x'.repeat(100)}`);
    const shown = rolesWaitedFor(openedRun(shapeOf([[]]), { approval: { rules: [{ roles }] } }));
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(2048);
    expect(shown).toContain('anyone');
    expect(shown.length).toBeGreaterThan(1);
  });
});

describe('a page of what is open', () => {
  const many = () => {
    const run = openedRun(wideShape(250), { approval: { rules: [{ capability: 'none' }] }, concurrency: 1000 });
    const long = 'é'.repeat(MAX_QUESTION_BYTES / 2 - 100);
    turn(run);
    for (const node of underWay(run)) bring(run, node, { asks: { text: 'which?', suggestions: [long] } });
    return run;
  };

  test('fits the answer to a query, and leads on to the rest', () => {
    const run = many();
    const ids: string[] = [];
    for (let page = questionsOf(run); page.length > 0; page = questionsOf(run, { after: ids.at(-1) })) {
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(2 * 1024 * 1024);
      ids.push(...page.map(({ id }) => id));
    }
    expect(ids).toEqual(Object.keys(run.state.questions));
    expect(new Set(ids).size).toBe(250);
  });

  test.each([{ limit: 'x' }, { limit: 1e9 }, { after: 7 }, { after: 'none' }, {}])('survives %j', (page) => {
    expect(questionsOf(many(), page)).toHaveLength(100);
  });

  test('has items of bounded size, however much was said', () => {
    const run = openedRun(wideShape(300, { goal: 'g'.repeat(100_000) }), {
      approval: { rules: [{ count: 100 }] },
      onFailure: 'ask',
    });
    for (let i = 0; i < 99; i++) say(run, 'approve', { digest: '3fa9c1d2', by: `${i} ${'x'.repeat(190)}` });
    endNode(run, 0, { type: 'CRITICAL', message: 'm'.repeat(100_000), status: 'failed' }, AT);
    const items = questionsOf(run);
    expect(items.map(({ kind, nodeCount, nodes }) => [kind, nodeCount, nodes.length])).toEqual([
      ['approval', 299, 20],
      ['failed', 1, 1],
    ]);
    for (const item of items) expect(JSON.stringify(item).length).toBeLessThan(5000);
  });
});
