import { type Call, type Head, type Raw, type Respond } from '../script/step.js';
import { type Act } from './act.js';

/** What the steps that look alike in a stream and in a whole answer become. */

export function rawBytes({ raw, encoding }: Raw): string | Uint8Array {
  return encoding === 'base64' ? Buffer.from(raw, 'base64') : raw;
}

export function argumentsText(value: Call['arguments']): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

export function headOf({ head }: Head): Act {
  return { do: 'head', status: head.status ?? 200, headers: head.headers ?? {} };
}

/** A body that is not a string is sent as JSON. `tokens`: how many tokens of an answer are in it. */
export function respondTo({ respond: { status, headers = {}, body = '' } }: Respond, tokens = 0): Act {
  return typeof body === 'string'
    ? { do: 'respond', status, headers, body, tokens }
    : {
        do: 'respond',
        status,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        tokens,
      };
}
