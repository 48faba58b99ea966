import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';

/** Lower-case UUID with the version nibble 4, whether random or derived from a key (DESIGN §2). */
const Uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 'not an id');

/** Whose data it is; comes from the API key alone and is part of every key. */
export const TenantId = Uuid.brand<'TenantId'>();
export type TenantId = z.infer<typeof TenantId>;
/** An agent. */
export const AgentId = Uuid.brand<'AgentId'>();
export type AgentId = z.infer<typeof AgentId>;
/** A session: one conversation, one log. */
export const SessionId = Uuid.brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;
/** A run. */
export const RunId = Uuid.brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;
/** A tool call; derived from (run, round, index), so that a repeated call keeps its id. */
export const CallId = Uuid.brand<'CallId'>();
export type CallId = z.infer<typeof CallId>;
/** An interrupt: something a run asks and waits for. */
export const InterruptId = Uuid.brand<'InterruptId'>();
export type InterruptId = z.infer<typeof InterruptId>;
/** A fact in an inbox; posting it twice has one effect. */
export const FactId = Uuid.brand<'FactId'>();
export type FactId = z.infer<typeof FactId>;
/** A blob: a value too large for a row or a message. */
export const BlobId = Uuid.brand<'BlobId'>();
export type BlobId = z.infer<typeof BlobId>;

/** A random id of the kind that `schema` names, e.g. `newId(RunId)`. */
export const newId = <S extends z.ZodType>(schema: S): z.output<S> => schema.parse(randomUUID());

/**
 * The id that a caller's key stands for: SHA-256 of (tenant, kind, key) cut to a v4 UUID (DESIGN §7.1). The same key
 * always gives the same id, so that a repeated request finds what the first one made.
 */
export const deriveId = <S extends z.ZodType>(
  schema: S,
  { tenant, kind, key }: { tenant: TenantId; kind: string; key: string },
): z.output<S> => {
  const digest = createHash('sha256').update(`${tenant}\0${kind}\0${key}`).digest().subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x40, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex');
  const text = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return schema.parse(text);
};
