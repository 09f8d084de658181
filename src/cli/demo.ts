/** `planwright demo`: tells the story of a demo, or lists the demos. */

import { findDemo, loadExamples } from '../edge/project/index.ts';
import type { Output } from './terminal/index.ts';
import { OperationError } from '../operations/index.ts';
import { exitCode } from '../operations/index.ts';
import type { GlobalOptions } from './global-options.ts';
import { userName } from './reading/index.ts';
import { typedModel } from './typed-model.ts';

export interface DemoOptions {
  readonly yes?: true | undefined;
  readonly keep?: true | undefined;
  /** Milliseconds. */
  readonly pace: number;
  readonly kill: boolean;
  readonly goal?: true | undefined;
  readonly reactive?: true | undefined;
  /** The address of a server that speaks OpenAI's protocol. */
  readonly model?: string | undefined;
  readonly modelName?: string | undefined;
}

/** Approves where nobody is at a terminal, as in CI: a demo decides nothing but its own run. */
const ITSELF = 'demo';

export async function demo(options: DemoOptions & GlobalOptions, output: Output, name?: string): Promise<number> {
  const { DEMOS, play } = await loadExamples();
  if (name === undefined) {
    const listed = DEMOS.map(({ name: named, title, asks }) => ({ name: named, title, asks }));
    output.print(
      { ok: true, demos: listed },
      () => listed.map((one) => `${one.name}  ${one.title}`).join('\n'),
      () => listed,
    );
    return exitCode('done');
  }
  const found = await findDemo(name);
  if (!found.ok) throw new OperationError('NO_DEMO', found.message);
  const { yes = false, keep = false, pace: paceMs, kill, goal = false } = options;
  const { planner } = found.demo;
  if (options.reactive === true && found.demo.reactive !== true) {
    const reactive = DEMOS.flatMap((one) => (one.reactive === true ? [one.name] : []));
    throw new OperationError(
      'USAGE',
      `${name} is not told step by step; leave out --reactive, or name ${reactive.join(' or ')}`,
    );
  }
  if (planner === 'none' && (goal || options.model !== undefined)) {
    const why = options.reactive === true ? 'asks its scripted model alone' : 'asks no model';
    throw new OperationError('USAGE', `${name} ${why}; leave out ${goal ? '--goal' : '--model'}`);
  }
  const model = await typedModel(options);
  const isAlone = !yes && !output.canAsk;
  if (isAlone && found.demo.asks) output.note(`Nobody can be asked here: the demo approves as "${ITSELF}".`);
  const { BACKSTAGE } = await import('./backstage.ts');
  const fromGoal = goal || model !== undefined || planner === 'always';
  const told = {
    yes: yes || isAlone,
    keep,
    paceMs,
    kill,
    by: isAlone ? ITSELF : userName(undefined),
    fromGoal,
    ...(model !== undefined && { model }),
    ...(options.reactive === true && { reactive: options.reactive }),
  };
  return exitCode(await play(found.demo, told, output, BACKSTAGE));
}
