/** The cards of an approval on every surface: each value that an effect is given is there, or no command that approves is. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { planShapeOf } from '../src/activities/plan-shape.ts';
import { defineCapability } from '../src/capabilities/index.ts';
import { createRegistry } from '../src/capabilities/builtin/index.ts';
import { inboxText, openLines } from '../src/cli/view/index.ts';
import { effectsView } from '../src/cli/commands/decide.ts';
import { statusView } from '../src/cli/commands/status.ts';
import { createAnswers, type HostSession } from '../src/mcp/host-session.ts';
import { formsFor, describeItems } from '../src/mcp/open-items.ts';
import { itemKey, performSent, type Plans } from '../src/operations/index.ts';
import { itemCommand } from '../src/operations/words/index.ts';
import { waitCard } from '../src/page/view/waits.ts';
import { canonicalJson } from '../src/plan/digest/index.ts';
import { compilePlan, encodePlan, type JsonValue } from '../src/plan/index.ts';
import { wrapNote } from '../src/plan/lines/index.ts';
import { visible } from '../src/plan/text/index.ts';
import type { OpenItem } from '../src/protocol/index.ts';
import { runDetails } from '../src/workflows/views/details.ts';
import { questionsOf } from '../src/workflows/views/open-items.ts';
import { statusOf, nodeOf } from '../src/workflows/views/views.ts';
import type { Run } from '../src/workflows/run/in-memory.ts';
import { bring, BROKE, openedRun, say } from './workflows/run/make-run.ts';

const RUNS = { seed: 20_261, numRuns: 150 };
const pay = defineCapability({
  ...{ name: 'pay', description: 'Pays.', input: z.looseObject({}), output: 'value', effect: 'at-most-once' },
  execute: () => 0,
});
const registry = createRegistry([pay]);

type Arguments = Readonly<Record<string, JsonValue>>;

function planOf(all: readonly Arguments[]) {
  const steps = all.map((args, at) => ({
    ...{ context_key: `k${at}`, task_objective: `Pay ${at}`, capability: 'pay', parameters: args },
  }));
  const read = compilePlan({ goal: 'Pay', steps }, { catalogue: registry });
  // A text may name a result by chance.
  fc.pre(read.ok);
  return { plan: read.plan, executors: read.executors ?? {} };
}

function runOf(all: readonly Arguments[]): Run {
  const { plan, executors } = planOf(all);
  return openedRun({ ...planShapeOf(plan, executors, registry), revisionRef: 'rev' });
}

const room = {
  plans: { typed: (command: string) => command, project: () => Promise.resolve(undefined) },
  settings: { by: 'operator', approval: 'required', anyRun: false, answers: true },
  answers: createAnswers(),
  perform: () => Promise.resolve({ digest: '', text: 'the plan' }),
} as unknown as HostSession;
const host = { name: 'h', tasks: false, elicits: false, isLegacy: false };
const output = { lineColumns: 80 };

/** A surface's text, as its reader sees it. */
const plain = {
  html: (text: string) =>
    text
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  markdown: (text: string) => text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1'),
};

/** What each surface shows of the run's approval. */
async function surfacesOf(run: Run, item: OpenItem): Promise<Readonly<Record<string, string>>> {
  const status = { ...statusOf(run), open: [item] };
  const inbox = { items: [item], groups: [{ first: item, count: 1, runs: [{ workflowId: 'plan-1', revision: 1 }] }] };
  const keyed = { ...item, key: itemKey(item), digest: '' };
  const asked = [{ key: 'k', item: keyed }];
  const [told] = await describeItems(room, [keyed], host);
  const isAsked = told !== undefined && 'key' in told;
  const forms = isAsked ? await formsFor(room, asked) : [];
  const wait = { item, runs: ['plan-1'], replans: true, context: [], nodes: [] };
  const words = (effects: OpenItem['effects']) =>
    (effects ?? []).flatMap(({ values = [] }) => values.map((one) => `${one.name} ${one.text} ${one.length ?? ''}`));
  return {
    question: [...words(item.effects), JSON.stringify(item.send), item.leftOut].join('\n'),
    page: plain.html(String(waitCard({ ...wait, command: itemCommand(item, (typed) => typed) }))),
    inbox: inboxText({ ...inbox, more: 0, unreachable: [], notAsked: 0 } as never, 80, ''),
    status: await Promise.resolve(statusView.show!(status as never, { flags: '', output } as never)),
    run: openLines(item, '')
      .split('\n')
      .flatMap((line) => wrapNote(line, 80))
      .join('\n'),
    host: [...words(told?.effects), isAsked ? 'approve' : told?.command].join('\n'),
    ...(isAsked && { form: forms[0]![1].message }),
    details: plain.markdown(runDetails(run)),
  };
}

const APPROVES = /approve plan-1|>Approve<|send \*\*approve|--name approve|"digest":"[0-9a-f]{8}/;
const bare = (text: string) => text.replaceAll(/\s/g, '');

async function judge(all: readonly Arguments[]): Promise<void> {
  const run = runOf(all);
  const [item] = questionsOf(run);
  const surfaces = await surfacesOf(run, item!);
  for (const [surface, text] of Object.entries(surfaces)) {
    if (item!.leftOut !== undefined) {
      expect([surface, APPROVES.test(text)]).toEqual([surface, false]);
      expect([surface, bare(text).includes('effectsplan-1')]).toEqual([surface, true]);
      continue;
    }
    const shown = bare(text);
    const missing = all.flatMap((args) =>
      Object.entries(args).filter(
        ([name, value]) => !shown.includes(bare(`${visible(name)} ${visible(canonicalJson(value))}`)),
      ),
    );
    expect([surface, missing]).toEqual([surface, []]);
  }
}

