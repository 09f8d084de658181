/** Texts of others on the page: whatever stands in a plan, a question, a result, a name, it is shown as text, all of it. */

import { Parser } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../src/plan/index.ts';
import { visible } from '../../src/plan/text/index.ts';
import { html, type HtmlPiece } from '../../src/page/markup.ts';
import { idOf, nodePath, runPath } from '../../src/page/paths.ts';
import { sideBySide } from '../../src/page/view/changes.ts';
import { frame } from '../../src/page/view/layout.ts';
import { nodesPage, tracePage } from '../../src/page/view/lists.ts';
import { roundsPage } from '../../src/page/view/rounds.ts';
import { inboxPage, runsPage } from '../../src/page/view/overview.ts';
import { whyPage } from '../../src/page/view/node.ts';
import { editPage, newPage } from '../../src/page/view/plan.ts';
import { resultPage } from '../../src/page/view/result.ts';
import { runPage, runParts } from '../../src/page/view/run.ts';
import { valuesForm } from '../../src/page/view/values.ts';
import { problemPage, signPage, repliesPage, whoPage } from '../../src/page/view/short-pages.ts';
import type { Seen } from '../../src/page/watch.ts';
import type { NodeView, OpenItem } from '../../src/protocol/index.ts';
import { status } from '../client/follow/fake-run.ts';

/** Each would do something where it was taken for markup, for an address or for a word of the page. */
const TEXTS: readonly string[] = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  `' onfocus='alert(1)' autofocus='`,
  '" onmouseover="alert(1)',
  '</textarea><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</style><script>alert(1)</script>',
  '<!--<script>alert(1)</script>-->',
  '-->]]><script>alert(1)</script>',
  '<iframe src=javascript:alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '//elsewhere.example/x',
  '<base href=//elsewhere.example/>',
  '<meta http-equiv=refresh content=0;url=//elsewhere.example>',
  '<form action=//elsewhere.example><input name=token>',
  '<link rel=stylesheet href=//elsewhere.example>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;',
  '${alert(1)} {{alert(1)}} <%= alert(1) %>',
  'a\u202egnp.exe\u2066',
  'approve\u200b\u00ad\ufeff',
  'line\nbreak\r\nand\u2028more\u0000',
  '../../../etc/passwd',
  '%3Cscript%3E%2e%2e%2f',
  '\u{1f469}\u200d\u{1f52c}',
  `Z\u0351\u036b\u0343a\u0321l\u0334${'\u0300'.repeat(200)}go`,
];

/** The elements and attributes that the page makes itself. */
const ELEMENTS = new Set(
  'html head meta title link script body a header nav p span main div section article h1 h2 h3 ul ol li i b br code pre dl dt dd table thead tbody tr th td form fieldset legend label input select option textarea button details summary svg g path rect line text tspan time aside'.split(
    ' ',
  ),
);
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'data', 'xlink:href']);

interface Read {
  readonly texts: string;
  readonly values: readonly string[];
  readonly odd: readonly string[];
}

function read(markup: string): Read {
  let texts = '';
  let isField = false;
  const values: string[] = [];
  const odd: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'textarea') isField = true;
      if (!ELEMENTS.has(name)) odd.push(`<${name}>`);
      if (name === 'script' && !/^\/(?:page|idiomorph)\.js$/.test(attributes['src'] ?? ''))
        odd.push(`script ${attributes['src']}`);
      for (const [attribute, value] of Object.entries(attributes)) {
        values.push(value);
        if (/^on|^style$|^srcdoc$/i.test(attribute)) odd.push(`${attribute}=${value}`);
        if (ADDRESSES.has(attribute) && !/^(?:\/(?!\/)|#|\?)/.test(value)) odd.push(`${attribute}=${value}`);
      }
    },
    // In a field a text stays what it is.
    onclosetag: (name) => void (name === 'textarea' && (isField = false)),
    ontext(text) {
      if (isField) values.push(text);
      else texts += text;
    },
    oncomment: (text) => void odd.push(`<!--${text}-->`),
    onprocessinginstruction: (name) => void (name === '!doctype' || odd.push(name)),
  });
  parser.end(markup);
  return { texts, values, odd };
}

/** Things whose members are all this text. */
function all<Name extends string>(text: string, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, text])) as Record<Name, string>;
}

function whole(main: HtmlPiece, title: string): string {
  return String(frame({ title, main }, { name: title, isNamed: false, reply: title, path: title }));
}

