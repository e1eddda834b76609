/** How two versions of Purser go together; `same` is one minor version, `unknown`: one of them is no version. */
export type Skew = "same" | "supported" | "unsupported" | "unknown";

/** A client and controllers work together when they differ by one minor version at most; before 1.0 as well. */
export function skewOf(client: string, controllers: string): Skew {
  const [one, other] = [minorOf(client), minorOf(controllers)];
  if (one === undefined || other === undefined) return "unknown";
  if (one.major !== other.major) return "unsupported";
  const apart = Math.abs(one.minor - other.minor);
  return apart === 0 ? "same" : apart === 1 ? "supported" : "unsupported";
}

function minorOf(version: string): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)\.\d+(?:[-+].*)?$/.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

/** The tag of an image, which is the version of what runs in it; undefined without a tag. */
export function tagOf(image: string): string | undefined {
  return /:([\w][\w.-]{0,127})$/.exec(image.replace(/@.*$/, ""))?.[1];
}

/** Oldest minor version of Kubernetes 1 that is supported. */
const oldestMinor = 30;
export const oldestKubernetes = `1.${oldestMinor}`;

/** Whether this version of Kubernetes is older than Purser supports. */
export function isTooOld(kubernetes: string): boolean {
  const [, minor] = /^v?1\.(\d+)\./.exec(kubernetes) ?? [];
  return minor !== undefined && Number(minor) < oldestMinor;
}
