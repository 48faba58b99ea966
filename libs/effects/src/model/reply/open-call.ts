import { JsonEnd } from './json-end.js';

/** What one delta says about a call. */
export interface CallDelta {
  id: string;
  index: number | undefined;
  name: string;
  arguments: string;
}

/** `{}` in front of other arguments: what some providers send until the model has said them. */
const PLACEHOLDER = /^\s*(?:\{\s*\}\s*)+(?=\{)/;
/** Arguments that are longer are not looked at for being one. */
const PLACEHOLDER_UNITS = 32;

/** A call in the making, as the deltas say that are about it. */
export class OpenCall {
  id = '';
  index: number | undefined;
  name = '';
  arguments = '';
  #end = new JsonEnd();

  /** True once the arguments are a whole object. */
  get over(): boolean {
    return this.#end.reached;
  }

  take({ id, index, name, arguments: piece }: CallDelta): void {
    this.id ||= id;
    this.index = index ?? this.index;
    this.#takeName(name);
    this.#takeArguments(piece);
  }

  /**
   * Whether a delta is the head of another call although it has this one's id or index: it names a tool after the
   * arguments were whole. One that says only what is known already does not, nor one that goes on behind a placeholder.
   */
  beginsAgain({ id, index, name, arguments: piece }: CallDelta): boolean {
    if (name === '' || !this.over) return false;
    if (name !== this.name || (index !== undefined && index !== this.index)) return true;
    if (piece.trim() === '' || piece === this.arguments) return false;
    return !(this.#holdsNothing && id !== '' && id === this.id);
  }

  /** A name comes whole, in pieces, or whole in every delta: what is the name so far says it again, all else adds to it. */
  #takeName(piece: string): void {
    if (piece !== this.name) this.name += piece;
  }

  /** Whole arguments may be said again, and those behind a placeholder are the real ones. */
  #takeArguments(piece: string): void {
    if (this.over && piece === this.arguments) return;
    const mayHoldPlace = this.arguments.length < PLACEHOLDER_UNITS;
    this.arguments += piece;
    this.#end.take(piece);
    if (!mayHoldPlace || !this.over || !PLACEHOLDER.test(this.arguments)) return;
    this.arguments = this.arguments.replace(PLACEHOLDER, '');
    this.#end = new JsonEnd();
    this.#end.take(this.arguments);
  }

  get #holdsNothing(): boolean {
    return this.arguments.length < PLACEHOLDER_UNITS && /^\s*\{\s*\}\s*$/.test(this.arguments);
  }
}
