/** A case that is added to a file: behind the others, which stay as they are written, or not at all. */

import { link, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { isSeq, parseDocument } from 'yaml';
import { messageOf, quote } from '../../plan/text/index.ts';
import { readCases, type EvalCase } from './case.ts';

/** The file stays as it was; the message says why. */
export class CaseFileError extends Error {
  override readonly name = 'CaseFileError';
}

/**
 * Writes the file anew beside its place, and moves it there when it is whole: whoever reads it meanwhile reads the one
 * before. A file that is not there is made.
 * @returns how many cases it has now
 * @throws CaseFileError where it has a case of this name, is no list of cases, or somebody else writes it
 */
export async function appendCase(file: string, added: EvalCase): Promise<number> {
  const place = await realpath(file).catch(() => file);
  const beside = `${place}.new`;
  const written = await open(beside, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw new CaseFileError(
      error.code === 'EEXIST' ? besideIsThere(beside) : `${file} cannot be written: ${error.message}`,
    );
  });
  try {
    const before = await contentOf(place);
    const { content, count } = withCase(before ?? '', file, added);
    await written.writeFile(content);
    if (before !== undefined) await written.chmod((await stat(place)).mode);
    await written.sync();
    if ((await contentOf(place)) !== before)
      throw new CaseFileError(`${file} was changed meanwhile; add the case again`);
    // A file that came into being since then is not replaced.
    await (before === undefined ? link(beside, place).then(() => unlink(beside)) : rename(beside, place));
    return count;
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    if (error instanceof CaseFileError) throw error;
    throw new CaseFileError(`${file} cannot be written: ${messageOf(error)}`, { cause: error });
  } finally {
    await written.close();
  }
}

function besideIsThere(beside: string): string {
  return `${beside} is there: another command is adding a case, or was killed while it did; if none runs, delete that file`;
}

async function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

const EMPTY_LIST = /^\s*\[\s*\]\s*$/;

function withCase(before: string, file: string, added: EvalCase) {
  const isNew = before.trim() === '' || EMPTY_LIST.test(before);
  const { cases, problems } = isNew ? { cases: [], problems: [] } : readCases(before, file);
  if (problems.length > 0) throw new CaseFileError(`${problems.join('; ')}. Mend the file first`);
  const { name } = added;
  if (cases.some((one) => one.name === name)) {
    throw new CaseFileError(`${file} has a case ${quote(name)} already; give this one another name`);
  }
  const content = /\.json$/i.test(file) ? inJson(before.trim() === '' ? '[]\n' : before, added) : inYaml(before, added);
  const after = readCases(content, file);
  if (after.problems.length > 0) throw new CaseFileError(`the case does not fit: ${after.problems.join('; ')}`);
  return { content, count: after.cases.length };
}

/** The text before the last bracket stays as it is. */
function inJson(before: string, added: EvalCase): string {
  const end = before.lastIndexOf(']');
  const others = before.slice(0, end).trimEnd();
  const text = JSON.stringify(added, null, 2).replaceAll(/^/gm, '  ');
  return `${others}${others.endsWith('[') ? '' : ','}\n${text}\n${before.slice(end)}`;
}

function inYaml(before: string, added: EvalCase): string {
  const document = parseDocument(before);
  if (isSeq(document.contents)) document.add(document.createNode(added));
  else document.contents = document.createNode([added]) as never;
  return document.toString({ lineWidth: 0 });
}
