/**
 * Orders resource versions of one resource type, which Kubernetes promises to be growing decimal numbers of any
 * length (KEP-5504; etcd revisions have always been). Undefined when one of them is no such number.
 */
function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!/^[1-9]\d*$/.test(a) || !/^[1-9]\d*$/.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether something at `seen` shows what happened at `wanted`. Versions that have no order only show themselves. */
export function reaches(seen: string | undefined, wanted: string): boolean {
  if (seen === undefined) return false;
  const order = compareResourceVersions(seen, wanted);
  return order !== undefined && order >= 0;
}
