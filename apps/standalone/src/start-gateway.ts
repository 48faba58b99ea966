import { type LoggerService } from '@nestjs/common';
import { makeGateway, type Admittance } from '@parley/gateway';
import { type Health } from '@parley/host';
import { type Wires } from './start-services.js';

/** What the gateway is made of. */
export interface GatewayStart {
  port: number;
  host: string;
  door: Admittance & { cursorSecret: string };
  wires: Wires;
  health: Health;
  logger: LoggerService;
}

/**
 * Opens the door. `url` names the port that was taken, also where port 0 left the choice to the system.
 * @throws Error that says what to do, where another program has the port.
 */
export const startGateway = async (start: GatewayStart): Promise<{ url: string; stop(): Promise<void> }> => {
  const { port, host, door, wires, health, logger } = start;
  const { bus, frames } = wires;
  const app = await makeGateway({ ...door, bus, frames, health, logger });
  try {
    await app.listen(port, host);
  } catch (error) {
    await app.close();
    throw isTaken(error) ? new Error(`port ${port} of ${host} is taken: set PORT to another`, { cause: error }) : error;
  }
  const address = app.getHttpServer().address();
  const taken = typeof address === 'object' && address ? address.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  const stop = async (): Promise<void> => {
    health.drain();
    await app.close();
  };
  return { url: `http://${name}:${taken}`, stop };
};

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
