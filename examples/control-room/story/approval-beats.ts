/** The first half of the story: what must be said before anything is written. */

import { readFile } from 'node:fs/promises';
import { readYesNo, type StepsDocument, type WrittenStep } from 'planwright';
import type { OpenItem } from 'planwright/client';
import { clockText } from '../../words.ts';
import { EDITED_CURRENT } from '../expected.ts';
import { FIRST_OPERATOR, SECOND_OPERATOR, SAFETY_OFFICER, spoken } from './people.ts';
import { approvalOf, previewsOf, questionOf } from './run-view.ts';
import { must, type Tale } from './tale.ts';

const READS = ['position', 'width', 'current'];

export async function readsRunWritesWait({ beat, tell, view }: Tale): Promise<void> {
  beat('Reads run at once, writes wait for approval');
  const moment = await view.until('the first reads run', ({ nodes, open }) => {
    return approvalOf(open) !== undefined && READS.every((step) => nodes[step] !== 'pending');
  });
  const { nodes = [], roles = [] } = approvalOf(moment.open) ?? {};
  tell(`${READS.join(', ')} run; ${nodes.join(', ')} wait for ${roles.join(' and ')}`);
  tell(previewsOf(moment.open));
}

export async function questionBlocksNobody({ beat, tell, view }: Tale): Promise<OpenItem> {
  beat('A question waits for its person and blocks nobody');
  const { open } = await view.until('the question is asked and every read has ended', ({ nodes, open: items }) => {
    return questionOf(items) !== undefined && READS.every((step) => nodes[step] === 'succeeded');
  });
  const question = questionOf(open) as OpenItem;
  tell(`${question.id} asks ${question.roles?.join(' or ')}: ${question.text}`);
  tell(
    `the reads have ended beside it; it waits until ${question.deadline.slice(0, 10)} ${clockText(question.deadline)}`,
  );
  return question;
}

export async function unknownCapabilityIsRefused({ beat, tell, view, say, stage }: Tale): Promise<void> {
  beat('An edit that names a capability which does not exist is refused');
  const { status } = await view.now();
  const plan = edited(await documentOf(stage.demo.planFile), 'focused', { capability: 'supply.sett' });
  await say({
    by: SECOND_OPERATOR,
    says: 'edits the plan: focused is to be done by supply.sett',
    decide: { kind: 'edit', digest: status.digest.slice(0, 8), plan },
    expects: 'invalid-plan',
  });
  const after = await view.now();
  must(after.status.revision === 1 && after.status.phase === 'awaiting-approval', 'revision 1 still waits');
  tell(`the plan still waits, as revision ${after.status.revision}`);
}

export async function partIsApproved({ beat, view, say, nodeId }: Tale): Promise<void> {
  beat('A part is approved, then the rest; one person is not enough for the shutter');
  const digest = (await view.now()).status.digest.slice(0, 8);
  const steered = nodeId('steered');
  await say({
    by: FIRST_OPERATOR,
    says: `approves ${steered} with what it needs`,
    decide: { kind: 'approve-part', digest, nodes: [steered], comment: 'the steering first' },
    expects: 'taken',
  });
  await say({ by: FIRST_OPERATOR, says: 'approves the rest', decide: { kind: 'approve', digest }, expects: 'taken' });
  const { open } = await view.now();
  must(sameNodes(approvalOf(open), [nodeId('exposed')]), 'only the shutter still asks');
}

/** Returns the digest of the plan before the edit. */
export async function editAsksAgainForOneWrite({ beat, tell, view, say, stage, nodeId }: Tale): Promise<string> {
  beat('One set point is edited: only the changed write asks again');
  const before = (await view.now()).status.digest;
  const parameters = { channel: 'QUAD:1:CURRENT', value: EDITED_CURRENT };
  await say({
    by: SECOND_OPERATOR,
    says: `edits the plan: focused to ${EDITED_CURRENT} A`,
    decide: {
      kind: 'edit',
      digest: before.slice(0, 8),
      plan: edited(await documentOf(stage.demo.planFile), 'focused', { parameters }),
      comment: 'two more ampere',
    },
    expects: 'taken',
  });
  const { open } = await view.now();
  const item = approvalOf(open);
  must(sameNodes(item, [nodeId('focused'), nodeId('exposed')]), 'only the changed write and the shutter ask');
  tell(previewsOf(open));
  tell(
    `${nodeId('focused')} asks again. ${nodeId('steered')} stays approved; ${nodeId('exposed')} waits for safety as before`,
  );
  return before;
}

export async function staleApprovalIsRefused({ beat, say }: Tale, before: string): Promise<void> {
  beat('An approval of the plan as it was is refused');
  await say({
    by: SAFETY_OFFICER,
    says: `approves ${before.slice(0, 8)}, which is still on the screen`,
    decide: { kind: 'approve', digest: before.slice(0, 8) },
    expects: 'stale-digest',
  });
}

export async function secondPersonInWords({ beat, tell, view, say, stage }: Tale): Promise<void> {
  beat('The shutter needs a second person, of the role safety, who answers in a chat');
  const { status: before, open } = await view.now();
  const [digest, shown] = [before.digest, approvalOf(open)?.shown].map((hash) => hash?.slice(0, 8) ?? '') as [
    string,
    string,
  ];
  await say({
    by: FIRST_OPERATOR,
    says: 'approves the changed write',
    decide: { kind: 'approve', digest, shown, comment: 'still safe' },
    expects: 'taken',
  });
  for (const words of ['maybe', 'Okay.']) {
    const meant = readYesNo(words);
    must(meant !== 'no' && (meant === 'yes') === (words === 'Okay.'), `"${words}" is read as what it says`);
    if (meant === 'yes') {
      await say({
        by: SAFETY_OFFICER,
        says: `writes "${words}"`,
        decide: { kind: 'approve', digest, shown, comment: words },
        expects: 'taken',
      });
    } else {
      stage.screen.say(...spoken(stage.screen, SAFETY_OFFICER, `writes "${words}"`));
      tell('that is neither yes nor no: nothing is sent, and the safety officer is asked again');
    }
  }
  const { status } = await view.now();
  must(status.phase === 'running', 'nothing waits for approval any more');
}

function sameNodes(item: OpenItem | undefined, nodes: readonly string[]): boolean {
  return item !== undefined && item.nodes.join() === nodes.join();
}

async function documentOf(file: string): Promise<StepsDocument> {
  return JSON.parse(await readFile(file, 'utf8')) as StepsDocument;
}

function edited(document: StepsDocument, step: string, change: Partial<WrittenStep>): StepsDocument {
  const steps = document.steps.map((one) => (one.context_key === step ? { ...one, ...change } : one));
  return { ...document, steps };
}
