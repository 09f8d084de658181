/** Judges a scenario by its ledger and by the histories that the server kept: what may never be, rule by rule. */

import { deedsOf, type Deed, type Ended, type Line, type Said, type WordKind } from './ledger.ts';

/** An activity whose completion is in the history of its run. */
export interface Completion {
  readonly run: string;
  readonly activity: string;
  /** Milliseconds since 1970, by the clock of the same machine. */
  readonly at: number;
  /** When it was scheduled: a repetition that a person asked for is another activity under the same id. */
  readonly since: number;
}

/** A history that does not replay, or a run whose workflow task fails again and again. */
export interface Broken {
  readonly run: string;
  readonly how: 'no-replay' | 'failing';
  readonly text: string;
}

export interface Case {
  readonly lines: readonly Line[];
  readonly completions: readonly Completion[];
  readonly broken: readonly Broken[];
}

export interface Finding {
  readonly rule: Rule;
  readonly run: string;
  readonly text: string;
}

type Judging = (scenario: Case) => readonly Finding[];

export const RULES = {
  repeated: findRepeated,
  twice: findTwice,
  unapproved: findUnapproved,
  stopped: findStopped,
  wedged: findWedged,
  lost: findLost,
  replay: findBroken,
  'gave-up': findGivenUp,
} as const satisfies Record<string, Judging>;
export type Rule = keyof typeof RULES;

/** Everything that broke a rule, in the order of the rules. */
export function judge(scenario: Case): readonly Finding[] {
  return Object.values(RULES).flatMap((rule: Judging) => rule(scenario));
}

/** No finished node is carried out again: nothing begins in an activity after its completion was recorded. */
function findRepeated({ lines, completions }: Case): readonly Finding[] {
  return deedsOf(lines, 'begin').flatMap((deed) => {
    const done = completions.find(
      ({ run, activity, since, at }) =>
        run === deed.run && activity === deed.activity && since <= deed.at && at < deed.at,
    );
    if (done === undefined) return [];
    return [finding('repeated', deed, `began ${Math.round(deed.at - done.at)} ms after its completion was recorded`)];
  });
}

/** No at-most-once effect begins twice under one key. */
function findTwice({ lines }: Case): readonly Finding[] {
  const seen = new Set<string>();
  return deedsOf(lines, 'begin').flatMap((deed) => {
    if (deed.effect !== 'at-most-once' || !seen.has(deed.key)) {
      seen.add(deed.key);
      return [];
    }
    return [finding('twice', deed, `began again under the key ${deed.key}`)];
  });
}

/** What a word decides about, and whether it lets work begin. */
const WORDS: Record<WordKind, { readonly about: 'plan' | 'pause' | 'node' | 'run'; readonly lets: boolean }> = {
  approve: { about: 'plan', lets: true },
  withdraw: { about: 'plan', lets: false },
  reject: { about: 'plan', lets: false },
  edit: { about: 'plan', lets: false },
  pause: { about: 'pause', lets: false },
  resume: { about: 'pause', lets: true },
  'cancel-node': { about: 'node', lets: false },
  'retry-node': { about: 'node', lets: true },
  cancel: { about: 'run', lets: false },
};

/**
 * No effect above read begins unless somebody has approved it. A run may know what it is told from the moment it is sent,
 * so that is what counts.
 */
function findUnapproved({ lines }: Case): readonly Finding[] {
  const words = wordsOf(lines);
  return effectsOf(lines).flatMap((deed) => {
    const isApproved = words.some((said) => isAbout(said, deed) && said.word === 'approve' && said.at <= deed.at);
    return isApproved ? [] : [finding('unapproved', deed, 'began and nobody had approved it')];
  });
}

/**
 * No effect above read begins after what forbids it was heard, unless something said since lets it. A run knows a word
 * once it has answered: what forbids counts from then on, what lets from when it was sent. A permission may be two
 * seconds old when its effect begins (docs/decisions/gate.md); half a second more is for a busy machine to write its line.
 */
const OLDEST_PERMISSION_MS = 2500;

