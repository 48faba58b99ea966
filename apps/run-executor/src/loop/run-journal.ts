import {
  endingEvents,
  hasBlob,
  place,
  type Ending,
  type EventBody,
  type Fact,
  type Head,
  type Live,
  type RunHead,
} from '@parley/core';
import { Transcript } from '@parley/engine';
import { crashPoint } from '@parley/host';
import {
  type Addition,
  type ClaimedRun,
  type Held,
  type Parking,
  type RunLog,
  type Written,
} from '@parley/persistence';
import { Draft } from './draft.js';
import { insist } from './insist.js';
import { type RunFrames } from './run-frames.js';

/** What ends a run early. */
type Cancel = Extract<Fact['body'], { kind: 'cancel' }>;

/** A write that was done. */
type Committed = Extract<Written, { outcome: 'written' }>;

/** What `RunJournal` is given. */
export interface JournalSetting {
  log: RunLog;
  held: Held;
  claimed: ClaimedRun;
  frames: RunFrames;
  /** True when the run is no longer this holder's. */
  isOver: () => boolean;
}

/**
 * The holder's side of a run's log: what stands in it, what is about to, and which facts of the inbox are known. What is
 * added gathers in a draft until one write commits it; then its frames go out. While the database is away a write is
 * tried again; once one is refused, another has the run and this side has nothing more to say.
 */
export class RunJournal {
  #transcript = new Transcript();
  #draft: Draft;
  #facts: Fact[];
  #isNudged = false;
  #isWriting = false;
  #isOutdated = false;
  #wasEdited = false;
  #refusal: string | undefined;
  #peeking: Promise<void> | undefined;

  constructor(private readonly setting: JournalSetting) {
    const { run, head, facts } = setting.claimed;
    this.#draft = new Draft(run, head);
    this.#facts = [...facts];
  }

  /** The head of all events, those of the draft too. */
  get head(): Head {
    return this.#draft.head;
  }

  /** What the log says of the run itself. */
  get run(): RunHead {
    if (!this.head.run) throw new Error('a run is held that does not have the turn');
    return this.head.run;
  }

  /** True when nothing waits to be written and nobody says that facts wait: an effect may start. */
  get isSettled(): boolean {
    return this.#draft.isEmpty && !this.#isNudged;
  }

  /** While an answer is awaited this side cannot know whether it still holds the run. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Of all events, those of the draft too. */
  get transcript(): Transcript {
    return this.#transcript;
  }

  /** Takes a transcript that was read from the log; the draft is empty. */
  read(transcript: Transcript): void {
    this.#transcript = transcript;
    this.#isOutdated = false;
  }

  /** True when the transcript has to be read again before a model sees it: parts of it were changed, or are not whole. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /** True when parts were hidden, shown or erased since the claim. */
  get wasEdited(): boolean {
    return this.#wasEdited;
  }

  /** True when a cancel waits to be placed. */
  get isCancelled(): boolean {
    return this.#facts.some(({ body }) => body.kind === 'cancel');
  }

  /** Why a write was refused for good; undefined: none was. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** @param kept the body as the log takes it, where words of it stand in blobs. */
  add(body: EventBody, { live, kept = body }: { live?: Live | undefined; kept?: EventBody } = {}): void {
    const seq = this.#draft.add(kept, live);
    this.#transcript.add({ seq, body, hidden: [] });
    if (hasBlob(body)) this.#isOutdated = true; // it says what was said, but not all of it
  }

