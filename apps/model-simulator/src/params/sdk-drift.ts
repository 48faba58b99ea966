import { type ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions/completions';
import { type CreateParams } from './create-params.js';

/**
 * A type's bare structure: names of interfaces, and literals that a wider `string` beside them swallows, are gone;
 * keys, optionality and the literals that count remain.
 */
export type Shape<T> = unknown extends T
  ? unknown
  : T extends string
    ? string extends T
      ? string
      : T
    : T extends number | boolean | null | undefined
      ? T
      : T extends readonly (infer Element)[]
        ? Shape<Element>[]
        : { [Key in keyof T]: Shape<T[Key]> };

/** True only when both types have the same structure, optional keys included: assignability would let those slip. */
export type SameShape<A, B> =
  (<T>() => T extends Shape<A> ? 1 : 2) extends <T>() => T extends Shape<B> ? 1 : 2 ? true : false;

type Holds<Claim extends true> = Claim;
type Fails<Claim extends false> = Claim;

/** Does not compile when our request schema and the SDK's request type part ways, in either direction. */
export type CreateParamsMatchSdk = Holds<SameShape<CreateParams, ChatCompletionCreateParamsBase>>;

/** The claim above is no empty one: each of these drifts, anywhere in the type, would break it. */
export type DriftIsSeen = [
  Fails<SameShape<{ a: { b: string; c?: string } }, { a: { b: string } }>>,
  Fails<SameShape<{ a?: string }, { a: string }>>,
  Fails<SameShape<{ a?: string }, { a?: string | null }>>,
  Fails<SameShape<{ a: 'x' | 'y' }, { a: 'x' | 'y' | 'z' }>>,
  Fails<SameShape<{ a: { b: number }[] }, { a: { b: string }[] }>>,
];
