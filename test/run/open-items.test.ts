import { describe, expect, test } from 'vitest';
import { parseAnswer } from '../../src/run/answer.ts';
import { parseControl } from '../../src/run/control.ts';
import { parseDecision } from '../../src/run/decision.ts';
import { openItems, OPEN_ITEM_KINDS, questionsOf, rolesWaitedFor, type OpenItem } from '../../src/run/open-items.ts';
import { startNext } from '../../src/run/progress.ts';
import { MAX_QUESTION_BYTES, type Question } from '../../src/run/question.ts';
import { ask } from '../../src/run/questions.ts';
import type { ApprovalRule } from '../../src/run/rules.ts';
import { closeRun, endNode, openRun, type Run } from '../../src/run/run.ts';
import { nextCommand, statusOf } from '../../src/run/views.ts';
import { AT, executor, later, openedRun, progressOf, say, sliceOf } from './make-run.ts';

const BROKE = { type: 'CRITICAL', message: 'broke' };
const QUOTES = `it's "so" \`here\` $(x) \\ é`;

/** One item of every kind: a node to approve, a question, an uncertain node and a failed one. */
function everything(
  question: Question = { text: 'which?' },
  rules: readonly ApprovalRule[] = [{ capability: 'fire', roles: ['ops', 'chief'] }],
): Run {
  const executors = [executor('read'), executor('at-most-once'), executor('at-most-once', 'fire')];
  const run = openedRun(sliceOf([[], [], [], []], { executors, executorOf: [0, 1, 0, 2] }), {
    approval: { rules },
    onFailure: 'ask',
    answerDeadlineMs: 1000,
    approvalDeadlineMs: 2000,
  });
  for (let count = 0; count < 3; count++) startNext(progressOf(run), (node) => node < 3);
  ask(run, 0, question, AT);
  endNode(run, 1, { ...BROKE, status: 'uncertain' }, AT, true);
  endNode(run, 2, { ...BROKE, status: 'failed' }, AT, true);
  return run;
}

/** What a person does with the message: names themselves, and a role where several are offered. */
function filledIn({ send }: OpenItem): Record<string, unknown> {
  const input = JSON.parse(JSON.stringify(send.input)) as Record<string, unknown>;
  const role = typeof input['role'] === 'string' ? input['role'] : '';
  return {
    ...input,
    by: input['by'] === 'YOUR NAME' ? 'ana' : input['by'],
    ...(input['outcome'] === 'OUTCOME' && { outcome: 'failed' }),
    ...(role.startsWith('YOUR ROLE: ') && { role: role.slice('YOUR ROLE: '.length).split(' or ')[0] }),
  };
}

