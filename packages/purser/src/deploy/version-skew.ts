/** How two versions of Purser go together; `unknown` when one of them is no version. */
export type Skew = "supported" | "unsupported" | "unknown";

/** A client and controllers work together when they differ by one minor version at most; before 1.0 as well. */
export function skewOf(client: string, controllers: string): Skew {
  const [one, other] = [minorOf(client), minorOf(controllers)];
  if (one === undefined || other === undefined) return "unknown";
  return one.major === other.major && Math.abs(one.minor - other.minor) <= 1 ? "supported" : "unsupported";
}

function minorOf(version: string): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)\.\d+(?:[-+].*)?$/.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

/** The tag of an image, which is the version of what runs in it; undefined without a tag. */
export function tagOf(image: string): string | undefined {
  return /:([\w][\w.-]{0,127})$/.exec(image.replace(/@.*$/, ""))?.[1];
}
