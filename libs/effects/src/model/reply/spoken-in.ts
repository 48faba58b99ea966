import { ModelFault } from '../model-failure.js';
import { loose, text, type Loose } from './chat-chunk.js';
import { isImage } from './images/images-in.js';
import { type Told } from './think-tags.js';

/**
 * What a delta says and thinks, in order. Reasoning comes in a field of its own, of which providers that fill several
 * repeat themselves (the first that holds text counts), or as a part of the content.
 */
export const spokenIn = (delta: Loose): Told[] => {
  const { content } = delta;
  const reasoning =
    textIn(delta, 'reasoning_content') || textIn(delta, 'reasoning') || detailsIn(delta.reasoning_details);
  const told: Told[] = reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }];
  if (Array.isArray(content)) return [...told, ...content.flatMap(partIn)];
  const said = textIn(delta, 'content');
  return said === '' ? told : [...told, { type: 'text', text: said }];
};

/**
 * The text of a field; empty where there is none.
 * @throws ModelFault `bad_response` when it holds something else.
 */
export const textIn = (delta: Loose, field: string): string => {
  const value = delta[field] ?? '';
  if (typeof value === 'string') return value;
  throw new ModelFault('bad_response', `the answer holds a '${field}' that is no text`);
};

/** What a delta says in refusal, in a field of its own or as parts of the content. */
export const refusalIn = (delta: Loose): string => {
  const parts = Array.isArray(delta.content) ? delta.content : [];
  return textIn(delta, 'refusal') + parts.map((part) => text(loose(part)?.refusal)).join('');
};

/** A part of content that is a list: text, or thoughts, which are text or parts again. */
const partIn = (value: unknown): Told[] => {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  const part = loose(value);
  if (!part) throw new ModelFault('bad_response', 'the answer holds a part of content that is no object');
  const thought = part.thinking ?? part.reasoning;
  if (typeof thought === 'string') return [{ type: 'reasoning', text: thought }];
  if (Array.isArray(thought)) return thought.map((one) => ({ type: 'reasoning', text: text(loose(one)?.text) }));
  if (typeof part.text === 'string') return [{ type: 'text', text: part.text }];
  if (part.text === null || typeof part.refusal === 'string' || isImage(part)) return [];
  throw new ModelFault('bad_response', `the answer holds a part of content of the unknown type '${text(part.type)}'`);
};

/** The readable ones of OpenRouter's `reasoning_details`: text and summaries, not what is encrypted. */
const detailsIn = (details: unknown): string =>
  Array.isArray(details) ? details.map((one) => text(loose(one)?.text) || text(loose(one)?.summary)).join('') : '';
