import {
  type Agent,
  type AgentDefinition,
  DEFAULT_BUDGET,
  type Instruction,
  JsonObject,
  type ModelChoice,
} from '@parley/core';
import { entryOf, type Entry } from './entry.js';
import { type AgentFacet, facetOf, PLAIN_TEXT } from './facet.js';
import { toRetry, toRetryConfiguration } from './retry.js';
import {
  type AgentView,
  type CreateAgentRequest,
  type InlineInstruction,
  InstructionNote,
  type Model,
  type OutputParser,
  type StepView,
} from './wire.js';

/**
 * The definition that a request describes. `base`: the definition that it changes or replaces; what this API cannot say
 * stays as it is there.
 * @throws PlatformError `invalid_input` for an entry point that is none.
 */
export const toDefinition = (request: CreateAgentRequest, base?: AgentDefinition): AgentDefinition => {
  const entry = entryOf(request);
  const { name, parameters, retry_configuration } = request.model;
  return {
    name: request.name,
    description: request.description ?? null,
    enabled: request.enabled ?? true,
    model: {
      handle: name,
      parameters: toParameters(parameters ?? {}),
      ...(retry_configuration && { retry: toRetry(retry_configuration) }),
    },
    instructions: entry.step.instructions.map(toInstruction),
    budget: base?.budget ?? DEFAULT_BUDGET,
    ...toOutput(entry.step.output_parser),
    metadata: request.metadata ?? {},
    facets: { ...base?.facets, vectara: toFacet(request, entry) },
  };
};

/** An agent as it is read. */
export const toAgentView = ({ key, definition, createdAt, agentCreatedAt }: Agent): AgentView => {
  const facet = facetOf(definition.facets);
  const step = toStepView(definition, facet);
  const { compaction, tool_output_offloading, session_enrichment } = facet;
  return {
    key,
    name: definition.name,
    ...(definition.description === null ? {} : { description: definition.description }),
    tool_configurations: {},
    skills: {},
    model: toModelView(definition.model, facet),
    first_step: { name: facet.step, ...step },
    first_step_name: facet.step,
    steps: { [facet.step]: step },
    metadata: definition.metadata,
    enabled: definition.enabled,
    ...given({ compaction, tool_output_offloading, session_enrichment }),
    created_at: agentCreatedAt.toISOString(),
    updated_at: createdAt.toISOString(),
  };
};

const toParameters = ({ max_tokens, ...rest }: NonNullable<Model['parameters']>): ModelChoice['parameters'] =>
  max_tokens === undefined ? rest : { ...rest, max_completion_tokens: max_tokens };

const toInstruction = ({ name, template, description, template_type, metadata }: InlineInstruction): Instruction => ({
  name,
  template,
  facet: json(given({ description, template_type, metadata })),
});

const toFacet = (request: CreateAgentRequest, { name, step }: Entry): JsonObject => {
  const { compaction, tool_output_offloading, session_enrichment, model } = request;
  const { reentry_step, allowed_tools, allowed_skills } = step;
  const facet = given({
    step: name,
    reentry_step,
    allowed_tools,
    allowed_skills,
    max_tokens: model.parameters?.max_tokens === undefined ? undefined : (true as const),
    compaction,
    tool_output_offloading,
    session_enrichment,
  });
  return json(facet);
};

/** Not strict unless it says so, as the providers take it. */
const toOutput = (parser: OutputParser | undefined): Pick<AgentDefinition, 'output'> =>
  parser?.type === 'structured'
    ? { output: { ...parser.json_schema, strict: parser.json_schema.strict ?? false } }
    : {};

const toStepView = ({ instructions, output }: AgentDefinition, facet: AgentFacet): StepView => {
  const { reentry_step, allowed_tools, allowed_skills } = facet;
  return {
    instructions: instructions.map(toInstructionView),
    output_parser: output ? { type: 'structured', json_schema: output } : { type: 'default' },
    reminders: [],
    ...given({ reentry_step, allowed_tools: allowed_tools && [], allowed_skills: allowed_skills && [] }),
  };
};

const toInstructionView = ({ name, template, facet }: Instruction): InlineInstruction => {
  const note = InstructionNote.safeParse(facet ?? PLAIN_TEXT);
  return { type: 'inline', name, template, ...(note.success ? note.data : PLAIN_TEXT) };
};

const toModelView = ({ handle, parameters, retry }: ModelChoice, facet: AgentFacet): Model => {
  const { max_completion_tokens: limit, ...rest } = parameters;
  const isOld = facet.max_tokens && limit !== undefined;
  return {
    name: handle,
    parameters: isOld ? { ...rest, max_tokens: limit } : parameters,
    ...(retry && { retry_configuration: toRetryConfiguration(retry) }),
  };
};

/** Without what is undefined. */
const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const json = (fields: object): JsonObject => JsonObject.parse(fields);
