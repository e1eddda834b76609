/**
 * Compares resource versions of one resource type, which Kubernetes guarantees to be increasing decimal numbers of any
 * length (KEP-5504; etcd revisions always were). Undefined when one of them is not a number.
 */
function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!/^[1-9]\d*$/.test(a) || !/^[1-9]\d*$/.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether a state at `seen` includes the change at `wanted`. Versions without an order include only themselves. */
export function reaches(seen: string | undefined, wanted: string): boolean {
  if (seen === undefined) return false;
  const order = compareResourceVersions(seen, wanted);
  return order !== undefined && order >= 0;
}
