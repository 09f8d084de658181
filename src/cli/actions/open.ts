/** `planwright open`: where a run is seen in the Temporal Web UI. */

import { runPageOf } from '../../edge/dev-server/index.ts';
import { folderStoreDir, withRun } from '../../edge/project/index.ts';
import type { Output } from '../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';

export async function open(_options: GlobalOptions, output: Output, workflowId: string): Promise<number> {
  return withRun(workflowId, { storeDir: await folderStoreDir() }, async (session) => {
    // Of a run that is not there no page is to be looked for by hand.
    await session.run.times();
    const url = await runPageOf(session, workflowId);
    if (url === undefined) {
      const message =
        `no Web UI of the server at ${session.address} shows run ${workflowId} on this machine; ` +
        'open the page of your Temporal service, namespace and workflow id by hand';
      throw new CliError('REFUSED', message);
    }
    output.print({ ok: true, workflowId, url }, () => url);
    return exitCode('done');
  });
}
