import http, { type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';

/** Tokens before the last one, and the time between two. */
const TOKENS = 4;
const PACE_MS = 5;

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', model: 'paced', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const TOKEN = chunk({ content: ' token' });
const USAGE = `data: ${JSON.stringify({ model: 'paced', choices: [], usage: { prompt_tokens: 60, completion_tokens: TOKENS + 1 } })}\n\n`;
const LAST = `${TOKEN}${chunk({}, 'stop')}${USAGE}data: [DONE]\n\n`;

/** A model in this process: it says a few tokens at a steady pace and keeps the time of its last byte. One call at a time. */
export class PacedModel {
  /** When the last call's last byte was handed to the socket, on the clock of `performance.now()`. */
  lastByteAt = 0;

  private constructor(readonly origin: string) {}

  static async start(): Promise<PacedModel> {
    const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      request.resume().once('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        model.#say(response, TOKENS);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const model = new PacedModel(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return model;
  }

  #say(response: ServerResponse, left: number): void {
    if (left > 0) {
      response.write(TOKEN);
      setTimeout(() => this.#say(response, left - 1), PACE_MS);
      return;
    }
    this.lastByteAt = performance.now();
    response.end(LAST);
  }
}
