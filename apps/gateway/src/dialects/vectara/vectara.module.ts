import { Module } from '@nestjs/common';
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
import { SessionsController } from './sessions/sessions.controller.js';
import { Sessions } from './sessions/sessions.js';

/** The Vectara Agents API under `/v2`. Needs `Bus`, `SessionStreams` and `PageKeys` from the module that takes it in. */
@Module({
  controllers: [AgentsController, SessionsController, EventsController],
  providers: [Agents, Answers, Directory, EventLists, EventLog, Sessions, Turns],
})
export class VectaraModule {}

/** What the door knows of this dialect. */
export const vectaraDialect: Dialect = {
  owns: (path) => path === '/v2' || path.startsWith('/v2/'),
  refusal: vectaraRefusal,
};
