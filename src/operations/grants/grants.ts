import { frameOf, shapeOf, type ShapedPlan } from '../../activities/grants/shape.ts';
import {
  DAMAGED_GRANT,
  listGrants,
  readGrantToken,
  runOfUse,
  storeGrant,
  withdrawalOf,
  withdrawGrant,
  type StoredGrant,
} from '../../activities/grants/stored-grants.ts';
import { graphOfPlan } from '../../activities/plan-shape.ts';
import { publicKeysOf } from '../../protocol/identity/index.ts';
import { GRANT_GOAL, verifyToken, type GrantTerms } from '../../protocol/identity/token/index.ts';
import { given, isRecord, nodeId, type Decision } from '../../protocol/index.ts';
import { cutCharacters, jsonIn, oneLine } from '../../plan/text/index.ts';
import type { Store } from '../../store/index.ts';
import { compileSource, laterRunOptions, readRunOptions } from '../compile.ts';
import { OperationError, wrongUsage } from '../operation-error.ts';
import { flagField, IN_PROJECT, limitField, MAY_ACT, MORE } from '../operation.ts';
import { namesField, operation, SIGNED, textField } from '../operation.ts';
import { needProject, type Plans } from '../plans.ts';
import { varyProblems } from './vary.ts';

const LISTED = {
  id: 'value',
  state: 'value',
  goal: 'value',
  by: 'value',
  role: 'value',
  used: 'value',
  uses: 'value',
} as const;
const TERMS = { ...LISTED, from: 'value', until: 'value', starters: 'value', anyState: 'value' } as const;

/**
 * Signs a grant (docs/grants.md); the word `give` is optional. `--vary` names a file of JSON Schemas by path, such as
 * `{"node_2/arguments/amount":{"type":"number","minimum":0,"maximum":500}}`; without it nothing varies. A date without
 * a time ends the grant at the end of that day (UTC). Without `--starters` and `--anybody` the grant covers runs that
 * you start with your key.
 */
export const grant = operation({
  command: {
    words: 'grant give <file>',
    example: 'grant plan.json --vary vary.json --uses 30 --until 2027-01-31',
    place: [...IN_PROJECT, ...SIGNED],
    from: {
      document: 'document',
      vary: 'object',
      approval: 'approval',
      budget: 'json',
      context: 'object',
      by: 'person',
    },
    shows: { ...TERMS, effects: 'json', vary: 'json' },
  },
  does: 'Approve runs of a plan before they start, within limits.',
  ...MAY_ACT,
  input: (z) =>
    z.object({
      document: z.unknown().describe('plan document'),
      vary: z.record(z.string(), z.unknown()).optional().describe('the values that may vary: a JSON Schema by path'),
      uses: z.int().min(1).describe('how many runs it covers'),
      until: z.string().describe('when it ends: 2027-01-31, or 2027-01-31T08:00:00Z'),
      from: textField(z, 'when it begins (default: now)'),
      starters: namesField(z, 'who may start the runs, each with their own key (default: you)'),
      anybody: flagField(z, 'it covers runs that nobody signed too, such as those of a schedule'),
      anyState: flagField(z, 'it covers effects with a preview too, whatever their state'),
      ...laterRunOptions(z),
      by: z.string().describe('who gives it'),
      role: textField(z, 'in which role'),
    }),
  async run(plans, { document, vary = {}, uses, until, from, starters, anybody, anyState, by, role, ...options }) {
    const { registry, identity } = await needProject(plans, 'grant FILE');
    const { signer } = plans;
    if (identity === undefined || signer === undefined) throw wrongUsage(NEEDS_KEYS);
    const { approval, budget, context = {} } = readRunOptions(given(options));
    const { plan, executors = {} } = await compileSource({ document }, { context, catalogue: registry });
    const shaped = { plan, planShape: graphOfPlan(plan, executors, registry) };
    const problems = varyProblems(vary, shaped);
    if (problems.length > 0) throw new OperationError('INPUT_INVALID', problems.join('\n'));
    const terms = given({
      shape: shapeOf(shaped, Object.keys(vary), given({ approval, budget })),
      goal: cutCharacters(oneLine(plan.goal), GRANT_GOAL),
      vary: vary as GrantTerms['vary'],
      effects: effectsOf(shaped),
      ...{ uses, anybody: anybody || undefined, anyState: anyState || undefined },
      starters: anybody === true ? starters : (starters ?? [by]),
      from: from === undefined ? undefined : secondsOf(from, 'from'),
      ...{ approval, budget },
    }) as GrantTerms;
    const { namespace } = await plans.session();
    const signed = { by, ...given({ role }), terms, until: secondsOf(until, 'until') };
    const token = await signer(signed as unknown as Decision, '', namespace).catch((error: Error) => {
      throw new OperationError('INPUT_INVALID', error.message);
    });
    const at = new Date().toISOString();
    const verified = verifyToken(token, { keys: publicKeysOf(identity), workflowId: '', namespace, at, isGrant: true });
    if (!verified.ok) throw new OperationError('INPUT_INVALID', `no worker would accept it: ${verified.reason}`);
    const store = await plans.store();
    const id = await storeGrant(store, frameOf(shaped), token);
    return grantView(plans, store, await grantNamed(store, id));
  },
});

