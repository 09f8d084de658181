import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

const FOLDER = new URL('../fixtures/golden/', import.meta.url);
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

/** Compares a text with the file of that name, or of that path from the folder; with `UPDATE_GOLDEN=1` writes the file instead, to be read in the diff. */
export function expectGolden(name: string, text: string): void {
  const file = new URL(name, FOLDER);
  const ended = text.endsWith('\n') ? text : `${text}\n`;
  if (UPDATE) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, ended);
  }
  expect(ended).toBe(readFileSync(file, 'utf8'));
}
