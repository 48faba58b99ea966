import { endingEvents, place, type Ending, type Fact, type NewEvent } from '@parley/core';
import { type Addition, type Held, type Written } from '../run-log.js';
import { addition, headAfter, planned } from './plan.contract.js';
import { type Holding, type Side } from './side.contract.js';
import { type StepOf } from './steps.contract.js';
import { bodies, idsOf } from './unheld-writes.contract.js';

type HeldWrite = StepOf<'append'> | StepOf<'park'> | StepOf<'finish'> | StepOf<'release'>;

export const claim = async (side: Side, step: StepOf<'claim'>): Promise<unknown> => {
  const claimed = await side.subject.log.claim(side.fleet.at(step.executor), step.slots);
  for (const run of claimed) side.remember(run, step.executor);
  return claimed;
};

/** A holder places what it knows of the inbox, adds what it has to say, and goes on, rests or ends. */
export const writeAsHolder = async (side: Side, step: HeldWrite): Promise<unknown> => {
  const current = () => side.holdings.find(({ over }) => !over);
  if (!current()) await claim(side, { verb: 'claim', executor: 0, slots: 1 });
  const holding = side.holdings[step.holding - 1] ?? current();
  if (!holding) return 'holds nothing';
  const held = { ...holding.held, epoch: holding.held.epoch - step.stale };
  const { write, end } = drafted(holding, step);
  const written = await send(side, step, { held, write, end });
  learn(holding, write, written);
  holding.over = written.outcome === 'fenced' || (written.outcome === 'written' && step.verb !== 'append');
  return written;
};

interface Draft {
  write: Addition;
  end: Ending;
}

const drafted = ({ head, held: { run }, facts }: Holding, step: HeldWrite): Draft => {
  const from = { head, run, behind: step.behind };
  const { cancel, ...placed } = place(head, step.deaf ? [] : facts);
  const said: NewEvent[] = cancel ? [] : bodies(placed.events);
  const events = [...said, ...planned(step.plan, headAfter(head, run, said))];
  const { state, reason, rewind }: Ending = cancel
    ? { state: 'cancelled', ...cancel.body }
    : step.verb === 'finish'
      ? { state: step.state, reason: step.reason }
      : { state: 'cancelled', reason: null };
  const end: Ending = { state, reason, rewind: rewind ?? false };
  // A cancel is taken only by the write that ends the run.
  const marks =
    cancel && step.verb !== 'finish'
      ? { taken: [], left: [] }
      : { taken: idsOf(placed.taken), left: idsOf(placed.left) };
  if (step.verb !== 'finish') return { write: addition(from, events, marks), end };
  const now = headAfter(head, run, events);
  const ending = now.run ? bodies(endingEvents(now, now.run, end)) : [];
  return { write: addition(from, [...events, ...ending], marks), end };
};

const send = (side: Side, step: HeldWrite, { held, write, end }: Draft & { held: Held }): Promise<Written> => {
  const { log, now } = side.subject;
  switch (step.verb) {
    case 'append':
      return log.append(held, write);
    case 'release':
      return log.release(held, write);
    case 'finish':
      return log.finish(held, write, end);
    case 'park': {
      const dueAt = step.due === null ? null : new Date(now().getTime() + step.due * 3_600_000);
      return log.park(held, write, { waitingFor: step.waitingFor, dueAt });
    }
  }
};

/** What the holder knows after an answer. */
const learn = (holding: Holding, { head, taken }: Addition, written: Written): void => {
  if (written.outcome === 'written') {
    holding.head = head;
    holding.facts = holding.facts.filter(({ id }) => !taken.includes(id));
  }
  const heard: Fact[] = 'facts' in written ? written.facts : [];
  const known = new Set(idsOf(holding.facts));
  holding.facts = [...holding.facts, ...heard.filter(({ id }) => !known.has(id))];
};
