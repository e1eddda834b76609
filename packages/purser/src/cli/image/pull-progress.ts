import type { Clock } from "@purser/kubernetes/clock";
import type { PullProgress } from "../../image/pulled-image.ts";

const mebibyte = 1024 * 1024;
/** Between two lines that differ in their numbers only. */
const leastMs = 100;

/** Reports a pull as one line of text after another: layers, bytes and bytes per second; "" when it is complete. */
export function pullProgress(show: (line: string) => void, clock: Clock): (progress: PullProgress) => void {
  const layers = new Map<number, { readonly bytes: number; readonly of: number }>();
  let startedAt: number | undefined;
  let shownAt = -Infinity;
  return (progress) => {
    const { kind, reference } = progress;
    switch (kind) {
      case "resolved":
        return show(`pulling ${reference}`);
      case "unpacking":
        return show(`unpacking ${reference}`);
      case "complete":
        return show("");
      case "downloading": {
        const now = clock.monotonic();
        startedAt ??= now;
        const { layer, bytes, totalBytes } = progress;
        layers.set(layer, { bytes, of: totalBytes });
        if (now - shownAt < leastMs) return undefined;
        shownAt = now;
        return show(downloadLine(reference, [...layers.values()], progress.layers, now - startedAt));
      }
    }
  };
}

/** Layers that have not begun are not counted in the bytes, because their size is not reported yet. */
function downloadLine(
  reference: string,
  begun: readonly { readonly bytes: number; readonly of: number }[],
  layers: number,
  tookMs: number,
): string {
  const bytes = begun.reduce((sum, layer) => sum + layer.bytes, 0);
  const of = begun.reduce((sum, layer) => sum + layer.of, 0);
  const complete = begun.filter((layer) => layer.bytes >= layer.of).length;
  const rate = tookMs > 0 ? `  ${inMebibytes((bytes * 1000) / tookMs)} MiB/s` : "";
  return `pulling ${reference}  ${complete} of ${layers} layers  ${inMebibytes(bytes)} of ${inMebibytes(of)} MiB${rate}`;
}

const inMebibytes = (bytes: number): string => (bytes / mebibyte).toFixed(1);
