import { type ResponseOf, type Rpc } from '@parley/contracts';
import { issuesOf, issuesText, PlatformError } from '@parley/core';

/**
 * Reads an answer as it came over the wire.
 * @throws PlatformError `internal`: the callee answered what the contract does not allow.
 */
export const parseAnswer = <C extends Rpc>(contract: C, answer: unknown): ResponseOf<C> => {
  const parsed = contract.response.safeParse(answer);
  if (parsed.success) return parsed.data as ResponseOf<C>;
  const cause = new TypeError(
    `${contract.subject} answered against its contract: ${issuesText(issuesOf(parsed.error))}`,
  );
  throw new PlatformError('internal', 'unexpected failure', {}, { cause });
};
