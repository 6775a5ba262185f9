/** What enters the pipeline and what leaves it, whatever door it came through. */

export interface ApiRequest {
  /** Unique per request: answered as `X-Request-Id` and named in logs. */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** As sent, without prefix and query string. */
  readonly path: string;
  /** As sent, without `?`. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The whole body; fails with CONTENT_TOO_LARGE. */
  body(): Promise<Buffer>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | null;
}
