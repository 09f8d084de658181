import { DEMO_NAMES, findDemo, loadExamples } from '../../config/project/index.ts';
import { type ExitName, flagField, OperationError, wrongUsage, textField } from '../../operations/index.ts';
import { given } from '../../protocol/index.ts';
import { byHand } from '../define-command.ts';

/** Runs a demo (docs/demo.md). Without a terminal the demo approves by itself, as `demo`. */
export const demo = byHand({
  command: {
    words: 'demo [name]',
    example: 'demo gene-strategies --yes',
    more: 'Without a name it lists the demos.',
  },
  does: 'Show a plan that is approved, killed in mid-run and finished.',
  input: (z) =>
    z.object({
      name: textField(z, `the demo: ${DEMO_NAMES.join(' or ')}`),
      yes: flagField(z, 'approve in advance, and stop everything at the end without waiting').meta({ short: '-y' }),
      keep: flagField(z, 'leave the server and the worker running'),
      // The default gives enough time to watch a run and to kill its worker in the middle.
      pace: z
        .int()
        .min(0)
        .max(60_000)
        .default(700)
        .describe('milliseconds of pause before each task and each scripted word, for the eye'),
      kill: z.boolean().default(true).describe('do not kill the worker'),
      goal: flagField(z, 'begin with the goal in words, which a scripted planner makes a plan of'),
      reactive: flagField(z, 'begin with words, and let a scripted model decide one step after the other'),
      model: textField(z, 'ask this server, which speaks the protocol of OpenAI, instead of the scripted model'),
      modelName: textField(z, 'with --model: ask this model'),
    }),
  async run({ name, reactive, ...options }, { output }): Promise<ExitName> {
    const { DEMOS, play } = await loadExamples();
    if (name === undefined) {
      const listed = DEMOS.map(({ name: named, title, asks }) => ({ name: named, title, asks }));
      output.print(
        { ok: true, demos: listed },
        () => listed.map((one) => `${one.name}  ${one.title}`).join('\n'),
        () => listed,
      );
      return 'done';
    }
    const found = await findDemo(name);
    if (!found.ok) throw new OperationError('NO_DEMO', found.message);
    const { yes = false, keep = false, pace: paceMs, kill, goal = false } = options;
    const { planner } = found.demo;
    if (reactive === true && found.demo.reactive !== true) {
      const others = DEMOS.flatMap((one) => (one.reactive === true ? [one.name] : [])).join(' or ');
      throw wrongUsage(`${name} is not told step by step; leave out --reactive, or name ${others}`);
    }
    if (planner === 'none' && (goal || options.model !== undefined)) {
      const why = reactive === true ? 'asks its scripted model alone' : 'asks no model';
      throw wrongUsage(`${name} ${why}; leave out ${goal ? '--goal' : '--model'}`);
    }
    const model = await typedModel(options);
    const isAlone = !yes && !output.canAsk;
    const { speakerOf } = await import('../reading/index.ts');
    const { by } = speakerOf({ demo: name });
    if (isAlone && found.demo.asks) output.note(`Nobody can be asked here: the demo approves as "${by}".`);
    // The text is printed first, since loading the demo takes a moment.
    const does = 'a plan is shown, approved, run on Temporal, and survives a crash.';
    output.note(`\n${output.paint('bold', 'Planwright')}: ${does}\n`);
    const { BACKSTAGE } = await import('../backstage.ts');
    const fromGoal = goal || model !== undefined || planner === 'always';
    const settings = { yes: yes || isAlone, keep, paceMs, kill, by, fromGoal, ...given({ model, reactive }) };
    return play(found.demo, settings, output, BACKSTAGE);
  },
});

/** Reads the typed model. @throws OperationError USAGE that says what to type */
async function typedModel({
  model,
  modelName: name,
}: { readonly [Name in 'model' | 'modelName']?: string | undefined }) {
  if (model === undefined && name === undefined) return undefined;
  if (model === undefined || name === undefined)
    throw wrongUsage('--model URL, the address of a server, and --model-name NAME go together');
  const settings = { baseURL: model.replace(/\/+$/, ''), name };
  const { modelSettingsProblem } = await import('../../config/index.ts');
  const problem = modelSettingsProblem(settings);
  if (problem !== undefined) throw wrongUsage(`--model: ${problem}`);
  return settings;
}
