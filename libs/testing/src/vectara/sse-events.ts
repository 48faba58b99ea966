/** One event of a stream, as it came. */
export interface SseEvent {
  id: string | undefined;
  data: string;
}

/** Reads the events of a stream as they come, as the published standard of server-sent events says. */
export async function* sseEvents(response: Response): AsyncGenerator<SseEvent> {
  if (!response.body) return;
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

const eventOf = (block: string): SseEvent | undefined => {
  const fields = new Map<string, string[]>();
  for (const line of block.split('\n')) {
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field) fields.set(field, [...(fields.get(field) ?? []), value ?? '']);
  }
  const data = fields.get('data');
  return data && { id: fields.get('id')?.at(-1), data: data.join('\n') };
};
