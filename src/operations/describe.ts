/** The commands of the table, as plain data: what is typed, in which words, and how each word becomes a field of the input. */

import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { ForHost, From, Typing, Z } from './operation.ts';
import { OPERATIONS, type OperationName } from './rows.ts';

/** A field of the input, as its JSON Schema has it. */
export interface Field {
  readonly name: string;
  readonly from?: From | undefined;
  readonly isRequired: boolean;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly default?: unknown;
  readonly description?: string;
}

export interface CommandRow extends Omit<Typing, 'flags' | 'from'> {
  readonly operation: OperationName;
  readonly does: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly host?: ForHost | undefined;
  readonly fields: readonly Field[];
  /** Those that are no part of the input. */
  readonly flags: readonly Field[];
}

/** Lies beside this file in a built package, since the rows and zod take longer to load than many commands. */
const BUILT_ROWS = new URL('./commands.json', import.meta.url);

export async function commandRows(): Promise<readonly CommandRow[]> {
  let built: string;
  try {
    built = readFileSync(BUILT_ROWS, 'utf8');
  } catch {
    return describeRows(OPERATIONS);
  }
  return JSON.parse(built) as readonly CommandRow[];
}

/** Made from the table itself, in its order. */
export async function describeRows(operations: Partial<typeof OPERATIONS>): Promise<readonly CommandRow[]> {
  const { z } = await import('zod');
  const rows = await Promise.all(
    Object.entries(operations).map(async ([name, load]) => {
      const { command, input, host, does, readOnly, destructive } = await load();
      if (command === undefined) return [];
      const { flags = () => ({}), from = {}, ...typing } = command;
      const fields = fieldsOf(z, input(z), from);
      const row = { operation: name as OperationName, ...typing, does, readOnly, destructive, host, fields };
      return [{ ...row, flags: fieldsOf(z, z.object(flags(z)), from) }];
    }),
  );
  return rows.flat();
}

function fieldsOf({ toJSONSchema }: Z, schema: z.ZodType, from: Typing['from'] = {}): readonly Field[] {
  const { properties = {}, required = [] } = toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, known]) => ({
    ...(known as object),
    name,
    from: from[name],
    isRequired: required.includes(name),
  }));
}

/** Whether what is typed is the name of a file, or `-` for standard input. */
export function readsFile({ from = 'none' }: Field): boolean {
  return ['cases', 'document', 'object', 'source', 'source-fields', 'track'].includes(from);
}
