import { existsSync, readFileSync } from 'node:fs';
import type { z } from 'zod';
import { given } from '../protocol/index.ts';
import type { ForHost, From, Operation, CommandSpec, Z } from './operation.ts';
import { OPERATIONS, type OperationName } from './rows.ts';

export interface InputField {
  readonly name: string;
  readonly from?: From | undefined;
  readonly isRequired: boolean;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly short?: string;
}

export interface CommandRow<Name extends string = OperationName> extends Omit<CommandSpec, 'flags' | 'from'> {
  readonly operation: Name;
  readonly does: string;
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly host?: ForHost | undefined;
  readonly fields: readonly InputField[];
  readonly flags: readonly InputField[];
}

type Described = Pick<Operation<never, unknown>, 'command' | 'does'> &
  Partial<Pick<Operation<never, unknown>, 'readOnly' | 'destructive' | 'host'>> & {
    readonly input: (zod: Z) => z.ZodType;
  };
type Table<Name extends string> = { readonly [One in Name]?: () => Promise<Described> };

/** The commands as a JSON file, which the build writes, since loading zod takes longer than many commands do. */
const BUILT_ROWS = new URL('./commands.json', import.meta.url);

export async function commandRows<Name extends string = OperationName>(
  table: Table<Name> = OPERATIONS,
): Promise<readonly CommandRow<Name>[]> {
  if (!existsSync(BUILT_ROWS)) return describeRows(table);
  const all = JSON.parse(readFileSync(BUILT_ROWS, 'utf8')) as readonly CommandRow<Name>[];
  return all.filter(({ operation }) => operation in table);
}

export async function describeRows<Name extends string>(table: Table<Name>): Promise<readonly CommandRow<Name>[]> {
  const { z } = await import('zod');
  const rows = await Promise.all(
    (Object.entries(table) as [Name, () => Promise<Described>][]).map(async ([operation, load]) => {
      const { command, input, does, readOnly, destructive, host } = await load();
      if (command === undefined) return [];
      const { flags = () => ({}), from = {}, ...typing } = command;
      const example = typing.example ?? exampleOf(typing.words);
      const row = {
        operation,
        ...typing,
        ...given({ example }),
        does,
        readOnly,
        destructive,
        host,
        fields: fieldsOf(z, input(z), from),
      };
      return [{ ...row, flags: fieldsOf(z, z.object(flags(z)), from) }];
    }),
  );
  return rows.flat();
}

function exampleOf(words: string): string | undefined {
  if (!/^[a-z-]+( <(workflow-id|node)>)*$/.test(words)) return undefined;
  return words.replace('<workflow-id>', 'plan-1').replace('<node>', 'node_3');
}

function fieldsOf({ toJSONSchema }: Z, schema: z.ZodType, from: CommandSpec['from'] = {}): readonly InputField[] {
  const { properties = {}, required = [] } = toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => ({
    ...(property as object),
    name,
    from: from[name],
    isRequired: required.includes(name),
  }));
}

export function readsFile({ from = 'none' }: InputField): boolean {
  return ['document', 'object', 'source', 'source-fields'].includes(from);
}