const NEEDS_KEYS =
  'a grant is signed: list public keys under identity.keys of the config, and sign with --key FILE (docs/identity.md)';

/**
 * Parses a time; a date means the end of that day.
 * @returns seconds since 1970
 * @throws OperationError USAGE
 */
function secondsOf(text: string, flag: string): number {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const seconds = Math.floor(Date.parse(text) / 1000) + (isDay && flag === 'until' ? 86_400 : 0);
  if ((isDay || /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text)) && Number.isFinite(seconds)) return seconds;
  throw wrongUsage(`--${flag}: expected 2027-01-31, or a time such as 2027-01-31T08:00:00Z, got ${text}`);
}

function effectsOf({ planShape: { executors, executorOf } }: ShapedPlan): GrantTerms['effects'] {
  const labels = executorOf.flatMap((at, node) => {
    const { effect, label } = executors[at]!;
    return effect === 'read' ? [] : [[nodeId(node), label] as const];
  });
  return Object.fromEntries(labels);
}

/**
 * Lists the grants and how often each was used. A run uses its grant when it compiles its plan, even if the run is then
 * rejected or never begins.
 */
export const grants = operation({
  command: {
    words: 'grants',
    place: IN_PROJECT,
    lines: ['grants'],
    shows: { grants: [...Object.keys(LISTED), 'until', 'starters'], note: 'wrapped' },
  },
  host: { fields: [] },
  does: 'List the standing grants of the project, the newest first.',
  input: (z) => z.object(limitField(z)),
  async run(plans, { limit }) {
    const store = await plans.store();
    const all = await listGrants(store);
    const views = await Promise.all(all.slice(0, limit).map((one) => grantView(plans, store, one)));
    const listed = views.map(({ effects: _e, vary: _v, ...view }) => view);
    return { grants: listed, ...(all.length > limit && { note: MORE }) };
  },
});

const USES_SHOWN = 100;
const SPENT =
  'A run takes its use when it compiles its plan. If it is rejected or never begins, the use is spent all the same.';

/**
 * Prints the terms of a grant and the first 100 runs that used it, including runs that were rejected or never began.
 */
export const showGrant = operation({
  command: {
    words: 'grant show <grant>',
    place: IN_PROJECT,
    example: 'grant show 3fa9c1d2',
    shows: {
      ...TERMS,
      withdrawn: 'value',
      effects: 'json',
      vary: 'json',
      taken: ['use', 'at', 'run', 'digest'],
      note: 'wrapped',
    },
  },
  does: 'Show a grant: what it covers, and which runs have used it.',
  input: (z) => z.object({ grant: z.string().describe('its first 8 digits or more') }),
  async run(plans, { grant: name }) {
    const store = await plans.store();
    const stored = await grantNamed(store, name);
    const uses = [...stored.uses].toSorted(([a], [b]) => a - b).slice(0, USES_SHOWN);
    const taken = await Promise.all(
      uses.map(async ([use, at]) => {
        const { workflowId: run = 'unknown', digest = '' } = await runOfUse(store, stored, use);
        return { use, at: new Date(at).toISOString(), run, digest: digest.slice(0, 8) };
      }),
    );
    const { by, at } = (await withdrawalOf(store, stored)) ?? {};
    const withdrawn = at === undefined ? undefined : `by ${by} at ${at}`;
    return { ...(await grantView(plans, store, stored)), ...given({ withdrawn }), taken, note: SPENT };
  },
});

