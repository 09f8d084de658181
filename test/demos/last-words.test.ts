/** The last words of a demo: the page of a run is named as long as its server is there. */

import { expect, test } from 'vitest';
import { sayEnd } from '../../examples/stage/index.ts';

const LINK = 'http://127.0.0.1:8233/namespaces/default/workflows/demo-1/r';

test.each([
  ['a server that the demo has stopped is not linked to', { started: true, stays: false, linked: false }],
  ['one that stays is', { started: true, stays: true, linked: true }],
  ['one that was there before is', { started: false, stays: false, linked: true }],
])('%s', (_name, { started, stays, linked }) => {
  const said: string[] = [];
  const screen = {
    paint: (_style: string, text: string) => text,
    say: (...lines: string[]) => void said.push(...lines),
  };
  const stage = { screen, server: { started } } as unknown as Parameters<typeof sayEnd>[0];
  sayEnd(stage, { link: LINK, stays, seconds: 1.5, span: 'from the start to the end', next: [], faults: [] });
  expect(said.some((line) => line.includes(LINK))).toBe(linked);
  expect(said[1]).toBe(`1.5 s from the start to the end.${linked ? ' In the Web UI:' : ''}`);
});
