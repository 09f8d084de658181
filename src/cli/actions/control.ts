/** `planwright control`: an operator's word to a run. */

import { folderStoreDir, withRun } from '../../edge/project/index.ts';
import { nodeIds } from '../../edge/client/index.ts';
import { isNodeId, type Control } from '../../wire/contract/index.ts';
import { parseControl } from '../../engine/run/index.ts';
import type { Output } from '../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { openSigner, readJsonWord, speakerOf, type SpeakerOptions } from '../reading/index.ts';

export interface ControlOptions extends SpeakerOptions {
  readonly outcome?: string | undefined;
  readonly value?: string | undefined;
  readonly digest?: string | undefined;
}

export async function control(
  options: ControlOptions & GlobalOptions,
  output: Output,
  workflowId: string,
  action: string,
  node?: string,
): Promise<number> {
  // What is wrong beside the name of the node is told without a server.
  controlOf(options, action, node === undefined || isNodeId(node) ? node : 'node_1');
  const signer = await openSigner(options);
  return withRun(workflowId, { storeDir: await folderStoreDir(), signer }, async ({ run }) => {
    const [id] = node === undefined ? [] : await nodeIds([node], run);
    const said = controlOf(options, action, id);
    const { reply } = await run.control(said);
    output.print({ ok: true, workflowId, ...said, reply }, () => `${workflowId}: ${reply}`);
    return exitCode('done');
  });
}

function controlOf(options: ControlOptions, action: string, node: string | undefined): Control {
  const { outcome, value, digest, comment } = options;
  if (action === 'kill' && comment === undefined)
    throw new CliError('USAGE', 'kill needs --comment TEXT: why, which is kept with who says it');
  const parsed = parseControl({
    action,
    ...speakerOf(options),
    ...(node !== undefined && { node }),
    ...(outcome !== undefined && { outcome }),
    ...(value !== undefined && { value: readJsonWord('--value', value, `'["id1","id2"]' or '"a text"'`) }),
    ...(digest !== undefined && { digest: digest.toLowerCase() }),
  });
  if (parsed.ok) return parsed.control;
  throw new CliError('USAGE', parsed.reason);
}
