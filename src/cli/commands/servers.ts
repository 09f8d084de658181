import {
  namesField,
  needProject,
  wrongUsage,
  countField,
  IN_PROJECT,
  textField,
  flagField,
} from '../../operations/index.ts';
import { byHand } from '../define-command.ts';
import { untilCtrlC } from '../wait.ts';
import { Writable } from 'node:stream';
import type { ApprovalPolicy } from '../../protocol/index.ts';

const WEB_UI = 'http://localhost:8233';

/**
 * Decodes and encodes payloads until it is stopped. The token comes from the environment.
 * docs/encryption.md#the-web-ui-and-the-temporal-cli has the settings of the Web UI and the CLI. JSON:
 * `{"ok","ready":{"url","keys","origins"}}`, once it listens.
 */
export const codec = byHand({
  command: {
    words: 'codec',
    place: ['config'],
    from: { ui: 'words' },
    more: 'With PLANWRIGHT_CODEC_TOKEN every request must have that token.',
  },
  does: "Decode encrypted runs for Temporal's Web UI and CLI.",
  input: (z) =>
    z.object({
      host: z.string().default('127.0.0.1').describe('address to listen on; any other wants a token'),
      port: z.int().nonnegative().default(8081).describe('port; 0: any that is free'),
      ui: namesField(z, `origins of Web UIs whose pages are answered (default ${WEB_UI})`),
    }),
  async run({ host, port, ui = [WEB_UI] }, { output, plans }) {
    const { encryption } = await needProject(plans, 'codec');
    if (encryption === undefined) throw wrongUsage('the project encrypts nothing: its config has no "encryption"');
    const { isLoopback, startCodecServer } = await import('../working/index.ts');
    const { encryptionKeys } = await import('../../config/index.ts');
    const token = process.env['PLANWRIGHT_CODEC_TOKEN'] || undefined;
    if (token === undefined && !isLoopback(host)) {
      const why = `who reaches ${host} could have everything decrypted`;
      throw wrongUsage(`--host ${host}: ${why}; set PLANWRIGHT_CODEC_TOKEN, and put a proxy with TLS before it`);
    }
    const keys = encryptionKeys(encryption);
    const origins = ui.flatMap(originsOf);
    const server = await startCodecServer({ encryption: keys, host, port, origins, token });
    const ids = Object.keys(keys.keys);
    output.print(
      { ok: true, ready: { url: server.url, keys: ids, origins } },
      () => `codec server ready at ${server.url}, keys ${ids.join(', ')}; temporal ... --codec-endpoint ${server.url}`,
    );
    await untilCtrlC();
    await server.close();
    return 'done';
  },
});

/** The names of an origin on this machine. The browser sends the one that its user typed. */
function originsOf(typed: string): readonly string[] {
  const { origin, protocol, hostname, port } = URL.canParse(typed) ? new URL(typed) : { origin: 'null' };
  if (origin === 'null') throw wrongUsage(`--ui: expected an origin such as ${WEB_UI}, got "${typed}"`);
  const loopback = ['localhost', '127.0.0.1'];
  return loopback.includes(hostname ?? '') ? loopback.map((name) => `${protocol}//${name}:${port}`) : [origin];
}

/**
 * Serves the page and prints `page ready at URL` (docs/page.md), with `-o json` `{ ok, ready: { url, pid } }`. A
 * `--host` other than this machine needs `--token` or a proxy.
 */
export const serve = byHand({
  command: {
    words: 'serve',
    example: 'serve --config planwright.config.ts',
    place: [...IN_PROJECT, 'taskQueue'],
    from: { token: 'file', proxyAddress: 'words' },
  },
  does: 'Serve the page: plans, runs and decisions in a browser.',
  input: (z) =>
    z.object({
      port: countField(z, 'listen on this port; 0 takes any (default 7280)', 0),
      host: textField(z, 'listen on this address (default 127.0.0.1); another needs --token or a proxy'),
      origin: textField(z, 'where browsers reach it, such as https://plans.example.org'),
      token: textField(z, 'ask for the token in this file before anybody comes in'),
      proxyHeader: textField(z, 'a proxy lets people in, and names each in this header'),
      proxyAddress: namesField(z, 'the addresses that the proxy comes from; nobody else is let in'),
    }),
  async run({ port, host, origin, token: file, proxyHeader: header, proxyAddress: addresses }, { output, plans }) {
    if ((header === undefined) !== (addresses === undefined)) {
      throw wrongUsage('--proxy-header and --proxy-address go together: the name, and who may give it');
    }
    const proxy = header === undefined || addresses === undefined ? undefined : { header, addresses };
    const token = file === undefined ? undefined : await tokenIn(file);
    const { servePage } = await import('../../page/index.ts');
    const page = await servePage(plans, { port, host, origin, token, proxy });
    output.print({ ok: true, ready: { url: page.url, pid: process.pid } }, () => `page ready at ${page.url}`);
    output.note('Ctrl-C stops it; runs go on.');
    await untilCtrlC();
    await page.close();
    return 'done';
  },
});

async function tokenIn(file: string): Promise<string> {
  const { readSecret } = await import('../reading/index.ts');
  const danger = 'could come in';
  const next = `make one with \`umask 077; openssl rand -hex 32 > ${file}\``;
  return readSecret(file, { noun: 'token', danger, next }).trim();
}

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

/** Reserves stdout for the protocol. Whatever a config prints goes to stderr. */
function protocolAlone(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({ write: (chunk: Uint8Array, _encoding, done) => void write(chunk, () => done()) });
}
