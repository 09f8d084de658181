import { durationText, tickText } from '../../plan/text/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import type { NodeEntry } from './fold.ts';

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Axis {
  place(at: number): number;
  readonly from: number;
  readonly now: number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  readonly idle: readonly (Stretch & { readonly why: string })[];
}

export interface Times {
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  /** The reason for an idle stretch, such as `waited for operator`. */
  readonly why: (stretch: Stretch) => string;
}

/**
 * Folds idle stretches that last over `ms` and over `share` of the run, the longest first and at most `most`, to
 * `percent` of the axis.
 */
const FOLDED = { ms: 30_000, share: 0.1, most: 4, percent: 7 };
/** Number of steps in which a running run's axis grows, so that bars do not move all the time. */
const STEPS = 100;
const TICKS = { most: 6, apart: 16 };
const NICE_MS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400,
].map((seconds) => seconds * 1000);
const UNDER_WAY: ReadonlySet<string> = new Set(['running', 'queued', 'waiting']);

export function axisOf(entries: readonly NodeEntry[], { startedAt, endedAt, why }: Times): Axis | undefined {
  const from = Date.parse(startedAt);
  const end = Math.max(endedAt === undefined ? Date.now() : Date.parse(endedAt), from + 1);
  if (Number.isNaN(from + end)) return undefined;
  const busy = entries.flatMap((entry) => stretchOf(entry, end) ?? []);
  const gaps = gapsIn(busy, { from, to: end }).filter(
    (gap) => lengthOf(gap) > Math.max(FOLDED.ms, FOLDED.share * (end - from)),
  );
  const idle = gaps
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, FOLDED.most)
    .map((gap) => ({ ...gap, why: why(gap) }));
  const active = end - from - idle.reduce((sum, gap) => sum + lengthOf(gap), 0);
  const length = endedAt === undefined ? 2 ** Math.ceil(Math.log2(Math.max(1000, active))) : Math.max(1, active);
  const share = (100 - FOLDED.percent * idle.length) / length;
  const place = (at: number) => {
    const shown = Math.max(0, at - from);
    const folds = idle.map((gap) => {
      const before = Math.min(Math.max(at, gap.from), gap.to) - gap.from;
      return before * (FOLDED.percent / lengthOf(gap) - share);
    });
    return Math.min(100, Math.round(10 * folds.reduce((sum, fold) => sum + fold, shown * share)) / 10);
  };
  const step = length / STEPS;
  const now = endedAt === undefined ? from + Math.ceil((end - from) / step) * step : end;
  return { place, from, now, idle, ticks: ticksOf({ from, to: from + length + (end - from - active) }, idle, place) };
}

function lengthOf({ from, to }: Stretch): number {
  return to - from;
}

/** The start and end of a node's bar. If a node asks a person, its bar ends with the question. */
function stretchOf({ node, standing = 'pending' }: NodeEntry, end: number): Stretch | undefined {
  if (node?.scheduledAt === undefined) return undefined;
  const from = Date.parse(node.scheduledAt);
  const to = node.endedAt === undefined ? (UNDER_WAY.has(standing) ? end : NaN) : Date.parse(node.endedAt);
  return Number.isNaN(from + to) ? undefined : { from, to };
}

function gapsIn(busy: readonly Stretch[], whole: Stretch): readonly Stretch[] {
  const gaps: Stretch[] = [];
  let last = whole.from;
  for (const { from, to } of busy.toSorted((a, b) => a.from - b.from)) {
    if (from > last) gaps.push({ from: last, to: from });
    last = Math.max(last, to);
  }
  return last < whole.to ? [...gaps, { from: last, to: whole.to }] : gaps;
}

function ticksOf(whole: Stretch, idle: Axis['idle'], place: Axis['place']): Axis['ticks'] {
  const active = lengthOf(whole) - idle.reduce((sum, gap) => sum + lengthOf(gap), 0);
  const step = NICE_MS.find((ms) => active / ms <= TICKS.most) ?? active / TICKS.most;
  const ticks: { at: number; label: string }[] = [];
  for (const piece of gapsIn(idle, whole)) {
    for (let ms = Math.ceil((piece.from - whole.from) / step) * step; ms <= piece.to - whole.from; ms += step) {
      const at = place(whole.from + ms);
      const isNear = at - (ticks.at(-1)?.at ?? -Infinity) < TICKS.apart;
      if (!isNear && at <= 100 - TICKS.apart) ticks.push({ at, label: step < 1000 ? durationText(ms) : tickText(ms) });
    }
  }
  return ticks;
}

export function axisHtml({ ticks, idle, place }: Axis): Html {
  const marks = ticks.map(({ at, label }) => html`<text class="tail" x="${at}%" y="13">${label}</text>`);
  const words = idle.map((gap) => html`<p class="meta">idle ${durationText(lengthOf(gap))}, ${gap.why}</p>`);
  return html`<li class="axis"><div>${words}</div><svg class="bar" aria-hidden="true">${marks}${foldsOf(idle, place)}</svg></li>`;
}

function foldsOf(idle: Axis['idle'], place: Axis['place']): HtmlPiece {
  return idle.map(({ from, to }) => html`<line class="fold" x1="${place(from)}%" x2="${place(to)}%" y1="22" y2="22"/>`);
}

/** The bar of nodes: light until a worker has the node, hatched during waits, with marks at new attempts. */
export function barOf(entries: readonly NodeEntry[], axis: Axis, waitsFor = 'a person'): Html | '' {
  const { place, from, now } = axis;
  const stretches = entries.flatMap((entry) => stretchOf(entry, now) ?? []);
  if (stretches.length === 0) return '';
  const [began, ended] = [Math.min(...stretches.map((one) => one.from)), Math.max(...stretches.map((one) => one.to))];
  const starts = entries.flatMap(({ node }) => (node?.startedAt === undefined ? [] : [Date.parse(node.startedAt)]));
  const started = starts.length === 0 ? began : Math.min(...starts);
  if (!Number.isFinite(began + started + ended)) return '';
  const [first] = entries;
  const { standing = 'pending' } = first ?? {};
  const isWaiting = standing === 'waiting';
  const [left, middle, right] = [place(began), place(started), place(ended)];
  const label = isWaiting ? `waits for ${waitsFor}` : durationText(ended - began);
  const words = `${durationText(began - from)} after the start, for ${durationText(ended - began)}${isWaiting ? `, ${label}` : ''}`;
  const { attempt = 1, before = 'it failed' } = first?.node ?? {};
  const again =
    attempt > 1 && html`<text class="again" x="${middle}%" y="26">×<title>attempt ${attempt}: ${before}</title></text>`;
  const waits = isWaiting && html`<line class="hatched" x1="${right}%" x2="${place(now)}%" y1="22" y2="22"/>`;
  return html`<svg class="bar" role="img" aria-label="${words}"><title>${words}</title>
    <text class="tail" x="${Math.min(left, 70)}%" y="13">${label}</text>
    <rect class="queue ${standing}" x="${left}%" width="${round(middle - left)}%" y="18" height="8"/>
    <rect class="${standing}" x="${middle}%" width="${Math.max(0.4, round(right - middle))}%" y="18" height="8"/>${waits}${again}</svg>`;
}

function round(percent: number): number {
  return Math.max(0, Math.round(10 * percent) / 10);
}
