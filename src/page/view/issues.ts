/** The issues of a plan document, each below the line that it is about. */

import type { PlanIssue } from '../../language/plan/index.ts';
import { counted, cutCharacters } from '../../language/text/index.ts';
import { html, type Html, type Piece } from '../markup.ts';

/** Lines of a document around its issues, characters of a line, and issues that are shown. */
const SHOWN = { around: 2, characters: 300, issues: 100 };

interface Judged {
  readonly document: string;
  readonly issues: readonly PlanIssue[];
  /** What is odd about the files that it reads. */
  readonly seen: readonly string[];
}

export function issueList({ document, issues, seen }: Judged): Piece {
  if (issues.length === 0 && seen.length === 0) return html`<p class="said" role="status">No issues.</p>`;
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  const lines = document.split(/\r?\n/);
  const shown = issues.slice(0, SHOWN.issues);
  const placed = shown.filter(({ line }) => line !== undefined);
  const others = shown.filter(({ line }) => line === undefined);
  const near = new Set(
    placed.flatMap(({ line = 1 }) => Array.from({ length: 2 * SHOWN.around + 1 }, (_, at) => line - SHOWN.around + at)),
  );
  const rows = [...near].filter((line) => line >= 1 && line <= lines.length).toSorted((a, b) => a - b);
  return html`<section class="issues" aria-label="Issues">
    <p role="status"><b>${counted(errors, 'error')}</b>, ${counted(issues.length - errors + seen.length, 'note')}</p>
    ${others.map(issueItem)}${seen.map((text) => html`<p class="issue warning">${text}</p>`)}${
      rows.length > 0 &&
      html`<ol class="source">
        ${rows.map(
          (line) =>
            html`<li value="${line}">
              <code>${cutCharacters(lines[line - 1] ?? '', SHOWN.characters)}</code>${placed.filter((one) => one.line === line).map(issueItem)}
            </li>`,
        )}
      </ol>`
    }${issues.length > shown.length && html`<p>and ${counted(issues.length - shown.length, 'more issue')}</p>`}
  </section>`;
}

export function issueItem({ severity, code, path, message, column }: PlanIssue): Html {
  return html`<p class="issue ${severity}">
    <b>${severity}[${code}]</b> ${column !== undefined && `column ${column}, `}${path}: ${message}
  </p>`;
}
