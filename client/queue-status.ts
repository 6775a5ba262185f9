/** How far a request of the queue is. */

export interface LogLine {
  readonly message: string;
  readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'STDOUT' | 'STDERR';
  readonly source: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** Where a request is found. */
export interface RequestPlace {
  readonly request_id: string;
  readonly response_url: string;
  readonly status_url: string;
  readonly cancel_url: string;
}

/** What a submission answers. */
export interface QueuedRequest extends RequestPlace {
  readonly status: 'IN_QUEUE';
  /** Requests before this one. */
  readonly queue_position: number;
}

/** `logs` is null unless they were asked for. */
export type QueueStatus = RequestPlace & { readonly logs: readonly LogLine[] | null } & (
    | { readonly status: 'IN_QUEUE'; readonly queue_position: number }
    | { readonly status: 'IN_PROGRESS' }
    | {
        readonly status: 'COMPLETED';
        /** Seconds. */
        readonly metrics: { readonly inference_time: number | null };
        /** Why it has no result. */
        readonly error?: string;
        readonly error_type?: string;
        /** Until when the result is kept; ISO 8601. */
        readonly expires_at: string | null;
      }
  );
