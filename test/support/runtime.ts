/** The SDK's runtime, of which a process has one. */

import { DefaultLogger, Runtime } from '@temporalio/worker';

let isInstalled = false;

/** Logs nothing: tests provoke their failures on purpose. Called again in the same process it does nothing. */
export function quietRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined) });
}
