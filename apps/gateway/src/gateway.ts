import { type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { vectaraDialect } from './dialects/vectara/vectara.module.js';
import { GatewayModule, type GatewayPorts } from './gateway.module.js';
import { type Admittance } from './http/door/door.js';
import { makeHttpServer } from './http/http-server.js';

/** All that a gateway is made of. */
export interface GatewaySettings extends GatewayPorts, Admittance {
  logger: LoggerService | false;
}

/**
 * Makes the gateway, ready to `listen(port, host)`; `close()` ends it with all its connections.
 */
export const makeGateway = async ({
  logger,
  keys,
  openTo,
  ...ports
}: GatewaySettings): Promise<NestFastifyApplication> => {
  const { adapter, refusals } = makeHttpServer({ keys, openTo }, [vectaraDialect]);
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.with(ports), adapter, {
    bodyParser: false,
    logger,
  });
  app.useGlobalFilters(refusals);
  return app;
};
