import { type LoggerService } from '@nestjs/common';
import { type Logger } from 'pino';

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

/**
 * Lets everything that logs through Nest log into pino. What Nest passes behind the message is sorted by kind: an
 * object's fields and an error join the entry, the last text is the context, a stack goes to the error.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...more: unknown[]): void {
    this.#write('info', message, more);
  }

  error(message: unknown, ...more: unknown[]): void {
    this.#write('error', message, more);
  }

  warn(message: unknown, ...more: unknown[]): void {
    this.#write('warn', message, more);
  }

  debug(message: unknown, ...more: unknown[]): void {
    this.#write('debug', message, more);
  }

  verbose(message: unknown, ...more: unknown[]): void {
    this.#write('trace', message, more);
  }

  fatal(message: unknown, ...more: unknown[]): void {
    this.#write('fatal', message, more);
  }

  #write(level: Level, message: unknown, more: unknown[]): void {
    if (!this.logger.isLevelEnabled(level)) return;
    const entry = entryOf([message, ...more]);
    this.logger[level](entry.fields, entry.text);
  }
}

interface Entry {
  fields: Record<string, unknown>;
  text: string | undefined;
}

const entryOf = (given: unknown[]): Entry => {
  const fields: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const one of given) {
    if (one instanceof Error) fields['err'] = one;
    else if (typeof one === 'object' && one !== null) Object.assign(fields, one);
    else if (typeof one !== 'string') continue;
    else if (isStack(one)) fields['stack'] = one;
    else texts.push(one);
  }
  if (texts.length > 1 || (texts.length === 1 && typeof given[0] !== 'string')) fields['context'] = texts.pop();
  const error = fields['err'];
  const text = texts.length > 0 ? texts.join(' ') : error instanceof Error ? error.message : undefined;
  return { fields, text };
};

const isStack = (text: string): boolean => /\n\s+at .+:\d+/.test(text);
