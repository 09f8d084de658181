/** Thirteen capabilities as projects declare them: with the three that every project has, sixteen. */

import { z } from 'zod';
import { createSet } from '../../../src/plan/algebra/index.ts';
import { calculate } from '../../../src/capabilities/builtin/calculate/calculate.ts';
import { reflect } from '../../../src/capabilities/builtin/look-at-plan.ts';
import { createRegistry } from '../../../src/capabilities/builtin/index.ts';
import { defineCapability, type Capability } from '../../../src/capabilities/index.ts';

type Declared = Parameters<typeof defineCapability>[0];

function declared(name: string, description: string, input: z.ZodType, more: object = {}): Capability {
  const rest = { output: 'set', effect: 'read', execute: () => createSet([]), ...more };
  return defineCapability({ name, description, input, ...rest } as unknown as Declared);
}

const organism = z.enum(['human', 'mouse', 'zebrafish']).describe('The organism whose genes are meant.');
const limit = z.int().min(1).max(10_000).default(1000).describe('At most so many records.');

const GENES: readonly Capability[] = [
  declared(
    'genes.search',
    'Genes whose names, summaries or annotations hold a text.',
    z.strictObject({ text: z.string().min(1), organism, limit }),
    {
      provides: ['GENES'],
      guide: { when: 'Genes are looked for by a text.', examples: ['{"text":"kinase","organism":"human"}'] },
    },
  ),
  declared(
    'genes.byPathway',
    'The genes of one pathway of a pathway database.',
    z.strictObject({ pathway: z.string(), database: z.enum(['kegg', 'reactome', 'wikipathways']), organism }),
    { provides: ['GENES'], guide: { when: 'A pathway is named.', examples: ['{"pathway":"R-HSA-109581"}'] } },
  ),
  declared(
    'genes.orthologs',
    'The orthologs of genes in another organism.',
    z.strictObject({ from: organism, to: organism, oneToOne: z.boolean().default(false) }),
    {
      requires: ['GENES'],
      provides: ['GENES'],
      guide: { when: 'Genes of one organism are asked for in another.', examples: ['{"from":"human","to":"mouse"}'] },
    },
  ),
  declared(
    'expression.differential',
    'Genes that are expressed differently between two conditions of an experiment.',
    z.strictObject({
      experiment: z.string().describe('Accession of the experiment, such as GSE12345.'),
      condition: z.string(),
      control: z.string(),
      foldChange: z.number().min(0).default(2),
      adjustedP: z.number().min(0).max(1).default(0.05),
      direction: z.enum(['up', 'down', 'both']).default('both'),
    }),
    {
      provides: ['GENES', 'EXPRESSION'],
      guide: {
        when: 'Genes are asked for by what changes in a measured experiment.',
        examples: ['{"experiment":"GSE12345","condition":"treated","control":"untreated","direction":"up"}'],
      },
    },
  ),
  declared(
    'expression.tissue',
    'Genes that are expressed in a tissue above a threshold.',
    z.strictObject({ tissue: z.string(), tpm: z.number().min(0), organism }),
    {
      provides: ['GENES'],
      guide: { when: 'A tissue or an organ is named.', examples: ['{"tissue":"liver","tpm":5,"organism":"human"}'] },
    },
  ),
  declared(
    'variants.inRegion',
    'Known variants in a region of the genome.',
    z.strictObject({ sequence: z.string(), start: z.int().min(1), stop: z.int().min(1), maxFrequency: z.number() }),
    {
      provides: ['VARIANTS'],
      guide: {
        when: 'Variants are asked for by place.',
        examples: ['{"sequence":"chr7","start":117480025,"stop":117668665,"maxFrequency":0.01}'],
      },
    },
  ),
  declared(
    'literature.search',
    'Abstracts of articles for a query, the newest first.',
    z.strictObject({ query: z.string(), since: z.string().optional(), limit }),
    {
      output: 'value',
      provides: ['ARTICLES'],
      guide: {
        when: 'A claim needs a source, or the literature is asked about.',
        examples: ['{"query":"CFTR modulators","since":"2024-01-01","limit":20}'],
      },
    },
  ),
  declared(
    'literature.read',
    'The text of one article, in parts.',
    z.strictObject({ id: z.string(), part: z.int().min(1).optional() }),
    { output: 'text', requires: ['ARTICLES'] },
  ),
  declared(
    'enrichment',
    'The terms of an ontology that are over-represented in a set of genes.',
    z.strictObject({ ontology: z.enum(['process', 'function', 'component']), background: z.string().optional() }),
    {
      output: 'value',
      requires: ['GENES'],
      provides: ['TERMS'],
      guide: { when: 'It is asked what a set of genes has in common.', examples: ['{"ontology":"process"}'] },
    },
  ),
  declared(
    'plot.heatmap',
    'A heat map of the expression of genes, as a file.',
    z.strictObject({ title: z.string(), columns: z.array(z.string()), scale: z.enum(['log', 'linear']) }),
    { output: 'value', requires: ['EXPRESSION'], effect: 'idempotent' },
  ),
  declared(
    'order.primers',
    'Orders primers for genes from the supplier.',
    z.strictObject({ supplier: z.string(), plate: z.string(), budget: z.number().min(0) }),
    { output: 'value', requires: ['GENES'], effect: 'at-most-once' },
  ),
];

export const SIXTEEN = createRegistry([...GENES, calculate, reflect]).all;
