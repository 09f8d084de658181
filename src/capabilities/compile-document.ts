/** Compiles untrusted documents. Large ones are compiled in a thread, which does not block the process. */

import {
  compilePlan,
  type Catalogue,
  type CompileOptions,
  type CompileResult,
  type Executor,
  type JsonValue,
} from '../plan/index.ts';
import { threadOf, ThreadStopped } from './in-thread.ts';

/** Maximum bytes of a document that is compiled without a thread, which takes longer to start. */
const MAX_IN_PLACE = 64 * 1024;
/**
 * Limits for compiling one document in a thread.
 * @bound .ms the compiling of one document @beyond `too-large`
 */
const COMPILE_LIMITS = { ms: 30_000, heapMb: 1_024, threads: 3 };
/** How long an idle thread stays open, in ms. Starting one takes longer than compiling most documents. */
const IDLE_MS = 60_000;

export type CatalogueQuestion =
  | readonly ['checkArguments', Executor, JsonValue | undefined]
  | readonly ['resourceOf', Executor, JsonValue | undefined, boolean];

export interface ThreadWork {
  readonly document: unknown;
  readonly options: Omit<CompileOptions, 'catalogue'>;
  readonly names?: CatalogueNames | undefined;
  readonly answers?: ReadonlyMap<string, unknown> | undefined;
}

export interface ThreadAnswer {
  readonly result: CompileResult;
  readonly questions: readonly CatalogueQuestion[];
}

type ResultKind = ReturnType<NonNullable<Catalogue['outputOf']>>;

interface CatalogueNames extends Pick<Catalogue, 'capabilities' | 'agents' | 'defaultExecutor'> {
  readonly executors: ReadonlyMap<string, { readonly executor: Executor; readonly output: ResultKind }>;
}

export function documentCompiler(file = FILE, { ms = COMPILE_LIMITS.ms, heapMb = COMPILE_LIMITS.heapMb } = {}) {
  const threads = Array.from({ length: COMPILE_LIMITS.threads }, () => ({
    run: threadOf<ThreadAnswer>(file, IDLE_MS, heapMb),
    waiting: 0,
  }));
  return compileDocument;

  /** Compiles an untrusted document like `compilePlan`. More than 30 s or 1 GB gives the issue `too-large`. */
  async function compileDocument(
    document: unknown,
    { catalogue, ...options }: CompileOptions = {},
    signal?: AbortSignal,
  ): Promise<CompileResult> {
    if (isCheap(document)) return compilePlan(document, { ...options, ...(catalogue && { catalogue }) });
    const names = catalogue && namesOf(catalogue);
    const thread = threads.reduce((best, each) => (each.waiting < best.waiting ? each : best));
    thread.waiting++;
    try {
      for (let answers: Map<string, unknown> | undefined; ;) {
        const { result, questions } = await thread.run({ document, options, names, answers }, ms, signal);
        const found = questions.map((question) => [question, answerFromCatalogue(question, catalogue!)] as const);
        if (found.every(([, answer]) => answer === undefined)) return result;
        answers ??= new Map();
        for (const [question, answer] of found) answers.set(JSON.stringify(question), answer);
      }
    } catch (error) {
      if (!(error instanceof ThreadStopped)) throw error;
      const message = `The document was not compiled: ${error.message}.`;
      return { ok: false, issues: [{ code: 'too-large', severity: 'error', path: '$', message }] };
    } finally {
      thread.waiting--;
    }
  }
}

/** The script of the thread, from the build in dist: the sources have no JavaScript for a thread. */
const FILE = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/capabilities/compile-thread.js' : 'compile-thread.js',
  import.meta.url,
);

export const compileDocument = documentCompiler();

function isCheap(document: unknown): boolean {
  if (document instanceof Uint8Array)
    return document.length <= MAX_IN_PLACE && !document.includes(ANCHOR.charCodeAt(0));
  if (typeof document === 'string') return document.length <= MAX_IN_PLACE && !document.includes(ANCHOR);
  try {
    return (JSON.stringify(document)?.length ?? 0) <= MAX_IN_PLACE;
  } catch {
    return true;
  }
}

const ANCHOR = '&';

function namesOf(catalogue: Catalogue): CatalogueNames {
  const { capabilities, agents, defaultExecutor } = catalogue;
  const named = (kind: Executor['kind'], names: readonly string[]) =>
    names.flatMap((name) => {
      const executor = catalogue.executor(kind, name);
      return executor === undefined
        ? []
        : [[`${kind} ${name}`, { executor, output: catalogue.outputOf?.(executor) }] as const];
    });
  const executors = new Map([...named('capability', capabilities), ...named('agent', agents)]);
  return { capabilities, agents, executors, ...(defaultExecutor !== undefined && { defaultExecutor }) };
}

function answerFromCatalogue(question: CatalogueQuestion, catalogue: Catalogue): unknown {
  if (question[0] === 'checkArguments') {
    const problems = catalogue.checkArguments(question[1], question[2]);
    return problems.length === 0 ? undefined : problems;
  }
  const found = catalogue.resourceOf?.(question[1], question[2], question[3]);
  return found === undefined || (found.ok && found.resource === undefined) ? undefined : found;
}
