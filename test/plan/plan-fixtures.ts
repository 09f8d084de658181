import { readFileSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';
import type { CompileOptions } from '../../src/plan/index.ts';
import { exampleCatalogue, type ExampleCatalogue } from './example-catalogue.ts';

export interface ExpectedIssue {
  readonly code: string;
  readonly path: string;
}

export interface InvalidPlan {
  readonly name: string;
  readonly document: Uint8Array;
  readonly options: CompileOptions;
  readonly expected: readonly ExpectedIssue[];
}

const FOLDER = new URL('../fixtures/plans/', import.meta.url);

/** Every plan of the table, in the bytes of its document, or of its file. */
export function invalidPlans(): readonly InvalidPlan[] {
  const table = parse(readFileSync(new URL('invalid.yaml', FOLDER), 'utf8')) as Readonly<Record<string, Row>>;
  return Object.entries(table).map(([name, { document, options = {}, issues }]) => ({
    name,
    document:
      document === undefined
        ? readFileSync(new URL(`invalid/${name}.json`, FOLDER))
        : Buffer.from(JSON.stringify(document)),
    options: optionsOf(options),
    expected: issues.map((issue) => {
      const [code = '', ...path] = issue.split(' ');
      return { code, path: path.join(' ') };
    }),
  }));
}

interface Row {
  readonly document?: unknown;
  readonly options?: object;
  readonly issues: readonly string[];
}

/** Every `<name>.json` of the folder `valid`; their digests are a golden file beside them. */
export function validPlans(): readonly { readonly name: string; readonly text: string }[] {
  return planNames(readdirSync(new URL('valid/', FOLDER)))
    .filter((name) => name !== 'digests')
    .map((name) => ({ name, text: readFileSync(new URL(`valid/${name}.json`, FOLDER), 'utf8') }));
}

function planNames(files: readonly string[]): readonly string[] {
  return files.filter((file) => /^[^.]+\.json$/.test(file)).map((file) => file.slice(0, -'.json'.length));
}

function optionsOf(written: object): CompileOptions {
  const { catalogue, ...options } = written as Omit<CompileOptions, 'catalogue'> & {
    readonly catalogue?: ExampleCatalogue;
  };
  return catalogue === undefined ? options : { ...options, catalogue: exampleCatalogue(catalogue) };
}
