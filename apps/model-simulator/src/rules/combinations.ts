import { type ApiError, invalidRequest } from '../http/api-error.js';
import { type CreateParams } from '../params/create-params.js';
import { type JsonSchema, type Tool } from '../params/tools.js';
import { strictSchemaFault } from './strict-schema.js';

/**
 * OpenAI's rules between the fields of a request, and what the simulator cannot do and therefore refuses (more than
 * one choice, audio out): taking it in silence would show a client an answer that it did not ask for.
 */
export function checkCombinations(params: CreateParams): void {
  for (const rule of [lengthRules, streamRules, simulatorLimits, toolRules, toolChoiceRules, formatRules]) {
    const fault = rule(params);
    if (fault) throw fault;
  }
}

function lengthRules(params: CreateParams): ApiError | undefined {
  if (isSet(params.max_tokens) && isSet(params.max_completion_tokens)) {
    return conflict('max_tokens', `it cannot be set together with 'max_completion_tokens'`);
  }
  if (isSet(params.top_logprobs) && params.logprobs !== true) {
    return conflict('top_logprobs', `it is only allowed when 'logprobs' is true`);
  }
  if (Object.keys(params.metadata ?? {}).length > 16) {
    return invalidRequest('metadata', `Invalid 'metadata': at most 16 pairs.`, 'object_above_max_properties');
  }
  return undefined;
}

function streamRules(params: CreateParams): ApiError | undefined {
  if (isSet(params.stream_options) && params.stream !== true) {
    return conflict('stream_options', `it is only allowed when 'stream' is true`);
  }
  return undefined;
}

function simulatorLimits(params: CreateParams): ApiError | undefined {
  if ((params.n ?? 1) > 1) return conflict('n', 'the simulator gives one choice');
  if (params.modalities?.includes('audio') || isSet(params.audio)) {
    return conflict('modalities', 'the simulator gives text only');
  }
  return undefined;
}

function toolRules(params: CreateParams): ApiError | undefined {
  const names = params.tools?.map(toolName) ?? [];
  const again = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (again >= 0) return conflict(`tools[${again}]`, `tool names must be unique; '${names[again]}' is there twice`);
  for (const [index, tool] of (params.tools ?? []).entries()) {
    if (tool.type !== 'function' || !tool.function.parameters) continue;
    const fault = parametersFault(tool.function.parameters, tool.function.strict === true);
    const param = `tools[${index}].function.parameters`;
    if (fault) {
      const message = `Invalid schema for function '${tool.function.name}': ${fault}.`;
      return invalidRequest(param, message, 'invalid_function_parameters');
    }
  }
  return undefined;
}

function parametersFault(schema: JsonSchema, strict: boolean): string | undefined {
  if (strict) return strictSchemaFault(schema);
  return schema['type'] === 'object' ? undefined : `the root must be of 'type: "object"'`;
}

function toolChoiceRules(params: CreateParams): ApiError | undefined {
  const choice = params.tool_choice;
  const setting = choice === undefined ? 'parallel_tool_calls' : 'tool_choice';
  if (!params.tools) {
    const alone = choice ?? params.parallel_tool_calls;
    return alone === undefined ? undefined : conflict(setting, `it is only allowed when 'tools' are given`);
  }
  if (typeof choice !== 'object' || choice.type === 'allowed_tools') return undefined;
  const wanted = choice.type === 'function' ? choice.function.name : choice.custom.name;
  return params.tools.some((tool) => tool.type === choice.type && toolName(tool) === wanted)
    ? undefined
    : conflict('tool_choice', `'${wanted}' is not among the 'tools'`);
}

function formatRules(params: CreateParams): ApiError | undefined {
  const format = params.response_format;
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify(params.messages))) {
    return conflict('messages', `they must hold the word 'json' to use 'response_format' of type 'json_object'`);
  }
  if (format?.type !== 'json_schema') return undefined;
  const { name, schema, strict } = format.json_schema;
  const param = 'response_format.json_schema.schema';
  if (!schema) return invalidRequest(param, `Missing required parameter: '${param}'.`, 'missing_required_parameter');
  const fault = strict === true ? strictSchemaFault(schema) : undefined;
  return fault
    ? invalidRequest(param, `Invalid schema for response_format '${name}': ${fault}.`, 'invalid_json_schema')
    : undefined;
}

function toolName(tool: Tool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name;
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function conflict(param: string, why: string): ApiError {
  return invalidRequest(param, `Invalid value for '${param}': ${why}.`, 'invalid_value');
}
