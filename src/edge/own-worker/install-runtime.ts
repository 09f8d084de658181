/**
 * Installs the SDK's runtime, which logs on stderr, its native part as well; by itself that would write between the
 * data on stdout.
 */

import { DefaultLogger, Runtime, type LogLevel } from '@temporalio/worker';

/**
 * For a process that is a worker and nothing else; once, before anything else of the SDK is made.
 * @param native how much its native part says. Default the same; a worker that was slow is a warning there.
 * @throws IllegalStateError of the SDK where its runtime is there already
 * @example installRuntime('WARN', 'ERROR');
 */
export function installRuntime(level: LogLevel, native: LogLevel = level): void {
  Runtime.install({
    logger: new DefaultLogger(level),
    telemetryOptions: { logging: { forward: {}, filter: { core: native, other: 'ERROR' } } },
  });
}
