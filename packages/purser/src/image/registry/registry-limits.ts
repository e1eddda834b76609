/** Bounds of what one registry may send and how long it may take. */
export interface RegistryLimits {
  /** Bytes of a manifest or index. */
  readonly manifestBytes: number;
  /** Bytes of the answer of a token service. */
  readonly tokenBytes: number;
  readonly redirects: number;
  /** Milliseconds until the headers of an answer are there, the connection included. */
  readonly answerMs: number;
  /** Milliseconds in which an upload must go on or be answered; a registry may copy a large blob before it answers. */
  readonly uploadMs: number;
  /** Milliseconds for the whole body of a manifest or a token. */
  readonly bodyMs: number;
  /** Milliseconds for the body of an error, which only adds to its message. */
  readonly errorMs: number;
  /** A blob must bring `blobWindowBytes` in each period of so many milliseconds in which it is waited for. */
  readonly blobWindowMs: number;
  readonly blobWindowBytes: number;
  /** A blob that broke off and brought at least so much since then gets all its tries anew. */
  readonly progressBytes: number;
  /** How often one blob is resumed at most, progress or not. */
  readonly resumes: number;
}

export const defaultRegistryLimits: RegistryLimits = {
  // The OCI distribution specification asks registries to accept as much.
  manifestBytes: 4 * 1024 * 1024,
  tokenBytes: 1024 * 1024,
  redirects: 10,
  answerMs: 30_000,
  uploadMs: 60_000,
  bodyMs: 60_000,
  errorMs: 5_000,
  blobWindowMs: 30_000,
  // One kilobyte per second: no useful connection is slower.
  blobWindowBytes: 30 * 1024,
  progressBytes: 1024 * 1024,
  resumes: 50,
};
