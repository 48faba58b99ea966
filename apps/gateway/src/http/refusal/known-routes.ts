import { type FastifyInstance } from 'fastify';

/** Which methods each path takes; asked only where nothing was found, to tell a wrong method from a wrong path. */
export class KnownRoutes {
  readonly #methods = new Map<string, Set<string>>();

  /** Learns the routes that are added to `server` from now on. */
  constructor(server: FastifyInstance) {
    server.addHook('onRoute', ({ url, method }) => {
      const methods = this.#methods.get(url) ?? new Set();
      for (const one of [method].flat()) methods.add(one);
      this.#methods.set(url, methods);
    });
  }

  /** The methods that a path takes; none where it leads nowhere. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    for (const [pattern, known] of this.#methods) if (fits(pattern, path)) known.forEach((one) => methods.add(one));
    return [...methods].sort();
  }
}

const fits = (pattern: string, path: string): boolean => {
  const parts = path.split('/');
  const wanted = pattern.split('/');
  if (wanted.length !== parts.length) return false;
  return wanted.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]));
};
