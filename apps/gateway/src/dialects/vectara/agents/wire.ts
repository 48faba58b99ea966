import { JsonObject, Key, ModelChoice, OutputFormat } from '@parley/core';
import { z } from 'zod';
import { Flag, Limit } from '../paging.js';
import { emptyList, emptyMap, notYet, onlyAt, unsupportedType } from '../unsupported.js';
import { RetryConfiguration } from './retry.js';

const Name = z.string().min(1).max(50);
const StepName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,255}$/, 'must be 1 to 255 of A-Z a-z 0-9 _ -')
  .regex(/^(?!(__proto__|constructor|prototype)$)/, 'is not allowed as a name');
const NO_VELOCITY = "is not supported by this version of Parley for a template with '$' or '#': use \"text\"";

/** The parts of an inline instruction that are kept for reading and have no effect. */
export const InstructionNote = z.strictObject({
  description: z.string().optional(),
  template_type: z.enum(['velocity', 'text']).optional(),
  metadata: JsonObject.optional(),
});
export type InstructionNote = z.infer<typeof InstructionNote>;

const InlineInstruction = z
  .strictObject({
    type: z.literal('inline'),
    name: Name,
    template: z.string(),
    enabled: onlyAt(true).optional(),
    ...InstructionNote.shape,
  })
  .superRefine(({ template, template_type: type }, context) => {
    if (type === 'text' || !/[$#]/.test(template)) return;
    context.addIssue({ code: 'custom', path: ['template_type'], message: NO_VELOCITY });
  });

/** An instruction of a step: inline text; references are refused. */
export const AgentInstruction = z.discriminatedUnion('type', [InlineInstruction, unsupportedType('reference')]);
export type InlineInstruction = z.infer<typeof InlineInstruction>;

const OutputParser = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('default') }),
  z.strictObject({
    type: z.literal('structured'),
    json_schema: z.strictObject({
      name: OutputFormat.shape.name,
      description: z.string().optional(),
      strict: z.boolean().optional(),
      schema: JsonObject,
    }),
  }),
]);
export type OutputParser = z.infer<typeof OutputParser>;

/** The fields of a step, as both creating and changing take them. */
const stepFields = {
  instructions: z.array(AgentInstruction),
  output_parser: OutputParser,
  reminders: emptyList(),
  next_steps: emptyList(),
  allowed_tools: emptyList('is not a tool configuration of this agent').transform((): [] => []),
  allowed_skills: emptyList('is not a skill of this agent').transform((): [] => []),
  reentry_step: z.string(),
};

/** Deprecated in the published document, which says that it is ignored. */
const ignored = { type: z.string().optional() };

const fullStep = {
  instructions: stepFields.instructions,
  output_parser: stepFields.output_parser.optional(),
  reminders: stepFields.reminders.optional(),
  next_steps: stepFields.next_steps.optional(),
  allowed_tools: stepFields.allowed_tools.optional(),
  allowed_skills: stepFields.allowed_skills.optional(),
  reentry_step: stepFields.reentry_step.optional(),
  ...ignored,
};

/** A step of an agent. */
export const AgentStep = z.strictObject(fullStep);
export type AgentStep = z.infer<typeof AgentStep>;

const FirstStep = z.strictObject({ name: StepName.default('first_step'), ...fullStep });

const { output_parser: parser, ...clearable } = stepFields;
const stepChange = {
  instructions: clearable.instructions.nullable().optional(),
  output_parser: parser.optional(),
  reminders: clearable.reminders.nullable().optional(),
  next_steps: clearable.next_steps.nullable().optional(),
  allowed_tools: clearable.allowed_tools.nullable().optional(),
  allowed_skills: clearable.allowed_skills.nullable().optional(),
  reentry_step: clearable.reentry_step.nullable().optional(),
  ...ignored,
};

/** A change of a step: absent keeps, null clears. */
export const StepChange = z.strictObject(stepChange);
export type StepChange = z.infer<typeof StepChange>;

const { parameters } = ModelChoice.shape;

const Model = z.strictObject({
  name: z.string().min(1),
  parameters: parameters
    .safeExtend({ max_tokens: parameters.shape.max_completion_tokens })
    .superRefine((given, context) => {
      if (given.max_tokens === undefined || given.max_completion_tokens === undefined) return;
      context.addIssue({
        code: 'custom',
        path: ['max_tokens'],
        message: 'is the same as max_completion_tokens: send one',
      });
    })
    .optional(),
  retry_configuration: RetryConfiguration.optional(),
});
export type Model = z.infer<typeof Model>;

