import { type Secret, truncated, wellFormed } from '@parley/core';
import { type Provider } from './provider.js';

/** The longest message that a failure carries, in UTF-16 units. */
const MESSAGE_UNITS = 2_048;
/** A configured value that is shorter is no secret, and taking it out would make messages unreadable. */
const SHORTEST_SECRET = 6;
/** Keys that a provider may quote although they are not the configured ones. */
const KEY_SHAPES = /\b(?:sk|pk|rk|gsk|xai|hf)[-_][\w*.-]{6,}|\bBearer\s+[\w.~+/*=-]{6,}/gi;

/** What a provider is asked for, as it stands at the end of the address. */
export type Operation = 'chat/completions' | 'embeddings';

const ACCEPTED: Record<Operation, string> = {
  'chat/completions': 'text/event-stream',
  embeddings: 'application/json',
};

/** Where and how one provider is spoken to. */
export class Endpoint {
  readonly #base: URL;
  readonly #headers: Record<string, string>;
  readonly #secrets: string[];

  constructor({ baseUrl, apiKey, headers = {} }: Provider) {
    this.#base = new URL(baseUrl);
    this.#headers = {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'parley',
      ...(apiKey && { authorization: `Bearer ${apiKey.reveal()}` }),
      ...revealed(headers),
    };
    this.#secrets = [...(apiKey ? [apiKey] : []), ...Object.values(headers)]
      .map((secret) => secret.reveal())
      .filter((secret) => secret.length >= SHORTEST_SECRET);
  }

  /** Where an operation is asked for, and with which headers; they hold the secrets: to the wire and nowhere else. */
  to(operation: Operation): { url: URL; headers: Record<string, string> } {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${operation}`;
    return { url, headers: { accept: ACCEPTED[operation], ...this.#headers } };
  }

  /** A message of the provider as it may be stored and shown: bounded, well-formed, without keys. */
  presentable(message: string): string {
    let text = message;
    for (const secret of this.#secrets) text = text.replaceAll(secret, '[secret]');
    return truncated(wellFormed(text.replace(KEY_SHAPES, '[secret]')), MESSAGE_UNITS);
  }
}

const revealed = (headers: Record<string, Secret>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.reveal()]));
