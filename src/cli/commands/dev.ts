/** `planwright dev`: a Temporal server and a worker, for as long as the terminal is open. */

import { needProject, OperationError } from '../../operations/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand, type None, type Typed } from '../define-command.ts';
import { count, flag, text } from '../options.ts';
import type { Output } from '../terminal/index.ts';
import { WORKER } from './worker.ts';

const FLAGS = {
  ...WORKER,
  port: count('start a server on this port (default: use the one on 7233, else start one)', 0),
  uiPort: count('port of its Web UI (default 8233)', 0),
  headless: flag('without the Web UI'),
  serverOnly: flag('the server alone, for a program with a worker of its own; needs no config'),
  db: text('<file>', 'database file of the server (default: one in the cache folder)'),
};
type DevTyped = Typed<None, typeof FLAGS>;

export const devCommand = defineCommand({
  name: 'dev',
  description: 'a Temporal dev server and a worker in one, until Ctrl-C',
  examples: ['planwright dev --demo gene-strategies'],
  flags: FLAGS,
  async run(typed, { output, plans }) {
    if (typed.serverOnly === true) return serve(typed, output);
    const project = await needProject(plans, 'dev');
    const { DEFAULT_PORT, startServer, startWorker, tellReady } = await import('../working/index.ts');
    const server = await startServer(typed, output);
    try {
      output.note(`Temporal server at ${server.address}, namespace ${server.namespace} (${server.how})`);
      if (server.uiUrl !== undefined) output.note(`Web UI at ${server.uiUrl}`);
      const worker = await startWorker(project, typed, output, server.address);
      tellReady(worker, output);
      const address = server.address.endsWith(`:${DEFAULT_PORT}`) ? '' : ` --address ${server.address}`;
      output.note(`next, in another terminal: ${asTyped(`run PLAN.json${project.flag}${address}`)}`);
      output.note(server.started ? 'Ctrl-C stops both.' : 'Ctrl-C stops the worker; the server was there before.');
      await worker.ended;
    } finally {
      await server.stop();
    }
    return 'done';
  },
});

async function serve(typed: DevTyped, output: Output) {
  const idle = (Object.keys(WORKER) as (keyof typeof WORKER)[]).find((name) => typed[name] !== undefined);
  if (idle !== undefined) {
    const name = idle.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new OperationError('USAGE', `--server-only starts no worker, and --${name} is about one: leave out either`);
  }
  const { startServer, untilStopped } = await import('../working/index.ts');
  const server = await startServer(typed, output);
  const { address, namespace, how, uiUrl, pid } = server;
  try {
    output.print(
      { ok: true, ready: { address, namespace, pid } },
      () => `server ready at ${address}, namespace ${namespace} (${how})`,
    );
    if (uiUrl !== undefined) output.note(`Web UI at ${uiUrl}`);
    output.note(server.started ? 'Ctrl-C stops it.' : 'It was there before, and stays.');
    if (server.started) await untilStopped(server);
  } finally {
    await server.stop();
  }
  return 'done' as const;
}
