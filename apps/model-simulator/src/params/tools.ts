import { z } from 'zod';

/** Tools, and the choice among them, as `openai` 6.49.0 types them (`ChatCompletionTool*`). */

/** OpenAI's rule for the name of a function, a tool and a response schema. */
export const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);

/** A JSON Schema, opened only by the rules of strict mode (`rules/strict-schema.ts`). */
export const JsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof JsonSchema>;

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: ToolName,
    description: z.string().exactOptional(),
    parameters: JsonSchema.exactOptional(),
    strict: z.boolean().nullable().exactOptional(),
  }),
});

const CustomTool = z.strictObject({
  type: z.literal('custom'),
  custom: z.strictObject({
    name: ToolName,
    description: z.string().exactOptional(),
    format: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('text') }),
        z.strictObject({
          type: z.literal('grammar'),
          grammar: z.strictObject({ definition: z.string(), syntax: z.enum(['lark', 'regex']) }),
        }),
      ])
      .exactOptional(),
  }),
});

export const Tool = z.discriminatedUnion('type', [FunctionTool, CustomTool]);
export type Tool = z.infer<typeof Tool>;

export const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: ToolName }) }),
    z.strictObject({ type: z.literal('custom'), custom: z.strictObject({ name: ToolName }) }),
    z.strictObject({
      type: z.literal('allowed_tools'),
      allowed_tools: z.strictObject({
        mode: z.enum(['auto', 'required']),
        tools: z.array(z.record(z.string(), z.unknown())).min(1),
      }),
    }),
  ]),
]);
export type ToolChoice = z.infer<typeof ToolChoice>;
