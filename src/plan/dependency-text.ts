export interface DependencyText {
  readonly ids: readonly string[];
  /** True if the text has the expected form: ids separated by commas, or an empty text. */
  readonly isPlain: boolean;
}

const NOTHING = /^(?:none|null|nil|n\/a|-|\[\s*\])$/i;
const MAX_LENGTH = 100_000;

export function isNothing(text: string): boolean {
  return NOTHING.test(text);
}

/** Reads dependencies from one text: `1,2` (Calute), `[1, 2]`, `1; 2`, `1 2`, `1 and 2`, `step 1`, or `none`. */
export function readDependencyText(written: string): DependencyText {
  if (written === '') return { ids: [], isPlain: true };
  if (/^\d+$/.test(written)) return { ids: [written], isPlain: true };
  if (NOTHING.test(written)) return { ids: [], isPlain: false };
  const isPlain =
    /^[^\s,;[\]]+(?:\s*,\s*[^\s,;[\]]+)*$/.test(written.slice(0, MAX_LENGTH)) && !/(?:^|,)\s*steps?\s/i.test(written);
  const ids = written
    .replace(/\s+/g, ' ')
    .replace(/^\[|\]$/g, '')
    .split(/[,;]| and /i)
    .flatMap((part) => idsOf(part.trim()));
  return { ids, isPlain };
}

function idsOf(part: string): readonly string[] {
  if (part === '') return [];
  const bare = part.replace(/^steps? #?(?=\S)/i, '');
  return /^\d+(?:\s+\d+)+$/.test(bare) ? bare.split(/\s+/) : [bare];
}
