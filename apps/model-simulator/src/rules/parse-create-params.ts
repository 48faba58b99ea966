import { CreateParams } from '../params/create-params.js';
import { checkCombinations } from './combinations.js';
import { checkConversation } from './conversation.js';
import { parseBody } from './parse-body.js';

/** The request for a completion in a body, checked as strictly as OpenAI does; throws ApiError 400. */
export function parseCreateParams(text: string, extensions: readonly string[] = []): CreateParams {
  const params = parseBody(CreateParams, text, extensions);
  checkConversation(params.messages);
  checkCombinations(params);
  return params;
}
