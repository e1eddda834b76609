/** The cluster does not answer, or no cluster is configured. Exit code 9. */
export class ClusterUnreachableError extends Error {
  override readonly name = "ClusterUnreachableError";
}
