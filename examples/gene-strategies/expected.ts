/** The counts that the nodes of the plan give on these tracks. A test counts the same with plain loops over the files. */

/** Records of each node, by what the plan calls it. */
export const EXPECTED_COUNTS: Readonly<Record<string, number>> = {
  'Read the exons of RefSeq transcripts': 43_424,
  'Keep the exons of protein-coding transcripts': 39_670,
  'Read the AluY repeats': 11_628,
  'Read the tandem repeats': 70_647,
  'AluY upstream': 1_137,
  'Inverted AluY downstream': 1_157,
  'AluY on either flank': 2_258,
  'Inverted pair of AluY': 36,
  'AluY on one flank only': 2_222,
  'Tandem repeat inside': 1_111,
  'One Alu, no tandem repeat': 2_149,
};

/** The records of the answer, and their number. */
export const EXPECTED_ANSWER = { what: 'exons', count: 2_149 } as const;
