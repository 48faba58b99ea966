import { ERRORS, type ErrorCode, type PlatformError } from '@parley/core';

/** Errors whose own message is about the inside of Parley. */
const INSIDE: ReadonlySet<ErrorCode> = new Set(['internal', 'unavailable', 'timeout']);

/** What a client is told of an error: its message, unless that speaks of services and subjects. */
export const toldOf = ({ code, message }: PlatformError): string => (INSIDE.has(code) ? ERRORS[code].title : message);
