/** The commands of the table, as plain data: what is typed, in which words, and how each word becomes a field of the input. */

import { readFileSync } from 'node:fs';
import { typedFrom, type From, type Typing } from './operation.ts';
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

export interface CommandRow extends Typing {
  readonly operation: OperationName;
  readonly does: string;
  readonly fields: readonly Field[];
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
      const { command, does, input } = await load();
      if (command === undefined) return [];
      const schema = input(z);
      const { shape } = schema as unknown as { readonly shape: Readonly<Record<string, object>> };
      const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      const fields = Object.entries(properties).map(([field, known]): Field => ({
        ...(known as object),
        name: field,
        from: typedFrom(shape[field]!),
        isRequired: required.includes(field),
      }));
      return [{ operation: name as OperationName, ...command, does, fields }];
    }),
  );
  return rows.flat();
}

/** Whether what is typed is the name of a file, or `-` for standard input. */
export function readsFile({ from = 'none' }: Field): boolean {
  return ['cases', 'document', 'object', 'source', 'source-fields', 'track'].includes(from);
}
