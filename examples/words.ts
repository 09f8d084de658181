/** Numbers, names and texts as people read them. */

/** @example grouped(43424) // '43,424' */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** @example counted(1, 'record') // '1 record' */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The time of day, without its date. */
export function clockText(iso: string): string {
  return `${iso.slice(11, 19)}Z`;
}

/** The text in at most `most` characters. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The text in exactly `width` characters. */
export function fit(text: string, width: number): string {
  return cut(text, width).padEnd(width);
}

export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Lines of at most `width` characters, broken between words. */
export function wrap(text: string, width: number): readonly string[] {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > width) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

/** A command in lines of at most `width` characters, which can be pasted together. A remark behind it may come first. */
export function commandLines(command: string, width: number): readonly string[] {
  if (command.length <= width) return [command];
  const [words = '', remark] = command.split(/ +# /);
  if (remark !== undefined) return [`# ${remark}`, ...commandLines(words, width)];
  const lines = wrap(command, width - 4);
  return lines.map((line, at) => `${at === 0 ? '' : '  '}${line}${at === lines.length - 1 ? '' : ' \\'}`);
}

/** As JSON has it, cut after 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(cut(text, 61));
}

/** @example listNames(['a', 'b', 'c']) // '"a", "b" or "c"' */
export function listNames(names: readonly string[]): string {
  const quoted = names.map(quote);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** A value in a word or two. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return value === null ? 'null' : 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? quote(value) : `${typeof value} ${JSON.stringify(value)}`;
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
