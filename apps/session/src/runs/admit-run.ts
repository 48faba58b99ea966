import { Injectable } from '@nestjs/common';
import { type admitRun, type ParsedOf, type ResponseOf } from '@parley/contracts';
import { Budget, notFound, PlatformError, refuseLargeParts } from '@parley/core';
import { crashPoint } from '@parley/host';
import { RunLog, type Admission, type Admitted, type ClaimedRun } from '@parley/persistence';
import { Announcer } from '../writing/announcer.js';
import { DirectHandOver } from './direct-hand-over.js';
import { InboxFollowUp } from './inbox-follow-up.js';
import { NewestAgents } from './newest-agents.js';

type Ask = ParsedOf<typeof admitRun>;
type Answer = ResponseOf<typeof admitRun>;
type Outcome<K extends Admitted['outcome']> = Extract<Admitted, { outcome: K }>;

/** An agent is hardly revised this often while one run is being admitted. */
const MAX_ATTEMPTS = 5;

/** Admits a run to a session. What it answers is committed; who acts the run hears of it after that. */
@Injectable()
export class AdmitRun {
  constructor(
    private readonly log: RunLog,
    private readonly agents: NewestAgents,
    private readonly handOver: DirectHandOver,
    private readonly announcer: Announcer,
    private readonly followUp: InboxFollowUp,
  ) {}

  async execute(ask: Ask, deadline?: Date): Promise<Answer> {
    refuseLargeParts(ask.parts);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { version, budget } = await this.agents.get(ask.tenant, ask.agent, deadline);
      const admitted = await this.#admit({ ...ask, version, budget: Budget.parse({ ...budget, ...ask.budget }) });
      if (admitted.outcome !== 'stale_version') return await this.#answer(ask, admitted);
      this.agents.forget(ask.tenant, ask.agent);
    }
    throw new PlatformError('unavailable', `agent '${ask.agent}' is being changed: try again`);
  }

  async #admit(admission: Admission): Promise<Admitted> {
    const slot = this.handOver.reserve();
    let claimed: ClaimedRun | null = null;
    try {
      crashPoint('admit.before');
      const admitted = await this.log.admit({ ...admission, executor: slot?.executor });
      if (admitted.outcome === 'queued') {
        crashPoint('admit.after');
        claimed = admitted.claimed;
        this.#announce(admission, admitted);
      }
      return admitted;
    } finally {
      if (claimed) slot?.fill(claimed);
      else slot?.giveBack();
    }
  }

  #announce(ref: Admission, { run, seq, at, claimed }: Outcome<'queued'>): void {
    this.announcer.began(ref, { run, seq, parts: ref.parts, at });
    if (!claimed) this.announcer.ring();
  }

  async #answer(ask: Ask, admitted: Exclude<Admitted, Outcome<'stale_version'>>): Promise<Answer> {
    const ref = { tenant: ask.tenant, session: ask.session };
    switch (admitted.outcome) {
      case 'queued':
        return { outcome: 'queued', run: admitted.run, seq: admitted.seq, at: admitted.at };
      case 'deferred':
        crashPoint('admit.after');
        if (admitted.unheld) await this.followUp.write(ref);
        else if (mayReplace(ask)) this.followUp.endHeld(ref);
        return { outcome: 'deferred', run: admitted.run, seq: admitted.seq };
      case 'steered':
        crashPoint('admit.after');
        if (admitted.unheld) await this.followUp.write(ref);
        return { outcome: 'steered', run: admitted.run, seq: admitted.seq };
      case 'not_found':
        this.agents.forget(ask.tenant, ask.agent);
        throw notFound(admitted.noun, admitted.noun === 'agent' ? ask.agent : ask.session);
      case 'busy':
      case 'disabled':
      case 'id_taken':
      case 'other_agent':
        throw refusal(ask, admitted);
    }
  }
}

const mayReplace = ({ whenBusy, whenWaiting }: Ask): boolean =>
  whenBusy === 'interrupt' || whenBusy === 'rollback' || whenWaiting === 'supersede';

type Refused = Outcome<'busy'> | Outcome<'disabled'> | Outcome<'id_taken'> | Outcome<'other_agent'>;

const refusal = ({ id, agent, session }: Ask, refused: Refused): PlatformError => {
  switch (refused.outcome) {
    case 'busy': {
      const message = `session '${session}' is busy: its run '${refused.run}' is ${refused.state}`;
      return new PlatformError('illegal_state', message, { noun: 'run', id: refused.run });
    }
    case 'disabled': {
      const which = refused.noun === 'agent' ? agent : session;
      return new PlatformError('illegal_state', `${refused.noun} '${which}' is disabled`, {
        noun: refused.noun,
        id: which,
      });
    }
    case 'id_taken':
      return new PlatformError('conflict', `run '${id}' belongs to another session`, { noun: 'run', id });
    case 'other_agent': {
      const message = `session '${session}' belongs to another agent than '${agent}'`;
      return new PlatformError('conflict', message, { noun: 'session', id: session });
    }
  }
};
