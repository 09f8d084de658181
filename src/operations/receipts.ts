/** Receipts of ended runs, read from the store and verified without a server or a worker. */

import { join } from 'node:path';
import { durationMs, EFFECTS, readRunName, runName } from '../protocol/index.ts';
import { RECEIPT_PARTS, verifyReceipt, type Envelope, type IdentityConfig } from '../protocol/identity/index.ts';
import type { Statement, VerifiedReceipt } from '../protocol/identity/index.ts';
import { receiptsIn } from '../store/index.ts';
import { jsonIn, quote } from '../plan/text/index.ts';
import { checkDigest } from './list.ts';
import { OperationError, wrongUsage } from './operation-error.ts';
import { IN_PROJECT, operation, textField, type Z } from './operation.ts';
import type { Plans } from './plans.ts';

const SHOWN = ['at', 'workflowId', 'decision', 'by', 'role', 'verified', 'digest'];
const ABOUT = ['valid', 'problems', 'workflowId', 'firstRunId', 'digest', 'outcome', 'endedAt', 'bounds', 'done'];
const UNSIGNED = 'Nobody has signed this, and it proves nothing.';

const keysField = (z: Z) =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .describe('public keys: the `identity` of a config as JSON (default: that of the config)');

/**
 * Prints the last receipt of a run from the result store. In every format it prints nothing else, so that the output
 * can be redirected to a file. Without a receipt it asks the run, which needs a server and a worker, and prints an
 * unsigned statement; stderr says so. docs/receipts.md has the fields.
 */
export const receipt = operation({
  command: { words: 'receipt <workflow-id>', place: IN_PROJECT, example: 'receipt plan-1 > receipt.json' },
  does: 'Print what was done in a run, signed by its workers.',
  input: (z) => z.object({ workflowId: z.string().describe('the run') }),
  async run(plans, { workflowId: name }): Promise<Envelope | (Statement & { readonly unsigned: string })> {
    const { workflowId, digits = '' } = readRunName(name);
    const { configuredNamespace } = await import('../client/connect-client.ts');
    const found = await receiptsIn(await plans.store(), '', { namespace: configuredNamespace(), workflowId });
    const ends = found.flatMap(({ text }) => {
      const envelope = jsonIn(text) as Envelope | undefined;
      const statement = jsonIn(Buffer.from(envelope?.payload ?? '', 'base64')) as Statement | undefined;
      const { run, end } = statement?.predicate ?? {};
      const isOf = run?.workflowId === workflowId && run.firstRunId.endsWith(digits);
      return envelope && isOf
        ? [{ envelope, name: runName({ workflowId, firstRunId: run.firstRunId }), at: end?.at ?? '' }]
        : [];
    });
    const names = new Set(ends.map(({ name: one }) => one));
    if (names.size > 1) throw wrongUsage(`several runs had this id; name one: ${[...names].join(', ')}`);
    const last = ends.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
    if (last !== undefined) return last.envelope;
    const { run, results, namespace } = await plans.run(name);
    const { statementOf } = await import('../config/own-worker/open-receipts.ts');
    const { times, ...view } = await run.view([...RECEIPT_PARTS, 'times']);
    if (view.status.digest === '') throw new OperationError('NO_RESULT', `run ${name} has no plan yet, and no receipt`);
    const owner = { namespace, workflowId: run.workflowId, firstRunId: view.status.firstRunId };
    return { ...(await statementOf(view, owner, results, times.endedAt)), unsigned: UNSIGNED };
  },
});

/**
 * Checks every byte, the worker's signature, and the token of each decision, without a server and a store. Lists what
 * the receipt does not prove. Exits 1 if anything is wrong. JSON:
 * `{"ok","valid","problems","workflowId"?,"firstRunId"?,"digest"?,"outcome"?,"endedAt"?,"bounds"?,"done","budget"?,"decisions","notProved"}`.
 */
export const verifyFile = operation({
  command: {
    words: 'verify <receipt>',
    place: ['config'],
    from: { receipt: 'source', keys: 'object' },
    shows: { ...Object.fromEntries(ABOUT.map((name) => [name, 'value' as const])), decisions: SHOWN, says: 'wrapped' },
    hides: ['says'],
    example: 'verify receipt.json --keys keys.json',
  },
  does: 'Verify a receipt: its signature, and each decision in it.',
  input: (z) =>
    z.object({
      receipt: z.custom<{ readonly document: Uint8Array }>().describe('the receipt, a file'),
      keys: keysField(z),
    }),
  async run(plans, { receipt: { document }, keys }) {
    const found = verifyReceipt(Buffer.from(document).toString('utf8'), await identityOf(plans, keys));
    const { run, end, plan, nodes = [], budget } = found.statement?.predicate ?? {};
    const done = EFFECTS.flatMap((effect) => {
      const planned = nodes.filter((node) => node.effect === effect);
      const succeeded = planned.filter(({ status }) => status === 'succeeded').length;
      return planned.length === 0 ? [] : [`${succeeded} of ${planned.length} ${effect}`];
    });
    const { problems } = found;
    const [lacks, entries] = [notProved(found), decisionsIn(found)];
    return {
      ...{ valid: problems.length === 0, problems, workflowId: run?.workflowId, firstRunId: run?.firstRunId },
      ...{ digest: plan?.digest, outcome: end?.outcome, endedAt: end?.at, bounds: plan?.bounds, done, budget },
      ...{
        decisions: entries,
        notProved: lacks,
        says: lacks.length > 0 ? `It does not prove ${lacks.join('; ')}.` : '',
      },
    };
  },
});

