/** `planwright demo [name]`. */

import type { Action } from '../act.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import { DEMOS, loadDemo } from './demos.ts';
import { runDemo } from './run-demo.ts';
import { loadStory, type DemoOptions } from './story.ts';

export const showDemo: Action<DemoOptions> = async (options, output, name) => {
  if (name === undefined) {
    const lines = DEMOS.map((demo) => `${demo.name}  ${demo.title}`);
    output.print(
      { ok: true, demos: DEMOS },
      () => lines.join('\n'),
      () => DEMOS,
    );
    return exitCode('done');
  }
  const found = DEMOS.find((demo) => demo.name === name);
  if (found === undefined) {
    throw new CliError('NO_DEMO', `there is no demo "${name}"; there is ${DEMOS.map((demo) => demo.name).join(', ')}`);
  }
  if (found.asks && !options.yes && !output.canAsk) {
    output.note('The demo asks a person to approve its plan, and nobody is at a terminal here.');
    output.note(`Approve it in advance with: npx planwright demo ${name} --yes`);
    return exitCode('waiting');
  }
  return runDemo(await loadDemo(name), await loadStory(name), options, output);
};
