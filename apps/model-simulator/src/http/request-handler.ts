import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Completion } from '../answer/completion.js';
import { cutWrites } from '../answer/cut-writes.js';
import { persona } from '../answer/persona.js';
import { shownSimModels, simModel } from '../answer/sim-model.js';
import { StreamedAnswer } from '../answer/streamed-answer.js';
import { WholeAnswer } from '../answer/whole-answer.js';
import { embed, shownEmbeddingModel } from '../embeddings/embed.js';
import { fixtureRule, type Played, played } from '../fixture-book/fixture-book.js';
import { EmbeddingParams } from '../params/embedding-params.js';
import { parseBody } from '../rules/parse-body.js';
import { parseCreateParams } from '../rules/parse-create-params.js';
import { checkStrictly } from '../rules/strict-modes.js';
import { type AskedCompletion } from '../script/matches.js';
import { type ScriptBook } from '../script/script-book.js';
import { ApiError } from './api-error.js';
import { Playback } from './playback.js';
import { readBody } from './read-body.js';
import { type RequestEntry, type RequestLog } from './request-log.js';

/** What the program says about itself: one line a call, nothing for a request that was served. */
export type SimulatorLog = (message: string, details: Readonly<Record<string, unknown>>) => void;

interface Settings {
  apiKey: string | undefined;
  bodyLimitBytes: number;
  log: SimulatorLog;
}

type Route = (request: IncomingMessage, response: ServerResponse, entry: RequestEntry) => Promise<void>;

/** OpenAI's API as far as we play it: its routes, and errors in its form for everything else. */
export class RequestHandler {
  /** The script in use; replaced as a whole. */
  script: ScriptBook;
  private readonly routes = new Map<string, { method: string; route: Route }>([
    ['/v1/chat/completions', { method: 'POST', route: (...request) => this.complete(...request) }],
    ['/v1/embeddings', { method: 'POST', route: (...request) => this.embed(...request) }],
    ['/v1/models', { method: 'GET', route: (...request) => this.listModels(...request) }],
  ]);

  constructor(
    private readonly settings: Settings,
    private readonly requests: RequestLog,
    script: ScriptBook,
  ) {
    this.script = script;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '', headers } = request;
    const entry = this.requests.open({ method, path: url, headers });
    response.on('close', () => entry.close(response.writableFinished ? 'answered' : 'aborted'));
    this.serve(request, response, entry).catch((error: unknown) => this.refuse(error, response, entry));
  };

  private async serve(...[request, response, entry]: Parameters<Route>): Promise<void> {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?');
    const known = this.routes.get(path);
    if (!known) throw new ApiError(404, { message: `Invalid URL (${method} ${path})`, code: 'unknown_url' });
    if (known.method !== method) {
      const message = `Not allowed to ${method} on ${path}: only ${known.method} requests are accepted.`;
      throw new ApiError(405, { message, code: 'method_not_supported' });
    }
    this.checkKey(request.headers.authorization);
    await known.route(request, response, entry);
  }

  private checkKey(authorization: string | undefined): void {
    const { apiKey } = this.settings;
    if (apiKey === undefined || authorization === `Bearer ${apiKey}`) return;
    const message = authorization ? 'Incorrect API key provided.' : `You didn't provide an API key.`;
    throw new ApiError(401, { message, code: authorization ? 'invalid_api_key' : null });
  }

  private async complete(...[request, response, entry]: Parameters<Route>): Promise<void> {
    const body = await readBody(request, this.settings.bodyLimitBytes);
    this.requests.keepText(entry, body);
    const params = parseCreateParams(body, this.script.extensions);
    checkStrictly(body, this.script.strict);
    const { answer, writes, name } = this.ruleFor({ params, body });
    entry.rule = name;

    const completion = new Completion({ params, body });
    const player = params.stream ? new StreamedAnswer(completion) : new WholeAnswer(completion);
    const acts = writes ? cutWrites(player.play(answer), writes) : player.play(answer);
    const contentType = params.stream ? 'text/event-stream; charset=utf-8' : 'application/json';
    new Playback(response, entry, acts[Symbol.iterator](), contentType).play();
  }

  private async embed(...[request, response, entry]: Parameters<Route>): Promise<void> {
    const body = await readBody(request, this.settings.bodyLimitBytes);
    this.requests.keepText(entry, body);
    writeJson(response, entry, 200, embed(parseBody(EmbeddingParams, body, this.script.extensions)));
  }

  /** The script's rule, or one made of the model's fixture or persona. */
  private ruleFor(asked: AskedCompletion): Played {
    const { model } = asked.params;
    const sim = simModel(model);
    const builtIn = sim ? { answer: persona(sim, asked.params) } : fixtureRule(asked.params);
    if (!builtIn && !this.script.names(model)) {
      const message = `The model \`${model}\` does not exist or you do not have access to it.`;
      throw new ApiError(404, { message, code: 'model_not_found' });
    }
    const rule = this.script.take(asked);
    if (rule) return played(rule, asked.params);
    if (builtIn) return builtIn;
    const message = `No rule of the script matches this request, and \`${model}\` is not a model with a persona.`;
    throw new ApiError(400, { message, code: 'script_no_match' });
  }

  private async listModels(...[, response, entry]: Parameters<Route>): Promise<void> {
    const ids = [...new Set([...shownSimModels, shownEmbeddingModel, ...this.script.models])];
    const data = ids.map((id) => ({ id, object: 'model', created: 0, owned_by: 'parley-simulator' }));
    writeJson(response, entry, 200, { object: 'list', data });
  }

  private refuse(error: unknown, response: ServerResponse, entry: RequestEntry): void {
    const known =
      error instanceof ApiError ? error : new ApiError(500, { message: String(error), type: 'server_error' });
    this.settings.log('request refused', { status: known.status, ...known.body });
    if (known.status === 413) response.setHeader('connection', 'close'); // the rest of the body is not read
    if (response.headersSent) response.destroy();
    else writeJson(response, entry, known.status, known.body);
  }
}

function writeJson(...[response, entry, status, body]: [ServerResponse, RequestEntry, number, object]): void {
  const text = JSON.stringify(body);
  entry.status = status;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