/**
 * Lists the decisions in all receipts of the result store, without a server and a worker. Only ended runs have a
 * receipt. Verifies each receipt: an invalid one is named on stderr, and its decisions are omitted. JSON:
 * `{"ok","decisions":[{"at","workflowId","decision","by","role"?,"digest"?,"verified","comment"?,...}],"problems"}`.
 */
export const decisions = operation({
  command: {
    words: 'decisions',
    place: IN_PROJECT,
    from: { keys: 'object' },
    lines: ['decisions'],
    shows: { decisions: SHOWN },
    example: 'decisions --since 30d --by operator',
  },
  does: 'List who decided what in runs that have ended.',
  input: (z) =>
    z.object({
      since: z.string().default('30d').describe('not earlier, such as 12h or 30d'),
      by: textField(z, 'only what this person said'),
      digest: textField(z, 'only what is about this plan; its first 8 digits suffice'),
      keys: keysField(z),
    }),
  async run(plans, { since, by, digest, keys }) {
    checkDigest(digest);
    const ms = durationMs(since);
    if (ms === undefined) throw wrongUsage(`--since: expected a time such as 30d, got ${quote(since)}`);
    const from = new Date(Date.now() - ms).toISOString();
    const identity = await identityOf(plans, keys);
    const found = await receiptsIn(await plans.store(), from);
    const read = found.map(({ key, text }) => ({ key, ...verifyReceipt(text, identity) }));
    const all = read.flatMap((one) => (one.problems.length > 0 ? [] : decisionsIn(one)));
    const wanted = all.filter(
      (one) =>
        one.at >= from &&
        (by === undefined || one.by === by) &&
        (digest === undefined || one.digest?.startsWith(digest.toLowerCase()) === true),
    );
    // If a run was reset, several receipts have the same decisions. Each decision is listed once.
    const once = [...new Map(wanted.map((one) => [JSON.stringify(one), one])).values()];
    return {
      decisions: once.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
      problems: read.flatMap(({ key, problems }) => problems.map((problem) => `${key}: ${problem}`)),
    };
  },
});

/** @throws OperationError USAGE, ConfigError */
async function identityOf(plans: Plans, keys?: object): Promise<IdentityConfig> {
  const { checkConfig } = await import('../config/load-config.ts');
  const given = keys && checkConfig({ identity: keys }, join(process.cwd(), 'keys.json'));
  const identity = (given ?? (await plans.project()))?.identity;
  if (identity !== undefined) return identity;
  throw wrongUsage('there are no public keys here: name a config that has some with --config FILE');
}

type Told = { readonly [Name in 'by' | 'role' | 'digest' | 'kind' | 'action' | 'token']?: string };

/** The messages that people signed. For unsigned messages: what the run recorded. */
function decisionsIn({ statement, verified }: VerifiedReceipt) {
  const { run, decisions: entries = [] } = statement?.predicate ?? {};
  return entries.map(({ at, what, said }, place) => {
    const { token: _, ...rest } = (verified.get(place) ?? said ?? {}) as Told;
    const decision = rest.kind ?? rest.action ?? what;
    return { at, workflowId: run!.workflowId, decision, ...rest, verified: verified.has(place) };
  });
}

/** Statements that a reader might wrongly believe to be proved. */
function notProved({ statement, verified }: VerifiedReceipt): readonly string[] {
  if (statement === undefined) return [];
  const { nodes, decisions: entries, grants, dropped, start, records } = statement.predicate;
  const recorded = new Set(records.map(({ binding, handle }) => `${binding} ${handle.ref}`));
  const special: readonly (readonly [count: number, what: string])[] = [
    [Number(start.token === undefined), 'who started the run: the start is unsigned'],
    [Number(start.token !== undefined), 'that the signed start asked for this plan'],
    [entries.length - verified.size, 'who sent the messages without a signature'],
    [grants.length, 'that the grants cover this plan, since they name its shape'],
    [dropped, 'what the messages said that the run has dropped'],
    [nodes.filter(({ status }) => status === 'uncertain').length, 'whether the uncertain effects happened'],
    [
      nodes.filter(({ result, binding }) => result && !recorded.has(`${binding} ${result.ref}`)).length,
      'results of which no worker has a record',
    ],
  ];
  return [...special.flatMap(([count, what]) => (count > 0 ? [what] : [])), ...ALWAYS];
}

const ALWAYS = [
  'that the decisions met the rules of the project',
  "outcomes, times, attempts and results beyond the word of the workers, whose key can sign all but a person's decision",
  'that nothing else was done',
  'whose the public keys are',
];
