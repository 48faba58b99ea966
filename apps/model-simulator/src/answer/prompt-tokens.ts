import { type CreateParams } from '../params/create-params.js';
import { type Message } from '../params/messages.js';

const charactersPerToken = 4;
const tokensPerMessage = 4;

/** How many tokens a prompt has, estimated by its length: a quarter of its characters, and four for each message. */
export function promptTokens({ messages, tools }: CreateParams): number {
  const characters = messages.reduce((sum, message) => sum + textLength(message), 0);
  const toolCharacters = tools ? JSON.stringify(tools).length : 0;
  return Math.ceil((characters + toolCharacters) / charactersPerToken) + tokensPerMessage * messages.length;
}

function textLength(message: Message): number {
  const { content } = message;
  const calls = message.role === 'assistant' && message.tool_calls ? JSON.stringify(message.tool_calls).length : 0;
  if (typeof content === 'string' || !content) return (content?.length ?? 0) + calls;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), calls);
}