function findStopped({ lines }: Case): readonly Finding[] {
  const words = wordsOf(lines);
  return effectsOf(lines).flatMap((deed) => {
    const about = words.filter((said) => isAbout(said, deed));
    const isLetSince = (stop: Word) =>
      about.some(({ word, at }) => {
        const { lets, about: what } = WORDS[word];
        return lets && what === WORDS[stop.word].about && at >= stop.at && at <= deed.at;
      });
    const stop = about.find(
      (said) =>
        !WORDS[said.word].lets && (said.heardAt ?? Infinity) + OLDEST_PERMISSION_MS < deed.at && !isLetSince(said),
    );
    if (stop === undefined) return [];
    const ms = Math.round(deed.at - (stop.heardAt ?? 0));
    return [finding('stopped', deed, `began ${ms} ms after ${stop.word} was heard`)];
  });
}

function effectsOf(lines: readonly Line[]): readonly Deed[] {
  return deedsOf(lines, 'begin').filter(({ effect }) => effect !== 'read');
}

function isAbout({ run, names }: Said, deed: Deed): boolean {
  return run === deed.run && (names === undefined || names.includes(deed.name));
}

/** Every run ends, with an outcome, and a failed one with a reason. */
function findWedged({ lines, broken }: Case): readonly Finding[] {
  const ends = new Map(lines.flatMap((line) => (line.kind === 'ended' ? [[line.run, line] as const] : [])));
  return lines.flatMap((line): readonly Finding[] => {
    if (line.kind !== 'opened') return [];
    const end = ends.get(line.run);
    if (end === undefined) {
      const why = broken.find(({ run, how }) => run === line.run && how === 'failing')?.text ?? '';
      return [{ rule: 'wedged', run: line.run, text: `has not ended${why === '' ? '' : `: ${why}`}` }];
    }
    if (hasReason(end)) return [];
    return [{ rule: 'wedged', run: line.run, text: `ended as ${end.how} ${end.outcome} without a reason` }];
  });
}

function hasReason({ how, outcome, reason }: Ended): boolean {
  return outcome !== '' && (how === 'completed' || reason !== '');
}

/** All work of a run that is done has ended. */
function findLost({ lines }: Case): readonly Finding[] {
  const done = new Set(lines.flatMap((line) => (line.kind === 'ended' && line.outcome === 'done' ? [line.run] : [])));
  const ended = new Set(deedsOf(lines, 'end').map(({ run, name }) => `${run} ${name}`));
  return lines.flatMap((line): readonly Finding[] => {
    if (line.kind !== 'opened' || !done.has(line.run)) return [];
    const lost = line.names.filter((name) => !ended.has(`${line.run} ${name}`));
    return lost.map((name) => ({ rule: 'lost', run: line.run, text: `is done and ${name} was never carried out` }));
  });
}

/** Every history replays. */
function findBroken({ broken }: Case): readonly Finding[] {
  return broken.flatMap(({ run, how, text }) => (how === 'no-replay' ? [{ rule: 'replay', run, text }] : []));
}

/** Who waits for the end of a run waits through every outage. */
function findGivenUp({ lines }: Case): readonly Finding[] {
  return lines.flatMap((line) =>
    line.kind === 'gave-up' ? [{ rule: 'gave-up', run: line.run, text: `waiting for its end gave ${line.text}` }] : [],
  );
}

interface Word extends Said {
  readonly heardAt?: number;
}

function wordsOf(lines: readonly Line[]): readonly Word[] {
  const replies = new Map(
    lines.flatMap((line) => (line.kind === 'heard' || line.kind === 'refused' ? [[line.id, line] as const] : [])),
  );
  return lines.flatMap((line) => {
    if (line.kind !== 'said') return [];
    const reply = replies.get(line.id);
    if (reply?.kind === 'refused') return [];
    return [{ ...line, ...(reply !== undefined && { heardAt: reply.at }) }];
  });
}

function finding(rule: Rule, { run, name, activity }: Deed, text: string): Finding {
  return { rule, run, text: `${name} (${activity}) ${text}` };
}
