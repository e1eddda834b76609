/** The cluster does not answer, or no cluster is configured. Exit code 9. */
export class ClusterUnreachableError extends Error {
  override readonly name = "ClusterUnreachableError";
  readonly remedies: readonly string[];
  constructor(message: string, remedies: readonly string[], cause?: unknown) {
    super(message, { cause });
    this.remedies = remedies;
  }
}
