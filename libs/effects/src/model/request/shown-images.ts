import { type ImagePart, type Message, type Part } from '@parley/core';
import { type ModelRequest } from '../model-outcome.js';
import { type ModelTarget } from '../provider/providers.js';
import { SHOWN_IMAGE_BYTES } from '../reply/token-usage.js';

type ShownImage = ImagePart & { source: NonNullable<ImagePart['source']> };

/** True for an image that was not erased. */
export const isShownImage = (part: Part): part is ShownImage => part.type === 'image' && part.source !== null;

/** An image's address as providers take it: where it is, or its bytes themselves. */
export const addressOf = (source: ShownImage['source']): string =>
  source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;

/** Why this model cannot be asked this; undefined: it can, or nobody knows. */
export const blindTo = (
  { provider, model, facts }: Pick<ModelTarget, 'provider' | 'model' | 'facts'>,
  messages: readonly Message[],
): string | undefined => {
  if (facts.capabilities?.vision !== false) return undefined;
  for (const [index, message] of messages.entries()) {
    const part = message.role === 'user' ? message.parts.findIndex(isShownImage) : -1;
    if (part < 0) continue;
    const place = `part ${part + 1} of message ${index + 1} is one`;
    return `${provider}: the model '${model}' takes no images, and ${place}: choose a model with vision, or remove it`;
  }
  return undefined;
};

/** The bytes of a request of which its tokens are estimated: an image counts as one, however many bytes it has. */
export const countedBytes = (body: string, messages: ModelRequest['messages']): number => {
  let bytes = Buffer.byteLength(body);
  for (const message of messages) {
    if (message.role !== 'user') continue;
    for (const { source } of message.parts.filter(isShownImage)) {
      bytes += SHOWN_IMAGE_BYTES - Buffer.byteLength(addressOf(source));
    }
  }
  return bytes;
};
