import { ERRORS, type PlatformError } from '@parley/core';
import { type Dialect } from './dialect.js';
import { toldOf } from './told.js';

/** RFC 9457, for every path that no dialect owns. */
export const problemDialect: Dialect = {
  owns: () => true,
  refusal: (error: PlatformError, requestId: string) => {
    const { status, title } = ERRORS[error.code];
    const { issues, retryAfterMs } = error.details;
    return {
      status,
      headers: {
        'content-type': 'application/problem+json',
        ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
      },
      body: {
        type: `urn:parley:error:${error.code}`,
        title,
        status,
        detail: toldOf(error),
        instance: `urn:parley:request:${requestId}`,
        ...(issues ? { errors: issues } : {}),
      },
    };
  },
};