const odd = fc.constantFrom(
  'a',
  ' ',
  '  ',
  '\n',
  '日本',
  '\u202e',
  '\u200b',
  '`',
  '*',
  '|',
  '<b>',
  '&amp;',
  '\\',
  '…',
  '│',
);
const anyText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.array(odd, { maxLength: 60 }).map((parts) => parts.join('')),
  fc.nat(3000).map((length) => 'x'.repeat(length)),
  fc.nat(900).map((length) => '銀行'.repeat(length)),
);
const anyValue = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const anyArguments = fc.dictionary(fc.string({ minLength: 1, maxLength: 120 }), anyValue, { maxKeys: 12 });

test('of every plan each argument is on the card of every surface, or the card approves nothing', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyArguments, { minLength: 1, maxLength: 4 }), judge), RUNS);
});

const many = (count: number, value: JsonValue): Arguments =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`argument_${at}`, value]));

test.each<[string, readonly Arguments[], boolean]>([
  ['2,000 characters', [{ a: 'x'.repeat(1998) }], true],
  ['one more', [{ a: 'x'.repeat(1999) }], false],
  ['100 effects', Array.from({ length: 100 }, () => ({ amount: 1, to: 'anna' })), true],
  ['101 effects', Array.from({ length: 101 }, () => ({ amount: 1 })), false],
  ['1,000 short arguments', [many(1000, 1)], true],
  ['20,000 short arguments', [many(20_000, 1)], false],
  ['so many that none has room', [many(6000, 'x'.repeat(40))], false],
  ['a name too long', [{ ['x'.repeat(101)]: 1 }], false],
])('a card of %s', async (_, all, isWhole) => {
  const [item] = questionsOf(runOf(all));
  expect(item!.leftOut === undefined).toBe(isWhole);
  // A card is a part of the run's history and of each answer to a query.
  expect(JSON.stringify(item).length).toBeLessThan(400_000);
  await judge(all);
});

/** What `effects` gives of the run, and its text at 80 columns. */
async function effectsOf(run: Run, all: readonly Arguments[], over: object, roles?: readonly string[]) {
  const { plan } = planOf(all);
  const nodes = all.map((_, at) => ({ ...nodeOf(run, at), ...over }));
  const plans = {
    typed: (command: string) => command,
    run: () => {
      const view = () =>
        Promise.resolve({
          nodes,
          open: questionsOf(run).map((one) => ({ ...one, ...(roles && { roles }) })),
          plan: { ref: 'r', revision: 1 },
        });
      const store = { get: () => Promise.resolve(encodePlan(plan)), place: 'here' };
      return Promise.resolve({ run: { workflowId: 'plan-1', view }, store });
    },
  } as unknown as Plans;
  const given = await performSent('effects', plans, { workflowId: 'plan-1' });
  return { given, text: await Promise.resolve(effectsView.show!(given, { output, flags: ' --namespace n' } as never)) };
}

const CUT: Arguments = { to: 'a  b', note: `${'x'.repeat(3000)}\n日本` };
const hasAll = ({ given, text }: Awaited<ReturnType<typeof effectsOf>>) => {
  const [{ values = [] } = {}] = given.effects;
  expect(values.map(({ name, text: one }) => [name, JSON.parse(one) as unknown])).toEqual(Object.entries(CUT));
  expect(bare(text)).toContain(bare(`to "a b", note ${JSON.stringify(CUT['note'])}`));
};

test('the command that shows all of a card has each value whole, and then the command that approves', async () => {
  const found = await effectsOf(runOf([CUT]), [CUT], { missing: [{ of: 1, count: 0 }] });
  hasAll(found);
  expect(found.text.split('\n').at(-1)).toMatch(/^approve plan-1 --digest [0-9a-f]{8} --all-seen 1 --namespace n$/);
  const ofRole = await effectsOf(runOf([CUT]), [CUT], { missing: [{ of: 1, count: 0 }] }, ['qa']);
  expect(ofRole.text.split('\n').at(-1)).toMatch(/ --all-seen 1 --role qa --namespace n$/);
});

test('the card of an effect that may have happened is settled by its own command, and shown whole by the same', async () => {
  const run = runOf([CUT]);
  say(run, 'approve', { digest: run.state.approval.digest, by: 'operator' });
  bring(run, 0, { ...BROKE, status: 'uncertain' });
  const [item] = questionsOf(run);
  expect(item).toMatchObject({
    kind: 'uncertain',
    leftOut: expect.stringContaining('effects plan-1 shows all') as string,
  });
  const { status, run: watched, details, inbox } = await surfacesOf(run, item!);
  for (const text of [status, watched, inbox]) expect(text).toContain('resolve plan-1 node_1 --outcome ');
  expect(details).toMatch(/send \*\*control\*\*/);
  expect(statusOf(run).next).toContain('--name control');
  const found = await effectsOf(run, [CUT], { status: 'uncertain' });
  hasAll(found);
  expect(found.given.command).toContain('resolve plan-1 node_1');
});
