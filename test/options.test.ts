/** The options of the package under TypeScript's strictest flags: the compiler checks this file. */

import { expectTypeOf, test } from 'vitest';
import type * as door from '../src/index.ts';
import type * as capabilities from '../src/capabilities.ts';
import type * as client from '../src/client/index.ts';
import type * as drafts from '../src/capabilities/builtin/drafts/index.ts';
import type * as identity from '../src/protocol/identity/index.ts';
import type * as results from '../src/store/index.ts';
import type * as worker from '../src/worker.ts';

/** The names of optional members that take no undefined. */
type Refusing<T> = {
  [Name in keyof T]-?: object extends Pick<T, Name>
    ? { [One in Name]: undefined } extends Pick<T, Name>
      ? never
      : Name
    : never;
}[keyof T];

/** Of the options of a function. */
type Of<Fn extends (...args: never[]) => unknown, At extends number> = Refusing<NonNullable<Parameters<Fn>[At]>>;

test('every option that may be left out may be undefined', () => {
  expectTypeOf<Of<typeof door.compilePlan, 1>>().toBeNever();
  expectTypeOf<Of<typeof door.renderTree, 1>>().toBeNever();
  expectTypeOf<Of<typeof door.renderMarkdown, 1>>().toBeNever();
  expectTypeOf<Of<typeof door.renderMermaid, 1>>().toBeNever();
  expectTypeOf<Of<typeof worker.createWorker, 0>>().toBeNever();
  expectTypeOf<Of<typeof capabilities.createRegistry, 1>>().toBeNever();
  expectTypeOf<Of<typeof capabilities.fileCapabilities, 0>>().toBeNever();
  expectTypeOf<Of<typeof capabilities.fetchPage, 0>>().toBeNever();
  expectTypeOf<Of<typeof client.createPlanClient, 0>>().toBeNever();
  expectTypeOf<Of<client.PlanClient['start'], 1>>().toBeNever();
  expectTypeOf<Of<client.PlanClient['inbox'], 0>>().toBeNever();
  expectTypeOf<Of<client.RunHandle['follow'], 0>>().toBeNever();
  expectTypeOf<Of<client.RunHandle['decide'], 1>>().toBeNever();
  expectTypeOf<Of<typeof drafts.createDrafts, 1>>().toBeNever();
  expectTypeOf<Of<typeof identity.signMessage, 0>>().toBeNever();
  expectTypeOf<Of<typeof results.readBed, 1>>().toBeNever();
});
