import { Controller, Get, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Health, type Readiness } from '@parley/host';
import { type FastifyReply } from 'fastify';

/** Whether this process lives, and whether it can do its work. */
@Controller('health')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  @RouteConfig({ public: true })
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** 503 while anything that is needed is away. */
  @Get('ready')
  @RouteConfig({ public: true })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.health.ready();
    void reply.code(readiness.ready ? 200 : 503);
    return readiness;
  }
}
