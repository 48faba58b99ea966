import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedModel } from '../loop/scripted-model.contract.js';

/** A model that asks for a tool, and when it hears that there is none, answers. It takes its time, word by word. */
export const twoRounds = (): ScriptedModel =>
  new ScriptedModel((call) => {
    void (async () => {
      const isFirst = call.request.messages.at(-1)?.role === 'user';
      for (const word of ['Let', ' me', ' see.']) {
        call.say(word);
        await sleep(5);
      }
      if (isFirst) call.ask('search');
      call.end();
    })();
  });

/** A model that asks to wait for more than a second. */
export const failing = (): ScriptedModel =>
  new ScriptedModel((call) => call.fail('rate_limited', { retryable: true, retryAfterMs: 1_200 }));
