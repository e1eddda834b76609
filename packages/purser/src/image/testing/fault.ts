/** Where a request of a pull or a push can go wrong. */
export type FaultPosition = "ping" | "token" | "manifest" | "blob" | "upload";

/** How the registry misbehaves in place of the right answer. */
export type Fault =
  /** An error in the registry's JSON form. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** 200 with a web page, as a captive portal answers. */
  | { readonly kind: "html" }
  /** An answer to HEAD with the content, which HTTP forbids. */
  | { readonly kind: "headWithBody" }
  /** The right size, one byte changed. */
  | { readonly kind: "wrongContent" }
  /** A complete answer that lacks its second half. */
  | { readonly kind: "truncated" }
  /** The connection breaks after so many bytes of the body. */
  | { readonly kind: "reset"; readonly afterBytes: number }
  /** A redirect to itself. */
  | { readonly kind: "redirectLoop" }
  /** A redirect to another place; `{path}` stands for the path of the request. */
  | { readonly kind: "redirect"; readonly to: string; readonly status?: number }
  /** A chunked body that never ends. */
  | { readonly kind: "endlessChunks" }
  /** A body of spaces of this size, with the matching `Content-Length`. */
  | { readonly kind: "huge"; readonly bytes: number }
  /** One byte per interval. */
  | { readonly kind: "trickle"; readonly everyMs: number }
  /** No answer at all. */
  | { readonly kind: "silent" }
  /** Any other body. */
  | { readonly kind: "body"; readonly contentType: string; readonly body: string }
  /** The right content under another media type. */
  | { readonly kind: "contentType"; readonly contentType: string }
  /** Without `Docker-Content-Digest`, as some proxies remove it. */
  | { readonly kind: "noDigestHeader" }
  /** A `Range` is answered with the whole content and 200. */
  | { readonly kind: "ignoresRange" }
  /** A `Range` is answered with 206 and the content from its first byte. */
  | { readonly kind: "wrongRange" }
  /** A `Range` is answered with 206 and the content from there, without `Content-Range`. */
  | { readonly kind: "unnamedRange" }
  /** A `Range` is answered with 206 and content that begins one byte later. */
  | { readonly kind: "laterRange" };

export interface PlannedFault {
  readonly fault: Fault;
  /** How many requests get it; absent: all. */
  readonly times?: number;
  /** Only requests with this method. */
  readonly method?: string;
  /** Only requests for this tag, manifest or blob. */
  readonly name?: string;
  /** Only requests that ask for a range, or only those that do not. */
  readonly withRange?: boolean;
}
