/**
 * Grants in a store, under `grants/<frame>/<id>/`. `grant` is the token; `withdrawn` ends the grant. `use-1`, `use-2`,
 * ... are its uses. `by-<hash>` is the first use that the run with this hash tried. Entries never change, so each use
 * belongs to one run.
 */

import { jsonIn } from '../../plan/text/index.ts';
import { fits, isRecord, signatureOf, type Owner } from '../../protocol/index.ts';
import { GRANTS, hashOf, resultsIn, type ResultStore, type Store } from '../../store/index.ts';
import { unlessAway } from '../stores.ts';

export function grantId(token: string): string {
  return hashOf(signatureOf(token));
}

export interface StoredGrant {
  readonly frame: string;
  readonly id: string;
  /** When the grant was stored, in milliseconds since 1970. */
  readonly at: number;
  readonly isWithdrawn: boolean;
  readonly uses: ReadonlyMap<number, number>;
  readonly runs: ReadonlySet<string>;
}

/** Lists grants, the newest first. @param frame default: all @throws StoreError `unreadable` */
export async function listGrants(store: Store, frame = ''): Promise<readonly StoredGrant[]> {
  const found = new Map<string, { -readonly [Field in keyof StoredGrant]: StoredGrant[Field] }>();
  const prefix = frame === '' ? GRANTS : `${GRANTS}${frame}/`;
  for await (const { key, at } of store.list(prefix)) {
    const [of = '', id = '', entry = ''] = key.slice(GRANTS.length).split('/');
    const grant = found.get(`${of}/${id}`) ?? {
      frame: of,
      id,
      at: 0,
      isWithdrawn: false,
      uses: new Map(),
      runs: new Set(),
    };
    found.set(`${of}/${id}`, grant);
    const [kind = '', which = ''] = entry.split('-', 2);
    if (kind === 'grant') grant.at = at;
    if (kind === 'withdrawn') grant.isWithdrawn = true;
    if (kind === 'use') (grant.uses as Map<number, number>).set(Number(which), at);
    if (kind === 'by') (grant.runs as Set<string>).add(which);
  }
  return [...found.values()].filter(({ at }) => at > 0).toSorted((a, b) => b.at - a.at);
}

/** The grants in a store. A damaged entry counts as empty and grants nothing. @throws StoreError in an outage */
function grantsIn(store: Store, frame: string): Pick<ResultStore, 'enter' | 'entry'> {
  const { enter, entry } = resultsIn(store, `${GRANTS}${frame}`);
  const empty = (error: unknown) => {
    unlessAway(error);
    return new Uint8Array();
  };
  return {
    enter: (name, bytes) => enter(name, bytes).catch(empty),
    entry: (name) => entry(name).catch(empty),
  };
}

export const DAMAGED_GRANT = 'its entry in the store is damaged';

/** Reads the token of a grant. @returns undefined if the entry is damaged */
export async function readGrantToken(
  store: Store,
  { frame, id }: Pick<StoredGrant, 'frame' | 'id'>,
): Promise<string | undefined> {
  const token = Buffer.from((await grantsIn(store, frame).entry(`${id}/grant`)) ?? '').toString('utf8');
  return grantId(token) === id ? token : undefined;
}

export async function storeGrant(store: Store, frame: string, token: string): Promise<string> {
  await grantsIn(store, frame).enter(`${grantId(token)}/grant`, Buffer.from(token, 'utf8'));
  return grantId(token);
}

const WITHDRAWN = { by: 'text', at: 'time' } as const;

/** Withdraws a grant. @returns false if it was already withdrawn */
export async function withdrawGrant(store: Store, { frame, id }: StoredGrant, by: string): Promise<boolean> {
  const own = Buffer.from(JSON.stringify({ by, at: new Date().toISOString() }), 'utf8');
  return own.equals(await grantsIn(store, frame).enter(`${id}/withdrawn`, own));
}

/** Whether a grant is withdrawn. Any content of the entry withdraws it. */
export async function isWithdrawn(store: Store, frame: string, id: string): Promise<boolean> {
  return (await store.get(`${GRANTS}${frame}/${id}/withdrawn`)) !== undefined;
}

export async function withdrawalOf(store: Store, { frame, id }: StoredGrant) {
  const found = jsonIn((await grantsIn(store, frame).entry(`${id}/withdrawn`)) ?? '');
  return fits(WITHDRAWN, found) ? found : undefined;
}

/** A run with its plan. If the run gets another plan, that plan takes another use of the grant. */
export interface GrantedRun extends Owner {
  readonly digest: string;
}

function entryOf({ namespace, workflowId, firstRunId, digest }: GrantedRun): Buffer {
  return Buffer.from(JSON.stringify({ namespace, workflowId, firstRunId, digest }), 'utf8');
}

export function hasUseOf({ runs }: StoredGrant, run: GrantedRun): boolean {
  return runs.has(hashOf(entryOf(run)));
}

/**
 * Takes the first free use for the run, or finds the use that the run already has. If many runs try at once, each gets
 * a different use.
 * @returns its number; undefined if no use is free
 */
export async function takeUse(
  store: Store,
  grant: StoredGrant,
  most: number,
  run: GrantedRun,
): Promise<number | undefined> {
  const own = entryOf(run);
  let first = 1;
  while (grant.uses.has(first)) first += 1;
  if (!hasUseOf(grant, run) && first > most) return undefined;
  const results = grantsIn(store, grant.frame);
  const mark = await results.enter(
    `${grant.id}/by-${hashOf(own)}`,
    Buffer.from(JSON.stringify({ from: first }), 'utf8'),
  );
  return search(fromOf(mark), most, own, (use) => results.enter(`${grant.id}/use-${use}`, own));
}

/** The use that the run has taken; undefined if it has none. */
export async function findUse(
  store: Store,
  { frame, id }: Pick<StoredGrant, 'frame' | 'id'>,
  most: number,
  run: GrantedRun,
): Promise<number | undefined> {
  const own = entryOf(run);
  const results = grantsIn(store, frame);
  const mark = await results.entry(`${id}/by-${hashOf(own)}`);
  return mark && search(fromOf(mark), most, own, (use) => results.entry(`${id}/use-${use}`));
}

function fromOf(mark: Uint8Array): number {
  const found = jsonIn(mark);
  return fits({ from: 'count' }, found) ? Math.max(1, found.from) : 1;
}

async function search(
  from: number,
  most: number,
  own: Buffer,
  at: (use: number) => Promise<Uint8Array | undefined>,
): Promise<number | undefined> {
  for (let use = from; use <= most; use += 1) {
    const taken = await at(use);
    if (taken === undefined || own.equals(taken)) return taken && use;
  }
  return undefined;
}

export async function runOfUse(store: Store, { frame, id }: StoredGrant, use: number): Promise<Partial<GrantedRun>> {
  const found = jsonIn((await grantsIn(store, frame).entry(`${id}/use-${use}`)) ?? '');
  return isRecord(found) ? found : {};
}
