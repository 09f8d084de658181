/** A run of a build that writes snapshots of a later version: it goes on in a new history, and ends there when it is told to. */

import { condition, continueAsNew, defineSignal, setHandler } from '@temporalio/workflow';
import { STATE_VERSION } from '../../src/workflows/run/index.ts';

export async function planWorkflow(input: object): Promise<string> {
  if (!('resume' in input)) {
    return continueAsNew({ resume: { version: STATE_VERSION + 1, snapshot: { text: '{}' } } });
  }
  let isTold = false;
  setHandler(defineSignal('end'), () => void (isTold = true));
  await condition(() => isTold);
  return 'taken up by the newer build';
}
