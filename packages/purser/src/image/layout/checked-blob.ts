import { createHash } from "node:crypto";
import { pipeline, type Readable, Transform } from "node:stream";
import { type Descriptor, ImageError } from "../image-source.ts";
import type { ImageProblem } from "../image-problem.ts";

/** The bytes of `stream`, which end with an `ImageError` when their size or digest is not that of the descriptor. */
export function checkedBlob(
  stream: Readable,
  { digest, size }: Descriptor,
  problem: (cause: string) => ImageProblem,
): Readable {
  const hash = createHash("sha256");
  let bytes = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length;
      if (bytes > size)
        return next(new ImageError(problem(`blob ${digest} is larger than the ${size} bytes of its descriptor`)));
      hash.update(chunk);
      next(null, chunk);
    },
    flush(next) {
      if (bytes < size) return next(new ImageError(problem(`blob ${digest} has ${bytes} bytes instead of ${size}`)));
      const actual = `sha256:${hash.digest("hex")}`;
      next(actual === digest ? null : new ImageError(problem(`blob ${digest} has the content of ${actual}`)));
    },
  });
  return pipeline(stream, check, () => undefined);
}
