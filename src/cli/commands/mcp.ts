import { Writable } from 'node:stream';
import { flagField, IN_PROJECT, textField } from '../../operations/index.ts';
import type { ApprovalPolicy } from '../../protocol/index.ts';
import { byHand } from '../define-command.ts';
import { untilCtrlC } from '../wait.ts';

/**
 * Serves one MCP host, and ends when it disconnects. Needs `@modelcontextprotocol/server`.
 * docs/mcp.md#a-host-runs-plans has the tools and the entry for the host's file.
 */
export const mcp = byHand({
  command: {
    words: 'mcp',
    example: 'mcp --config planwright.config.ts --by operator',
    place: [...IN_PROJECT, 'taskQueue'],
    from: { by: 'person', approval: 'approval' },
    more: 'The host starts this command (docs/mcp.md).',
  },
  does: 'Let an MCP host run plans over stdin and stdout.',
  input: (z) =>
    z.object({
      by: z.string().describe('the person at the host'),
      role: textField(z, 'in which role that person speaks'),
      approval: z
        .custom<ApprovalPolicy>()
        .default('required')
        .describe('how its runs ask, as of `run`; a host cannot choose it'),
      anyRun: flagField(z, 'let the host name every run of the namespace, also those that it was not handed'),
      commandsOnly: flagField(z, 'take no decision and no answer through the host; it is shown the commands'),
    }),
  async run({ by, role, approval, anyRun = false, commandsOnly = false }, { plans, output }) {
    const { openHostSession, serveMcp } = await import('../../mcp/index.ts');
    const { version } = await import('../version.ts');
    const settings = { by, ...(role !== undefined && { role }), approval, anyRun, answers: !commandsOnly };
    const way = { input: process.stdin, output: protocolAlone(), version: version(), note: output.note };
    const { ended, close } = serveMcp(openHostSession(plans, settings), way);
    void untilCtrlC().then(close);
    await ended;
    return 'done';
  },
});

/** Reserves stdout for the protocol: what a config prints goes to stderr instead. */
function protocolAlone(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({ write: (chunk: Uint8Array, _encoding, done) => void write(chunk, () => done()) });
}
