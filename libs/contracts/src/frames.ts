import { RunId, SessionId, TenantId } from '@parley/core';
import { z } from 'zod';
import { FrameView } from './run.js';

/** Frames of one run as they cross processes: core's `FrameBatch`. */
export const FrameBatchView = z.object({
  tenant: TenantId,
  session: SessionId,
  run: RunId,
  after: z.number(),
  frames: z.array(FrameView),
});

/** The subject of a session's frames. */
export const framesSubject = ({ tenant, session }: { tenant: TenantId; session: SessionId }): string =>
  `run.${tenant}.${session}.frames`;

/** Hears the frames of all sessions. */
export const FRAMES_PATTERN = 'run.*.*.frames';