/** Settings of what this version does not do: taken where they say so, or say what is the default anyway. */
export const IdleSettings = z.strictObject({
  compaction: z
    .strictObject({
      enabled: z.boolean().optional(),
      threshold_percent: onlyAt(80).optional(),
      keep_recent_inputs: onlyAt(1).optional(),
      compaction_message: notYet.optional(),
      tool_event_policy: onlyAt('include_outputs').optional(),
    })
    .optional(),
  tool_output_offloading: z
    .strictObject({
      enabled: z.boolean().optional(),
      mode: onlyAt('truncate').optional(),
      context_percentage: onlyAt(0.25).optional(),
      max_threshold_bytes: onlyAt(1_048_576).optional(),
      min_threshold_bytes: onlyAt(4_096).optional(),
      headroom_percentage: onlyAt(0.7).optional(),
    })
    .optional(),
  session_enrichment: z
    .strictObject({ enabled: z.boolean().optional(), tool_calls: emptyList().optional() })
    .optional(),
});
export type IdleSettings = z.infer<typeof IdleSettings>;

const agentFields = {
  name: Name,
  description: z.string(),
  tool_configurations: emptyMap(),
  skills: emptyMap(),
  model: Model,
  first_step_name: z.string().min(1),
  metadata: JsonObject,
  enabled: z.boolean(),
};

const fullAgent = {
  name: agentFields.name,
  description: agentFields.description.optional(),
  tool_configurations: agentFields.tool_configurations,
  skills: agentFields.skills.optional(),
  model: agentFields.model,
  first_step: FirstStep.optional(),
  first_step_name: agentFields.first_step_name.optional(),
  steps: z.record(StepName, AgentStep).optional(),
  metadata: agentFields.metadata.optional(),
  enabled: agentFields.enabled.optional(),
  ...IdleSettings.shape,
};

/** Body of POST /v2/agents. */
export const CreateAgentRequest = z.strictObject({ key: Key.optional(), ...fullAgent });
export type CreateAgentRequest = z.infer<typeof CreateAgentRequest>;

/** Body of PUT: the body of a GET comes back as it is; what the server sets is taken and ignored. */
export const ReplaceAgentRequest = CreateAgentRequest.extend({
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type ReplaceAgentRequest = z.infer<typeof ReplaceAgentRequest>;

/** Body of PATCH: absent keeps, null clears; the three maps merge by key. */
export const UpdateAgentRequest = z.strictObject({
  name: agentFields.name.optional(),
  description: agentFields.description.nullable().optional(),
  tool_configurations: mapChange(agentFields.tool_configurations),
  skills: mapChange(agentFields.skills),
  model: agentFields.model.optional(),
  first_step: z.strictObject({ name: StepName.optional(), ...stepChange }).optional(),
  first_step_name: agentFields.first_step_name.optional(),
  steps: z.record(StepName, StepChange.nullable()).nullable().optional(),
  metadata: agentFields.metadata.nullable().optional(),
  enabled: agentFields.enabled.nullable().optional(),
  compaction: IdleSettings.shape.compaction.nullable(),
  tool_output_offloading: IdleSettings.shape.tool_output_offloading.nullable(),
  session_enrichment: IdleSettings.shape.session_enrichment.nullable(),
});
export type UpdateAgentRequest = z.infer<typeof UpdateAgentRequest>;

/** In a change, a name that maps to null is taken out; there is nothing to take out yet. */
function mapChange(map: ReturnType<typeof emptyMap>) {
  return z
    .record(z.string(), z.unknown())
    .transform((change) => Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null)))
    .pipe(map)
    .nullable()
    .optional();
}

/** Query of GET /v2/agents. */
export const ListAgentsQuery = z.strictObject({
  filter: z.string().max(256).optional(),
  enabled: Flag.optional(),
  limit: Limit,
  page_key: z.string().optional(),
});

/** A step as it is read. */
export type StepView = Required<Pick<AgentStep, 'instructions' | 'output_parser'>> & Partial<AgentStep>;

/** An agent as it is read. */
export interface AgentView extends IdleSettings {
  key: Key;
  name: string;
  description?: string;
  tool_configurations: Record<string, never>;
  skills: Record<string, never>;
  model: Model;
  first_step: StepView & { name: string };
  first_step_name: string;
  steps: Record<string, StepView>;
  metadata: JsonObject;
  enabled: boolean;
  created_at: string;
  updated_at: string;
}
