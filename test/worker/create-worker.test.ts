import { expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createWorker, type WorkerOptions } from '../../src/worker/index.ts';

test('a rule about a capability that is not there is a mistake of the program, found before it connects', async () => {
  const options = { registry: createRegistry([]), rules: [{ effect: 'read' }, { capability: 'water' }] };
  await expect(createWorker(options as unknown as WorkerOptions)).rejects.toThrow(
    'an approval rule names capability water; declared are respond, ask, clarify',
  );
});
