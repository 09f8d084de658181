const CTRL_C = '\u0003';

/** Waits for one of `keys`, and returns it in lower case. @throws the signal's reason on abort */
export function askKey<const Key extends string>(keys: readonly Key[], signal: AbortSignal): Promise<Key> {
  const { stdin } = process;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    stdin.setRawMode(true);
    stdin.resume();
    stdin.on('data', onData);
    signal.addEventListener('abort', giveUp);

    function onData(pressed: Buffer): void {
      const text = pressed.toString('utf8').toLowerCase();
      if (text.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
      const key = keys.find((one) => text.startsWith(one));
      if (key === undefined) return;
      leave();
      resolve(key);
    }

    function giveUp(): void {
      leave();
      reject(signal.reason as Error);
    }

    function leave(): void {
      stdin.off('data', onData);
      signal.removeEventListener('abort', giveUp);
      stdin.setRawMode(false);
      stdin.pause();
    }
  });
}
