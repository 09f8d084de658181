/** A plan document with each issue below its line. */

import type { PlanIssue } from '../../plan/index.ts';
import { counted, cutCharacters } from '../../plan/text/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { andMore } from './layout.ts';

/** Context lines, characters per line, and issues; the rest is counted. */
const SHOWN = { around: 2, characters: 300, issues: 100 };

export interface Judged {
  readonly document: string;
  readonly issues: readonly PlanIssue[];
  /** Remarks about the plan's files. */
  readonly seen: readonly string[];
}

export function issueList({ document, issues, seen }: Judged): HtmlPiece {
  if (issues.length === 0 && seen.length === 0) return html`<p class="said" role="status">No issues.</p>`;
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  const visible = issues.slice(0, SHOWN.issues);
  return html`<section>
    <p role="status">${counted(errors, 'error')}, ${counted(issues.length - errors + seen.length, 'note')}</p>
    ${visible.filter(({ line }) => line === undefined).map(issueItem)}
    ${seen.map((text) => html`<p class="issue warning">${text}</p>`)}
    <ol class="source">${linesAround(document, visible)}</ol>
    ${andMore(issues.length - visible.length, 'issue')}
  </section>`;
}

function linesAround(document: string, issues: readonly PlanIssue[]): HtmlPiece {
  const lines = document.split('\n');
  const isNear = (at: number) => issues.some(({ line }) => line !== undefined && Math.abs(line - at) <= SHOWN.around);
  return lines.flatMap((text, place) => {
    const at = place + 1;
    if (!isNear(at)) return [];
    const here = issues.filter(({ line }) => line === at).map(issueItem);
    return [html`<li value="${at}"><code>${cutCharacters(text, SHOWN.characters)}</code>${here}</li>`];
  });
}

export function issueItem({ severity, code, path, message, column }: PlanIssue): Html {
  const place = column !== undefined && `column ${column}, `;
  return html`<p class="issue ${severity}"><b>${severity}[${code}]</b> ${place}${path}: ${message}</p>`;
}