  /** Takes from the inbox what may enter the log now. @returns the cancel that ends the run, if there is one. */
  place(): Cancel | undefined {
    if (this.#facts.length === 0) return undefined;
    const { taken, events, cancel } = place(this.head, this.#facts);
    this.#facts = this.#facts.filter((fact) => !taken.includes(fact));
    this.#draft.take(taken.map(({ id }) => id));
    if (taken.some(({ body }) => body.kind === 'patch')) this.#isOutdated = this.#wasEdited = true;
    for (const body of events) this.add(body);
    return cancel?.body;
  }

  /** Commits the draft. */
  async append(): Promise<void> {
    crashPoint('append.before');
    await this.#write(this.#draft, (addition) => this.setting.log.append(this.setting.held, addition));
    crashPoint('append.after');
  }

  /** Commits the draft and gives the run back to the queue. @returns whether it was done. */
  async release(): Promise<boolean> {
    crashPoint('release.before');
    const written = await this.#write(this.#draft, (addition) => this.setting.log.release(this.setting.held, addition));
    crashPoint('release.after');
    return written !== undefined;
  }

  /** Commits the draft and lets the run rest. @returns undefined when it was not done, e.g. because of unread facts. */
  async park(parking: Parking): Promise<Committed | undefined> {
    const { log, held } = this.setting;
    crashPoint('park.before');
    const written = await this.#write(this.#draft, (addition) => log.park(held, addition, parking));
    crashPoint('park.after');
    return written;
  }

  /** Commits the draft and the run's end. @returns undefined when it was not done, e.g. because of unread facts. */
  async finish(ending: Ending): Promise<Committed | undefined> {
    const { log, held } = this.setting;
    const { state, reason } = ending;
    const bodies = endingEvents(this.head, this.run, ending);
    const closing = this.#draft.with(bodies);
    let { seq } = this.head;
    crashPoint('finish.before');
    const written = await this.#write(closing, (addition) => log.finish(held, addition, { state, reason }));
    crashPoint('finish.after');
    if (written) for (const body of bodies) this.#transcript.add({ seq: ++seq, body, hidden: [] });
    return written;
  }

  /** Forgets the draft, which the log does not take. */
  discard(): void {
    this.#draft = new Draft(this.setting.claimed.run, this.#draft.committed);
  }

  /** Someone says that facts wait. */
  nudge(): void {
    this.#isNudged = true;
  }

  /** Learns which facts wait, while an effect is under way and nothing is written. Never rejects. */
  peek(): Promise<void> {
    return (this.#peeking ??= this.#peek().finally(() => (this.#peeking = undefined)));
  }

  /** The peek under way: what it brings has to be known before anything is decided. */
  get peeking(): Promise<void> | undefined {
    return this.#peeking;
  }

  /** An append of nothing: it answers the unread facts, and whether this holder still is the holder. */
  async #peek(): Promise<void> {
    const { log, held, isOver } = this.setting;
    while (this.#isNudged && !isOver()) {
      this.#isNudged = false;
      const answer = await log
        .append(held, this.#addition(new Draft(held.run, this.#draft.committed)))
        .catch(() => undefined);
      if (answer?.outcome === 'written') this.#facts.push(...answer.facts);
      else if (answer) this.#refusal = answer.outcome;
    }
  }

  /** @throws PlatformError `internal` when the database refuses what it was given. */
  async #write(draft: Draft, send: (addition: Addition) => Promise<Written>): Promise<Committed | undefined> {
    this.#isNudged = false;
    this.#isWriting = true;
    try {
      const answer = await insist(() => send(this.#addition(draft)), this.setting.isOver);
      return this.#hear(draft, answer);
    } finally {
      this.#isWriting = false;
    }
  }

  #hear(draft: Draft, answer: Written | undefined): Committed | undefined {
    switch (answer?.outcome) {
      case 'written':
        this.setting.frames.publishEvents(draft.eventsAt(answer.at));
        this.#draft = new Draft(this.setting.held.run, draft.head);
        this.#facts.push(...answer.facts);
        return answer;
      case 'unread':
        this.#facts.push(...answer.facts);
        return undefined;
      case 'fenced':
      case 'moved':
        this.#refusal = answer.outcome;
        return undefined;
      case undefined:
        this.#refusal = 'the lease has passed';
        return undefined;
    }
  }

  #addition(draft: Draft): Addition {
    return draft.addition(this.#facts.map(({ id }) => id));
  }
}
