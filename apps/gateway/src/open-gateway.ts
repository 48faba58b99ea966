import { makeGateway, type GatewaySettings } from './gateway.js';

/** A gateway and where it listens. */
export interface OpenGateway extends GatewaySettings {
  port: number;
  host: string;
}

/**
 * Opens the door. `url` names the port that was taken, also where port 0 left the choice to the system.
 * @throws Error that says what to do, where another program has the port.
 */
export const openGateway = async (gateway: OpenGateway): Promise<{ url: string; stop(): Promise<void> }> => {
  const { port, host, ...settings } = gateway;
  const app = await makeGateway(settings);
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
    settings.health.drain();
    await app.close();
  };
  return { url: `http://${name}:${taken}`, stop };
};

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
