import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, Frames, Permits } from '@parley/messaging';
import { RunLog, SessionStore } from '@parley/persistence';
import { DeadLetterHandlers } from './dead-letters/dead-letter.handlers.js';
import { ListDeadLetters } from './dead-letters/list-dead-letters.js';
import { RerunDeadLetter } from './dead-letters/rerun-dead-letter.js';
import { AdmitRun } from './runs/admit-run.js';
import { CancelRun } from './runs/cancel-run.js';
import { DirectHandOver } from './runs/direct-hand-over.js';
import { GetRun } from './runs/get-run.js';
import { GetRunStates } from './runs/get-run-states.js';
import { HeldRunEnding } from './runs/held-run-ending.js';
import { InboxFollowUp } from './runs/inbox-follow-up.js';
import { NewestAgents } from './runs/newest-agents.js';
import { PostFact } from './runs/post-fact.js';
import { ReadLog } from './runs/read-log.js';
import { RunReadHandlers, RunWriteHandlers } from './runs/run.handlers.js';
import { BlobSweep } from './sessions/blob-sweep.js';
import { CreateSession } from './sessions/create-session.js';
import { DeleteSession } from './sessions/delete-session.js';
import { GetSession } from './sessions/get-session.js';
import { ListSessions } from './sessions/list-sessions.js';
import { SessionHandlers } from './sessions/session.handlers.js';
import { UpdateSession } from './sessions/update-session.js';
import { Announcer } from './writing/announcer.js';
import { Poster } from './writing/poster.js';

/** What the session service works with. */
export interface SessionPorts {
  bus: Bus;
  frames: Frames;
  permits: Permits;
  runLog: RunLog;
  sessions: SessionStore;
  /** `NoHandOver` where no executor shares the process. */
  handOver: DirectHandOver;
}

const sessions = [BlobSweep, CreateSession, DeleteSession, GetSession, ListSessions, UpdateSession];
const runs = [AdmitRun, CancelRun, GetRun, GetRunStates, HeldRunEnding, InboxFollowUp, NewestAgents, PostFact, ReadLog];
const deadLetters = [ListDeadLetters, RerunDeadLetter];
const writing = [Announcer, Poster];

/** Sessions, the admission of runs to them, their inbox, and the runs that no executor survives. */
@Module({})
export class SessionModule {
  static with(ports: SessionPorts): DynamicModule {
    return {
      module: SessionModule,
      controllers: [SessionHandlers, RunReadHandlers, RunWriteHandlers, DeadLetterHandlers],
      providers: [
        { provide: Bus, useValue: ports.bus },
        { provide: Frames, useValue: ports.frames },
        { provide: Permits, useValue: ports.permits },
        { provide: RunLog, useValue: ports.runLog },
        { provide: SessionStore, useValue: ports.sessions },
        { provide: DirectHandOver, useValue: ports.handOver },
        ...sessions,
        ...runs,
        ...deadLetters,
        ...writing,
      ],
    };
  }
}