describe('what a run waits for', () => {
  test('is told item by item, each with its kind, place, time and message', () => {
    const items = openItems(everything());
    expect(items.map(({ kind }) => kind)).toEqual(OPEN_ITEM_KINDS);
    expect(items.map(({ id, nodes, since, deadline }) => [id, nodes, since, deadline])).toEqual([
      ['approval', ['node_4'], AT, later(2000)],
      ['3fa9c1d2.node_1', ['node_1'], AT, later(1000)],
      ['node_2', ['node_2'], AT, later(1000)],
      ['node_3', ['node_3'], AT, later(1000)],
    ]);
    for (const item of items) {
      expect(item).toMatchObject({ workflowId: 'plan-1', digest: '3fa9c1d2'.repeat(8), revision: 1, nodeCount: 1 });
      expect(item.text.length).toBeGreaterThan(5);
    }
  });

  test('is taken as it stands, once the capitals are filled in', () => {
    const run = everything({ text: QUOTES, suggestions: [QUOTES], roles: ['ops'] });
    for (const item of openItems(run)) {
      const heard = say(run, item.send.name, filledIn(item));
      expect({ item: item.id, heard }).toMatchObject({ heard: { ok: true } });
    }
    expect(openItems(run)).toEqual([]);
    expect(statusOf(run).waitingFor).toBe(0);
  });

  test('reads well for its parser in every shape', () => {
    const parsers = {
      approve: (input: unknown) => parseDecision(input, 'approve'),
      decide: (input: unknown) => parseDecision(input),
      answer: parseAnswer,
      control: parseControl,
    };
    const rejected = openedRun(sliceOf([[]]), { maxRejections: 2 });
    say(rejected, 'reject', { digest: '3fa9c1d2', by: 'ana' });
    const many = Array.from({ length: 50 }, (_, i) => `role ${i}`);
    for (const run of [
      rejected,
      openedRun(sliceOf([[]])),
      openedRun(sliceOf([[]]), { approval: { rules: [{ roles: many }] } }),
      everything({ text: 'x', default: null }),
      everything({ text: 'x', roles: ['a', 'b'] }),
    ]) {
      const items = openItems(run);
      expect(items.length).toBeGreaterThan(0);
      for (const item of items) expect(parsers[item.send.name](filledIn(item))).toMatchObject({ ok: true });
    }
    expect(openItems(rejected)[0]?.send).toMatchObject({ name: 'decide', input: { kind: 'edit' } });
  });

  test('is a shell word that gives the same JSON back', () => {
    const run = everything({ text: 'x', suggestions: [QUOTES] }, [{ capability: 'nothing' }]);
    const command = nextCommand(run) ?? '';
    expect(command).toMatch(/^temporal workflow signal -w plan-1 --name answer --input '/);
    // Within single quotes a shell reads everything as it is, and '\'' as one quote.
    const quoted = command
      .slice(command.indexOf("--input '") + "--input '".length, -1)
      .replaceAll(String.raw`'\''`, "'");
    expect(JSON.parse(quoted)).toEqual(openItems(run)[0]?.send.input);
  });

  test.each(['drafting', 'closed'])('is nothing while the run is %s', (phase) => {
    const run = phase === 'drafting' ? openRun('plan-1') : everything();
    if (phase === 'closed') closeRun(run, 'expired', AT);
    expect([questionsOf(run), rolesWaitedFor(run), nextCommand(run)]).toEqual([[], [], undefined]);
  });

  test('names the approval once nobody has to be asked any more', () => {
    const run = everything();
    say(run, 'control', { action: 'skip-node', node: 'node_4', by: 'ana', role: 'ops' });
    expect(openItems(run).map(({ kind }) => kind)).toEqual(['question', 'uncertain', 'failed']);
    expect(statusOf(run).phase).toBe('running');
  });

  test('names who has approved so far', () => {
    const run = openedRun(sliceOf([[], []]), { approval: { rules: [{ count: 2 }] } });
    say(run, 'approve', { digest: '3fa9c1d2', by: 'ana' });
    expect(openItems(run)[0]?.text).toBe('approve the plan "Find *genes*"? Approved so far by ana.');
    expect(openItems(run)[0]?.since).toBe(AT);
  });
});

describe('the roles that are waited for', () => {
  test('are those of the rules not met yet, or anyone', () => {
    const run = everything({ text: 'x', roles: ['ops', 'lab'] });
    expect(rolesWaitedFor(run)).toEqual(['anyone', 'chief', 'lab', 'ops']);
    const two = openedRun(sliceOf([[]]), { approval: { rules: [{ roles: ['ops'] }, { roles: ['chief'] }] } });
    expect(rolesWaitedFor(two)).toEqual(['chief', 'ops']);
    say(two, 'approve', { digest: '3fa9c1d2', by: 'ana', role: 'ops' });
    expect(rolesWaitedFor(two)).toEqual(['chief']);
  });

  test('fit a search attribute, and everybody is asked in place of those that do not', () => {
    const roles = Array.from({ length: 300 }, (_, i) => `役割 ${i} ${'x'.repeat(100)}`);
    const shown = rolesWaitedFor(openedRun(sliceOf([[]]), { approval: { rules: [{ roles }] } }));
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(2048);
    expect(shown).toContain('anyone');
    expect(shown.length).toBeGreaterThan(1);
  });
});

describe('a page of what is open', () => {
  const many = () => {
    const run = openedRun(sliceOf(Array.from({ length: 250 }, () => [])), {
      approval: { rules: [{ capability: 'none' }] },
      concurrency: 1000,
    });
    const long = 'é'.repeat(MAX_QUESTION_BYTES / 2 - 100);
    for (let node = startNext(progressOf(run)); node !== undefined; node = startNext(progressOf(run))) {
      ask(run, node, { text: 'which?', suggestions: [long] }, AT);
    }
    return run;
  };

  test('fits the answer to a query, and leads on to the rest', () => {
    const run = many();
    const ids: string[] = [];
    for (let page = questionsOf(run); page.length > 0; page = questionsOf(run, { after: ids.at(-1) })) {
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(2 * 1024 * 1024);
      ids.push(...page.map(({ id }) => id));
    }
    expect(ids).toEqual(openItems(run).map(({ id }) => id));
    expect(new Set(ids).size).toBe(250);
  });

  test.each([{ limit: 'x' }, { limit: 1e9 }, { after: 7 }, { after: 'none' }, {}])('survives %j', (page) => {
    expect(questionsOf(many(), page)).toHaveLength(100);
  });

  test('has items of bounded size, however much was said', () => {
    const run = openedRun(
      sliceOf(
        Array.from({ length: 300 }, () => []),
        { goal: 'g'.repeat(100_000) },
      ),
      {
        approval: { rules: [{ count: 100 }] },
        onFailure: 'ask',
      },
    );
    for (let i = 0; i < 99; i++) say(run, 'approve', { digest: '3fa9c1d2', by: `${i} ${'x'.repeat(190)}` });
    endNode(run, 0, { type: 'CRITICAL', message: 'm'.repeat(100_000), status: 'failed' }, AT, true);
    const items = openItems(run);
    expect(items.map(({ kind, nodeCount, nodes }) => [kind, nodeCount, nodes.length])).toEqual([
      ['approval', 299, 20],
      ['failed', 1, 1],
    ]);
    for (const item of items) expect(JSON.stringify(item).length).toBeLessThan(5000);
  });
});
