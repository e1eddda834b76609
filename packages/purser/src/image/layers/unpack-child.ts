// Entrance of the process that unpacks images: one task after the other, each answered by one message. It holds no
// credentials and opens no connection.
import { UnpackError } from "./unpack-limits.ts";
import { unpackLayers, type UnpackTask } from "./unpack-layers.ts";
import type { UnpackAnswer } from "./unpack-process.ts";

async function answerTo(task: UnpackTask): Promise<UnpackAnswer> {
  try {
    return { ok: true, value: await unpackLayers(task) };
  } catch (error) {
    if (error instanceof UnpackError) return { ok: false, problem: { kind: error.kind, message: error.message } };
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return {
      ok: false,
      problem: { kind: "machine", code, message: error instanceof Error ? error.message : String(error) },
    };
  }
}

let last: Promise<void> = Promise.resolve();
process.on("message", (task: UnpackTask) => {
  last = last.then(async () => void process.send?.(await answerTo(task)));
});
// The process that started this one has ended.
process.on("disconnect", () => process.exit(0));
