import { Injectable } from '@nestjs/common';
import { hasBlob, type Head } from '@parley/core';
import { Transcript } from '@parley/engine';
import { PartBlobs, RunLog, type ClaimedRun, type SessionRef } from '@parley/persistence';

/** How much is remembered: sessions, and UTF-16 units of text in all of them. */
const KEPT_SESSIONS = 5_000;
const KEPT_TEXT = 8_000_000;

/** Events that a page of the log is asked for. */
const PAGE = 1_000;

interface Memory {
  transcript: Transcript;
  edits: number;
  rewinds: number;
}

/**
 * The transcripts of the sessions that this process acted for last, so that a turn of a known session reads nothing. A
 * transcript is in the hands of the run that acts on it, or here; never both.
 */
@Injectable()
export class Transcripts {
  readonly #memories = new Map<string, Memory>();
  #text = 0;

  constructor(
    private readonly log: RunLog,
    readonly blobs: PartBlobs,
  ) {}

  /** The session's transcript up to the claim, where it can be told without asking the log. */
  recall(claimed: ClaimedRun): Transcript | undefined {
    const { head, parts, edits } = claimed;
    const known = this.#valid(claimed);
    const transcript = known ?? (edits === 0 ? new Transcript() : undefined);
    const isTold = transcript?.seq === head.seq || (transcript?.seq === head.seq - 1 && head.run?.first === head.seq);
    if (!transcript || !isTold || parts.some(({ blob }) => blob)) return undefined;
    if (transcript.seq < head.seq) transcript.add({ seq: head.seq, body: { kind: 'input', parts }, hidden: [] });
    this.#forget(keyOf(claimed));
    return transcript;
  }

  /** The session's transcript up to the claim, from the log where memory ends. */
  async load(claimed: ClaimedRun): Promise<Transcript> {
    const transcript = this.#valid(claimed) ?? new Transcript();
    this.#forget(keyOf(claimed));
    await this.#read(claimed, claimed.head, transcript);
    return transcript;
  }

  /** The session's transcript up to `head`, all from the log. */
  async reload(ref: SessionRef, head: Head): Promise<Transcript> {
    const transcript = new Transcript();
    await this.#read(ref, head, transcript);
    return transcript;
  }

  /** Remembers a transcript that holds the whole history of `head`, as it was when the session had had so many edits. */
  keep(ref: SessionRef, transcript: Transcript, { head, edits }: { head: Head; edits: number }): void {
    const key = keyOf(ref);
    this.#forget(key);
    this.#memories.set(key, { transcript, edits, rewinds: lastRewind(head) });
    this.#text += transcript.size;
    for (const oldest of this.#memories.keys()) {
      if (this.#memories.size <= KEPT_SESSIONS && this.#text <= KEPT_TEXT) return;
      this.#forget(oldest);
    }
  }

  #valid(claimed: ClaimedRun): Transcript | undefined {
    const memory = this.#memories.get(keyOf(claimed));
    const isValid = memory?.edits === claimed.edits && memory.rewinds === lastRewind(claimed.head);
    return isValid ? memory.transcript : undefined;
  }

  #forget(key: string): void {
    this.#text -= this.#memories.get(key)?.transcript.size ?? 0;
    this.#memories.delete(key);
  }

  /** Adds what is in force after the transcript's last event, up to `head`. */
  async #read(ref: SessionRef, head: Head, transcript: Transcript): Promise<void> {
    for (const [from, to] of head.spans) {
      const end = Math.min(to ?? head.seq, head.seq);
      let after = Math.max(from - 1, transcript.seq);
      while (after < end) {
        const page = await this.log.read(ref, { after, limit: Math.min(PAGE, end - after) });
        if (!page || page.events.length === 0) throw new Error(`session ${ref.session} has no events after ${after}`);
        for (const event of page.events) {
          transcript.add(hasBlob(event.body) ? await this.blobs.fetchEvent(ref, event) : event);
        }
        after += page.events.length;
      }
    }
    transcript.seq = head.seq; // what follows the last event in force was read too: it is void
  }
}

const keyOf = ({ tenant, session }: SessionRef): string => `${tenant}/${session}`;

/** Where the last span in force begins: each rewind begins a new one, further on. */
const lastRewind = ({ spans }: Head): number => spans.at(-1)?.[0] ?? 1;
