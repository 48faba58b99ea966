import { type Instruction } from '@parley/core';

/** The system prompt: the instructions in their order, a blank line between them. */
export const renderInstructions = (instructions: readonly Instruction[]): string =>
  instructions.map(({ template }) => template).join('\n\n');
