import { VectaraClient } from '../client/vectara-client.js';
import { type SessionKeys } from '../client/wire.js';
import { judge, merged, type Verdict } from '../kills/verdict.js';
import { StubModel } from '../model/stub-model.js';
import { DataFolder } from '../product/data-folder.js';
import { type Exit, StandaloneProcess } from '../product/standalone-process.js';
import { CrashDrive, type DriveSessions } from './crash-drive.js';

/** How long a session may need until it rests, in milliseconds: its model answers at once. */
const REST_MS = 20_000;

/** What came of a death at one point. */
export interface CrashReport extends Verdict {
  exit: Exit;
}

/** Lets a product die at one point after the other, each time amid all that it can do, and looks at what is left. */
export class CrashTrials {
  readonly #folder = new DataFolder();
  readonly #model = new StubModel();
  #modelUrl = '';
  #trial = 0;
  #calm: { process: StandaloneProcess; client: VectaraClient } | undefined;

  async open(): Promise<void> {
    this.#modelUrl = await this.#model.listen();
    const client = await this.#startCalm();
    await client.makeAgent('crashed', 'openai/odd-1');
  }

  async close(): Promise<void> {
    await this.#calm?.process.kill('SIGTERM');
    await this.#model.close();
    this.#folder.remove();
  }

  /** @param point where to die, as CRASH_AT takes it. */
  async dieAt(point: string): Promise<CrashReport> {
    const client = this.#calm?.client ?? (await this.#startCalm());
    const sessions = await this.#makeSessions(client);
    this.#model.hold = (_words, at) => at === 'text';
    await (await client.say(sessions.reclaimed, 'reclaimed')).upTo('streaming_agent_output');
    await this.#calm?.process.kill('SIGKILL');
    this.#calm = undefined;
    const process = this.#start({ CRASH_AT: point, PARLEY_EXECUTOR_SLOTS: '1', PARLEY_SHUTDOWN_GRACE_MS: '0' });
    const drive = new CrashDrive({ process, model: this.#model, sessions, folder: this.#folder.path });
    await drive.run().finally(() => process.kill('SIGKILL'));
    const accepted = [{ session: sessions.reclaimed, words: 'reclaimed' }, ...drive.accepted];
    return { exit: await process.exited, ...(await this.#judge(await this.#startCalm(), sessions, accepted)) };
  }

  /** Waits until every session rests. */
  async #judge(client: VectaraClient, sessions: DriveSessions, accepted: CrashDrive['accepted']): Promise<Verdict> {
    const verdicts = Object.values(sessions).map(async (session: SessionKeys) => {
      const stream = await client.listen(session);
      const late = setTimeout(() => stream.leave(), REST_MS);
      const replay = await stream.all().finally(() => clearTimeout(late));
      const said = accepted.filter((one) => one.session === session).map(({ words }) => words);
      return judge({ session, listed: await client.events(session), replay, said, views: [], told: [] });
    });
    return merged(await Promise.all(verdicts));
  }

  async #makeSessions(client: VectaraClient): Promise<DriveSessions> {
    this.#trial += 1;
    const make = (name: string): Promise<SessionKeys> => client.makeSession('crashed', `${name}-${this.#trial}`);
    const [reclaimed, talking, queued, takenOver, waiting, handedBack] = await Promise.all([
      make('reclaimed'),
      make('talking'),
      make('queued'),
      make('taken-over'),
      make('waiting'),
      make('handed-back'),
    ]);
    return { reclaimed, talking, queued, takenOver, waiting, handedBack };
  }

  async #startCalm(): Promise<VectaraClient> {
    this.#model.letGo();
    const process = this.#start({});
    const { url, key } = await process.listening();
    const client = new VectaraClient(url, key);
    this.#calm = { process, client };
    return client;
  }

  #start(env: Readonly<Record<string, string>>): StandaloneProcess {
    const dataFolder = this.#folder.path;
    return new StandaloneProcess({
      dataFolder,
      env: { OPENAI_BASE_URL: this.#modelUrl, OPENAI_API_KEY: 'sk-odd', ...env },
    });
  }
}
