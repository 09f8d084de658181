import { countField, IN_PROJECT, namesField, wrongUsage, textField } from '../../operations/index.ts';
import { byHand } from '../define-command.ts';
import { untilCtrlC } from '../wait.ts';

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
