/** The texts that the agents of this demo can search. They were written for it: there are no such islands. */

export interface CorpusText {
  readonly id: string;
  readonly text: string;
}

export const CORPUS: readonly CorpusText[] = [
  {
    id: 'norholm-winter',
    text: 'The Norholm ferry in its winter half-year: 412 passengers on 61 crossings. Ice called off 3 of them.',
  },
  {
    id: 'norholm-summer',
    text: 'The Norholm ferry in its summer half-year: 958 passengers on 90 crossings. It called off 0 of them.',
  },
  {
    id: 'sandvik-winter',
    text: 'The Sandvik ferry in its winter half-year: 530 passengers on 58 crossings. Storms called off 7 of them.',
  },
  {
    id: 'sandvik-summer',
    text: 'The Sandvik ferry in its summer half-year: 1204 passengers on 104 crossings. Fog called off 2 of them.',
  },
  {
    id: 'norholm-cafe',
    text: 'The harbour cafe of Norholm sold 2200 cups of coffee, most of them to people who waited.',
  },
  { id: 'sandvik-light', text: 'The light of Sandvik was painted; it took 14 days and 90 litres.' },
  { id: 'bus-line', text: 'The bus from the mainland to the pier carried 3100 passengers and was late on 12 days.' },
];

/** The texts that hold each of the words, in any case and at any place. */
export function textsWith(words: string): readonly CorpusText[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return CORPUS.filter(({ text }) => wanted.every((word) => text.toLowerCase().includes(word)));
}
