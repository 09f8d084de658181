/** The errors that closed ways to a server become. */

import { DevServerError } from './dev-server-error.ts';
import type { FailedWay, Way } from './find-way.ts';

export type NoWay = Exclude<Way, { readonly kind: 'running' | 'cli' }>;

/** The error for a person whose way to a server is closed. */
export function wayError(way: NoWay, namespace: string): DevServerError {
  switch (way.kind) {
    case 'unreachable':
      return new DevServerError(
        'unreachable',
        `No Temporal server answers at ${way.address}, which TEMPORAL_ADDRESS names (${way.reason}). ` +
          'Start it, correct the address, or unset TEMPORAL_ADDRESS to have a dev server started.',
      );
    case 'no-namespace':
      return new DevServerError(
        'no-namespace',
        `The Temporal server at ${way.address} has no namespace "${namespace}" (${way.reason}). Create it with ` +
          `\`temporal operator namespace create -n ${namespace} --address ${way.address}\`, or set TEMPORAL_NAMESPACE.`,
      );
    case 'cli-path':
      return new DevServerError(
        'cli-path',
        `TEMPORAL_CLI_PATH names ${way.path}, which is not a program that can be run. Correct or unset it.`,
      );
    case 'none':
      return noServerError(way.failed);
  }
}

function noServerError(failed: readonly FailedWay[]): DevServerError {
  const tried = failed.map(({ way, reason }) => `  - ${way}: ${reason}`);
  return new DevServerError(
    'no-server',
    [
      'There is no Temporal server, and none could be started. Tried, in this order:',
      ...tried,
      'Any one of these is enough:',
      '  - set TEMPORAL_ADDRESS to the host:port of a running Temporal server',
      '  - install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH',
      '  - set TEMPORAL_CLI_PATH to the `temporal` program',
      '  - allow the download from https://temporal.download',
      '  - install Go (https://go.dev/dl), so that the CLI is built from source once',
    ].join('\n'),
  );
}
