/** The ways to a Temporal server, in the order in which they are tried, and why they may all be closed. */

import type { ConnectionOptions } from '@temporalio/client';
import { DevServerError, type Asked } from './dev-server.ts';
import { buildCli, builtCliPath, downloadCli, downloadedCliPath } from './fetch-cli.ts';
import { isProgram, programOnPath, type Found } from './programs.ts';
import { localServerAnswers, serverAnswers, type Answer } from './server-answers.ts';

/** `planwright` looks for a running server on this port, and starts one there when the port is free. */
export const DEFAULT_PORT = 7233;
const DEFAULT_ADDRESS = `127.0.0.1:${DEFAULT_PORT}`;
/** Milliseconds a server has for its answer. */
const ANSWER_WITHIN = 4000;

export type Way =
  /** A server that already runs. */
  | { readonly kind: 'running'; readonly address: string; readonly how: string }
  /** A Temporal CLI to start one with. */
  | { readonly kind: 'cli'; readonly path: string; readonly how: string };

export type Machine = ReturnType<typeof thisMachine>;

/**
 * The first way to a Temporal server that works; a way that costs more is tried later. Something that a person named
 * and that does not work ends the search: to look further would replace it in silence.
 * @throws DevServerError
 */
export async function findWay(asked: Asked, machine: Machine = thisMachine(asked)): Promise<Way> {
  const { env, namespace, reuse = true, signal } = asked;
  const { TEMPORAL_ADDRESS: address, TEMPORAL_CLI_PATH: path } = env;
  if (address) {
    const answer = await machine.namedServerAnswers(address);
    if (answer.ok) return { kind: 'running', address, how: 'TEMPORAL_ADDRESS' };
    throw unusable(address, answer, namespace);
  }
  const failed = ['TEMPORAL_ADDRESS: not set'];
  if (reuse) {
    const answer = await machine.localServerAnswers();
    if (answer.ok) return { kind: 'running', address: DEFAULT_ADDRESS, how: 'already running on the default port' };
    if (answer.kind === 'no-namespace') throw unusable(DEFAULT_ADDRESS, answer, namespace);
    failed.push(`a server on ${DEFAULT_ADDRESS}: ${answer.reason}`);
  }
  if (path) {
    if (await machine.isProgram(path)) return { kind: 'cli', path, how: 'TEMPORAL_CLI_PATH' };
    const message = `TEMPORAL_CLI_PATH names ${path}, which is not a program that can be run. Correct or unset it.`;
    throw new DevServerError('cli-path', message);
  }
  failed.push('TEMPORAL_CLI_PATH: not set');
  for (const [how, find] of [
    ['`temporal` on PATH', machine.onPath],
    ['the cache folder', machine.inCache],
    ['the download of the Temporal SDK', machine.download],
    ['building with Go', machine.build],
  ] as const) {
    // A person who interrupts does not want the next way tried.
    const found = await find().finally(() => signal?.throwIfAborted());
    if (found.ok) return { kind: 'cli', path: found.path, how };
    failed.push(`${how}: ${found.reason}`);
  }
  throw noServer(failed);
}

/** The facts about this machine, and its ways to a Temporal CLI. */
function thisMachine(asked: Asked) {
  const { env, namespace, cache } = asked;
  return {
    namedServerAnswers: (address: string): Promise<Answer> =>
      serverAnswers({ ...securityOf(env), address }, namespace, ANSWER_WITHIN),
    localServerAnswers: (): Promise<Answer> => localServerAnswers(DEFAULT_PORT, namespace, ANSWER_WITHIN),
    isProgram,
    async onPath(): Promise<Found> {
      const path = await programOnPath('temporal', env);
      return path === undefined ? { ok: false, reason: 'not there' } : { ok: true, path };
    },
    async inCache(): Promise<Found> {
      for (const path of [downloadedCliPath(cache), builtCliPath(cache)]) {
        if (await isProgram(path)) return { ok: true, path };
      }
      return { ok: false, reason: `nothing in ${cache} yet` };
    },
    download: (): Promise<Found> => downloadCli(asked),
    build: (): Promise<Found> => buildCli(asked),
  };
}

function securityOf(env: NodeJS.ProcessEnv): ConnectionOptions {
  const apiKey = env['TEMPORAL_API_KEY'];
  if (apiKey) return { apiKey, tls: true };
  return env['TEMPORAL_TLS'] === 'true' ? { tls: true } : {};
}

type Failed = Extract<Answer, { readonly ok: false }>;

function unusable(address: string, { kind, reason }: Failed, namespace: string): DevServerError {
  return kind === 'no-namespace'
    ? new DevServerError(
        kind,
        `The Temporal server at ${address} has no namespace "${namespace}" (${reason}). Create it with ` +
          `\`temporal operator namespace create -n ${namespace} --address ${address}\`, or set TEMPORAL_NAMESPACE.`,
      )
    : new DevServerError(
        'unreachable',
        `No Temporal server answers at ${address}, which TEMPORAL_ADDRESS names (${reason}). ` +
          'Start it, correct the address, or unset TEMPORAL_ADDRESS to have a dev server started.',
      );
}

function noServer(failed: readonly string[]): DevServerError {
  return new DevServerError(
    'no-server',
    `There is no Temporal server, and none could be started. Tried, in this order:
${failed.map((way) => `  - ${way}`).join('\n')}
Any one of these is enough:
  - set TEMPORAL_ADDRESS to the host:port of a running Temporal server
  - install the Temporal CLI (https://docs.temporal.io/cli) so that \`temporal\` is on PATH
  - set TEMPORAL_CLI_PATH to the \`temporal\` program
  - allow the download from https://temporal.download
  - install Go (https://go.dev/dl), so that the CLI is built from source once`,
  );
}
