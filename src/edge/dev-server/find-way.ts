/** The ways to a Temporal server, in the order in which they are tried. */

import type { Answer } from './server-answers.ts';

/** `planwright` looks for a running server on this port, and starts one there when the port is free. */
export const DEFAULT_PORT = 7233;
export const DEFAULT_ADDRESS = `127.0.0.1:${DEFAULT_PORT}`;

export type Found = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** The facts about the machine that finding a way needs. */
export interface Probe {
  /** `TEMPORAL_ADDRESS`, where it is set. */
  readonly address: string | undefined;
  /** Whether a server that already runs on the default port may be used. */
  readonly reuse: boolean;
  /** `TEMPORAL_CLI_PATH`, where it is set. */
  readonly cliPath: string | undefined;
  namedServerAnswers(address: string): Promise<Answer>;
  /** Asks the server on the default port of this machine. */
  localServerAnswers(): Promise<Answer>;
  isProgram(path: string): Promise<boolean>;
  onPath(): Promise<Found>;
  inCache(): Promise<Found>;
  download(): Promise<Found>;
  build(): Promise<Found>;
}

/** One way to a Temporal CLI that did not work. */
export interface FailedWay {
  readonly way: string;
  readonly reason: string;
}

export type Way =
  /** A server that already runs. */
  | { readonly kind: 'running'; readonly address: string; readonly how: string }
  /** A Temporal CLI to start one with. */
  | { readonly kind: 'cli'; readonly path: string; readonly how: string }
  /** A person asked for something that does not work; looking further would replace it in silence. */
  | { readonly kind: 'unreachable' | 'no-namespace'; readonly address: string; readonly reason: string }
  | { readonly kind: 'cli-path'; readonly path: string }
  /** Everything was tried. */
  | { readonly kind: 'none'; readonly failed: readonly FailedWay[] };

/** The first way to a Temporal server that works; a way that costs more is tried later. */
export async function findWay(probe: Probe): Promise<Way> {
  const failed: FailedWay[] = [];
  if (probe.address !== undefined) {
    const answer = await probe.namedServerAnswers(probe.address);
    if (answer.ok) return { kind: 'running', address: probe.address, how: 'TEMPORAL_ADDRESS' };
    const kind = answer.kind === 'silent' ? 'unreachable' : 'no-namespace';
    return { kind, address: probe.address, reason: answer.reason };
  }
  failed.push({ way: 'TEMPORAL_ADDRESS', reason: 'not set' });

  if (probe.reuse) {
    const answer = await probe.localServerAnswers();
    if (answer.ok) return { kind: 'running', address: DEFAULT_ADDRESS, how: 'already running on the default port' };
    if (answer.kind === 'no-namespace') {
      return { kind: 'no-namespace', address: DEFAULT_ADDRESS, reason: answer.reason };
    }
    failed.push({ way: `a server on ${DEFAULT_ADDRESS}`, reason: answer.reason });
  }

  if (probe.cliPath !== undefined) {
    if (!(await probe.isProgram(probe.cliPath))) return { kind: 'cli-path', path: probe.cliPath };
    return { kind: 'cli', path: probe.cliPath, how: 'TEMPORAL_CLI_PATH' };
  }
  failed.push({ way: 'TEMPORAL_CLI_PATH', reason: 'not set' });

  const sources = [
    { way: '`temporal` on PATH', find: () => probe.onPath() },
    { way: 'the cache folder', find: () => probe.inCache() },
    { way: 'the download of the Temporal SDK', find: () => probe.download() },
    { way: 'building with Go', find: () => probe.build() },
  ];
  for (const { way, find } of sources) {
    const found = await find();
    if (found.ok) return { kind: 'cli', path: found.path, how: way };
    failed.push({ way, reason: found.reason });
  }
  return { kind: 'none', failed };
}
