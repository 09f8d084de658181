import { connectOrStart, type DevServer } from '../dev-server/dev-server.ts';
import { isAlive } from '../../client/reach/pollers.ts';
import { given } from '../../protocol/index.ts';
import { OperationError, wrongUsage } from '../../operations/index.ts';
import type { ServerFlags } from '../flags.ts';
import type { GlobalOptions } from '../global-flags.ts';
import type { Output } from '../terminal/index.ts';
import { startWait, untilCtrlC } from '../wait.ts';

type ServerTyped = Partial<ServerFlags> & Pick<GlobalOptions, 'address'>;

export const SERVER_PORT = '7233';

const LOOK_MS = 1000;

export async function untilStopped({ pid = 0, address }: DevServer): Promise<void> {
  // A timer keeps the process alive, unlike a signal handler.
  let looking: NodeJS.Timeout | undefined;
  const gone = new Promise<never>((_, reject) => {
    looking = setInterval(() => {
      if (!isAlive(pid)) reject(new OperationError('NO_SERVER', `the Temporal server at ${address} has ended`));
    }, LOOK_MS);
  });
  try {
    await Promise.race([untilCtrlC(), gone]);
  } finally {
    clearInterval(looking);
  }
}

/** Starts or finds the server. During the start, Ctrl-C cancels it; later it stops the worker, then the server. */
export async function startServer(options: ServerTyped, output: Output): Promise<DevServer> {
  const { signal, end } = startWait({ typed: '', ms: undefined }, 'no server was started');
  try {
    return await foundOrStarted(options, output, signal);
  } finally {
    end();
  }
}

async function foundOrStarted(options: ServerTyped, output: Output, signal: AbortSignal): Promise<DevServer> {
  const { port, uiPort, headless, db } = options;
  // If a port or database file is typed, a running server may not have it, so a new one is started.
  const isNewServer = port !== undefined || uiPort !== undefined || db !== undefined;
  if (isNewServer && options.address !== undefined) {
    throw wrongUsage('--address uses a server that runs; --port, --ui-port and --db start one. Give either');
  }
  const { TEMPORAL_ADDRESS: address, ...env } = process.env;
  const isSame =
    port !== undefined && /^(127\.0\.0\.1|localhost|\[::1\]):(\d+)$/.exec(address ?? '')?.[2] === String(port);
  if (isNewServer && address !== undefined && !isSame)
    output.note(`a server is started; TEMPORAL_ADDRESS (${address}) is not used`);
  const server = await connectOrStart({
    ...{ signal, onProgress: output.note },
    ...(isNewServer && { reuse: false, env }),
    ...given({ port, uiPort, headless, databaseFile: db }),
  });
  if (server.started && port === undefined && !server.address.endsWith(`:${SERVER_PORT}`)) {
    output.note(`port ${SERVER_PORT} is taken, so the server listens on ${server.address}`);
  }
  return server;
}
