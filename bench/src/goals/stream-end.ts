import { fileURLToPath } from 'node:url';
import { type EndingAsk, type EndingReport } from '../load/ending-process.js';
import { type Figure } from '../report/figure.js';
import { median, quantile } from '../report/quantile.js';
import { chatRequest, makeAgent, makeSessions } from '../rig/conversations.js';
import { startStack } from '../rig/stack.js';
import { type Goal } from './goal.js';

const ROUNDS = 20;
const RUNS_A_ROUND = 15;
const WARM_UP = 10;
const MODEL = 'paced';

/** Goal 11: how soon a stream ends after its model has, and what a token weighs on the wire. */
export const streamEnd: Goal = {
  id: '11',
  title: "the end of a stream, after the model's last byte",
  async measure(rig) {
    const script = fileURLToPath(new URL('../load/ending-process.js', import.meta.url));
    const reader = rig.start({ script, name: 'reader' });
    const model = await reader.ask<string>({ what: 'model' } satisfies EndingAsk);
    const stack = await startStack(rig, model);
    const agent = await makeAgent(stack, MODEL);
    const ask = (endings: Omit<Extract<EndingAsk, { what: 'endings' }>, 'what' | 'runs'>) =>
      reader.ask<EndingReport>({ what: 'endings', runs: RUNS_A_ROUND, ...endings } satisfies EndingAsk);
    const turns: EndingReport[] = [];
    const direct: EndingReport[] = [];
    for (const request of await makeSessions(stack, agent, WARM_UP + ROUNDS)) {
      direct.push(await ask({ kind: 'chat', origin: model, request: chatRequest(MODEL) }));
      turns.push(await ask({ kind: 'vectara', origin: stack.origin, request }));
    }
    return figuresOf(turns.slice(WARM_UP), direct.slice(WARM_UP));
  },
};

const figuresOf = (turns: EndingReport[], direct: EndingReport[]): Figure[] => {
  const text = turns.flatMap(({ lastText }) => lastText);
  const terminal = turns.flatMap((report) => report.terminal);
  const directly = direct.flatMap((report) => report.terminal);
  return [
    { name: 'last text, p50', value: median(text), unit: 'ms', target: { most: 1 } },
    { name: 'last text, p99', value: quantile(text, 0.99), unit: 'ms' },
    { name: 'terminal frame, p50', value: median(terminal), unit: 'ms', target: { most: 2 } },
    { name: 'terminal frame, p99', value: quantile(terminal, 0.99), unit: 'ms' },
    { name: 'end of a direct stream, p50', value: median(directly), unit: 'ms' },
    { name: 'beside the text, a frame', value: median(turns.flatMap(({ overhead }) => overhead)), unit: 'bytes' },
    {
      name: 'beside the text, a direct frame',
      value: median(direct.flatMap(({ overhead }) => overhead)),
      unit: 'bytes',
    },
  ];
};
