import { type DynamicModule, Module } from '@nestjs/common';
import { type Dialect } from '../../http/refusal/dialect.js';
import { AgentsController } from './agents/agents.controller.js';
import { Agents } from './agents/agents.js';
import { Directory } from './directory.js';
import { vectaraRefusal } from './errors.js';
import { Answers } from './events/answers.js';
import { EventLists } from './events/event-lists.js';
import { EventLog } from './events/event-log.js';
import { EventsController } from './events/events.controller.js';
import { Turns } from './events/turns.js';
import { PageKeys } from './paging.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { Sessions } from './sessions/sessions.js';

/** The Vectara Agents API under `/v2`. Needs `Bus` and `SessionStreams` from the module that takes it in. */
@Module({})
export class VectaraModule {
  /** @param cursorSecret seals `page_key`s. */
  static with(cursorSecret: string): DynamicModule {
    return {
      module: VectaraModule,
      controllers: [AgentsController, SessionsController, EventsController],
      providers: [
        { provide: PageKeys, useValue: new PageKeys(cursorSecret) },
        Agents,
        Answers,
        Directory,
        EventLists,
        EventLog,
        Sessions,
        Turns,
      ],
    };
  }
}

/** What the door knows of this dialect. */
export const vectaraDialect: Dialect = {
  owns: (path) => path === '/v2' || path.startsWith('/v2/'),
  refusal: vectaraRefusal,
};
