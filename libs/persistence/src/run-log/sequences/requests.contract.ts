import { CallId, FactId, InterruptId, partsOf, RunId, SessionId, type FactBody, type Head } from '@parley/core';
import { type Side } from './side.contract.js';
import { type StepOf } from './steps.contract.js';
import { agentId, idOf, runId } from './subject.contract.js';

export const admit = async (side: Side, step: StepOf<'admit'>): Promise<unknown> => {
  const { fault, handOver, whenBusy, whenWaiting } = step;
  const ref = side.refOf(step);
  const id = runId(step.run + 1);
  side.runs.add(id);
  const answer = await side.subject.log.admit({
    tenant: ref.tenant,
    session: fault === 'session' ? SessionId.parse(idOf('none', 1)) : ref.session,
    id,
    agent: agentId(fault === 'agent' ? 2 : 1),
    version: fault === 'version' ? 2 : fault === 'agent' ? 1 : 3,
    parts: [{ type: 'text', text: `input ${step.run}`, origin: 'user' }],
    budget: { rounds: 50, wallMs: 3_600_000 },
    whenBusy,
    whenWaiting,
    executor: handOver !== null && side.fleet.isConnected(handOver) ? side.fleet.at(handOver) : undefined,
  });
  if (answer.outcome === 'queued' && answer.claimed && handOver !== null) side.remember(answer.claimed, handOver);
  return answer;
};

export const post = async (side: Side, step: StepOf<'post'>): Promise<unknown> => {
  const { log } = side.subject;
  const ref = side.refOf(step);
  const situation = await log.look(ref);
  const known = [...side.runs];
  const wanted = step.run === 0 ? situation?.active?.run : known[step.run % Math.max(1, known.length)];
  const run = wanted ?? runId(99);
  const id = FactId.parse(idOf('fact', 8 * (1 + known.indexOf(run)) + step.fact)); // a fact is about one run
  side.runs.add(RunId.parse(id)); // what a steer turns into when nobody heard it
  return log.post(ref, { id, run, body: factBody(step, situation?.head) });
};

const factBody = ({ kind, fact }: StepOf<'post'>, head: Head | undefined): FactBody => {
  const parts = [{ type: 'text' as const, text: `words of fact ${fact}`, origin: 'user' as const }];
  const [ask = idOf('none', 2)] = Object.keys(head?.asks ?? {});
  const [call = idOf('none', 3)] = Object.keys(head?.calls ?? {});
  switch (kind) {
    case 'cancel':
      return { kind, reason: 'asked_for', rewind: false };
    case 'rollback':
      return { kind: 'cancel', reason: 'rolled_back', rewind: true };
    case 'steer':
      return { kind, parts };
    case 'answer':
      return { kind, interrupt: InterruptId.parse(ask), outcome: fact % 2 === 0 ? 'answered' : 'approved', parts };
    case 'child_finished':
      return { kind, call: CallId.parse(call), outcome: 'result', parts };
  }
};

export const edit = async (side: Side, step: StepOf<'edit'>): Promise<unknown> => {
  const { log } = side.subject;
  const ref = side.refOf(step);
  const page = await log.read(ref, { after: 0, limit: 1_000 });
  const addresses = (page?.events ?? []).flatMap(({ seq, body }) =>
    Array.from({ length: Math.max(1, partsOf(body).length) }, (_, part) => ({ seq, part })),
  );
  addresses.reverse();
  const parts = step.parts.map((index) => {
    const address = index < 9 ? addresses[index % Math.max(1, addresses.length)] : undefined;
    return address ?? { seq: 1_000, part: 0 };
  });
  return log[step.how]({ ...ref, parts });
};
