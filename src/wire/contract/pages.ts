/** Long text in pages: the state that a run hands to its next history is too long for one payload. */

/** The most UTF-16 code units: a page has at most 1 MiB of UTF-8, and a code unit takes at most 3 bytes. */
const PAGE = 349_000;

/** The text cut into pages; joined they are the text again. A character of two code units stays whole. */
export function pagesOf(text: string): readonly string[] {
  const pages: string[] = [];
  for (let at = 0; at < text.length;) {
    const isPair = (text.charCodeAt(at + PAGE - 1) & 0xfc00) === 0xd800;
    const end = at + PAGE - Number(isPair);
    pages.push(text.slice(at, end));
    at = end;
  }
  return pages;
}
