import { type FastifyReply } from 'fastify';

/** Why a signal aborts when a client goes away before it has its whole answer. */
class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

const brokenOff = new WeakSet<FastifyReply['raw']>();

/** Breaks a response off, so that the client sees that this was not the end. It is not the client who goes away. */
export const breakOff = ({ raw }: FastifyReply): void => {
  brokenOff.add(raw);
  raw.destroy();
};

/** Aborts when the connection ends before the client has its whole answer, whoever ended it. */
export const departureOf = (reply: FastifyReply): AbortSignal => {
  const departure = new AbortController();
  const { raw } = reply;
  raw.once('close', () => {
    if (raw.writableFinished) return;
    // A server that no longer listens is draining: it closes the connections itself.
    const isOurs = brokenOff.has(raw) || !reply.server.server.listening;
    departure.abort(isOurs ? undefined : new Disconnected('the client went away'));
  });
  return departure.signal;
};

/** Whether it was the client that ended the waiting, not its time limit and not this gateway. */
export const isDisconnect = ({ reason }: AbortSignal): boolean => reason instanceof Disconnected;
