/** Removes the key of a model server from every text: servers echo what they received. */

/** A shorter key is a placeholder for a local server; removing it would damage ordinary words. */
const SHORTEST_KEY = 8;
const TAKEN_OUT = '[key]';
/** Texts that look like a key: servers show the ends of one, and a wrong key may be valid elsewhere. */
const KEY_LIKE = /\b(?:sk|pk|rk)-[\w*.\u2022-]{6,}|\bBearer\s+[\w.~+/=*-]{8,}/gi;

export interface Secret {
  /** The text of an error without the key, and without anything that looks like one. */
  hideIn(text: string): string;
  /** The text of a reply without the key; it may contain what only looks like one. */
  hideExactIn(text: string): string;
  /** As `hideExactIn`, for a text in pieces. A piece that may be the beginning of the key is delayed. */
  hideInPieces(onPiece: (piece: string) => void): { add(piece: string): void; end(): void };
}

export function createSecret(...keys: readonly (string | undefined)[]): Secret {
  // The longest first, since one may contain another.
  const forms = keys
    .flatMap((key) => (key === undefined || key.length < SHORTEST_KEY ? [] : formsOf(key)))
    .toSorted((a, b) => b.length - a.length);
  const hideExactIn = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, TAKEN_OUT), text);
  return {
    hideExactIn,
    hideIn: (text) => hideExactIn(text).replace(KEY_LIKE, TAKEN_OUT),
    hideInPieces(onPiece) {
      let pending = '';
      const pass = (piece: string) => piece !== '' && onPiece(piece);
      return {
        add(piece) {
          const text = hideExactIn(pending + piece);
          const end = text.length - lengthOfBeginning(text, forms);
          pending = text.slice(end);
          pass(text.slice(0, end));
        },
        end() {
          pass(pending);
          pending = '';
        },
      };
    },
  };
}

/** The spellings that a server may use: as it is, in a URL, in JSON, in base64. */
function formsOf(key: string): readonly string[] {
  const written = [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), Buffer.from(key).toString('base64')];
  return [...new Set(written)];
}

/** The number of characters at the end of the text that begin one of these. */
function lengthOfBeginning(text: string, forms: readonly string[]): number {
  const longest = Math.max(0, ...forms.map((form) => form.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (forms.some((form) => form.startsWith(end))) return length;
  }
  return 0;
}
