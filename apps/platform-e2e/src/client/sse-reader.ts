/** One event of a stream, byte for byte as text. */
export interface RawFrame {
  id: string | null;
  data: string;
}

/**
 * Reads server-sent events; comments are left out. Strict where browsers are lenient: a field that is neither `id` nor
 * `data`, and bytes after the last whole event, are errors, unless the connection broke, whose error is thrown instead.
 */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<RawFrame> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const frame = frameOf(block);
      if (frame) yield frame;
    }
  }
  if (text !== '') throw new Error(`the stream ended amid an event: ${text}`);
}

function frameOf(block: string): RawFrame | undefined {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  if (lines.length === 0) return undefined;
  let id: string | null = null;
  const data: string[] = [];
  for (const line of lines) {
    if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data.push(line.slice(6));
    else throw new Error(`not a line of an event stream: ${line}`);
  }
  return { id, data: data.join('\n') };
}
