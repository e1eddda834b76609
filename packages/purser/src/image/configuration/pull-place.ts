import type { ImageReference } from "../../image-reference.ts";

/** One repository where an image may be, with the name that it has there. */
export interface PullPlace {
  readonly reference: ImageReference;
  /** Certificates are not verified, and plain HTTP is tried where HTTPS is not served. */
  readonly isInsecure: boolean;
  readonly isMirror: boolean;
}

/** `registry/repository`, without tag and digest. */
export function placeName({ reference }: PullPlace): string {
  return `${reference.registry}/${reference.repository}`;
}
