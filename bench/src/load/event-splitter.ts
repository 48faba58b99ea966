const END = '\n\n';

/** Cuts a stream of server-sent events, as servers write it, into events. Looks at each character once. */
export class EventSplitter {
  #rest = '';

  constructor(private readonly onEvent: (event: string) => void) {}

  push(text: string): void {
    const seen = Math.max(0, this.#rest.length - 1);
    const all = this.#rest + text;
    let start = 0;
    for (let end = all.indexOf(END, seen); end !== -1; end = all.indexOf(END, start)) {
      this.onEvent(all.slice(start, end));
      start = end + END.length;
    }
    this.#rest = all.slice(start);
  }
}
