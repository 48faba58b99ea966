/**
 * Why a request to the outside got no whole answer.
 * `connect_failed`: no connection was made (name, refusal, TLS). `reset`: a connection broke before the answer was
 * whole. `bad_answer`: what came back is not HTTP. `aborted`: the caller's signal. `timeout`: no connection in time.
 */
export type OutboundFailure = 'connect_failed' | 'reset' | 'bad_answer' | 'aborted' | 'timeout';

/** The one error of `Outbound`, thrown by `send` and made by `from` of what a response's body emits. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';

  constructor(
    readonly code: OutboundFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The typed form of what node says of a connection that was made. */
  static from(error: unknown): OutboundError {
    if (error instanceof OutboundError) return error;
    const said = saying(error);
    const code = said.startsWith('HPE_') ? 'bad_answer' : 'reset';
    const what = code === 'reset' ? 'the connection broke' : 'the answer is not HTTP';
    return new OutboundError(code, `${what} (${said})`, { cause: error });
  }
}

/** What node says, at its shortest: the code where there is one. */
export const saying = (error: unknown): string => {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return [code, message].find((one) => typeof one === 'string') ?? String(error);
};
