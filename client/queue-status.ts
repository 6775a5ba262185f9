/** Types of the status of a request in the queue. */

export interface LogLine {
  readonly message: string;
  readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'STDOUT' | 'STDERR';
  readonly source: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** Id and URLs of a request. */
export interface RequestUrls {
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
}

/** The response to a submission. */
export interface QueuedRequest extends RequestUrls {
  readonly status: 'IN_QUEUE';
  /** Number of requests before this one. */
  readonly queue_position: number;
}

/** The status of a request. `logs` is null unless requested. */
export type QueueStatus = RequestUrls & {
  readonly logs: readonly LogLine[] | null;
  /** Position of the last line, after which `?after=` continues. */
  readonly logs_cursor?: string;
} & (
    | { readonly status: 'IN_QUEUE'; readonly queue_position: number }
    | { readonly status: 'IN_PROGRESS' }
    | {
        readonly status: 'COMPLETED';
        /** Seconds. */
        readonly metrics: { readonly inference_time: number | null };
        /** Reason why there is no result. */
        readonly error?: string;
        readonly error_type?: string;
        /** Time at which the result is deleted, in ISO 8601. */
        readonly expires_at: string | null;
      }
  );
