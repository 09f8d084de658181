/** One beyond each bound of a planner's work and of its prompts: docs/bounds.md says what happens then. */

import { describe, expect, test } from 'vitest';
import type { PlanIssue } from '../../src/plan/index.ts';
import { openNotes } from '../../src/planner/index.ts';
import type { PlannerNotes } from '../../src/planner/notes.ts';
import { selectRequest, stageRequest, writeRequest } from '../../src/planner/prompts/requests.ts';
import { selectCapabilities } from '../../src/planner/select-capabilities.ts';
import { issueLines } from '../../src/planner/write-plan.ts';
import { plannerOf, researcher, search } from '../support/scripted-planner.ts';

const long = (length: number) => 'x'.repeat(length);
const INSTRUCTED = { capabilities: [search], agents: [researcher] };
const notesWith = (over: Partial<PlannerNotes> = {}): PlannerNotes => ({ ...openNotes('a goal'), ...over });
const userText = ({ messages }: { messages: readonly { role: string; content: string }[] }) =>
  messages
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => content)
    .join('\n');

describe('a text in a prompt that is one character too long is cut, and said to be', () => {
  const write = (notes: PlannerNotes) => userText(writeRequest(notes, INSTRUCTED));
  const conversation = (said: Partial<PlannerNotes['conversation']>) =>
    userText(stageRequest('extract', notesWith({ conversation: said }), { format: 'task', reply: {} }, INSTRUCTED));
  const tried = { is: 'try', issues: [] } as const;

  test.each<[string, number, (text: string) => string]>([
    ['the goal', 20_000, (goal) => write(notesWith({ goal }))],
    ['the task', 20_000, (task) => write(notesWith({ task }))],
    [
      'the wish of a person',
      20_000,
      (feedback) => write(notesWith({ revise: { base: '', form: 'tree', feedback } as never })),
    ],
    ['memory', 8000, (memory) => conversation({ memory })],
    [
      'the answer of a person',
      8000,
      // Its quotes count.
      (text) =>
        write(
          notesWith({ turns: [{ is: 'question', question: { text: 'which?' }, answer: text.slice(2) }] }),
        ).replaceAll('"x', 'x'),
    ],
    [
      'what is wrong with the reply',
      4000,
      (text) => write(notesWith({ turns: [{ ...tried, reply: 'r', trouble: text }] })),
    ],
    [
      'what went wrong with the selection before',
      4000,
      (message) => userText(selectRequest(notesWith(), [search], { severity: 'REPLANNING', message }, {})),
    ],
  ])('%s: %i characters', (source, most, shown) => {
    const label = `source="${source}, ${most} of ${most + 1} characters"`;
    expect(shown(long(most + 1))).toContain(label);
    expect(shown(long(most))).not.toContain(`${most} of`);
  });

  test('of 51 earlier results the last 50 are told, and of 51 keys how many are left', () => {
    const results = Array.from({ length: 51 }, (_, at) => ({
      key: `k${at}`,
      objective: 'o',
      ref: 'r',
      text: `text ${at}`,
    }));
    const text = write(notesWith({ conversation: { results }, context: results.map(({ key }) => ({ key })) }));
    expect(text.match(/A result of an earlier run/g)).toHaveLength(50);
    expect(text).not.toContain('text 0\n');
    expect(text).toContain('and 1 more');
  });
});

test('of 21 problems of a reply 20 are told', () => {
  const issue: PlanIssue = { code: 'invalid-json', severity: 'error', path: '$', message: 'Wrong.' };
  const issues = Array.from({ length: 21 }, (_, at) => ({ ...issue, path: `$[${at}]` }));
  const lines = issueLines([...issues, ...issues]).split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([21, '- and 1 more']);
});

test('of 17 capabilities a selection is asked for, of 16 none', async () => {
  const asked = async (length: number) => {
    const capabilities = Array.from({ length }, (_, at) => ({ ...search, name: `search_${at}` }));
    const planner = plannerOf({ select: [{ json: { capabilities: [] } }] }, { capabilities });
    await selectCapabilities(planner, notesWith());
    return planner.asked.length;
  };
  expect([await asked(16), await asked(17)]).toEqual([0, 1]);
});
