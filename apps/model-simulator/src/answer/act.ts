/**
 * What the server does on the wire, one thing after the other. Answers are generators of acts, so they are made as
 * they are played: an aborted one stops where it is, and a long one takes no memory.
 */
export type Act =
  | { do: 'head'; status: number; headers: Readonly<Record<string, string>> }
  /** One write of the body. `tokens`: how many tokens of the answer are in it. */
  | { do: 'send'; data: string | Uint8Array; tokens: number }
  | { do: 'wait'; ms: number }
  | { do: 'respond'; status: number; headers: Readonly<Record<string, string>>; body: string; tokens: number }
  | { do: 'close' }
  | { do: 'reset' }
  | { do: 'stall' };
