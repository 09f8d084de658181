/** Removes the key of a model server from every text, since servers may repeat what they received. */

/** Minimum length of a removed key. A shorter one is a placeholder, and its removal would damage ordinary words. */
const SHORTEST_KEY = 8;
const TAKEN_OUT = '[key]';
/** Texts that look like a key. Servers print the ends of keys, and a key that is wrong here may be valid elsewhere. */
const KEY_LIKE = /\b(?:sk|pk|rk)-[\w*.\u2022-]{6,}|\bBearer\s+[\w.~+/=*-]{8,}/gi;

export interface Secret {
  /** Removes the key, and everything that looks like a key, from the text of an error. */
  hideIn(text: string): string;
  /** Removes exactly the key from the text of a reply, since other text in a reply may look like a key. */
  hideExactIn(text: string): string;
  /** Removes the key from a text that arrives in pieces. If a piece may begin the key, it is delayed. */
  hideInPieces(onPiece: (piece: string) => void): { add(piece: string): void; end(): void };
}

export function createSecret(...keys: readonly (string | undefined)[]): Secret {
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

/** The spellings of a key that a server may use: unchanged, in a URL, in JSON, and in base64. */
function formsOf(key: string): readonly string[] {
  const written = [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), Buffer.from(key).toString('base64')];
  return [...new Set(written)];
}

function lengthOfBeginning(text: string, forms: readonly string[]): number {
  const longest = Math.max(0, ...forms.map((form) => form.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (forms.some((form) => form.startsWith(end))) return length;
  }
  return 0;
}
