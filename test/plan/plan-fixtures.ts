import { readFileSync, readdirSync } from 'node:fs';
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

/** Every `<name>.json` of the folder `invalid`, with `<name>.issues.json` and, where there is one, `<name>.options.json`. */
export function invalidPlans(): readonly InvalidPlan[] {
  const files = readdirSync(new URL('invalid/', FOLDER));
  return planNames(files).map((name) => ({
    name,
    document: readFileSync(new URL(`invalid/${name}.json`, FOLDER)),
    options: files.includes(`${name}.options.json`) ? optionsOf(readJson(`invalid/${name}.options.json`)) : {},
    expected: readJson(`invalid/${name}.issues.json`) as readonly ExpectedIssue[],
  }));
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

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, FOLDER), 'utf8'));
}

function optionsOf(written: unknown): CompileOptions {
  const { catalogue, ...options } = written as Omit<CompileOptions, 'catalogue'> & {
    readonly catalogue?: ExampleCatalogue;
  };
  return catalogue === undefined ? options : { ...options, catalogue: exampleCatalogue(catalogue) };
}
