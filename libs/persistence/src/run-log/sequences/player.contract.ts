import { claim, writeAsHolder } from './held-writes.contract.js';
import { sorted, type Normaliser } from './normalised.contract.js';
import { admit, edit, post } from './requests.contract.js';
import { type Side } from './side.contract.js';
import { type Step } from './steps.contract.js';
import { takeOver, write } from './unheld-writes.contract.js';

/** Plays steps on one store and answers in words that the other one uses too. */
export class Player {
  constructor(
    private readonly side: Side,
    private readonly normaliser: Normaliser,
  ) {}

  async perform(step: Step): Promise<unknown> {
    const answer = this.normaliser.normalised(await this.call(step));
    return step.verb === 'reclaim' ? sorted(answer) : answer;
  }

  async state(): Promise<unknown> {
    return this.normaliser.normalised(await this.side.state());
  }

  private call(step: Step): Promise<unknown> {
    const { side } = this;
    const { subject, fleet } = side;
    switch (step.verb) {
      case 'admit':
        return admit(side, step);
      case 'post':
        return post(side, step);
      case 'edit':
        return edit(side, step);
      case 'write':
        return write(side, step);
      case 'takeOver':
        return takeOver(side, step);
      case 'claim':
        return claim(side, step);
      case 'append':
      case 'park':
      case 'finish':
      case 'release':
        return writeAsHolder(side, step);
      case 'read':
        return subject.log.read(side.refOf(step), { after: step.after, limit: step.limit });
      case 'remove':
        return subject.log.remove(side.refOf(step));
      case 'heartbeat':
        return subject.log.heartbeat(fleet.at(step.executor));
      case 'reclaim':
        return subject.log.reclaim(fleet.at(step.executor), step.scope);
      case 'kill':
        return fleet.kill(step.executor);
      case 'register':
        return fleet.register(step.executor);
      case 'elapse':
        return subject.elapse(side.tenantOf(step), step.ms);
    }
  }
}
