import { type Writes } from '../script/script.js';
import { type Act } from './act.js';

/**
 * The same bytes in other writes: of the sizes given, in turn, across the borders of events. Bytes that a wait or an
 * end follows are written before it, though their write is then smaller.
 */
export function* cutWrites(acts: Iterable<Act>, { bytes, pauseMs = 0 }: Writes): Generator<Act> {
  const sizes = typeof bytes === 'number' ? [bytes] : bytes;
  let turn = 0;
  let held: Buffer[] = [];
  let tokens = 0;

  function* flush(): Generator<Act> {
    const all = Buffer.concat(held);
    held = [];
    for (let at = 0; at < all.length;) {
      if (pauseMs > 0 && at > 0) yield { do: 'wait', ms: pauseMs };
      const size = sizes[turn++ % sizes.length] ?? all.length;
      yield { do: 'send', data: all.subarray(at, at + size), tokens: at === 0 ? tokens : 0 };
      at += size;
    }
    tokens = 0;
  }

  for (const act of acts) {
    if (act.do === 'send') {
      held.push(Buffer.from(act.data));
      tokens += act.tokens;
    } else {
      yield* flush();
      yield act;
    }
  }
  yield* flush();
}
