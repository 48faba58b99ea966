import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedModel, type ScriptedCall } from '../loop/scripted-model.contract.js';

/** What the words of a user do to the process that has the model answer them. Others are answered. */
const FATAL: Record<string, () => void> = {
  Die: () => process.kill(process.pid, 'SIGKILL'),
  Leave: () => process.exit(3),
  Eat: () => {
    const eaten: number[][] = [];
    for (;;) eaten.push(new Array<number>(4_000_000).fill(eaten.length));
  },
};

/** A model whose answer to some words is the end of the process. It says something first. */
export const fatalWords = (): ScriptedModel => new ScriptedModel((call) => void answer(call));

const answer = async (call: ScriptedCall): Promise<void> => {
  const words = wordsOf(call);
  call.say('Let me see.');
  await sleep(words === 'Take your time' ? 5_000 : 30);
  FATAL[words]?.();
  call.answer(' Yes.');
};

const wordsOf = ({ request }: ScriptedCall): string => {
  const said = request.messages.findLast(({ role }) => role === 'user')?.parts ?? [];
  return said.map((part) => ('text' in part ? part.text : '')).join('');
};