/** Withdraws a grant: effects that have not begun ask people again. Anybody who can write to the store may do this. */
export const revokeGrant = operation({
  command: {
    words: 'grant withdraw <grant>',
    place: IN_PROJECT,
    example: 'grant withdraw 3fa9c1d2',
    from: { by: 'person' },
  },
  does: 'End a grant at once, also for effects of its runs that have not begun.',
  ...MAY_ACT,
  input: (z) =>
    z.object({ grant: z.string().describe('its first 8 digits or more'), by: z.string().describe('who withdraws it') }),
  async run(plans, { grant: name, by }) {
    const store = await plans.store();
    const stored = await grantNamed(store, name);
    const isFirst = await withdrawGrant(store, stored, by);
    return { id: stored.id, reply: isFirst ? 'withdrawn: no effect begins by it any more' : 'it was withdrawn before' };
  },
});

const DIGITS = 8;

async function grantNamed(store: Store, name: string): Promise<StoredGrant> {
  const found = (await listGrants(store)).filter(
    ({ id }) => name.length >= DIGITS && id.startsWith(name.toLowerCase()),
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw wrongUsage(
    found.length > 1
      ? `${found.length} grants begin with ${name}; name more digits`
      : `there is no grant ${name}; \`planwright grants\` lists them`,
  );
}

export interface GrantView extends Partial<
  Pick<GrantTerms, 'goal' | 'uses' | 'starters' | 'anyState' | 'effects' | 'vary'>
> {
  readonly id: string;
  readonly state: string;
  readonly by?: string;
  readonly role?: string;
  readonly used: number;
  readonly from?: string;
  readonly until?: string;
}

/** A grant for people. If no key of this project verifies the grant, its state says why. */
async function grantView(plans: Plans, store: Store, stored: StoredGrant): Promise<GrantView> {
  const { identity } = (await plans.project()) ?? {};
  const token = await readGrantToken(store, stored);
  const used = stored.uses.size;
  if (token === undefined) return { id: stored.id, state: `not valid: ${DAMAGED_GRANT}`, used };
  const payload = jsonIn(Buffer.from(token.split('.')[1] ?? '', 'base64url'));
  const { ns, exp } = isRecord(payload) ? payload : {};
  const place = { workflowId: '', ...(typeof ns === 'string' && { namespace: ns }) };
  const verified = verifyToken(token, {
    keys: identity === undefined ? {} : publicKeysOf(identity),
    ...place,
    isGrant: true,
  });
  if (!verified.ok) return { id: stored.id, state: `not valid: ${verified.reason}`, used };
  const terms = verified.message as unknown as GrantTerms;
  const { goal, uses, starters, from, effects, vary, anyState } = terms;
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
  const state = stateOf(stored, terms, verified.until);
  const { by, role } = verified;
  return given({
    ...{ id: stored.id, state, goal, by, role, used, uses, from: from === undefined ? from : iso(from) },
    ...{ until: iso(Number(exp)), starters: starters ?? ['anybody'], anyState, effects, vary },
  });
}

/** @param until seconds since 1970 */
function stateOf({ isWithdrawn, uses: taken }: StoredGrant, { uses, from = 0 }: GrantTerms, until: number): string {
  const now = Date.now() / 1000;
  if (isWithdrawn) return 'withdrawn';
  if (now >= until) return 'ended';
  if (taken.size >= uses) return 'used up';
  return now < from ? 'not begun' : 'open';
}
