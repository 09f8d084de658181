/** A loop gives its model's thoughts back, over HTTP in both forms: bounded, bought once, and behind bytes that stay. */

import { describe, expect, test } from 'vitest';
import { decisionRequest } from '../../src/planner/round/decision-request.ts';
import { NO_NOTES, thinking, withRound, type NotedRound } from '../../src/planner/round/notes.ts';
import { toolsFor } from '../../src/planner/round/tools.ts';
import { journaled, openAIClient, type ModelClient } from '../../src/models/index.ts';
import { compilePlan } from '../../src/plan/index.ts';
import { askingOf, decideRound, modelPolicy, withTools } from '../../src/planner/index.ts';
import { NO_USAGE, type DecideReply } from '../../src/protocol/index.ts';
import { createFileStore, resultsIn, writeResult } from '../../src/store/index.ts';
import { catalogueOf, search } from '../support/scripted-planner.ts';
import {
  chatDelta,
  chatEvents,
  responseEvents,
  startModelServer,
  type Answer,
  type Asked,
} from '../support/model-server.ts';
import { fileFolder } from '../support/folders.ts';

const ROUNDS = 24;
const dir = fileFolder('loop-thoughts');

const argumentsOf = (round: number) => JSON.stringify({ text: `kinase ${round}`, task: `Look ${round}` });

/** The n-th answer of a server: its thought, and a call of `search`, or of `finish` at the end. */
function chatAnswer(round: number): Answer {
  const [name, args] = round > ROUNDS ? ['finish', '{"answer":"done"}'] : ['search', argumentsOf(round)];
  const call = { index: 0, id: `c${round}`, function: { name, arguments: args } };
  return {
    events: [
      chatDelta({ reasoning_content: `Thought ${round}.` }),
      chatDelta({ tool_calls: [{ ...call, extra_content: { google: { thought_signature: `s${round}` } } }] }),
      ...chatEvents([], 'tool_calls'),
    ],
  };
}

function responsesAnswer(round: number): Answer {
  const [name, args] = round > ROUNDS ? ['finish', '{"answer":"done"}'] : ['search', argumentsOf(round)];
  return {
    events: responseEvents([], {}, [
      { type: 'reasoning', id: `rs_${round}`, summary: [], encrypted_content: `sealed ${round}` },
      { type: 'function_call', call_id: `c${round}`, name, arguments: args },
    ]),
  };
}

const FORMS = [
  { api: 'chat', answer: chatAnswer, list: 'messages', own: /"reasoning_content":"Thought (\d+)\."/g },
  { api: 'responses', answer: responsesAnswer, list: 'input', own: /"encrypted_content":"sealed (\d+)"/g },
] as const;

