/** Spans of OpenTelemetry, and the SDK's runtime for a worker. OpenTelemetry's API is an optional import. */

import type * as OpenTelemetry from '@opentelemetry/api';
import { createHash } from 'node:crypto';
import type { Tracing } from '../../activities/index.ts';
import { DefaultLogger, Runtime, type Logger, type LogLevel } from '@temporalio/worker';
import { BUCKETS } from '../../protocol/index.ts';

type Api = typeof OpenTelemetry;

/**
 * The tracing of a worker, for `createWorker({ tracing })`. It writes to the OpenTelemetry SDK that the process has
 * registered, for example with `NODE_OPTIONS="--import @opentelemetry/auto-instrumentations-node/register"`.
 * @param onNote receives a sentence if spans would go nowhere. Default: a warning of the process
 * @throws Error if `@opentelemetry/api` is not installed
 * @example createWorker({ ...place, registry, store, tracing: await openTracing() });
 */
export async function openTracing(onNote: (note: string) => void = process.emitWarning): Promise<Tracing> {
  const api: Api = await import('@opentelemetry/api');
  const tracer = api.trace.getTracer('planwright');
  const probe = tracer.startSpan('planwright.probe', { root: true });
  if (!api.isSpanContextValid(probe.spanContext())) onNote(NOWHERE);
  const kinds = { internal: api.SpanKind.INTERNAL, client: api.SpanKind.CLIENT };
  return {
    within({ name, kind, facts, run }, work) {
      const active = api.context.active();
      const parent =
        api.trace.getSpan(active) === undefined ? api.trace.setSpanContext(active, rootOf(run, api)) : active;
      const attributes = { ...facts } as Record<string, string | number | string[]>;
      return tracer.startActiveSpan(name, { kind: kinds[kind], attributes }, parent, async (span) => {
        let isNamed = false;
        try {
          return await work((more) => {
            isNamed ||= 'error.type' in more;
            span.setAttributes({ ...more } as typeof attributes);
          });
        } catch (error) {
          span.setStatus({ code: api.SpanStatusCode.ERROR });
          if (!isNamed) span.setAttribute('error.type', typeOf(error));
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}

const NOWHERE =
  'no SDK of OpenTelemetry is registered in this process, so that its spans go nowhere; start it with NODE_OPTIONS="--import ' +
  '@opentelemetry/auto-instrumentations-node/register" after npm install @opentelemetry/auto-instrumentations-node';

const [TRACE_DIGITS, SPAN_DIGITS] = [32, 16];

/**
 * A parent for the spans of a run, which does not exist itself. All workers compute the run's trace id from its name,
 * so that spans of all its histories and agents are one trace.
 */
function rootOf({ namespace, workflowId }: { readonly namespace: string; readonly workflowId: string }, api: Api) {
  const digits = createHash('sha256')
    .update(JSON.stringify([namespace, workflowId]))
    .digest('hex');
  return {
    traceId: digits.slice(0, TRACE_DIGITS),
    spanId: digits.slice(TRACE_DIGITS, TRACE_DIGITS + SPAN_DIGITS),
    traceFlags: api.TraceFlags.SAMPLED,
    isRemote: true,
  };
}

/** The class of an error without its message, which could contain anything. Never throws. */
function typeOf(error: unknown): string {
  try {
    const { type, name } = error as { readonly type?: unknown; readonly name?: unknown };
    return typeof type === 'string' ? type : typeof name === 'string' ? name : '_OTHER';
  } catch {
    return '_OTHER';
  }
}

/** The settings of `installRuntime` besides the log level. */
export interface RuntimeSettings {
  /** The log level of the SDK's native part, which warns of each slow worker. Default: the general level. */
  readonly native?: LogLevel;
  /** Receives the log. Default: text on stderr. */
  readonly logger?: Logger;
  /** `127.0.0.1:9464`: an address of this machine on which `/metrics` answers a scrape by Prometheus. Default: none. */
  readonly metrics?: string;
}

/**
 * Configures the SDK's runtime of a process that is only a worker. Call it once, before all other code of the SDK.
 * Metrics follow Prometheus: times in seconds, and names of counters that end in `_total`.
 * @throws IllegalStateError of the SDK if its runtime exists already; Error if the address is in use
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
