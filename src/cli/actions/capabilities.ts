/** `planwright capabilities`: what the tasks of a project can do. */

import { z } from 'zod';
import type { Capability } from '../../capabilities/index.ts';
import type { ProjectOptions } from '../../project/index.ts';
import type { Output } from '../../terminal/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { requireProject } from '../require-project.ts';
import { table } from '../showing/index.ts';

export async function capabilities(options: ProjectOptions & GlobalOptions, output: Output): Promise<number> {
  const { registry } = await requireProject(options, 'capabilities');
  const byDefault = registry.defaultExecutor?.name;
  const records = registry.all.map(recordOf);
  const text = () => textOf(registry.all, byDefault);
  output.print(
    { ok: true, capabilities: records, ...(byDefault !== undefined && { default: byDefault }) },
    text,
    () => records,
  );
  return exitCode('done');
}

function recordOf({ name, version, kind, effect, output, cost, description, input }: Capability) {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const asked = { ...(kind !== undefined && { kind }), ...(cost !== undefined && { cost }) };
  return { name, version, ...asked, effect, output, description, arguments: schema };
}

function textOf(all: readonly Capability[], byDefault: string | undefined): string {
  const rows = all.map(({ name, version, kind, effect, output, cost, description }) => [
    `${name}@${version}`,
    kind === 'wait' ? 'asks a person' : effect,
    output,
    cost === undefined ? '' : String(cost),
    description,
  ]);
  const last = byDefault === undefined ? '' : `\n\ndefault: ${byDefault}`;
  return `${table([['capability', 'effect', 'output', 'cost', 'description'], ...rows])}${last}`;
}