describe.each(FORMS)('in the form $api', ({ api, answer, list, own }) => {
  async function decided() {
    let calls = 0;
    const server = await startModelServer(() => answer(++calls));
    const model = openAIClient({ baseURL: server.baseURL, name: 'thinker', api, format: 'json_schema' });
    const store = resultsIn(createFileStore(dir), 'runs/o/c');
    const heard = { usage: NO_USAGE };
    let paid = 0;
    const kept: ModelClient = {
      name: model.name,
      complete: (request, options) => journaled(model, { key: `${api}/${++paid}`, store }, request, options),
    };
    const catalogue = catalogueOf([search], []);
    const planner: Parameters<typeof decideRound>[1] = {
      decider: withTools({
        policy: modelPolicy,
        task: { goal: 'Find kinases', inputs: [] },
        capabilities: [search],
        agents: [],
      }),
      ...{ store, known: [search], project: { inbox: false }, isLastAttempt: true, passes: () => false },
      model: {
        ...{ name: model.name, prompts: {}, format: 'nodes' },
        paid: {
          usage: NO_USAGE,
          settle: () => undefined,
          ask: (request, _purpose, onText) => askingOf({ model: kept }, heard)(request, 'write', onText),
        },
      },
      async compile(document, results) {
        const compiled = compilePlan(document, { catalogue, contextKeys: Object.keys(results), isStep: true });
        return compiled.ok ? { ok: true, pages: [] } : { ok: false, issues: compiled.issues };
      },
      cancellation: new AbortController().signal,
    };
    const result = await writeResult(store, { kind: 'text', text: 'abl1, '.repeat(60) });
    let before: Partial<Parameters<typeof decideRound>[0]> = {};
    let last: DecideReply | undefined;
    for (let round = 1; last?.decision.is !== 'finish' && round <= ROUNDS + 1; round += 1) {
      const task = { goal: 'Find kinases' };
      last = await decideRound({ task, round, call: `round_${round}`, options: {}, ...before }, planner);
      const results = { [`step_${round}`]: result };
      before = { notes: last.notes, observation: { round, status: 'succeeded', results } };
    }
    return { end: last?.decision.is, asked: server.asked };
  }
  const textOf = ({ body }: Asked) => `${JSON.stringify(body['tools'])}${JSON.stringify(body[list])}`;
  const thoughtsIn = (asked: Asked) => [...textOf(asked).matchAll(own)].map(([, round]) => Number(round));

  test('every round has the thoughts of the rounds that it has whole, and a journaled reply has its own', async () => {
    const { asked, end } = await decided();
    expect([end, asked.length]).toEqual(['finish', ROUNDS + 1]);
    for (const [at, one] of asked.entries()) {
      // Ten rounds become lines at once, their thoughts with them.
      const first = at < 20 ? 1 : 11;
      expect(thoughtsIn(one)).toEqual(Array.from({ length: at + 1 - first }, (_, place) => place + first));
    }
    if (api === 'chat') expect(textOf(asked[3]!).match(/"thought_signature":"s[123]"/g)).toHaveLength(3);

    const texts = asked.map(textOf);
    const all = texts.slice(1).reduce((sum, text) => sum + text.length, 0);
    const same = texts.slice(1).reduce((sum, text, at) => sum + sameCharacters(text, texts[at]!), 0);
    expect(same / all).toBeGreaterThanOrEqual(0.8);

    // The same requests, byte for byte, find their replies: nothing is bought again.
    expect(await decided()).toEqual({ end: 'finish', asked: [] });
  });
});

function sameCharacters(text: string, before: string): number {
  let at = 0;
  while (at < text.length && text[at] === before[at]) at++;
  return at;
}

const ROUND: NotedRound = { round: 1, call: { name: 'search', arguments: '{}' }, said: 'Look', line: '- Look' };
const thoughts = (characters: number) => ({
  model: 'thinker',
  items: [{ type: 'reasoning', encrypted_content: 'x'.repeat(characters) }],
});
const given = (round: readonly NotedRound[], model?: string) => {
  const tools = toolsFor({ capabilities: [search], agents: [], plans: false });
  const notes = withRound(NO_NOTES, ...round);
  const task = { goal: 'Find', inputs: [] };
  const beside = { capabilities: [search], agents: [], prompts: {}, together: true };
  const request = decisionRequest({ task, notes, tools, ...beside, ...(model !== undefined && { model }) });
  return request.messages.some(({ reasoning = [] }) => reasoning.length > 0);
};

test('another model, or a decider that asks none, is not given them', () => {
  const noted = thinking([ROUND], thoughts(10));
  expect([given(noted, 'thinker'), given(noted, 'other'), given(noted)]).toEqual([true, false, false]);
});

test('thoughts of more than 200,000 characters, and those of a round without a call, are left out', () => {
  const { call: _, ...spoken } = ROUND;
  expect(given(thinking([ROUND], thoughts(199_900)), 'thinker')).toBe(true);
  expect(given(thinking([ROUND], thoughts(200_000)), 'thinker')).toBe(false);
  expect(given(thinking([spoken], thoughts(10)), 'thinker')).toBe(false);
});
