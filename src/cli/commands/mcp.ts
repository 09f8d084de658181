/** `planwright mcp`: a host of MCP starts it, and talks to it over stdin and stdout. */

import { Writable } from 'node:stream';
import { defineCommand } from '../define-command.ts';
import { PROJECT, TASK_QUEUE } from '../flags.ts';
import { flag, or, text } from '../options.ts';

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'let a host of MCP run plans, over stdin and stdout',
  description:
    'let a host of MCP run plans: it starts this command and talks to it over stdin and stdout (docs/mcp.md)',
  examples: ['planwright mcp --config planwright.config.ts --by operator'],
  flags: {
    ...PROJECT,
    taskQueue: TASK_QUEUE,
    by: text('<name>', 'the person at the host (default: your user name)'),
    role: text('<role>', 'in which role that person speaks'),
    approval: or('required', text('<policy>', 'how its runs ask, as of `run`; a host cannot choose it')),
    anyRun: flag('let the host name every run of the namespace, also those that it was not handed'),
    commandsOnly: flag('take no decision and no answer through the host; it is shown the commands'),
  },
  async run(typed, { plans, output }) {
    const { readApproval, userName } = await import('../reading/index.ts');
    const { openRoom, serveMcp } = await import('../../mcp/index.ts');
    const { version } = await import('../version.ts');
    const { by, role, approval, anyRun = false, commandsOnly = false } = typed;
    const settings = {
      by: userName(by),
      ...(role !== undefined && { role }),
      approval: await readApproval(approval),
      anyRun,
      answers: !commandsOnly,
    };
    const way = { input: process.stdin, output: protocolAlone(), version: version(), note: output.note };
    const { ended, close } = serveMcp(openRoom(plans, settings), way);
    const stop = () => void close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    await ended;
    return 'done';
  },
});

/** The stdout of this process, which from now on nobody else writes to: a config that prints a line would break the protocol. */
function protocolAlone(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({ write: (chunk: Uint8Array, _encoding, done) => void write(chunk, () => done()) });
}
