import { type JsonObject } from '@parley/core';
import { z } from 'zod';
import { IdleSettings, type InstructionNote } from './wire.js';

/** What only this API says of an agent: kept with it to be read again, without effect. */
export const AgentFacet = IdleSettings.extend({
  step: z.string(),
  reentry_step: z.string().optional(),
  allowed_tools: z.array(z.never()).optional(),
  allowed_skills: z.array(z.never()).optional(),
  /** The token limit was sent under its older name. */
  max_tokens: z.literal(true).optional(),
});
export type AgentFacet = z.infer<typeof AgentFacet>;

/** The facet of an agent; a plain one for an agent that was made through another API. */
export const facetOf = (facets: Record<string, JsonObject>): AgentFacet => {
  const facet = AgentFacet.safeParse(facets['vectara']);
  return facet.success ? facet.data : { step: 'first_step' };
};

/** What an instruction of an agent of another API says here: its text is sent as it stands. */
export const PLAIN_TEXT: InstructionNote = { template_type: 'text' };
