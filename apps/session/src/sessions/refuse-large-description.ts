import { MAX_PAGE_BYTES, refuseLarge } from '@parley/core';
import { type SessionDescription } from '@parley/persistence';

const FIELDS = ['name', 'description', 'metadata', 'facets'] as const satisfies (keyof SessionDescription)[];
/** Of each field by itself: whatever changes come at the same moment, all of them together fit on a page. */
const MAX_FIELD_BYTES = MAX_PAGE_BYTES / FIELDS.length;

/** @throws PlatformError `too_large`, naming field and limit: what was kept could not be carried between services. */
export const refuseLargeDescription = (description: {
  [K in keyof SessionDescription]?: SessionDescription[K] | undefined;
}): void => {
  for (const field of FIELDS) refuseLarge({ [field]: description[field] }, MAX_FIELD_BYTES);
};
