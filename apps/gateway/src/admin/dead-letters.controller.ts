import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import { listDeadLetters, rerunDeadLetter, type ResponseOf } from '@parley/contracts';
import { type DeadLetter, type Page, RunId } from '@parley/core';
import { Bus } from '@parley/messaging';
import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parsed, parsedQuery } from '../http/body/parsed.js';

const ListQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number from 1 to 100')
    .transform(Number)
    .pipe(z.number().min(1).max(100))
    .default(20),
  after: z.string().optional(),
});

/** `/parley/v1/dead-letters`: runs that killed whatever acted them, and another try for them. */
@Controller('parley/v1/dead-letters')
export class DeadLettersController {
  constructor(private readonly bus: Bus) {}

  /** A page, the newest first; `next` is what `after` takes for the following one. */
  @Get()
  async list(@Req() { tenant }: FastifyRequest, @Query() query: unknown): Promise<Page<DeadLetter>> {
    return await this.bus.request(listDeadLetters, { tenant, ...parsedQuery(ListQuery, query) });
  }

  /** Takes no options; asked twice it answers what it answered first. */
  @Post(':run/rerun')
  async rerun(@Req() { tenant }: FastifyRequest, @Param() params: unknown, @Body() body: unknown): Promise<Rerun> {
    const { run } = parsed(z.object({ run: RunId }), params);
    parsed(z.strictObject({}).optional(), body);
    const { outcome, run: rerun } = await this.bus.request(rerunDeadLetter, { tenant, run });
    return { run: rerun, outcome };
  }
}

/** The run that was admitted, and whether it has its session's turn or stands in line. */
type Rerun = Pick<ResponseOf<typeof rerunDeadLetter>, 'run' | 'outcome'>;
