/** Looks for a text in files, in the forms in which programs write one. */

import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The forms of a text, as bytes. Base64 has it in three ways, by where it begins; their ends depend on what stands beside it. */
function formsOf(text: string): readonly (readonly [form: string, bytes: Buffer])[] {
  const utf8 = Buffer.from(text);
  const utf16 = Buffer.from(text, 'utf16le');
  const base64 = [0, 1, 2].map((before) => {
    const written = Buffer.concat([Buffer.alloc(before), utf8]).toString('base64');
    return written.slice(Math.ceil((before * 4) / 3), -4);
  });
  return [
    ['UTF-8', utf8],
    ['UTF-16LE', utf16],
    ['UTF-16BE', Buffer.from(utf16).swap16()],
    ['hex', Buffer.from(utf8.toString('hex'))],
    ['HEX', Buffer.from(utf8.toString('hex').toUpperCase())],
    ...base64.map((one) => ['base64', Buffer.from(one)] as const),
  ];
}

/** The forms in which the text stands in the file, each with what stands around it. Empty where there is no such file. */
export async function foundIn(file: string, text: string): Promise<readonly string[]> {
  const forms = formsOf(text);
  const longest = Math.max(...forms.map(([, bytes]) => bytes.length));
  const found = new Set<string>();
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 22 })) {
      const bytes = Buffer.concat([rest, chunk as Buffer]);
      for (const [form, sought] of forms) {
        const at = bytes.indexOf(sought);
        if (at >= 0) found.add(`${form}: ${JSON.stringify(bytes.toString('latin1', Math.max(0, at - 80), at + 80))}`);
      }
      rest = bytes.subarray(-longest);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return [...found];
}

/** The same of an SQLite database that is in use: what was written lately stands beside it. */
export async function foundInDatabase(file: string, text: string): Promise<readonly string[]> {
  return (await Promise.all([file, `${file}-wal`].map((one) => foundIn(one, text)))).flat();
}

/** The same of all files below a folder, and of their names. */
export async function foundBelow(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const named = entries.flatMap(({ name }) =>
    formsOf(text).some(([, bytes]) => name.includes(bytes.toString())) ? [name] : [],
  );
  return [...named, ...(await Promise.all(files.map((file) => foundIn(file, text)))).flat()];
}