/** Where a text may stand: the page that it is shown on, with nothing in it that is not of the page. */
const PLACES: Readonly<Record<string, (text: string) => HtmlPiece | Promise<HtmlPiece>>> = {
  'a title, a name and a reply': (text) => html`<p>${text}</p>`,
  'a problem': (text) => problemPage({ code: text, message: text, issues: [issue(text)] }),
  'a reply of several runs': (text) =>
    repliesPage([true, false].map((isRefused) => ({ workflowId: text, text, isRefused }))),
  'a form on its way': (text) => whoPage('/say', [[text, text]]),
  'a message to sign': (text) =>
    signPage(
      [{ workflowId: text, firstRunId: text, message: { comment: text, [text]: 1 }, role: text, command: text }],
      text,
      1,
    ),
  'a run': async (text) => runPage(await runParts(seenOf(text), (command) => command)),
  'a run whose plan is elsewhere': async (text) =>
    runPage(await runParts({ ...seenOf(text), plan: undefined } as unknown as Seen, (command) => command)),
  'a run that has ended': async (text) =>
    runPage(
      await runParts(
        {
          ...seenOf(text),
          end: { how: 'failed', ...all(text, 'type', 'message'), details: [{ issues: [issue(text)] }] },
        },
        (command) => command,
      ),
    ),
  'an inbox': (text) =>
    inboxPage({
      waits: [
        {
          ...{ item: itemOf(text, 'question'), runs: [text, `${text}2`], differs: [[text], [text]], replans: true },
          ...{ effects: [], more: 0, context: [text], nodes: [], command: text },
        },
      ],
      count: 1,
      missing: [text],
    }),
  'a list of runs': (text) =>
    runsPage(
      [all(text, 'workflowId', 'goal', 'status', 'phase', 'taskQueue', 'startTime', 'closeTime') as never],
      all(text, 'goal', 'state', 'plan', 'person'),
      { lookedAt: 1 },
    ),
  'a list of nodes': (text) => nodesPage({ workflowId: text, nodes: [nodeOf(text)], search: text, from: text }),
  'what happened': (text) => tracePage(text, [{ seq: 1, at: text, what: 'decision', text } as never], 1, 2),
  'a round': (text) =>
    roundsPage({
      ...{ workflowId: text, round: 1, maxRounds: 2 },
      rounds: [
        {
          ...{ round: 1, origin: 'gate', ...all(text, 'line', 'decider', 'decision') },
          visits: [{ stage: text, kind: 'gate', did: 'decided', wrote: [text], after: text }],
          happened: { round: 0, status: 'failed', results: {}, message: text },
        },
        {
          ...{
            round: 2,
            ...all(text, 'line'),
            decision: { ...all(text, 'name', 'objective'), arguments: { [text]: text } },
          },
          happened: { round: 1, status: 'failed', results: {}, message: text },
          results: { [text]: { ref: 'r', kind: 'set', count: 1, bytes: 1 } },
        },
      ] as never,
    }),
  'a node': (text) =>
    whyPage({
      ...{ ...all(text, 'workflowId', 'name', 'digest'), plan: planOf(text), isClosed: false },
      reasons: {
        node: nodeOf(text),
        inputs: [nodeOf(text)],
        because: nodeOf(text),
        approvedBy: [text],
        open: [itemOf(text, 'failed')],
        entries: [{ seq: 1, at: text, what: 'node', text } as never],
        attempt: attemptOf(text),
      },
    }),
  'a plan to start': (text) =>
    newPage({
      ...{ document: text, issues: [issue(text), { ...issue(text), line: 1 }], seen: [text], plan: planOf(text) },
      executors: { node_1: { kind: 'capability', name: text, version: text, effect: 'at-most-once' } },
    }),
  'an edit': (text) =>
    editPage({
      ...{ workflowId: text, open: planOf(text), roles: [text] },
      draft: { document: text, issues: [], seen: [], plan: planOf(`${text} and more`) },
      written: text,
    }),
  'the values of a node': (text) =>
    valuesForm(text, planOf(text), ['node_1'], { sent: () => [text], problem: text, field: 'value.0.0' }),
  'a change': (text) => sideBySide(planOf(text), planOf(`${text} too`)),
  'a set': (text) =>
    resultPage({
      ...{ workflowId: text, part: { node: text, context: text }, from: 0 },
      result: {
        ...{ ok: true, kind: 'set', recordType: text, count: 1 },
        records: [{ id: text, sequence: text, start: 1, stop: 2, strand: '+' as const }],
      },
    }),
  'a value': (text) =>
    resultPage({ workflowId: text, part: {}, from: 0, result: { kind: 'value', value: { [text]: text } } }),
  'a text': (text) => resultPage({ workflowId: text, part: {}, from: 0, result: { kind: 'text', text } }),
};

