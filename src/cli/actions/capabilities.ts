/** `planwright capabilities`. */

import { z } from 'zod';
import type { Capability } from '../../capabilities/index.ts';
import type { GlobalOptions } from '../act.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { requireProject, type ProjectOptions } from './open-project.ts';
import { table } from './table.ts';

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

function recordOf({ name, version, effect, output, description, input }: Capability) {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return { name, version, effect, output, description, arguments: schema };
}

function textOf(all: readonly Capability[], byDefault: string | undefined): string {
  const rows = all.map(({ name, version, effect, output, description }) => [
    `${name}@${version}`,
    effect,
    output,
    description,
  ]);
  const last = byDefault === undefined ? '' : `\n\ndefault: ${byDefault}`;
  return `${table([['capability', 'effect', 'output', 'description'], ...rows])}${last}`;
}
