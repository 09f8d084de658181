/** The heaps of every thread of this process, without garbage. */

import { Session } from 'node:inspector/promises';

/** Bytes in use after a garbage collection of each thread: a worker keeps its runs in threads of their own. */
export async function heapOfThreads(): Promise<{ readonly main: number; readonly others: number }> {
  const session = new Session();
  session.connect();
  const threads: string[] = [];
  const asked = new Map<number, (usedSize: number) => void>();
  session.on('NodeWorker.attachedToWorker', ({ params }) => void threads.push(params.sessionId));
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message) as { id: number; result?: { usedSize?: number } };
    asked.get(id)?.(result?.usedSize ?? 0);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const ask = async (sessionId: string, method: string): Promise<number> => {
    const id = asked.size + 1;
    const told = new Promise<number>((resolve) => asked.set(id, resolve));
    await session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method }) });
    return told;
  };
  await session.post('HeapProfiler.collectGarbage');
  const main = process.memoryUsage().heapUsed;
  let others = 0;
  for (const thread of threads) {
    await ask(thread, 'HeapProfiler.collectGarbage');
    others += await ask(thread, 'Runtime.getHeapUsage');
  }
  session.disconnect();
  return { main, others };
}