function issue(text: string) {
  return { code: 'not-a-node', severity: 'error', path: text, message: text, column: 1 } as const;
}

function planOf(text: string) {
  const task = {
    ...{ type: 'task', task: `Do ${text}`, display_name: `D ${text}`, hint: text, context: { text } },
    ...{ capability: 'order', arguments: { [`k${text}`]: text, list: [text] } },
  };
  const compiled = compilePlan({
    goal: `Goal ${text}`,
    plan: { operator: 'UNION', left: task, right: { task: `Other ${text}` }, display_name: `Both ${text}` },
  });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.plan;
}

function nodeOf(text: string, over: Partial<NodeView> = {}): NodeView {
  return {
    ...{ id: 'node_1', status: 'failed', effect: 'at-most-once', ...all(text, 'summary', 'key', 'executor', 'waits') },
    ...{ failure: { type: text, message: text }, reusedFrom: { run: text, at: text }, scheduledAt: text },
    ...over,
  };
}

function attemptOf(text: string) {
  const own = { id: 'node_1', attempt: 2, state: 'is carried out' } as const;
  return { ...own, ...all(text, 'worker', 'lastFailure', 'at', 'heardAt') };
}

function itemOf(text: string, kind: OpenItem['kind']): OpenItem {
  const asked = {
    schema: { type: 'object', properties: { [text]: { title: text, description: text, enum: [text] } } },
    suggestions: [text, { [text]: text }],
    default: text,
  };
  return {
    ...{
      kind,
      digest: 'd',
      revision: 1,
      ...all(text, 'id', 'workflowId', 'text', 'warning', 'asks', 'since', 'deadline'),
    },
    ...{ roles: [text, 'other'], nodes: ['node_1'], nodeCount: 1, signed: true },
    ...(kind === 'question' && (asked as object)),
    send: {
      name: kind === 'approval' ? 'approve' : kind === 'question' ? 'answer' : 'control',
      input: { action: text, node: text, by: text },
    },
  };
}

function seenOf(text: string): Seen {
  const kinds = ['approval', 'question', 'uncertain', 'failed', 'fault', 'budget'] as const;
  const node = nodeOf(text, { status: 'running' });
  const now = status({
    digest: 'd',
    waits: text,
    reason: text,
    counts: { total: 3, running: 1 },
    planning: { stage: 'write', plan: 1, call: 1, trouble: text },
    loop: { round: 1, maxRounds: 2, step: text },
    children: [{ node: text, workflowId: text, waitingFor: 1 }],
  });
  return {
    ...{
      workflowId: text,
      status: { ...now, startedAt: text },
      nodes: [node, nodeOf(text, { id: 'node_2', status: 'pending' }), nodeOf(text, { id: 'node_3' })],
    },
    ...{
      open: kinds.map((kind) => itemOf(text, kind)),
      feedback: [text],
      agents: [],
      steps: [],
      trouble: { code: 'no-worker', message: text },
    },
    attempts: [attemptOf(text)],
    plan: planOf(text),
  };
}

describe.each(Object.entries(PLACES))('%s', (_place, make) => {
  test.each(TEXTS)('%j', async (text) => {
    const { texts, values, odd } = read(whole(await make(text), text));
    expect(odd).toEqual([]);
    // Nothing of it is dropped: it is read as a text, or stands as it is in a field.
    const shown = visible(text.trim(), { lines: true }).replaceAll(/\s+/g, ' ');
    const told = `${texts} ${values.join(' ')}`.replaceAll(/\s+/g, ' ');
    expect(
      told.includes(shown) || told.includes(visible(JSON.stringify(text).slice(1, -1))) || told.includes(text),
    ).toBe(true);
    // Hidden characters are seen wherever a text is read.
    expect(texts).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u00ad\ufeff]|\0/);
  });
});

test.each([...TEXTS, '.', '..', '~', '~x', 'a/b', 'a?b#c', ' ', '%2e%2e'])(
  'an id %j is one part of a path, and comes back as it was',
  (id) => {
    const { pathname, search, hash } = new URL(nodePath(id, id), 'http://127.0.0.1');
    const parts = pathname.split('/');
    expect([parts.length, parts[1], parts[3], search, hash]).toEqual([5, 'runs', 'nodes', '', '']);
    const back = [parts[2], parts[4]].map((part = '') => idOf(decodeURIComponent(part)));
    expect(back).toEqual([id, id]);
    expect(runPath(id)).not.toMatch(/["<>\s]/);
  },
);
