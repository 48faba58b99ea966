import { createServer, type Server, type ServerResponse } from 'node:http';
import { type Health } from './health.js';

/** Where a service without a door of its own tells how it is. */
export interface HealthAddress {
  host: string;
  /** 0: one that is free. */
  port: number;
}

/**
 * Serves `GET /health/live` and `GET /health/ready` (503 while anything that is needed is away), as the gateway does.
 * Answers with the port that was taken and how to stop.
 * @throws Error that says what to do, where another program has the port.
 */
export const serveHealth = async (
  health: Health,
  { host, port }: HealthAddress,
): Promise<{ port: number; stop(): Promise<void> }> => {
  const server = createServer((request, response) => {
    request.resume();
    void answer(health, request.url, response);
  });
  await listening(server, { host, port });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const answer = async (health: Health, url: string | undefined, response: ServerResponse): Promise<void> => {
  if (url === '/health/live') return reply(response, 200, { status: 'live' });
  if (url !== '/health/ready') return reply(response, 404, { message: 'there are /health/live and /health/ready' });
  const readiness = await health.ready();
  reply(response, readiness.ready ? 200 : 503, readiness);
};

const reply = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const listening = (server: Server, { host, port }: HealthAddress): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken ? new Error(`port ${port} of ${host} is taken: set HEALTH_PORT to another`, { cause: error }) : error,
      );
    });
    server.listen(port, host, resolve);
  });
