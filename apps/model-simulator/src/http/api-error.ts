/** The body of every error of OpenAI's API. `param` is the path of the part of the request that is at fault. */
export interface ApiErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

/** An answer of the API that is not a success. Thrown by whatever checks a request, written by `handle-request.ts`. */
export class ApiError extends Error {
  readonly body: ApiErrorBody;

  constructor(
    readonly status: number,
    { message, type = 'invalid_request_error', param = null, code = null }: ApiErrorDetails,
  ) {
    super(message);
    this.body = { error: { message, type, param, code } };
  }
}

interface ApiErrorDetails {
  message: string;
  type?: string;
  param?: string | null;
  code?: string | null;
}

/** A 400 that names the part of the request that is at fault. */
export function invalidRequest(param: string | null, message: string, code: string | null = null): ApiError {
  return new ApiError(400, { message, param, code });
}
