/** A result on stdout, in the form that was asked for. */

import { OperationError } from '../operations/index.ts';
import type { Output } from './terminal/index.ts';

type FileShape = 'bed' | 'gff3' | 'tsv' | undefined;

/** @throws OperationError USAGE where stdout gets no text that could have the shape */
export function setForm(format: FileShape, output: Output): 'json' | 'ids' | 'bed' | 'gff3' | 'tsv' {
  if (output.format === 'text') return format ?? 'ids';
  if (format === undefined) return 'json';
  throw new OperationError('USAGE', `--format ${format} is a text, and -o ${output.format} is none; give one of them`);
}

type Given =
  | { readonly kind: 'set' | 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'set'; readonly records: readonly unknown[] };

/** A set has one id a line, or the lines of its file; with jsonl one record a line. */
export function printSet(result: Given, output: Output): void {
  const text = () => ('text' in result ? result.text : 'value' in result ? JSON.stringify(result.value, null, 2) : '');
  const lines = 'records' in result ? () => result.records : undefined;
  output.print({ ok: true, ...result }, text, lines);
}
