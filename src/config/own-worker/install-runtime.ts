/**
 * Installs the SDK's runtime with a log on stderr, its native part too, which would otherwise write among the data on
 * stdout.
 */

import { DefaultLogger, Runtime, type Logger, type LogLevel } from '@temporalio/worker';
import { BUCKETS } from '../../protocol/index.ts';

/** The settings of `installRuntime` beside the level of the log. */
export interface RuntimeSettings {
  /** How much its native part says: a worker that was slow is a warning there. Default: the level of the rest. */
  readonly native?: LogLevel;
  /** Takes the log. Default: text on stderr. */
  readonly logger?: Logger;
  /** `127.0.0.1:9464`: an address of this machine on which `/metrics` answers a scrape by Prometheus. Default: none. */
  readonly metrics?: string;
}

/**
 * For a process that is a worker and nothing else; once, before anything else of the SDK is made. Metrics have the names and
 * units that Prometheus wants: seconds, and `_total` behind what only grows.
 * @throws IllegalStateError of the SDK where its runtime is there already, and an Error where the address is taken
 * @example installRuntime('WARN', { metrics: '127.0.0.1:9464' });
 */
export function installRuntime(level: LogLevel, settings: RuntimeSettings = {}): void {
  const { native = level, logger = new DefaultLogger(level), metrics } = settings;
  const prometheus = metrics !== undefined && {
    bindAddress: metrics,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
    histogramBucketOverrides: BUCKETS,
  };
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { forward: {}, filter: { core: native, other: 'ERROR' } },
      ...(prometheus !== false && { metrics: { prometheus } }),
    },
  });
}
