/** The lessons of refusals: which member a server means, and which are never taken out. */

import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { bothOf, fit, learn, OMITTABLE, type Body, type Personality } from '../../src/models/personality.ts';
import { wordsOf } from '../../src/models/server-words.ts';

const START: Personality = { format: 'json_schema', tokensName: 'max_tokens', omit: [] };
const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'n', schema: { properties: { strict: {} } }, strict: true },
};
const TOOL = { type: 'function', function: { name: 'find', parameters: { properties: { strict: {} } }, strict: true } };
const BODY: Body = {
  ...{ model: 'm', messages: [], stream: true, stream_options: {}, tools: [TOOL], tool_choice: 'auto' },
  ...{ parallel_tool_calls: false, response_format: FORMAT, max_tokens: 9, temperature: 0, top_p: 1, seed: 1 },
  ...{ reasoning_effort: 'low', include: [] },
};

/** The line of the config that follows from an error of this body. */
function lineOf(says: unknown, { status = 400, body = BODY } = {}): string | undefined {
  return learn(START, fit(body, START), wordsOf(JSON.stringify(says), status, new Headers()))?.line;
}
const openai = (message: string, param: string | null = null) => ({ error: { message, param, code: null } });

test('OpenAI: max_completion_tokens in the place of max_tokens, and never neither', () => {
  const says = openai("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 'max_tokens');
  expect(lineOf(says)).toBe("tokensName: 'max_completion_tokens'");
  const words = wordsOf(JSON.stringify(says), 400, new Headers());
  const { personality } = learn(START, BODY, words)!;
  expect(fit(BODY, personality)).toMatchObject({ max_completion_tokens: 9 });
  expect(learn(personality, fit(BODY, personality), words)).toBeUndefined();
});

test.each<[param: string, line: string]>([
  ['temperature', "omit: ['temperature']"],
  ['reasoning_effort', "omit: ['reasoning_effort']"],
  ['reasoning.effort', "omit: ['reasoning_effort']"],
  ['tools[0].function.strict', "omit: ['strict']"],
  ['response_format.json_schema.strict', "omit: ['strict']"],
  ['response_format', "omit: ['strict']"],
  ['include[0]', "omit: ['include']"],
])('OpenAI: unsupported parameters are named by param: %s', (param, line) => {
  expect(lineOf(openai('Some words about max_tokens.', param))).toBe(line);
});

test('Azure OpenAI: api-version and api-key beside, an argument that is not known is named in words', () => {
  expect(lineOf(openai('Unrecognized request argument supplied: stream_options'))).toBe("omit: ['stream_options']");
});

test('Anthropic: temperature is refused in words', () => {
  const error = { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' };
  expect(lineOf({ type: 'error', error })).toBe("omit: ['temperature']");
});

test('DeepSeek: JSON mode follows where a schema is refused', () => {
  const says = openai('This response_format type is unavailable now');
  const loose: Body = { ...BODY, response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } } };
  expect(lineOf(says, { body: loose })).toBe("format: 'json_object'");
});

test.each([
  [{ detail: 'seed is not supported' }, "omit: ['seed']"],
  [{ detail: [{ loc: ['body', 'top_p'], msg: 'Extra inputs are not permitted' }] }, "omit: ['top_p']"],
])('FastAPI: detail is a text or a list: %j', (says, line) => {
  expect(lineOf(says, { status: 422 })).toBe(line);
});

describe('nothing is learnt', () => {
  test.each<[string, unknown]>([
    ['the messages', openai("messages[0].content: 'temperature' has the wrong type", 'messages[0].content')],
    ['the model', openai('The model m does not exist or has no tool_choice', 'model')],
    ['the tools', openai('Invalid schema: temperature is no type', 'tools[0].function.parameters')],
    ['the messages, by place', { detail: [{ loc: ['body', 'messages', 0], msg: 'temperature is missing' }] }],
    ['nobody', openai('Invalid request')],
    ['a member of no request', openai("Unknown parameter: 'logit_bias'", 'logit_bias')],
  ])('from a refusal of %s', (_, says) => {
    expect(lineOf(says)).toBeUndefined();
  });

  test('from a refusal of a member that was not sent', () => {
    expect(
      lineOf(openai('temperature is wrong', 'temperature'), { body: { model: 'm', messages: [] } }),
    ).toBeUndefined();
  });

  test.each([401, 404, 413, 429, 500])('from a %i', (status) => {
    expect(lineOf(openai('temperature', 'temperature'), { status })).toBeUndefined();
  });
});

test('a schema keeps its property called strict', () => {
  const body = fit(BODY, { ...START, omit: ['strict'] });
  expect(body['response_format']).toEqual({
    type: 'json_schema',
    json_schema: { name: 'n', schema: { properties: { strict: {} } } },
  });
  expect(body['tools']).toEqual([
    { type: 'function', function: { name: 'find', parameters: { properties: { strict: {} } } } },
  ]);
  expect(lineOf(openai('strict is not known', 'strict'), { body })).toBeUndefined();
});

test('whatever is refused in a row, the request and its bound stay, and it comes to an end', () => {
  const names = [...OMITTABLE, 'response_format', 'max_tokens', 'max_completion_tokens', 'messages', 'model', 'tools'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names), { maxLength: 60 }), (refused) => {
      let personality = START;
      let lessons = 0;
      for (const param of refused) {
        const sent = fit(BODY, personality);
        const lesson = learn(personality, sent, wordsOf(JSON.stringify(openai('no', param)), 400, new Headers()));
        if (lesson === undefined) continue;
        lessons += 1;
        personality = lesson.personality;
        const next = fit(BODY, personality);
        expect(next).toMatchObject({ model: 'm', messages: [], stream: true });
        expect(next['tools']).toHaveLength(1);
        expect([next['max_tokens'], next['max_completion_tokens']]).toContain(9);
      }
      expect(lessons).toBeLessThanOrEqual(12);
    }),
  );
});

test('two calls that learn at once keep what both have learnt, in either order', () => {
  const learnt = fc
    .array(fc.constantFrom(...OMITTABLE, 'response_format', 'max_tokens'), { maxLength: 12 })
    .map((refused) =>
      refused.reduce((personality, param) => {
        const words = wordsOf(JSON.stringify(openai('no', param)), 400, new Headers());
        return learn(personality, fit(BODY, personality), words)?.personality ?? personality;
      }, START),
    );
  fc.assert(
    fc.property(learnt, learnt, (one, other) => {
      const sorted = (both: Personality) => ({ ...both, omit: both.omit.toSorted() });
      const both = bothOf(one, other);
      expect(sorted(both)).toEqual(sorted(bothOf(other, one)));
      expect(sorted(bothOf(both, one))).toEqual(sorted(both));
      expect(both.omit).toEqual(expect.arrayContaining([...one.omit, ...other.omit]));
    }),
  );
});
