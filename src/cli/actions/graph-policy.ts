/** `planwright graph --policy`: how the loops of a project decide, drawn from the list of stages that runs. */

import { modelPolicy } from '../../loop/index.ts';
import type { LoopPolicy } from '../../define/index.ts';
import { exitsOf, policyPicture } from '../../engine/policy/index.ts';
import type { ProjectOptions } from '../../edge/project/index.ts';
import type { Output } from '../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { requireProject } from '../require-project.ts';
import { table } from '../showing/index.ts';

export interface PolicyOptions extends ProjectOptions {
  readonly run?: string | undefined;
  readonly agent?: string | undefined;
  readonly format: 'mermaid' | 'tree' | 'markdown';
}

export async function graphPolicy(
  options: PolicyOptions & GlobalOptions,
  output: Output,
  file?: string,
): Promise<number> {
  if (file !== undefined || options.run !== undefined) {
    throw new CliError('USAGE', '--policy draws the policy of a project; leave the document and --run out');
  }
  const policy = await policyOf(options);
  const stages = policy.stages.map(({ name, kind, about, writes = [] }) => ({
    name,
    kind,
    ...(about !== undefined && { about }),
    writes,
  }));
  const picture = policyPicture(policy);
  const text =
    options.format === 'tree'
      ? table(stages.map(({ name, kind, about = '', writes }) => [name, kind, writes.join(', '), about]))
      : options.format === 'markdown'
        ? `# Policy ${policy.name}\n\n\`\`\`mermaid\n${picture}\`\`\`\n`
        : picture;
  output.print({ ok: true, policy: policy.name, stages, exits: exitsOf(policy), text }, () => text);
  return exitCode('done');
}

async function policyOf(options: PolicyOptions & GlobalOptions): Promise<LoopPolicy> {
  const { policy, registry } = await requireProject(options, 'graph --policy');
  const { agent } = options;
  if (agent === undefined) return policy ?? modelPolicy;
  const found = registry.agent(agent);
  if (found === undefined) {
    const known = registry.agents.length === 0 ? 'it has none' : `it has ${registry.agents.join(', ')}`;
    throw new CliError('USAGE', `--agent: the project has no agent ${agent}; ${known}`);
  }
  return found.policy ?? modelPolicy;
}
