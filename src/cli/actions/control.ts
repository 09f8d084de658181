/** `planwright control`: an operator's word to a run. */

import { storeDir } from '../../config/index.ts';
import type { Control } from '../../contract/index.ts';
import { parseControl } from '../../run/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { withRun } from './connect.ts';
import { openSigner, speakerOf, type SpeakerOptions } from './speaker.ts';

export interface ControlOptions extends SpeakerOptions {
  readonly outcome?: string;
  readonly value?: string;
  readonly digest?: string;
}

export async function control(
  options: ControlOptions & GlobalOptions,
  output: Output,
  workflowId: string,
  action: string,
  node?: string,
): Promise<number> {
  const said = controlOf(options, action, node);
  const signer = await openSigner(options);
  return withRun(options, { storeDir: storeDir(process.cwd()), workflowId, signer }, async (run) => {
    const { reply } = await run.control(said);
    output.print({ ok: true, workflowId, ...said, reply }, () => `${workflowId}: ${reply}`);
    return exitCode('done');
  });
}

function controlOf(options: ControlOptions, action: string, node: string | undefined): Control {
  const { outcome, value, digest } = options;
  const parsed = parseControl({
    action,
    ...speakerOf(options),
    ...(node !== undefined && { node }),
    ...(outcome !== undefined && { outcome }),
    ...(value !== undefined && { value: jsonOf(value) }),
    ...(digest !== undefined && { digest: digest.toLowerCase() }),
  });
  if (parsed.ok) return parsed.control;
  throw new CliError('USAGE', parsed.reason);
}

function jsonOf(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    throw new CliError('USAGE', `--value: expected JSON such as '["id1","id2"]' or '"a text"', got ${typed}`);
  }
}
