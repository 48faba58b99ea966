import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import pg from 'pg';
import { connectionConfig } from '../../connection.js';
import { hotConnection } from './hot-pool.js';
import { PostgresRunLog } from './postgres-run-log.js';
import { Stage, type Scene } from './stage.contract.js';

const SCENES: Scene[] = ['idle', 'queued', 'running', 'calling', 'crowded', 'waiting'];

/** No scan of one statement may look at more rows than this, however many there are. */
const MOST_ROWS = 12;

/** The server says how it ran every statement, those inside functions too. */
const EXPLAINING = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_format': 'json',
  client_min_messages: 'log',
};

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const rowsSeen = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops'];

/** Every statement of every verb reads by key, however large the tables are. */
describe.each(postgresServers)('the plans of the run log on $name', (server) => {
  let database: TestDatabase;
  let stage: Stage;
  let scans: string[] = [];

  const explainingPool = (): pg.Pool => {
    const { settings, ...options } = hotConnection('plans');
    const config = connectionConfig(database.url, { ...options, settings: { ...settings, ...EXPLAINING } });
    const pool = new pg.Pool({ ...config, max: 1 });
    pool.on('connect', (client) => {
      client.on('notice', ({ message }) => {
        const json = message?.slice(message.indexOf('{'));
        if (!message?.includes('plan:') || json === undefined) return;
        const { 'Query Text': query, Plan } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
        for (const node of nodesOf(Plan)) {
          if (node['Relation Name'] === undefined) continue;
          if (node['Node Type'] !== 'Seq Scan' && rowsSeen(node) <= MOST_ROWS) continue;
          scans.push(`${node['Node Type']} of ${node['Relation Name']}, ${rowsSeen(node)} rows: ${query}`);
        }
      });
    });
    return pool;
  };

  beforeAll(async () => {
    database = await createTestDatabase(server, { migrated: true });
    stage = await Stage.open(database.url);
    await stage.leaveStatistics();
  });

  afterAll(async () => {
    await stage.close();
    await database.drop();
  });

  const playAll = async (log: PostgresRunLog): Promise<void> => {
    for (const scene of SCENES) {
      for (const move of Object.values(stage.moves)) {
        await stage.set(scene);
        await move(log);
      }
      await stage.readAll(log);
    }
  };

  it('read by key beside 10,000 sessions with runs in every state, also by plans made when the tables were empty', async () => {
    const early = new PostgresRunLog(explainingPool(), database.url);
    await playAll(early);
    await stage.crowd(10_000);
    scans = [];
    await playAll(early);
    await early.close();
    await stage.analyze();
    const late = new PostgresRunLog(explainingPool(), database.url);
    await playAll(late);
    await late.close();
    expect(scans).toEqual([]);
  }, 120_000);

  it('would be caught reading a whole table', async () => {
    scans = [];
    const pool = explainingPool();
    await pool.query(`select from runs where reason = 'none'`);
    await pool.end();
    expect(scans).toEqual([expect.stringContaining('of runs')]);
  });
});
