/** The addresses that a plan may name for `fetchPage`, and those that are refused when it is compiled. */

import { describe, expect, test } from 'vitest';
import { createRegistry, fetchPage } from '../../src/capabilities/builtin/index.ts';
import { readAllowedHosts } from '../../src/capabilities/builtin/fetch-page/fetch-page.ts';
import { compilePlan } from '../../src/plan/index.ts';

describe('an address is an issue of the plan', () => {
  const registry = createRegistry([
    fetchPage({ hosts: ['example.org', '*.example.net', 'intranet:8080', '127.0.0.1:80'] }),
  ]);
  const issues = (url: unknown) => {
    const plan = { type: 'task', task: 'Read it', capability: 'fetchPage', arguments: { url } };
    const compiled = compilePlan({ goal: 'g', plan }, { catalogue: registry });
    return compiled.ok ? [] : compiled.issues.map(({ path, message }) => [path, message]);
  };

  test.each([
    'https://example.org/a?b#c',
    'http://EXAMPLE.org',
    'https://example.org:443/',
    'https://a.b.example.net/',
    'http://intranet:8080/',
  ])('not %s', (url) => expect(issues(url)).toEqual([]));

  test.each<[url: unknown, says: string]>([
    [7, 'expected string'],
    ['example.org', 'expected an address such as'],
    ['ftp://example.org/', 'expected http: or https:'],
    ['file:///etc/passwd', 'expected http: or https:'],
    ['javascript:alert(1)', 'expected http: or https:'],
    ['https://u:p@example.org/', 'a user or a password'],
    ['https://example.org@evil.test/', 'a user or a password'],
    ['https://evil.test/', 'the host "evil.test" is not allowed; allowed are "example.org"'],
    ['https://www.example.org/', 'is not allowed'],
    ['https://example.org.evil.test/', 'is not allowed'],
    ['https://example.org./', 'is not allowed'],
    ['https://example.net/', 'is not allowed'],
    ['https://evilexample.net/', 'is not allowed'],
    ['https://example.org:8080/', 'is not allowed'],
    ['http://intranet/', 'is not allowed'],
    [`https://example.org/${'a'.repeat(2000)}`, 'Too big'],
  ])('%j', (url, says) => {
    expect(issues(url)).toEqual([['$.plan.arguments.url', expect.stringContaining(says)]]);
  });

  test('not where it is the result of another step, which is checked when it is there', () => {
    const steps = [
      { context_key: 'where', capability: 'ask', task_objective: 'Ask', parameters: { question: 'Which page?' } },
      {
        context_key: 'page',
        capability: 'fetchPage',
        task_objective: 'Read',
        parameters: { url: 'result_from_step_1' },
      },
    ];
    expect(compilePlan({ goal: 'g', steps }, { catalogue: registry })).toMatchObject({ ok: true });
  });
});

test.each([
  ['https', 'http', 'http: is not encrypted, and https: was'],
  ['https', 'https', undefined],
  ['http', 'https', undefined],
  ['http', 'http', undefined],
])('a redirect from %s to %s', (from, to, problem) => {
  const allowed = readAllowedHosts(['example.org'], false);
  const [first, second] = [from, to].map((scheme) => new URL(`${scheme}://example.org/`));
  expect(allowed.problemOf(second!, first)).toBe(problem);
});
