import { namesField, needProject, wrongUsage } from '../../operations/index.ts';
import { byHand } from '../define-command.ts';
import { untilCtrlC } from '../wait.ts';

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

/** An origin on this machine under both of its names, since the browser sends the one that its user typed. */
function originsOf(typed: string): readonly string[] {
  const { origin, protocol, hostname, port } = URL.canParse(typed) ? new URL(typed) : { origin: 'null' };
  if (origin === 'null') throw wrongUsage(`--ui: expected an origin such as ${WEB_UI}, got "${typed}"`);
  const loopback = ['localhost', '127.0.0.1'];
  return loopback.includes(hostname ?? '') ? loopback.map((name) => `${protocol}//${name}:${port}`) : [origin];
}
