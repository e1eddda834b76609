import { relative } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { Images } from "../../image/images.ts";
import { isLocalReference } from "../../image/layout/local-reference.ts";
import type { PulledImage, WantedContent } from "../../image/pulled-image.ts";
import { cacheDirectoryOf } from "../cache-directory.ts";
import type { Invocation, Outcome } from "../command.ts";
import { withoutImage } from "./image-refusal.ts";
import { missingReference } from "./missing-reference.ts";
import { namedContent } from "./named-content.ts";
import { pullReport, transferEvents } from "./transfer-events.ts";

/** What a reference of a command names, as files of this machine. */
export interface LocalContent {
  /** As the user wrote it; what messages and results name. */
  readonly reference: string;
  /** The reference itself, or the directory of the image's catalog or bundle. */
  readonly path: string;
  /** Present when the reference names an image. */
  readonly image?: PulledImage;
  /** What pulled the image; usable until the command ends. */
  readonly images?: Images;
}

/** The content of a path of this machine. */
export const contentAt = (path: string): LocalContent => ({ reference: path, path });

/** The text with paths of the image in place of those of the image store; for places and messages about files. */
export function withImagePaths({ image }: LocalContent, text: string): string {
  return image === undefined ? text : text.replaceAll(`${image.root}/`, "").replaceAll(image.root, "/");
}

/** How findings name the content's own directory: the path as given, or the directory of the image. */
export function shownRoot({ reference, image }: LocalContent): string {
  return image === undefined ? reference : relative(image.root, image.directory) || reference;
}

/**
 * The image that a rendered bundle names: undefined for a bundle directory and for an image on this machine
 * (`oci:`, archives), which no cluster can pull.
 */
export function imageOfBundle({ reference, image }: LocalContent): string | undefined {
  return image === undefined || isLocalReference(reference) ? undefined : reference.replace(/^docker:\/\//, "");
}

type ContentOf<References extends readonly string[]> = { readonly [Index in keyof References]: LocalContent };

/**
 * Runs a command on what its references name. Images are pulled first, with progress on a terminal; the first that cannot
 * be had refuses the command. What was pulled can be read until `use` ends.
 */
export function withLocalContent<const References extends readonly string[]>(
  invocation: Invocation,
  references: References,
  wanted: WantedContent,
  use: (...content: ContentOf<References>) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  return withContentReader(invocation, async (read) => {
    const contents: LocalContent[] = [];
    for (const reference of references) {
      const content = await read(reference, wanted);
      if (!content.ok) return content.problem;
      contents.push(content.value);
    }
    return use(...(contents as unknown as ContentOf<References>));
  });
}

/** What a reference names; the problem is the outcome of a command that cannot do without it. */
export type ReadContent = (reference: string, wanted: WantedContent) => Promise<Result<LocalContent, Outcome>>;

/** As {@link withLocalContent}, for references that are known only while the command runs. */
export async function withContentReader<Answer>(
  invocation: Invocation,
  use: (read: ReadContent) => Promise<Answer>,
): Promise<Answer> {
  const { terminal, signal } = invocation;
  let opened: OpenedImages | undefined;
  const read: ReadContent = async (reference, wanted) => {
    const kind = wanted === "bundle" ? "bundle" : "catalog";
    const named = namedContent(reference);
    switch (named.kind) {
      case "path":
        return done(contentAt(reference));
      case "missing":
        return failed(missingReference(kind, reference));
      case "incomplete":
        return failed(withoutImage(kind, named.problem));
      case "image":
    }
    opened ??= await openCommandImages(invocation);
    const onProgress = pullReport(invocation, systemClock);
    try {
      const request = { reference, wanted, credentials: [], policy: [] };
      const pulled = await opened.images.pull(request, { signal, onProgress });
      if (!pulled.ok) return failed(withoutImage(kind, { ...pulled.problem, reference }));
      return done({ reference, path: pulled.value.directory, image: pulled.value, images: opened.images });
    } finally {
      terminal.progress("");
    }
  };
  try {
    return await use(read);
  } finally {
    await opened?.close();
  }
}

/** Images as a command pulls them: by the configuration and the credentials of this machine. */
export interface OpenedImages {
  readonly images: Images;
  /** Of the image store. */
  readonly cacheDirectory: string;
  close(): Promise<void>;
}

/** Opened when the first image is pulled: commands on directories need no registry client. */
export async function openCommandImages(invocation: Invocation): Promise<OpenedImages> {
  const { terminal } = invocation;
  const report = transferEvents(invocation, systemClock);
  const { openImages } = await import("../../image/open-images.ts");
  const cache = await cacheDirectoryOf(terminal);
  const images = openImages({
    directory: cache.path,
    clock: systemClock,
    entropy: systemEntropy,
    environment: terminal.env,
    onMissingPolicy: (files) => {
      if (report !== undefined) return report({ kind: "noSignaturePolicy", files });
      terminal.err(`images are accepted without signatures: there is no signature policy (${files.join(", ")})`);
    },
  });
  return {
    images,
    cacheDirectory: cache.path,
    async close() {
      await images.close();
      await cache.close();
    },
  };
}
