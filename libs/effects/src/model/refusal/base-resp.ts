import { loose, text, type Loose } from '../reply/chat-chunk.js';

/** MiniMax's numbers as statuses and, where none fits, words of OpenAI's (platform.minimax.io/docs/api-reference/errorcode). */
const MEANINGS: Readonly<Record<string, { code: number; type?: string }>> = {
  1001: { code: 408 },
  1002: { code: 429 },
  1004: { code: 401 },
  1008: { code: 402 },
  1026: { code: 400, type: 'content_filter' },
  1027: { code: 400, type: 'content_filter' },
  1039: { code: 429 },
  1041: { code: 429 },
  2013: { code: 400 },
  2045: { code: 429 },
  2049: { code: 401 },
  2056: { code: 402 },
};

/** What MiniMax says in `base_resp` beside a status of 200, in the form of OpenAI's errors; undefined: nothing is wrong. */
export const baseRespError = (answer: Loose): Loose | undefined => {
  const { status_code, status_msg } = loose(answer.base_resp) ?? {};
  if (!Number(status_code)) return undefined;
  const number = String(Number(status_code));
  return { message: `${text(status_msg) || 'no reason given'} (${number})`, ...MEANINGS[number] };
};
