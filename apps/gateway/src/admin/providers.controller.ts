import { Controller, Get, Query, Req } from '@nestjs/common';
import { listProviders, type ProviderView } from '@parley/contracts';
import { Bus } from '@parley/messaging';
import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parsedQuery } from '../http/body/parsed.js';

/** `/parley/v1/providers`: which models there are, without secrets. */
@Controller('parley/v1/providers')
export class ProvidersController {
  constructor(private readonly bus: Bus) {}

  @Get()
  async list(@Req() { tenant }: FastifyRequest, @Query() query: unknown): Promise<ProviderList> {
    parsedQuery(z.strictObject({}), query);
    return this.bus.request(listProviders, { tenant });
  }
}

interface ProviderList {
  default: string;
  providers: ProviderView[];
}
