import { type ImageSource, MAX_IMAGE_DATA, type ReplyImagePart, sizeOfPart } from '@parley/core';
import { type Loose } from '../chat-chunk.js';
import { imagesIn } from './images-in.js';

/** Image parts that one reply may have; the last of them tells that there were more. */
const MAX_IMAGES = 16;

/** The images of one answer, each once: some providers say them again. What is too much is told, and not kept. */
export class ImageAssembly {
  readonly #parts: ReplyImagePart[] = [];
  readonly #seen = new Set<string>();
  #room = MAX_IMAGE_DATA;

  /** How many there were, kept or not. */
  get count(): number {
    return this.#seen.size;
  }

  /** They stand in the reply as they came. */
  get parts(): readonly ReplyImagePart[] {
    return this.#parts;
  }

  take(delta: Loose): void {
    for (const source of imagesIn(delta)) {
      const key = JSON.stringify(source);
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      if (this.#parts.length < MAX_IMAGES) this.#add(source);
    }
  }

  #add(source: ImageSource): void {
    const part: ReplyImagePart = { type: 'image', source, origin: 'model' };
    const size = sizeOfPart(part);
    if (this.#parts.length === MAX_IMAGES - 1) {
      this.#parts.push({ ...part, source: { kind: 'not_kept', reason: `a reply has at most ${MAX_IMAGES - 1}` } });
    } else if (size > this.#room) {
      const reason = `the images of the reply have more than ${MAX_IMAGE_DATA} characters together`;
      this.#parts.push({ ...part, source: { kind: 'not_kept', reason } });
    } else {
      this.#room -= size;
      this.#parts.push(part);
    }
  }
}
