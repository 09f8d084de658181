/** What the demos that ask models stand on, without a server: the double, the ledger's proof, and what is scripted. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import type { Archive, Filed } from '../../examples/agents/archive.ts';
import { GOAL as FERRIES, NODES as FERRY_NODES } from '../../examples/agents/agents-script.ts';
import { corpusRead, corpusSearch, reportFile } from '../../examples/agents/capabilities.ts';
import { CORPUS, textsWith } from '../../examples/agents/corpus.ts';
import { totalsOf } from '../../examples/agents/expected.ts';
import { createConfig as createAgents, demo as agents } from '../../examples/agents/index.ts';
import { faultsOfReport } from '../../examples/agents/story/agents-proof.ts';
import { heldReplies, proofOfCalls, type ModelEntry } from '../../examples/from-goal/index.ts';
import { askedIn } from '../../examples/from-goal/asked.ts';
import { scriptedModel } from '../../examples/from-goal/scripted-model.ts';
import { demo as genes } from '../../examples/gene-strategies/index.ts';
import { createConfig as createGenes } from '../../examples/gene-strategies/index.ts';
import { GOAL as EXONS, NODES as EXON_NODES } from '../../examples/gene-strategies/planner-script.ts';
import { compilePlan, type Catalogue } from '../../src/plan/index.ts';
import type { ModelRequest } from '../../src/models/index.ts';
import { nodesDocument } from '../../src/planner/form/index.ts';

const registryOf = ({ capabilities, agents: own = [], tasks }: ReturnType<typeof createAgents>) =>
  createRegistry(capabilities, {
    agents: own,
    ...(tasks?.default !== undefined && { defaultExecutor: tasks.default }),
  });

describe.each([
  ['gene-strategies', genes.planFile, EXONS, EXON_NODES, registryOf(createGenes())],
  ['agents', agents.planFile, FERRIES, FERRY_NODES, registryOf(createAgents())],
] as const)('%s', (_, planFile, goal, nodes, catalogue) => {
  test('the plan of the scripted planner has the nodes of plan.json, and no other', () => {
    const built = nodesDocument(goal, { nodes }, []);
    if (!built.ok) throw new Error(JSON.stringify(built.issues));
    expect(keysOf(built.document, catalogue)).toEqual(keysOf(readFileSync(planFile), catalogue));
  });
});

function keysOf(document: unknown, catalogue: Catalogue): readonly string[] {
  const compiled = compilePlan(document, { catalogue });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return [...compiled.plan.tasks, ...compiled.plan.combines].map(({ key }) => key).toSorted();
}

describe('the double', () => {
  const request = (content: string): ModelRequest => ({ messages: [{ role: 'user', content }] });
  const yes = { to: { wants: 'answer', turn: 1 }, reply: { text: 'Yes.' } };

  test('says what fits what is asked, as often as it is asked', async () => {
    const model = scriptedModel([yes], 0);
    for (let times = 0; times < 2; times++) expect(await model.complete(request('?'))).toMatchObject({ text: 'Yes.' });
  });

  test.each([
    ['nothing fits', [], /none of its 0 answers/],
    ['another fits', [{ ...yes, to: { wants: 'plan' } }], /none of its 1 answers/],
    ['two fit', [yes, yes], /2 of its 2 answers/],
  ])('never improvises: %s', async (_, answers, problem) => {
    await expect(scriptedModel(answers, 0).complete(request('Which?'))).rejects.toMatchObject({
      name: 'ScriptError',
      message: expect.stringMatching(problem),
    });
  });

  test('tells pieces of a list of nodes one by one', async () => {
    const pieces: string[] = [];
    const value = { nodes: [{ id: 'a' }, { id: 'b' }] };
    const reply = await scriptedModel([{ to: {}, reply: { value } }], 0).complete(request('?'), {
      onText: (piece) => pieces.push(piece),
    });
    expect(pieces).toEqual(['{"nodes":[', '{"id":"a"},', '{"id":"b"}]}']);
    expect(reply.text).toBe(pieces.join(''));
  });

  test('reads who asks for what in which turn', () => {
    const asked = askedIn({
      messages: [
        { role: 'system', content: 'Rules.\n\n# You are writer\nWrite.' },
        { role: 'user', content: 'Your task:\n<data-0a source="the task">\nWrite it\n</data-0a>' },
        { role: 'assistant', content: '' },
        { role: 'tool', content: 'done' },
      ],
      tools: [],
    });
    expect(asked).toMatchObject({ by: 'writer', wants: 'step', task: 'Write it', turn: 2, last: 'done' });
  });
});

const usage = { calls: 1, inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 };
const stamp = { at: 'now', pid: 1 };
const asked = (call: string, request: string, pid = 1): ModelEntry => ({
  ...{ ...stamp, pid, what: 'asked', call, request, by: 'researcher', wants: 'step' },
  ...{ goal: '', task: '', capability: '', turn: 1, issues: [] },
});
const answered = (call: string): ModelEntry => ({ ...stamp, what: 'answered', call, did: 'x', usage });
const kept = (name: string): ModelEntry => ({ ...stamp, what: 'journaled', name });
const handedOn = (name: string): ModelEntry => ({ ...stamp, what: 'handed-on', name });

describe('the proof of the model ledger', () => {
  test.each<[string, readonly ModelEntry[], readonly [asked: number, distinct: number, lost: number, faults: number]]>([
    ['nothing', [], [0, 0, 0, 0]],
    ['two requests, bought once', [asked('1', 'a'), answered('1'), asked('2', 'b'), answered('2')], [2, 2, 0, 0]],
    [
      'what was answered is asked again',
      [asked('1', 'a'), answered('1'), asked('2', 'a', 2), answered('2')],
      [2, 1, 0, 1],
    ],
    [
      'what the killed one had not been answered is asked again',
      [asked('1', 'a'), asked('2', 'a', 2), answered('2')],
      [2, 1, 1, 0],
    ],
  ])('%s', (_, ledger, [all, distinct, unanswered, faults]) => {
    const proof = proofOfCalls(ledger, { pid: 1 });
    expect(proof).toMatchObject({ asked: all, distinct, unanswered });
    expect(proof.faults).toHaveLength(faults);
  });

  test.each<[string, readonly ModelEntry[], readonly string[] | undefined]>([
    ['nothing is held', [], []],
    ['a reply is kept, and nobody has heard of it', [asked('1', 'a'), answered('1'), kept('n')], ['n']],
    ['and then somebody has', [asked('1', 'a'), answered('1'), kept('n'), handedOn('n')], []],
    ['a call is under way', [asked('1', 'a'), answered('1'), kept('n'), asked('2', 'b')], undefined],
    ['a reply has come and is not kept', [asked('1', 'a'), answered('1')], undefined],
  ])('when to kill: %s', (_, ledger, held) => {
    expect(heldReplies(ledger)).toEqual(held);
  });
});

describe('the ferries', () => {
  const filed = (text: string): Filed => ({ at: 'now', pid: 1, key: 'k', title: 't', text });
  const right =
    'Norholm: 1370 passengers on 151 crossings, 3 called off; Sandvik: 1734 passengers on 162 crossings, 9 called off';

  test('the totals are those of the texts, counted by hand', () => {
    expect(totalsOf('Norholm')).toEqual({ passengers: 412 + 958, crossings: 61 + 90, calledOff: 3 });
    expect(totalsOf('Sandvik')).toEqual({ passengers: 530 + 1204, crossings: 58 + 104, calledOff: 7 + 2 });
  });

  test.each<[string, readonly Filed[], number]>([
    ['nothing', [], 1],
    ['the right report', [filed(right)], 0],
    ['two of it', [filed(right), filed(right)], 1],
    ['a wrong number', [filed(right.replace('1734', '1735'))], 1],
    ['nothing of both', [filed('Both are fine.')], 2],
  ])('the proof of the archive: %s', (_, reports, faults) => {
    expect(faultsOfReport(reports)).toHaveLength(faults);
  });

  test.each([
    ['norholm FERRY', ['norholm-winter', 'norholm-summer']],
    ['ferry', ['norholm-winter', 'norholm-summer', 'sandvik-winter', 'sandvik-summer']],
    ['submarine', []],
  ])('a search for "%s"', (words, ids) => {
    expect(textsWith(words).map(({ id }) => id)).toEqual(ids);
  });

  test('a text that is not there is told with those that are', async () => {
    const given = { arguments: { id: 'norholm' } } as Parameters<typeof corpusRead.execute>[0];
    await expect(async () => corpusRead.execute(given)).rejects.toThrow(CORPUS.map(({ id }) => id).join(', '));
  });

  test('looking reads, and filing happens at most once', () => {
    const archive = {} as Archive;
    expect([corpusSearch, corpusRead, reportFile(archive)].map(({ effect }) => effect)).toEqual([
      ...['read', 'read', 'at-most-once'],
    ]);
  });
});
