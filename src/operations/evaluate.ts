/** Cases are planned by the model of the project and graded: nothing runs, and no server is needed. */

import { compareReports, LIMITS, readCases, readReport, runCases } from './evaluation/index.ts';
import { createFileStore, resultsIn } from '../store/index.ts';
import { given } from '../protocol/index.ts';
import { OperationError } from './operation-error.ts';
import { operation, type Z } from './operation.ts';
import { chosenPlanner, namedModel } from './models-of.ts';
import { needProject } from './plans.ts';

const file = (z: Z) => z.object({ name: z.string().describe('of the file, for messages'), content: z.string() });

/**
 * Plans the goal of each case, or decides its loop, and shows a line for each case; nothing of it runs
 * (docs/evaluation.md). Exits 1 where an attempt failed, or as `--against` says; 2 where a case of the file is wrong:
 * the others are evaluated all the same.
 *
 * JSON, which is also the report for `--against`:
 * `{"ok","passed","problems","version","model","repeat","pass1","passK","cases","usage","bought","reused","comparison"?}`.
 */
export const evaluate = operation({
  command: {
    words: 'eval run <cases>',
    example: 'eval run cases.json --repeat 3 -o json > report.json',
    place: ['config', 'demo', 'timeout'],
    from: { cases: 'cases', against: 'cases' },
  },
  does: 'Plans the goals of cases by the model of the project, and grades the plans. Costs what the calls of the model cost.',
  input: (z) =>
    z.object({
      cases: file(z).describe('file of cases, in JSON or YAML'),
      against: file(z)
        .optional()
        .describe('compare with this report; exits 1 where a case is worse, or new and failed'),
      repeat: z.int().min(1).max(LIMITS.repeats).default(1).describe('plans made of each case, at most 100'),
      journal: z
        .string()
        .default('.planwright/eval')
        .describe('replies are kept in this folder, so that a second run costs nothing'),
      ...namedModel(z),
    }),
  async run(plans, { cases: from, against, repeat, journal, ...named }, { signal, hear } = {}) {
    const earlier = against === undefined ? undefined : readReport(against.content);
    if (typeof earlier === 'string') {
      throw new OperationError('INPUT_INVALID', `${against?.name} is no report of planwright eval: ${earlier}`);
    }
    const { cases, problems } = readCases(from.content, from.name);
    for (const problem of problems) hear?.({ is: 'problem', text: problem });
    if (cases.length === 0) {
      throw new OperationError('INPUT_INVALID', `no case of ${from.name} is right: ${problems.join('; ')}`, {
        problems,
      });
    }
    const project = await needProject(plans, 'eval run CASES');
    const report = await runCases(cases, {
      ...chosenPlanner(project, named),
      policy: project.policy,
      store: resultsIn(createFileStore(journal), 'evaluations'),
      repeat,
      hear: (name, { passed }) => hear?.({ is: 'attempt', text: `${passed ? 'passed' : 'failed'} ${name}` }),
      ...given({ signal }),
    });
    const comparison = earlier && compareReports(report, earlier);
    // A case that failed before as well is no news for a comparison; a new one that fails is.
    const changed = new Map(comparison?.changes.map(({ name, change }) => [name, change]));
    const bad = report.cases.filter((one) => {
      const change = changed.get(one.name) ?? 'new';
      return change === 'worse' || (change === 'new' && one.pass1 < 1);
    });
    return { passed: bad.length === 0, problems, ...report, ...given({ comparison }) };
  },
});
