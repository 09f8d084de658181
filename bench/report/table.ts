/** The Markdown table of the bench beside other engines, with notes below it. */

import { axesOf, shown, type Line } from './lines.ts';

/**
 * A row for each case and a column for each engine. Each value stands before the one without the engine's smallest run,
 * in brackets; `-` has its reason in a note.
 */
export function tableOf(lines: readonly Line[]): string {
  const { cases, engines } = axesOf(lines);
  const lineOf = (name: string, engine: string) => lines.find((line) => line.case === name && line.engine === engine);
  const reasons: string[] = [];
  const facts: string[] = [];
  const rows = cases.map((name) => {
    const cells = engines.map((engine) => {
      const line = lineOf(name, engine);
      if (line !== undefined && 'cannot' in line) return `-${noteOf(`${engine}, ${name}: ${line.cannot}.`)}`;
      if (line?.facts !== undefined) facts.push(`- ${name}, ${engine}: ${listed(line.facts)}.`);
      return line?.net === undefined ? shown(line) : `${shown(line)} (${shown(line, line.net)})`;
    });
    return [`${name}, ${lines.find((line) => line.case === name)?.unit}`, ...cells];
  });
  const heads = engines.map((engine) => {
    const { version = '', label = '' } = lines.find((line) => line.engine === engine) ?? {};
    return { title: `${engine} ${version}`.trim(), label };
  });
  const table = [['plan', ...heads.map(({ title }) => title)], ['---', ...heads.map(() => '---')], ...rows];
  const labels = heads.filter(({ label }) => label !== '').map(({ title, label }) => `- ${title}: ${label}.`);
  const notes = reasons.map((reason, at) => `${at + 1}. ${reason}`);
  const parts = [table.map((cells) => `| ${cells.join(' | ')} |`), labels, facts, notes];
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n');

  function noteOf(reason: string): string {
    return ` (note ${reasons.push(reason)})`;
  }
}

function listed(facts: Readonly<Record<string, number>>): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
    .join(', ');
}
