import { seed } from '../../config.js';
import { freezeExecutor, killServices, restartPostgres, takeDown, type Disturber } from '../disturbances.js';
import { TalkAmid, type TalkReport } from '../talk-amid.js';

/** What can be done to a cluster. */
const DISTURBANCES: Record<string, Disturber> = {
  kills: killServices,
  nats: takeDown('nats', [1, 10, 60]),
  redis: takeDown('redis', [1, 60]),
  postgres: restartPostgres(20),
  freeze: freezeExecutor(40),
};

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

const quantile = (sorted: number[], q: number): string =>
  `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN)} ms`;

const figuresOf = (report: TalkReport): string[] => [
  `turns ${report.runs} in ${Math.round(report.seconds)} s, disturbed: ${JSON.stringify(report.disturbed)}`,
  `lost ${report.lost.length}, doubled ${report.doubled.length}, failed ${report.failed.length}, other faults ${report.faults.length}, fatal log lines ${report.fatal.length}, stale writes refused ${report.staleWrites}`,
  `picked up ${report.pickUpMs.length} times: p50 ${quantile(report.pickUpMs, 0.5)}, p99 ${quantile(report.pickUpMs, 0.99)}, max ${quantile(report.pickUpMs, 1)}`,
  ...[...report.lost, ...report.doubled, ...report.failed, ...report.faults, ...report.fatal].slice(0, 40),
];

/** `npm run cluster:amid -- kills 1000`: so many turns amid a disturbance; fails where something was lost. */
const [name = 'kills', runs = '1000'] = process.argv.slice(2);
const disturb = DISTURBANCES[name];
if (!disturb) throw new Error(`'${name}' is none of: ${Object.keys(DISTURBANCES).join(', ')}`);
say(`${runs} turns, 20 at a time, amid ${name}, seed ${seed} (PARLEY_E2E_SEED) …`);
const report = await new TalkAmid({ runs: Number(runs), parallel: 20, seed, disturb, onProgress: say }).run();
for (const line of figuresOf(report)) say(line);
const bad = [report.lost, report.doubled, report.failed, report.faults, report.fatal].flat();
process.exitCode = bad.length === 0 ? 0 : 1;
